"""Pages per second of `read_pages` on local articles: the bare extractor, this product, its peers.

The bare extractor is the physical limit: the same pages through this product's own conversion and
through trafilatura, in as many processes as the product has workers, without network or protocol.
Everyone gets all pages at once and the best of three rounds; who needs seconds for a page has one round.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import time
from collections.abc import Awaitable, Callable

from mcp import Client

from bench.peers import PEERS, Peer, reading
from bench.product import product
from bench.site import ARTICLES, article, site

ROUNDS = 3
BATCH = 20
PATIENT = 1.0
"""Pages a second under which one round has to do."""
WORKERS = 2

Read = Callable[[list[str]], Awaitable[int]]


def _ours(page: str) -> int:
    from research_mcp.extract.html.page import convert_html

    return len(convert_html(page, "http://127.0.0.1/").markdown)


def _trafilatura(page: str) -> int:
    import trafilatura

    return len(
        trafilatura.extract(page, output_format="markdown", include_links=True, include_tables=True) or ""
    )


def _bare(function: Callable[[str], int]) -> float:
    pages = [article(n).decode() for n in range(ARTICLES)]
    with multiprocessing.get_context("spawn").Pool(WORKERS) as pool:
        pool.map(function, pages[:4], chunksize=1)
        rates = []
        for _ in range(ROUNDS):
            start = time.perf_counter()
            pool.map(function, pages, chunksize=1)
            rates.append(len(pages) / (time.perf_counter() - start))
        return max(rates)


async def _timed(urls: list[str], read: Read) -> tuple[float, int]:
    await read(urls[:2])
    start = time.perf_counter()
    good = await read(urls)
    return len(urls) / (time.perf_counter() - start), good


async def _product(endpoint: str, base: str) -> tuple[float, int]:
    async with Client(endpoint) as client:

        async def batch(urls: list[str]) -> int:
            answer = await client.call_tool("read_pages", {"urls": urls})
            return sum(page["ok"] for page in (answer.structured_content or {})["pages"])

        async def read(urls: list[str]) -> int:
            batches = (urls[start : start + BATCH] for start in range(0, len(urls), BATCH))
            return sum(await asyncio.gather(*map(batch, batches)))

        return await _best(base, read)


async def _peer(peer: Peer, base: str) -> tuple[float, int]:
    async with reading(peer) as texts:

        async def read(urls: list[str]) -> int:
            return sum("Part 4 of page" in text for text in await texts(urls))

        return await _best(base, read)


async def _best(base: str, read: Read) -> tuple[float, int]:
    """The best rate of the rounds, and the fewest good pages of one."""
    rates = []
    for number in range(ROUNDS):
        rates.append(await _timed([f"{base}/article/{n}?r={number}" for n in range(ARTICLES)], read))
        if rates[-1][0] < PATIENT:
            break
    return max(rate for rate, _ in rates), min(good for _, good in rates)


def run() -> list[dict[str, object]]:
    """One row for each way to read the same pages."""
    limit = _bare(_ours)
    rows = [_row("bare conversion of this product, 2 processes", limit, ARTICLES, limit)]
    with site() as base:
        with product(READ_CACHE_TTL="0", ROBOTS="ignore") as (endpoint, _, _):
            rate, good = asyncio.run(_product(endpoint, base))
            rows.append(_row("research-mcp read_pages", rate, good, limit))
        rows.append(_row("bare trafilatura to Markdown, 2 processes", _bare(_trafilatura), ARTICLES, limit))
        for peer in PEERS:
            if peer.install():
                rate, good = asyncio.run(_peer(peer, base))
                rows.append(
                    _row(
                        f"{peer.name} {peer.package.rpartition('=')[2].rpartition('@')[2]}", rate, good, limit
                    )
                )
    return rows


def _row(name: str, rate: float, good: int, limit: float) -> dict[str, object]:
    return {
        "reader": name,
        "pages per second": round(rate, 1),
        "whole articles of 40": good,
        "of the bare conversion": f"{rate / limit:.0%}",
    }
