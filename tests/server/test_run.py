"""Running: idle and stuck clients are let go, the rest is served."""

from __future__ import annotations

import asyncio
import logging
import socket
import time
from collections.abc import Callable
from contextlib import suppress

import pytest

from research_mcp.core.models import Page
from research_mcp.server.app import build_app
from research_mcp.server.config import Listen, ServerConfig
from research_mcp.server.run import http_server, run
from tests.server.fakes import FakePipelines, page
from tests.server.serving import BOTH, both_ways, call, receive, request, serving, until


async def closed(reader: asyncio.StreamReader, seconds: float = 15.0) -> float:
    """Seconds until the server closes the connection."""
    started = time.perf_counter()
    async with asyncio.timeout(seconds):
        with suppress(ConnectionResetError):
            await reader.read()
    return time.perf_counter() - started


async def test_half_a_request_head_is_given_up() -> None:
    async with serving(listen=Listen(header_seconds=0.3)) as running:
        for start in (b"", b"POST /mcp HTTP/1.1\r\nHost: "):
            reader, writer = await asyncio.open_connection("127.0.0.1", running.port)
            writer.write(start)
            assert await closed(reader) > 0.2
            writer.close()


async def test_half_a_second_request_on_a_kept_connection_is_given_up_too() -> None:
    async with serving(listen=Listen(header_seconds=0.3)) as running:
        reader, writer = await asyncio.open_connection("127.0.0.1", running.port)
        writer.write(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        await reader.readuntil(b"}")
        await asyncio.sleep(0.5)  # idle, but kept
        writer.write(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        await reader.readuntil(b"}")
        writer.write(b"GET /hea")
        assert await closed(reader) > 0.2
        writer.close()


async def test_a_long_call_is_not_mistaken_for_a_slow_head() -> None:
    async def slow(url: str) -> Page:
        await asyncio.sleep(0.6)
        return page(url)

    async with serving(FakePipelines(read_with=slow), listen=Listen(header_seconds=0.2)) as running:
        answer = await running.rpc("tools/call", call("read_page", url="https://e.org"))
        assert answer.rpc()["result"]["isError"] is False


async def huge(url: str) -> Page:
    return page(url, "x" * 5_000_000)


async def test_a_client_that_stops_reading_is_cut_off() -> None:
    async with serving(FakePipelines(read_with=huge), listen=Listen(stall_seconds=0.3)) as running:
        headers, body = _call_body()
        _, writer = await running.send("POST", "/mcp", headers, body)
        both_ways(writer).pause_reading()
        await until(lambda: not running.server.server_state.connections)
        writer.close()


async def test_a_client_that_reads_slowly_gets_everything() -> None:
    async with serving(FakePipelines(read_with=huge), listen=Listen(stall_seconds=3.0)) as running:
        headers, body = _call_body()
        reader, writer = await running.send("POST", "/mcp", headers, body)
        both_ways(writer).pause_reading()
        await asyncio.sleep(0.3)
        both_ways(writer).resume_reading()
        answer = await receive(reader)
        writer.close()
        assert "x" * 5_000_000 in answer.rpc()["result"]["content"][0]["text"]
        await asyncio.sleep(0)


def _call_body() -> tuple[dict[str, str], bytes]:
    headers, body = request("tools/call", call("read_page", url="https://e.org"))
    return headers | {"Accept": BOTH}, body


async def test_more_connections_than_allowed_are_told_so() -> None:
    async with serving(listen=Listen(max_connections=3)) as running:
        held = [await asyncio.open_connection("127.0.0.1", running.port) for _ in range(3)]
        await until(lambda: len(running.server.server_state.connections) == 3)
        assert (await running.ask("GET", "/healthz")).status == 503
        for _, writer in held:
            writer.close()
        await until(lambda: not running.server.server_state.connections)
        assert (await running.ask("GET", "/healthz")).status == 200


def test_the_server_is_set_up_for_proxies_and_drains() -> None:
    app = build_app(FakePipelines().services(), ServerConfig())
    config = http_server(app, Listen()).config
    assert config.timeout_keep_alive == 75
    assert config.timeout_graceful_shutdown == 25
    assert config.proxy_headers


def test_listening_for_outsiders_without_a_host_list_is_warned_about(
    caplog: pytest.LogCaptureFixture,
) -> None:
    closed = socket.socket()
    closed.close()
    with pytest.raises(OSError, match="Bad file descriptor"):  # nothing is served
        run(FakePipelines().services(), ServerConfig(), Listen(host="0.0.0.0"), [closed])
    assert "listening on 0.0.0.0 without MCP_ALLOWED_HOSTS" in caplog.text


async def test_refused_and_dropped_requests_leave_no_error_line(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)

    async def slow(url: str) -> Page:
        await asyncio.sleep(5)
        return page(url)

    async with serving(FakePipelines(read_with=slow)) as running:
        drops: list[Callable[[], bytes]] = [
            lambda: b"",
            lambda: b"POST /mcp HTTP/1.1\r\n",
            lambda: b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{",
        ]
        for start in drops:
            _, writer = await asyncio.open_connection("127.0.0.1", running.port)
            writer.write(start())
            await writer.drain()
            writer.close()
        headers, body = _call_body()
        _, writer = await running.send("POST", "/mcp", headers, body)
        await until(lambda: running.pipelines.running == 1)
        writer.close()
        await until(lambda: running.pipelines.running == 0)
        await running.rpc("tools/list", accept="image/png")
        await running.ask(body=b"{broken", headers={"Content-Type": "application/json"})
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR] == []
