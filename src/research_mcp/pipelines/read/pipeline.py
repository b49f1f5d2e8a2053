"""The read pipeline: from a pasted address to a page, or to the reason why there is none."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import Reason, UrlRefused
from research_mcp.core.flights import Flights
from research_mcp.core.models import Flag, Page, ReadFailure
from research_mcp.core.ports import (
    Cache,
    Clock,
    Extractor,
    PageFetcher,
    PageReader,
    Parking,
    Robots,
    TextJudge,
)
from research_mcp.core.urls import pasted_candidates, without_credentials
from research_mcp.observe.events import CacheLook, Emit, ignore
from research_mcp.observe.overview import BreakerState
from research_mcp.pipelines.read.climb import Climb
from research_mcp.pipelines.read.job import ProbeLimits, ReadJob
from research_mcp.pipelines.read.rungs import Rungs
from research_mcp.pipelines.read.verdict import is_thin, sentence
from research_mcp.pipelines.turns import METERED_FLOOR

_LEAVE = 0.25
"""Seconds after its deadline at which a caller stops to wait for a run that ends later."""


@dataclass(frozen=True, slots=True)
class ReadLimits:
    """`timeout`: seconds for a page, all readers together. `min_chars`: shorter text is thin, and the
    next reader is tried."""

    timeout: float = 45.0
    min_chars: int = 400
    probe: ProbeLimits = field(default_factory=ProbeLimits)


class ReadPipeline:
    """A `core.ports.Reader` over the configured readers, in their order.

    Reads of one url share a run; it stops when the last caller leaves.
    """

    def __init__(
        self,
        readers: Sequence[PageReader],
        *,
        fetcher: PageFetcher,
        extractor: Extractor,
        robots: Robots,
        parking: Parking,
        clock: Clock,
        judge: TextJudge,
        cache: Cache[Page],
        limits: ReadLimits | None = None,
        emit: Emit = ignore,
    ) -> None:
        self._readers = tuple(readers)
        self._fetcher = fetcher
        self._extractor = extractor
        self._robots = robots
        self._limits = limits or ReadLimits()
        self._emit = emit
        self._rungs = Rungs(parking, clock, emit, judge, self._limits.min_chars)
        self._cache = cache
        self._flights: Flights[tuple[str, ...], Page | ReadFailure] = Flights()

    async def read(self, url: str, *, seconds: float | None = None) -> Page | ReadFailure:
        """The page at `url`, as people paste it, within `seconds` (and never over the own limit)."""
        most = self._limits.timeout
        deadline = Deadline.after(most if seconds is None else min(seconds, most))
        try:
            candidates = tuple(self._fetcher.normal_form(form) for form in pasted_candidates(url))
        except UrlRefused as error:
            return ReadFailure(without_credentials(url), error.reason, str(error))
        kept = await self._kept(candidates)
        self._emit(CacheLook("read", hit=kept is not None))
        if kept:
            return replace(kept, cached=True)
        return await self._shared(candidates, deadline)

    async def _kept(self, candidates: Sequence[str]) -> Page | None:
        for candidate in candidates:
            if page := await self._cache.get(candidate):
                return page
        return None

    def breakers(self) -> Mapping[str, BreakerState]:
        """The state of the breaker of each reader that was called."""
        return self._rungs.breakers()

    async def _shared(self, candidates: tuple[str, ...], deadline: Deadline) -> Page | ReadFailure:
        """The run for this url: one in flight, or an own one when that ends too early for this caller."""
        joined = candidates in self._flights
        try:
            async with asyncio.timeout(deadline.remaining() + _LEAVE):
                outcome = await self._flights.share(candidates, lambda: self._run(candidates, deadline))
        except TimeoutError:
            return ReadFailure(candidates[0], Reason.DEADLINE, sentence(candidates[0], Reason.DEADLINE))
        out_of_time = isinstance(outcome, ReadFailure) and outcome.reason is Reason.DEADLINE
        if joined and out_of_time and deadline.remaining() > METERED_FLOOR:
            return await self._shared(candidates, deadline)
        return outcome

    async def _run(self, candidates: tuple[str, ...], deadline: Deadline) -> Page | ReadFailure:
        job = ReadJob(candidates, self._fetcher, self._extractor, deadline, self._limits.probe)
        async with job:
            climb = Climb(job, self._readers, self._rungs, self._fetcher, self._robots, deadline)
            outcome = await climb.top()
        if isinstance(outcome, Page) and not is_thin(outcome) and Flag.BROKEN_OFF not in outcome.flags:
            await self._cache.put(job.url, outcome)
        return outcome
