"""Many pages in one call: known urls, or the best hits of a search."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import Reason
from research_mcp.core.models import (
    BatchReport,
    HitRow,
    MergedHit,
    Page,
    PageRow,
    ReadFailure,
    ResearchReport,
    SearchQuery,
)
from research_mcp.core.ports import Progress, Reader, Searcher, no_progress
from research_mcp.pipelines.read.verdict import sentence

Tell = Callable[[str], Awaitable[None]]

MOST_HITS = 50
SPARE = 2
"""Hits asked of the search for each page wanted: half of them may fail."""

_LAST_WORDS = 0.5
"""Seconds before the end of the call at which each read should have said how far it came."""


@dataclass(frozen=True, slots=True)
class BatchLimits:
    """`timeout`: seconds for a whole call, under the 55 s of any tool. `concurrency`: reads at once.
    `hit`: seconds after which a search hit is given up for the next one."""

    timeout: float = 50.0
    concurrency: int = 5
    hit: float = 20.0


class BatchPipeline:
    """A `core.ports.BatchReader` over the read and the search pipeline.

    What was not ready in time has a row that says so; a cancelled call cancels its reads at once.
    """

    def __init__(self, reader: Reader, searcher: Searcher, *, limits: BatchLimits | None = None) -> None:
        self._reader = reader
        self._searcher = searcher
        self._limits = limits or BatchLimits()

    async def read_many(self, urls: Sequence[str], progress: Progress = no_progress) -> BatchReport:
        """A row for each url in order; a url that is asked twice is read once.

        Progress counts the rows that are settled.
        """
        counts = {url: urls.count(url) for url in urls}
        run = _Run(self._reader, Deadline.after(self._limits.timeout), tuple(counts))

        async def tell(url: str) -> None:
            settled = sum(counts[done] for done in run.settled())
            await progress(settled, len(urls), run.told(url))

        await run.go(self._limits.concurrency, tell)
        return BatchReport(tuple(_page_row(url, run.results.get(url)) for url in urls))

    async def search_and_read(
        self, query: SearchQuery, count: int, progress: Progress = no_progress
    ) -> ResearchReport:
        """Search, then read down the list; each failed hit is replaced by the next one, until `count`
        pages are good, the hits are used up or the time is. Progress counts good pages."""
        deadline = Deadline.after(self._limits.timeout)
        await progress(0, count, "searching")
        wanted = min(max(query.limit, count * SPARE), MOST_HITS)
        search = await self._searcher.search(replace(query, limit=wanted))
        hits = {hit.url: hit for hit in search.hits}
        run = _Run(self._reader, deadline, tuple(hits), wanted=count, seconds=self._limits.hit)

        async def tell(url: str) -> None:
            await progress(run.good(), count, run.told(url))

        await run.go(min(self._limits.concurrency, count), tell)
        rows = tuple(_hit_row(hit, run.results[url]) for url, hit in hits.items() if url in run.results)
        return ResearchReport(search, rows, count, skipped=len(hits) - len(rows))


class _Run:
    """Reads of one call. `results` has every url that was begun; None is "not ready in time"."""

    def __init__(
        self,
        reader: Reader,
        deadline: Deadline,
        urls: Sequence[str],
        *,
        wanted: int | None = None,
        seconds: float = float("inf"),
    ) -> None:
        self.results: dict[str, Page | ReadFailure | None] = {}
        self._reader = reader
        self._deadline = deadline
        self._queue = deque(urls)
        self._wanted = len(urls) if wanted is None else wanted
        self._seconds = seconds

    def settled(self) -> list[str]:
        """The urls whose reads have ended."""
        return [url for url, result in self.results.items() if result is not None]

    def good(self) -> int:
        """How many pages there are."""
        return sum(isinstance(result, Page) for result in self.results.values())

    def told(self, url: str) -> str:
        """What became of a url whose read has ended, for the progress."""
        result = self.results[url]
        return f"read {url}" if isinstance(result, Page) else f"could not read {url}"

    async def go(self, workers: int, tell: Tell) -> None:
        """Read until enough pages are good, the urls are used up or the deadline is there."""
        try:
            async with self._deadline.enforce(), asyncio.TaskGroup() as group:
                for _ in range(workers):
                    group.create_task(self._work(tell))
        except TimeoutError:
            return

    async def _work(self, tell: Tell) -> None:
        while self._queue and self._missing() > 0:
            url = self._queue.popleft()
            self.results[url] = None
            seconds = min(self._seconds, self._deadline.remaining() - _LAST_WORDS)
            if seconds <= 0:
                return
            self.results[url] = await self._reader.read(url, seconds=seconds)
            await tell(url)

    def _missing(self) -> int:
        """Good pages still to be found, if all reads in flight succeed."""
        failed = sum(isinstance(result, ReadFailure) for result in self.results.values())
        return self._wanted - (len(self.results) - failed)


def _page_row(url: str, result: Page | ReadFailure | None) -> PageRow:
    if isinstance(result, Page):
        return PageRow(url, page=result)
    return PageRow(url, failure=result or _too_late(url))


def _hit_row(hit: MergedHit, result: Page | ReadFailure | None) -> HitRow:
    if isinstance(result, Page):
        return HitRow(hit, page=result)
    return HitRow(hit, failure=result or _too_late(hit.url))


def _too_late(url: str) -> ReadFailure:
    return ReadFailure(url, Reason.DEADLINE, sentence(url, Reason.DEADLINE))
