"""What guard and policy add to one upstream call, against plain httpx on the same loopback server."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable

import httpx

from bench.site import site
from research_mcp.core.deadline import Deadline
from research_mcp.core.wire import Request
from research_mcp.net.client import Network
from research_mcp.net.download import GuardedFetcher
from research_mcp.net.guard import Guard, GuardPolicy
from research_mcp.net.policy import VendorClient
from research_mcp.net.resolver import Resolver

CALLS = 400


class _Clock:
    def now(self) -> float:
        return 0.0


async def _sample(call: Callable[[], Awaitable[object]]) -> list[float]:
    for _ in range(20):
        await call()
    spent = []
    for _ in range(CALLS):
        start = time.perf_counter()
        await call()
        spent.append((time.perf_counter() - start) * 1e3)
    return sorted(spent)


async def _measure(base: str) -> list[dict[str, object]]:
    resolver = Resolver()
    guard = Guard(GuardPolicy.parse(allow_private=True), resolver)
    network = Network(guard, resolver)
    vendor = VendorClient(network, "bench", clock=_Clock(), user_agent="bench", endpoint=base)
    fetcher = GuardedFetcher(network, user_agent="bench")
    url = f"{base}/missing"
    plain = httpx.AsyncClient(trust_env=False)
    rows = []
    samples = {
        "plain httpx": await _sample(lambda: plain.get(url)),
        "vendor client with policy": await _sample(
            lambda: vendor.send(Request("GET", url), Deadline.after(5))
        ),
        "guarded page fetch": await _sample(lambda: fetcher.fetch(url, Deadline.after(5))),
        "guard alone": await _sample(_judge(guard, url)),
    }
    for name, spent in samples.items():
        rows.append(
            {
                "call": name,
                "p50 ms": round(statistics.median(spent), 3),
                "p99 ms": round(spent[int(CALLS * 0.99)], 3),
                "p50 over plain ms": round(
                    statistics.median(spent) - statistics.median(samples["plain httpx"]), 3
                ),
            }
        )
    await plain.aclose()
    await network.aclose()
    return rows


def _judge(guard: Guard, url: str) -> Callable[[], Awaitable[object]]:
    async def judge() -> None:
        target = guard.target(url)
        await guard.addresses(target.host, target.port)

    return judge


def run() -> list[dict[str, object]]:
    """Milliseconds for each kind of call."""
    with site() as base:
        return asyncio.run(_measure(base))
