"""From process start to ready, and what the idle process tree weighs."""

from __future__ import annotations

import asyncio
import statistics
import time

from mcp import Client

from bench.product import product, tree_memory
from bench.site import site


def run() -> list[dict[str, object]]:
    """Five starts; memory idle after the first read, and after 200 reads."""
    ready = []
    for _ in range(5):
        with product() as (_, _, seconds):
            ready.append(seconds)
    with site() as base, product() as (endpoint, process, _):
        asyncio.run(_read(endpoint, base, 1))
        time.sleep(1)
        idle = tree_memory(process.pid)
        asyncio.run(_read(endpoint, base, 10))
        time.sleep(1)
        worked = tree_memory(process.pid)
    return [
        {"figure": "ready after start, median s", "value": round(statistics.median(ready), 2), "bar": "2.0"},
        {"figure": "ready after start, worst s", "value": round(max(ready), 2), "bar": ""},
        {"figure": "idle tree, proportional MB", "value": idle["proportional"], "bar": "250"},
        {
            "figure": "idle tree, resident MB (shared pages counted again)",
            "value": idle["resident"],
            "bar": "",
        },
        {"figure": "after 200 reads, proportional MB", "value": worked["proportional"], "bar": ""},
    ]


async def _read(endpoint: str, base: str, times: int) -> None:
    async with Client(endpoint) as client:
        for _ in range(times):
            await client.call_tool("read_pages", {"urls": [f"{base}/article/{n}" for n in range(20)]})
