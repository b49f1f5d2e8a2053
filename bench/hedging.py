"""A page whose first three rungs hang: how long until the fourth one's text is there.

The product as the composition root builds it, in this process, its guard on: public names lead to loopback
here. The page's own host, Jina and crawl4ai accept a connection and say nothing; Tavily answers in its own time.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from bench.site import article
from research_mcp.bootstrap import Product, assemble, configure, read_environment
from research_mcp.core.models import Page
from research_mcp.net.client import Network
from research_mcp.net.resolver import Resolver
from research_mcp.observe.events import Event, ProviderCall
from tests.net.fakes import PUBLIC, LoopbackNet, Names, listening, page

WARM = 40
"""Answers of each quick reader before anything counts: its latency is then that of a server in use."""
LAST_WARM = 12
READS = 12
AT_ONCE = 4
LAST_TAKES = (3.0, 4.0)
"""Seconds that the reader behind the three takes, evenly spread."""
TEXT = "Tides fill the basin twice a day, and the turbines in the barrage turn both ways. " * 12
SHELL = "<!doctype html><title>App</title><div id=root></div><script src=/app.js></script>"


@dataclass
class World:
    """What the hosts do: "well", "thin" or "hang"."""

    site: str = "well"
    jina: str = "well"
    crawl4ai: str = "well"
    tavily: str = "well"
    events: list[Event] = field(default_factory=list)
    turn: int = 0

    def seconds_of(self, reader: str) -> list[float]:
        """How long the good answers of a reader took."""
        calls = (event for event in self.events if isinstance(event, ProviderCall))
        return [call.ms / 1_000 for call in calls if call.instance == reader and call.outcome == "ok"]


def _reply(world: World, name: str, head: bytes, body: bytes) -> bytes:
    if name == "site":
        shell = b"/shell" in head.split(b"\r\n")[0]
        return page(SHELL) if shell else page(article(1))
    text = TEXT if getattr(world, name) == "well" else "thin"
    if name == "jina":
        value: object = {"code": 200, "status": 20_000, "data": {"content": text, "url": "", "title": ""}}
    elif name == "crawl4ai":
        value = {"url": "", "filter": "fit", "markdown": text, "success": True}
    else:
        (url,) = json.loads(body)["urls"]
        value = {"results": [{"url": url, "raw_content": text}], "failed_results": []}
    return page(json.dumps(value), Content_Type="application/json")


@asynccontextmanager
async def _host(world: World, name: str) -> AsyncIterator[int]:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while head := await reader.readuntil(b"\r\n\r\n"):
            length = head.lower().partition(b"content-length:")[2].split(b"\r\n")[0].strip()
            body = await reader.readexactly(int(length or 0))
            if getattr(world, name) == "hang":
                await asyncio.sleep(3_600)
            if name == "tavily":
                low, high = LAST_TAKES
                world.turn += 1
                await asyncio.sleep(low + (high - low) * (world.turn * 5 % LAST_WARM) / (LAST_WARM - 1))
            writer.write(_reply(world, name, head, body))
            await writer.drain()

    async with listening(talk) as port:
        yield port


@asynccontextmanager
async def _product(world: World) -> AsyncIterator[Product]:
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(TemporaryDirectory())
        ports = {
            name: await stack.enter_async_context(_host(world, name))
            for name in ("site", "jina", "crawl4ai", "tavily")
        }
        values = {
            "DATA_DIR": folder,
            "LOG_FILE": "",
            "ROBOTS": "ignore",
            "READ_CACHE_TTL": "0",
            "KEYLESS_TIERS": "tavily",
            "JINA_READER_API_URL": f"http://127.0.0.1:{ports['jina']}",
            "CRAWL4AI_URL": f"http://127.0.0.1:{ports['crawl4ai']}",
            "TAVILY_API_URL": f"http://127.0.0.1:{ports['tavily']}",
            "WAYBACK_API_URL": "http://127.0.0.1:9",
        }
        configuration = configure(read_environment(Path(folder) / "no.env", values))
        inner = LoopbackNet({PUBLIC: ports["site"]})
        with (
            patch("research_mcp.bootstrap.assemble.Network", partial(Network, inner=inner)),
            patch(
                "research_mcp.bootstrap.assemble.Resolver", partial(Resolver, Names(default=[PUBLIC]).lookup)
            ),
        ):
            product = assemble(configuration, world.events.append)
        await stack.enter_async_context(product.running())
        yield product


async def _reads(product: Product, path: str, count: int) -> list[tuple[float, str]]:
    """Seconds and winner of each read, a few at a time."""
    places = asyncio.Semaphore(AT_ONCE)

    async def one(number: int) -> tuple[float, str]:
        async with places:
            begun = time.perf_counter()
            outcome = await product.reader.read(f"http://site.example.com/{path}/{number}")
            winner = outcome.reader if isinstance(outcome, Page) else outcome.reason.value
            return time.perf_counter() - begun, winner

    return await asyncio.gather(*(one(number) for number in range(count)))


async def _warmed(world: World, product: Product) -> None:
    """Every reader has answered often enough for its latency to be known."""
    await _reads(product, "article", WARM)
    for thin in ("jina", "crawl4ai"):
        await _reads(product, f"shell-{thin}", WARM)
        setattr(world, thin, "thin")
    await _reads(product, "shell-tavily", LAST_WARM)


def _p95(seconds: list[float]) -> float:
    return statistics.quantiles(seconds, n=20, method="inclusive")[-1]


def _row(case: str, reads: list[tuple[float, str]], alone: float | None) -> dict[str, object]:
    seconds = [each for each, _ in reads]
    p95 = _p95(seconds) if len(seconds) > 1 else seconds[0]
    return {
        "case": case,
        "reads": len(reads),
        "answered by": ", ".join(sorted({winner for _, winner in reads})),
        "median s": round(statistics.median(seconds), 2),
        "p95 s": round(p95, 2),
        "of its p95 alone": f"{p95 / alone:.2f}" if alone else "",
    }


async def _run() -> list[dict[str, object]]:
    world = World()
    async with _product(world) as product:
        await _warmed(world, product)
        alone = _p95(world.seconds_of("tavily-read-keyless"))
        quick = await _reads(product, "quick", READS)
        world.site = world.jina = world.crawl4ai = "hang"
        hedged = await _reads(product, "hangs", READS)
        world.tavily = "hang"
        failed = await _reads(product, "all", 1)
    fresh = World("hang", "hang", "hang")
    async with _product(fresh) as product:
        cold = await _reads(product, "cold", 1)
    return [
        _row("all is well", quick, None),
        _row("the first three hang, latencies known", hedged, alone),
        _row("the first three hang, just started", cold, alone),
        _row("all four hang (READ_TIMEOUT is 45 s)", failed, None),
    ]


def run() -> list[dict[str, object]]:
    """One row a case."""
    return asyncio.run(_run())
