"""Event-loop lag and a plain read's time while four hostile pages keep the workers busy."""

from __future__ import annotations

import asyncio
import time

from mcp import Client

from bench.product import product
from bench.site import site

SECONDS = 20.0


def _quantile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


async def _measure(endpoint: str, base: str) -> tuple[list[float], list[float], int]:
    lags: list[float] = []
    reads: list[float] = []
    hostile = 0
    ends = time.perf_counter() + SECONDS

    async def attack(number: int) -> None:
        nonlocal hostile
        async with Client(endpoint) as client:
            while time.perf_counter() < ends:
                await client.call_tool(
                    "read_page", {"url": f"{base}/hostile/{number}?t={time.perf_counter()}"}
                )
                hostile += 1

    async def probe() -> None:
        async with Client(endpoint) as client:
            while time.perf_counter() < ends:
                start = time.perf_counter()
                await client.call_tool("read_page", {"url": f"{base}/article/1?t={start}", "max_chars": 500})
                reads.append(time.perf_counter() - start)
                await asyncio.sleep(0.05)

    async def ping() -> None:
        host, port = endpoint.removeprefix("http://").removesuffix("/mcp").split(":")
        while time.perf_counter() < ends:
            start = time.perf_counter()
            reader, writer = await asyncio.open_connection(host, int(port))
            writer.write(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
            await reader.read()
            writer.close()
            lags.append(time.perf_counter() - start)
            await asyncio.sleep(0.01)

    await asyncio.gather(*(attack(number) for number in range(4)), probe(), ping())
    return lags, reads, hostile


def run() -> list[dict[str, object]]:
    """The bars: health probe p99 at most 50 ms beside its own cost, plain read p95 at most 2 s."""
    with site() as base, product(READ_CACHE_TTL="0") as (endpoint, _, _):
        lags, reads, hostile = asyncio.run(_measure(endpoint, base))
    return [
        {"figure": "hostile pages handled", "value": hostile, "bar": ""},
        {"figure": "health probe p50 ms", "value": round(_quantile(lags, 0.5) * 1e3, 1), "bar": ""},
        {
            "figure": "health probe p99 ms (lag of the event loop included)",
            "value": round(_quantile(lags, 0.99) * 1e3, 1),
            "bar": "50",
        },
        {"figure": "plain reads", "value": len(reads), "bar": ""},
        {"figure": "plain read p95 s", "value": round(_quantile(reads, 0.95), 2), "bar": "2"},
    ]
