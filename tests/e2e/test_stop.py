"""SIGTERM: calls in flight finish, endless ones are cut, and a restart is not noticed."""

from __future__ import annotations

import asyncio
import signal
import time

import pytest
from mcp import Client

from tests.e2e.process import Process, server_process
from tests.server.serving import BOTH, INITIALIZE, Answer, call, request

pytestmark = pytest.mark.slow
"""Each test starts processes and waits for them to end."""


async def start_call(served: Process, query: str, *, modern: bool) -> asyncio.Task[Answer]:
    headers, body = request("tools/call", call("web_search", query=query), modern=modern)
    answer = asyncio.create_task(served.running.ask(headers=headers | {"Accept": BOTH}, body=body))
    await asyncio.sleep(0.5)
    return answer


async def test_calls_in_flight_get_their_answers_in_both_eras() -> None:
    async with server_process() as served:
        answers = [await start_call(served, "sleep 2", modern=modern) for modern in (False, True)]
        took = await served.stop()
        for answer in answers:
            assert (await answer).rpc()["result"]["structuredContent"]["results"]
        assert took < 8
        assert not [line for line in served.lines if line.startswith("ERROR")]


async def test_an_endless_call_is_cut_at_the_limit_and_listen_streams_do_not_exist() -> None:
    async with server_process(drain=1) as served:
        listen = await served.running.rpc("subscriptions/listen", {"filter": {}}, modern=True)
        assert listen.status in (400, 404)
        answers = [await start_call(served, "sleep 60", modern=modern) for modern in (False, True)]
        took = await served.stop()
        assert took < 8
        await asyncio.gather(*answers, return_exceptions=True)


async def test_an_idle_server_with_kept_connections_stops_at_once() -> None:
    async with server_process() as served, Client(served.running.url) as client:
        await client.list_tools()
        assert await served.stop(signal.SIGINT) < 2.5
        assert served.process.returncode == 0
        assert not [line for line in served.lines if "Traceback" in line]


async def test_a_restart_between_two_calls_is_not_noticed() -> None:
    async with server_process() as served:
        port = served.running.port
        assert (await served.running.rpc("tools/list")).status == 200, "the first request after the start"
        initialized = await served.running.rpc("initialize", INITIALIZE)
        session = initialized.headers.get("mcp-session-id", "none")
        await served.stop()
    async with server_process(port) as served:
        headers = {"Mcp-Session-Id": session, "MCP-Protocol-Version": "2025-06-18"}
        answer = await served.running.rpc("tools/call", call("web_search", query="x"), headers=headers)
        assert answer.rpc()["result"]["isError"] is False


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_memory_stays_flat_over_many_calls_drops_and_openers() -> None:
    async with server_process() as served:
        await many_calls(served, 1000)
        before = served.rss()
        await many_calls(served, 20_000)
        for _ in range(500):
            await served.running.ask("GET", headers={"Mcp-Session-Id": "x"})
            await served.running.rpc("initialize", INITIALIZE)
        assert served.rss() - before <= 5
        assert not [line for line in served.lines if line.startswith("ERROR")]


async def many_calls(served: Process, count: int) -> None:
    """Calls over kept connections, eight at a time, half of each era."""
    heads = []
    for modern in (False, True):
        headers, body = request("tools/call", call("web_search", query="x", num_results=1), modern=modern)
        fields = {"Host": "localhost", "Accept": BOTH, "Content-Length": str(len(body)), **headers}
        lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        heads.append(f"POST /mcp HTTP/1.1\r\n{lines}\r\n".encode() + body)

    async def worker(number: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", served.running.port)
        for _ in range(count // 8):
            writer.write(heads[number % 2])
            head = await reader.readuntil(b"\r\n\r\n")
            if b"chunked" in head:
                await reader.readuntil(b"0\r\n\r\n")
            else:
                length = int(head.lower().partition(b"content-length:")[2].split()[0])
                await reader.readexactly(length)
        writer.close()

    await asyncio.gather(*(worker(number) for number in range(8)))


@pytest.mark.slow
async def test_a_silent_call_shows_a_byte_at_most_every_16_seconds() -> None:
    async with server_process() as served:
        for modern in (False, True):
            headers, body = request("tools/call", call("web_search", query="sleep 20"), modern=modern)
            reader, writer = await served.running.send("POST", "/mcp", headers | {"Accept": BOTH}, body)
            last, longest = time.perf_counter(), 0.0
            while await reader.read(65536):
                longest = max(longest, time.perf_counter() - last)
                last = time.perf_counter()
            writer.close()
            assert longest < 16.5
