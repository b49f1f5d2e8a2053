"""Pipelines that answer what a test tells them to, with the same shape as the real ones."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from research_mcp.core.errors import Reason
from research_mcp.core.models import (
    BatchReport,
    EngineRow,
    EngineState,
    HitRow,
    MergedHit,
    Page,
    PageRow,
    ReadFailure,
    ResearchReport,
    SearchQuery,
    SearchReport,
)
from research_mcp.core.ports import Progress, no_progress
from research_mcp.core.sitemaps import MapQuery, MapReport, SitePage
from research_mcp.observe.events import Event
from research_mcp.server.config import Services

T = TypeVar("T")

NOW = 1_800_000_000.0  # 2027-01-15 08:00:00 UTC


class FixedClock:
    """Always the same moment."""

    def now(self) -> float:
        return NOW


def page(url: str = "https://example.org/a", markdown: str = "# A\n\nThe text.", **facts: object) -> Page:
    base = Page(url=url, final_url=url, markdown=markdown, reader="trafilatura")
    return replace(base, **facts)


def hit(number: int = 1, **facts: object) -> MergedHit:
    base = MergedHit(
        title=f"Title {number}",
        url=f"https://example.org/{number}",
        snippet=f"Snippet {number}",
        engines={"duckduckgo": number},
    )
    return replace(base, **facts)


def report(query: SearchQuery, hits: Sequence[MergedHit] = (), **facts: object) -> SearchReport:
    rows = (
        EngineRow("duckduckgo", EngineState.OK if hits else EngineState.EMPTY, len(hits)),
        EngineRow("exa", EngineState.SKIPPED, detail="no key"),
    )
    return replace(SearchReport(query=query, hits=tuple(hits), rows=rows), **facts)


async def _found(query: SearchQuery, progress: Progress) -> SearchReport:
    await progress(1, 1, "1 of 1 engines answered")
    return report(query, [hit(number) for number in range(1, query.limit + 1)])


async def _read(url: str) -> Page | ReadFailure:
    if "missing" in url:
        return ReadFailure(url, Reason.NOT_FOUND, "The site says that there is no such page.")
    return page(url)


async def _mapped(query: MapQuery, progress: Progress) -> MapReport:
    await progress(1, 1, "1 addresses found")
    pages = (SitePage(f"{query.url}/a", "The first", "2026-03-04"), SitePage(f"{query.url}/b"))
    return MapReport(query, pages, "sitemap", (EngineRow("sitemap", EngineState.OK, count=2),))


@dataclass
class FakePipelines:
    """All pipelines in one. Replace `search_with`, `read_with` or `map_with` to change an answer.

    `keep=False`: remember nothing, for runs that watch memory.
    """

    search_with: Callable[[SearchQuery, Progress], Awaitable[SearchReport]] = _found
    read_with: Callable[[str], Awaitable[Page | ReadFailure]] = _read
    map_with: Callable[[MapQuery, Progress], Awaitable[MapReport]] = _mapped
    maps: list[MapQuery] = field(default_factory=list)
    queries: list[SearchQuery] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    keep: bool = True
    running: int = 0
    cancelled: int = 0

    async def search(self, query: SearchQuery, progress: Progress = no_progress) -> SearchReport:
        if self.keep:
            self.queries.append(query)
        return await self._counted(self.search_with(query, progress))

    async def read(self, url: str, *, seconds: float | None = None) -> Page | ReadFailure:
        return await self._counted(self.read_with(url))

    async def read_many(self, urls: Sequence[str], progress: Progress = no_progress) -> BatchReport:
        rows = []
        for done, url in enumerate(urls, 1):
            rows.append(_row(url, await self.read(url)))
            await progress(done, len(urls), f"{done} of {len(urls)} pages read")
        return BatchReport(tuple(rows))

    async def search_and_read(
        self, query: SearchQuery, count: int, progress: Progress = no_progress
    ) -> ResearchReport:
        found = await self.search(query, progress)
        rows = []
        for number, one in enumerate(found.hits[:count], 1):
            row = _row(one.url, await self.read(one.url))
            rows.append(HitRow(one, row.page, row.failure))
            await progress(number, count, f"{number} of {count} pages read")
        return ResearchReport(found, tuple(rows), count, skipped=max(0, len(found.hits) - count))

    async def map(self, query: MapQuery, progress: Progress = no_progress) -> MapReport:
        if self.keep:
            self.maps.append(query)
        return await self._counted(self.map_with(query, progress))

    async def _counted(self, work: Awaitable[T]) -> T:
        self.running += 1
        try:
            return await work
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        finally:
            self.running -= 1

    def _emit(self, event: Event) -> None:
        if self.keep:
            self.events.append(event)

    def services(self, **more: object) -> Services:
        return Services(
            searcher=self, reader=self, batch=self, mapper=self, clock=FixedClock(), emit=self._emit, **more
        )


def _row(url: str, outcome: Page | ReadFailure) -> PageRow:
    if isinstance(outcome, Page):
        return PageRow(url, page=outcome)
    return PageRow(url, failure=outcome)
