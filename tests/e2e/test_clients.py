"""Real MCP clients over HTTP, in both protocol eras, and clients that misbehave."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable
from typing import Any

import psutil
import pytest
import pytest_asyncio
from mcp import Client

from research_mcp.core.models import Page, SearchQuery, SearchReport
from research_mcp.core.ports import Progress
from research_mcp.server.config import Listen, ServerConfig
from tests.server.fakes import FakePipelines, hit, page, report
from tests.server.serving import BOTH, INITIALIZE, MODERN, Running, both_ways, call, request, serving, until

pytestmark = pytest.mark.asyncio(loop_scope="module")
MODES = ["legacy", MODERN, "auto"]


async def search(query: SearchQuery, progress: Progress) -> SearchReport:
    if query.text.startswith("sleep "):
        await asyncio.sleep(float(query.text.removeprefix("sleep ")))
    await progress(2, 3, "2 of 3 engines answered")
    return report(query, [hit(number) for number in range(1, query.limit + 1)])


async def read(url: str) -> Page:
    return page(url, "# A\n\n" + "text " * 80_000 if "huge" in url else "# A\n\nThe text.")


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def running() -> AsyncIterator[Running]:
    pipelines = FakePipelines(search_with=search, read_with=read, keep=False)
    config = ServerConfig(heartbeat_seconds=0.2)
    async with serving(pipelines, config, Listen(drain_seconds=3, header_seconds=1.0)) as server:
        yield server


@pytest.mark.parametrize("mode", MODES)
async def test_a_real_client_lists_and_calls_every_tool(running: Running, mode: str) -> None:
    async with Client(running.url, mode=mode) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == [
            "search_and_read",
            "web_search",
            "read_page",
            "read_pages",
            "map_site",
        ]
        found = await client.call_tool("web_search", {"query": "x"})
        assert len(found.structured_content["results"]) == 8
        text = await client.call_tool("read_page", {"url": "https://e.org"})
        assert "The text." in text.content[0].text
        pages = await client.call_tool("read_pages", {"urls": ["https://a.org", "https://b.org"]})
        assert [row["ok"] for row in pages.structured_content["pages"]] == [True, True]
        both = await client.call_tool("search_and_read", {"query": "x"})
        assert len(both.structured_content["results"]) == 5
        site = await client.call_tool("map_site", {"url": "https://e.org"})
        assert len(site.structured_content["pages"]) == 2
        assert (await client.call_tool("web_search", {"q": "x"})).is_error
        assert (await client.call_tool("nothing", {})).is_error
        assert (await client.read_resource("research://status")).contents


@pytest.mark.parametrize("mode", MODES)
async def test_a_client_that_asks_for_progress_gets_it_with_heartbeats(running: Running, mode: str) -> None:
    seen: list[tuple[float, float | None, str | None]] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        seen.append((done, total, message))

    async with Client(running.url, mode=mode) as client:
        await client.call_tool("web_search", {"query": "sleep 0.7"}, progress_callback=progress)
    assert len(seen) >= 3
    assert [done for done, _, _ in seen] == sorted({done for done, _, _ in seen})
    assert seen[0][1:] == (None, "working")
    assert seen[-1] == (2.0, 3.0, "2 of 3 engines answered")


async def test_ten_clients_of_both_eras_are_served_at_once(running: Running) -> None:
    async def one(number: int) -> int:
        async with Client(running.url, mode=MODES[number % 2]) as client:
            answers = [await client.call_tool("web_search", {"query": "sleep 0.05"}) for _ in range(3)]
        return sum(not answer.is_error for answer in answers)

    assert await asyncio.gather(*(one(number) for number in range(10))) == [3] * 10


async def test_replicas_behind_a_round_robin_need_no_sessions(running: Running) -> None:
    async with serving(FakePipelines(keep=False)) as other:
        for number in range(60):
            target = (running, other)[number % 2]
            answer = await target.rpc(
                "tools/call",
                call("web_search", query="x", num_results=1),
                headers={"Mcp-Session-Id": "from-the-other-one"},
                modern=number % 4 < 2,
            )
            assert answer.rpc()["result"]["isError"] is False


@pytest.mark.parametrize("accept", [BOTH, "application/json", "text/event-stream", "*/*"])
@pytest.mark.parametrize("modern", [False, True])
@pytest.mark.parametrize("token", ["", "t"])
async def test_a_dropped_client_stops_its_work(
    running: Running, accept: str, modern: bool, token: str
) -> None:
    before = running.pipelines.cancelled
    _, writer = await start(running, accept, modern=modern, token=token)
    await until(lambda: running.pipelines.running == 1)
    writer.close()
    assert await until(lambda: running.pipelines.running == 0) < 5
    assert running.pipelines.cancelled == before + 1


async def start(
    running: Running, accept: str = BOTH, *, modern: bool, token: str = "", query: str = "sleep 30"
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    headers, body = request("tools/call", call("web_search", token, query=query), modern=modern)
    return await running.send("POST", "/mcp", headers | {"Accept": accept}, body)


async def test_a_client_that_gives_up_waiting_stops_its_work(running: Running) -> None:
    async with Client(running.url, mode=MODERN) as client:
        task = asyncio.create_task(client.call_tool("web_search", {"query": "sleep 30"}))
        await until(lambda: running.pipelines.running == 1)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    assert await until(lambda: running.pipelines.running == 0) < 5


async def drop_many(running: Running, count: int) -> None:
    """Disconnects at random points, of every era and form; nothing may be left behind."""
    rng = random.Random(5)
    await drop_one(running, rng)
    process = psutil.Process()
    tasks, files = len(asyncio.all_tasks()), process.num_fds()
    for _ in range(count // 10):
        await asyncio.gather(*(drop_one(running, rng) for _ in range(10)))
    await until(lambda: running.pipelines.running == 0)
    await until(lambda: not running.server.server_state.connections)
    await until(lambda: len(asyncio.all_tasks()) <= tasks)
    assert process.num_fds() <= files + 2


async def drop_one(running: Running, rng: random.Random) -> None:
    accept = rng.choice([BOTH, "application/json", "text/event-stream"])
    token = rng.choice(["", "t"])
    modern = rng.random() < 0.5
    reader, writer = await start(running, accept, modern=modern, token=token, query="sleep 0.3")
    await asyncio.sleep(rng.random() * 0.5)
    writer.close()
    await _quietly(writer.wait_closed())
    del reader


async def _quietly(closing: Awaitable[Any]) -> None:
    await asyncio.gather(closing, return_exceptions=True)


@pytest.mark.slow
async def test_a_hundred_disconnects_leave_nothing_behind(running: Running) -> None:
    await drop_many(running, 100)


@pytest.mark.slow
@pytest.mark.timeout(200)
async def test_a_thousand_disconnects_leave_nothing_behind(running: Running) -> None:
    before = psutil.Process().memory_info().rss
    await drop_many(running, 1000)
    assert psutil.Process().memory_info().rss <= before * 1.05


async def p95(running: Running, calls: int = 40) -> float:
    loop = asyncio.get_running_loop()
    times = []
    for number in range(calls):
        started = loop.time()
        await running.rpc("tools/call", call("web_search", query="x"), modern=bool(number % 2))
        times.append(loop.time() - started)
    return sorted(times)[int(calls * 0.95)]


@pytest.mark.slow
async def test_half_open_heads_and_a_slow_reader_do_not_hold_up_others(running: Running) -> None:
    await p95(running)
    alone = await p95(running)
    half_open = [await asyncio.open_connection("127.0.0.1", running.port) for _ in range(300)]
    for _, writer in half_open:
        writer.write(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
    headers, body = request("tools/call", call("read_page", url="https://e.org/huge"))
    reader, slow = await running.send("POST", "/mcp", headers | {"Accept": BOTH}, body)
    both_ways(slow).pause_reading()
    assert await p95(running) <= max(2 * alone, 0.1)
    await asyncio.wait_for(
        asyncio.gather(*(half.read() for half, _ in half_open), return_exceptions=True), 15
    )
    for writer in (slow, *(writer for _, writer in half_open)):
        writer.close()
    del reader


@pytest.mark.parametrize(
    "count", [200, pytest.param(2000, marks=[pytest.mark.slow, pytest.mark.timeout(200)])]
)
async def test_many_initialize_calls_leave_no_session_behind(running: Running, count: int) -> None:
    process = psutil.Process()
    for _ in range(20):
        await running.rpc("initialize", INITIALIZE)
    before, tasks = process.memory_info().rss, len(asyncio.all_tasks())
    for _ in range(count // 10):
        await asyncio.gather(*(running.rpc("initialize", INITIALIZE) for _ in range(10)))
    assert process.memory_info().rss - before <= 60 * 2**20
    await until(lambda: len(asyncio.all_tasks()) <= tasks)


@pytest.mark.parametrize(
    "text", ["a\r\nX: y", "\x1b[31mred", "x" * 200_000, "\u202egnp", "</web_content>"], ids=range(5)
)
async def test_hostile_arguments_come_back_as_one_clean_sentence_or_a_framed_text(
    running: Running, text: str
) -> None:
    for tool, arguments in (
        ("web_search", {"query": text}),
        ("read_page", {"url": f"https://e.org/{text}"}),
        ("web_search", {"query": "x", "language": text}),
        (text, {}),
        ("web_search", {text: 1}),
    ):
        answer = await running.rpc("tools/call", {"name": tool, "arguments": arguments})
        told = answer.rpc()["result"]["content"][0]["text"]
        assert "\x1b" not in told
        assert "\r" not in told
        assert len(told) < 40_000
        assert told.count("</web_content") <= 1
