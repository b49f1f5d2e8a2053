"""The connections to one host: reused while they live, bounded, given back whatever happens."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from ipaddress import ip_address

import httpcore
import pytest

from research_mcp.net.addresses import Address
from research_mcp.net.backend import Backend
from research_mcp.net.lines import Lines
from tests.kit.vendors import Call, FakeVendor, Served
from tests.net.fakes import listening

KEEP = 5.0


async def here(host: str, port: int) -> list[Address]:
    return [ip_address(host)]


@asynccontextmanager
async def kept_lines(*, most: int = 100, keep_alive: float = KEEP) -> AsyncIterator[Lines]:
    pool = Lines(Backend(here), ssl.create_default_context(), most=most, keep_alive=keep_alive)
    yield pool
    await pool.aclose()


@asynccontextmanager
async def lines(vendor: FakeVendor, *, most: int = 100, keep_alive: float = KEEP) -> AsyncIterator[Lines]:
    async with vendor.serving(), kept_lines(most=most, keep_alive=keep_alive) as pool:
        yield pool


def get(url: str) -> httpcore.Request:
    return httpcore.Request("GET", url, headers={"Host": "127.0.0.1"})


async def ask(pool: Lines, vendor: FakeVendor) -> bytes:
    answer = await pool.handle_async_request(get(vendor.url))
    try:
        return await answer.aread()
    finally:
        await answer.aclose()


async def test_calls_one_by_one_share_one_connection() -> None:
    vendor = FakeVendor("one", answer=lambda _: Served(b"hello"))
    async with lines(vendor) as pool:
        assert [await ask(pool, vendor) for _ in range(5)] == [b"hello"] * 5
    assert vendor.connections == 1


async def test_calls_at_once_have_a_connection_each_and_all_are_used_again() -> None:
    vendor = FakeVendor("one", answer=lambda _: Served(b"hello", delay=0.02))
    async with lines(vendor) as pool:
        for _ in range(3):
            await asyncio.gather(*(ask(pool, vendor) for _ in range(8)))
    assert (vendor.connections, vendor.most_in_flight) == (8, 8)


@pytest.mark.parametrize("later", [b"", b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil"])
async def test_what_comes_unasked_answers_no_later_call(later: bytes) -> None:
    connections = 0

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections
        connections += 1
        while await reader.read(1_000):
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\ngood")
            await asyncio.sleep(0.02)
            writer.write(later)

    async with listening(talk) as port, kept_lines() as pool:
        for _ in range(2):
            answer = await pool.handle_async_request(get(f"http://127.0.0.1:{port}/"))
            assert await answer.aread() == b"good"
            await answer.aclose()
            await asyncio.sleep(0.05)
    assert connections == (2 if later else 1)


async def test_further_calls_wait_for_a_place() -> None:
    vendor = FakeVendor("one", answer=lambda _: Served(b"hello", delay=0.02))
    async with lines(vendor, most=3) as pool:
        await asyncio.gather(*(ask(pool, vendor) for _ in range(9)))
    assert (vendor.connections, vendor.most_in_flight, len(vendor.calls)) == (3, 3, 9)


async def test_a_connection_that_the_host_closed_is_not_used_again() -> None:
    vendor = FakeVendor("one", answer=lambda _: Served(b"hello"))
    async with lines(vendor) as pool:
        await ask(pool, vendor)
        vendor.drop()
        await asyncio.sleep(0.01)
        assert await ask(pool, vendor) == b"hello"
    assert vendor.connections == 2


async def test_a_connection_is_not_kept_for_longer_than_it_may() -> None:
    vendor = FakeVendor("one", answer=lambda _: Served(b"hello"))
    async with lines(vendor, keep_alive=0.0) as pool:
        for _ in range(3):
            await ask(pool, vendor)
            await asyncio.sleep(0.001)
    assert vendor.connections == 3


@pytest.mark.parametrize("early", ["before the answer", "before its end"])
async def test_a_call_that_is_left_early_frees_its_place_and_its_connection_is_closed(early: str) -> None:
    body = b"x" * 3_000_000
    vendor = FakeVendor(
        "one", answer=lambda _: Served(body, delay=None if early == "before the answer" else 0)
    )
    async with lines(vendor, most=1) as pool:
        for _ in range(2):
            with suppress(TimeoutError):
                async with asyncio.timeout(0.15):
                    answer = await pool.handle_async_request(get(vendor.url))
                    await answer.aclose()
                    await answer.aclose()
        vendor.answer = lambda _: Served(b"hello")
        assert await ask(pool, vendor) == b"hello"
    assert vendor.connections == 3


async def test_a_host_that_refuses_frees_the_place() -> None:
    vendor = FakeVendor("one", answer=lambda _: Served(b"hello"))
    async with lines(vendor, most=1) as pool:
        for _ in range(3):
            with pytest.raises(httpcore.ConnectError):
                await pool.handle_async_request(get("http://127.0.0.1:1/"))


async def test_closing_ends_the_calls_that_still_run() -> None:
    asked = asyncio.Event()

    def silent(_: Call) -> Served:
        asked.set()
        return Served(b"", delay=None)

    vendor = FakeVendor("one", answer=silent)
    async with lines(vendor) as pool:
        running = asyncio.create_task(ask(pool, vendor))
        await asked.wait()
        await pool.aclose()
        with pytest.raises(httpcore.NetworkError):
            await running
