"""Callers who mean no good: wrong doors, huge and deep bodies, half heads, slow readers, all at once."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest

from tests.e2e.process import Process, server_process
from tests.server.serving import BOTH, INITIALIZE, Running, call, request

MB = 2**20
HALF_HEADS = 300
FLOOR = 0.05
"""Seconds below which a difference is the machine's own noise."""


@asynccontextmanager
async def half_heads(port: int, count: int) -> AsyncIterator[list[asyncio.StreamReader]]:
    """Connections that begin a request and never end its head."""
    open_ones = [await asyncio.open_connection("127.0.0.1", port) for _ in range(count)]
    for _, writer in open_ones:
        writer.write(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
    try:
        yield [reader for reader, _ in open_ones]
    finally:
        for _, writer in open_ones:
            writer.transport.abort()


@asynccontextmanager
async def slow_readers(port: int, count: int) -> AsyncIterator[None]:
    """Clients that ask for a long page and do not read it."""
    headers, body = request("tools/call", call("read_page", url="https://big.example/"))
    fields = {"Host": "localhost", "Accept": BOTH, "Content-Length": str(len(body)), **headers}
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    stuck = []
    for _ in range(count):
        sock = socket.socket()
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        sock.connect(("127.0.0.1", port))
        sock.sendall(f"POST /mcp HTTP/1.1\r\n{head}\r\n".encode() + body)
        stuck.append(sock)
    try:
        yield
    finally:
        for sock in stuck:
            sock.close()


async def p95(running: Running, count: int = 60) -> float:
    """Seconds within which 95 % of small calls are answered."""
    seconds = []
    for _ in range(count):
        started = time.perf_counter()
        answer = await running.rpc("tools/call", call("web_search", query="x"))
        assert answer.status == 200
        seconds.append(time.perf_counter() - started)
    return sorted(seconds)[int(count * 0.95)]


async def openers(running: Running, count: int) -> None:
    """Clients that only ever say hello, ten at a time."""
    left = iter(range(count))

    async def opener() -> None:
        for _ in left:
            assert (await running.rpc("initialize", INITIALIZE)).status == 200

    await asyncio.gather(*(opener() for _ in range(10)))


async def huge(port: int) -> int:
    """The status for 5 MB, of which the server need not read all."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\n"
    writer.write(f"{head}Content-Length: {5 * MB}\r\n\r\n".encode() + b" " * MB)
    status = int((await reader.readline()).split()[1])
    writer.transport.abort()
    return status


async def refusals(running: Running) -> list[int]:
    """What wrong doors and wrong bodies get."""
    json = {"Content-Type": "application/json", "Accept": BOTH}
    return [
        (await running.rpc("tools/list", headers={"Host": "evil.example"})).status,
        (await running.rpc("tools/list", headers={"Origin": "https://evil.example"})).status,
        await huge(running.port),
        (await running.ask(headers=json, body=b"[" * 100_000)).status,
    ]


async def closed_after(readers: list[asyncio.StreamReader]) -> float:
    """Seconds until the server has closed all of them."""
    started = time.perf_counter()

    async def end(reader: asyncio.StreamReader) -> None:
        with suppress(ConnectionError):
            await reader.read()

    await asyncio.gather(*(end(reader) for reader in readers))
    return time.perf_counter() - started


@pytest.mark.slow
@pytest.mark.timeout(400)
async def test_abuse_of_every_kind_leaves_honest_callers_their_answers() -> None:
    async with server_process() as served:
        running = served.running
        await openers(running, 50)
        rss, healthy = served.rss(), await p95(running)
        async with half_heads(running.port, HALF_HEADS) as halves, slow_readers(running.port, 20):
            closing = asyncio.create_task(closed_after(halves))
            assert await refusals(running) == [421, 403, 413, 400]
            under = await p95(running)
            await openers(running, 2_000)
            assert await closing <= 15
            grown = served.rss() - rss
        assert under <= max(2 * healthy, healthy + FLOOR)
        assert grown <= 60
        await _is_well(served)


async def _is_well(served: Process) -> None:
    assert (await served.running.rpc("tools/call", call("web_search", query="x"))).rpc()["result"][
        "isError"
    ] is False
    assert not [line for line in served.lines if line.startswith("ERROR")]
    assert await served.stop() < 8
