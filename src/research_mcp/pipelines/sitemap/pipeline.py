"""The map pipeline: mappers in order until one knows the site (`core.ports.Mapper`).

Whoever found them, only public pages of the site itself are handed on, each once.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import NO_CONNECTION, NoContent, Reason, ResearchError, UrlRefused
from research_mcp.core.models import EngineRow, EngineState
from research_mcp.core.ports import (
    Cache,
    Clock,
    LinkFinder,
    MapperFacts,
    PageFetcher,
    Progress,
    Robots,
    RobotsRule,
    SiteMapper,
    no_progress,
)
from research_mcp.core.sitemaps import MapQuery, MapReport
from research_mcp.core.urls import pasted_candidates
from research_mcp.observe.events import CacheLook, Emit, ignore
from research_mcp.observe.overview import BreakerState
from research_mcp.pipelines.guarded import guarded
from research_mcp.pipelines.read.verdict import sentence
from research_mcp.pipelines.shared_runs import SharedRuns, Tell
from research_mcp.pipelines.sitemap.job import SiteJob
from research_mcp.pipelines.sitemap.pages import Shown, shown
from research_mcp.pipelines.sitemap.turns import Mapped, MapTurns
from research_mcp.pipelines.turns import METERED_FLOOR, Turns

KEPT_FOR_THE_NEXT = 15.0
"""Seconds that a mapper leaves to those after it, at most half of what is left."""

KEPT_FOR_CHECKS = 2.0
"""Seconds for the guard's look at what is shown."""

_DISCOURAGED = "the site's robots.txt asks automated readers not to read this page"


@dataclass(frozen=True, slots=True)
class MapLimits:
    """`timeout`: seconds for a whole map, under the 55 s of any tool."""

    timeout: float = 45.0


@dataclass(slots=True)
class _Tried:
    """What came of the mappers so far; `best` is the longest list, good or not."""

    rows: list[EngineRow] = field(default_factory=list)
    errors: list[ResearchError] = field(default_factory=list)
    best: Shown | None = None
    mapper: str = ""


class MapPipeline:
    """Asks `mappers` in their order: the first that knows more than the page itself ends the search."""

    def __init__(
        self,
        mappers: Sequence[SiteMapper],
        *,
        fetcher: PageFetcher,
        finder: LinkFinder,
        robots: Robots,
        turns: Turns,
        clock: Clock,
        cache: Cache[MapReport],
        limits: MapLimits | None = None,
        emit: Emit = ignore,
    ) -> None:
        self._mappers = tuple(mappers)
        self._fetcher = fetcher
        self._finder = finder
        self._robots = robots
        self._all_turns = turns
        self._turns = MapTurns(turns, clock, emit)
        self._cache = cache
        self._limits = limits or MapLimits()
        self._emit = emit
        self._runs: SharedRuns[MapReport] = SharedRuns()

    async def map(self, query: MapQuery, progress: Progress = no_progress) -> MapReport:
        """The addresses of the site at `query.url`, as people paste it.

        Raises `UrlRefused`. Equal questions in flight share a run; a whole answer is reused from the cache.
        """
        urls = tuple(self._fetcher.normal_form(form) for form in pasted_candidates(query.url))
        key = json.dumps(["map", *urls, query.limit, query.depth, query.instructions], ensure_ascii=False)
        kept = await self._cache.get(key)
        self._emit(CacheLook("map", hit=kept is not None))
        if kept is not None:
            return replace(kept, cached=True)
        report = await self._runs.share(key, lambda tell: self._run(urls, query, tell), progress)
        if report.pages and not report.partial:
            await self._cache.put(key, report)
        return report

    def breakers(self) -> Mapping[str, BreakerState]:
        """The state of the breaker of each mapper that was called."""
        return self._all_turns.breakers()

    async def _run(self, urls: Sequence[str], query: MapQuery, tell: Tell) -> MapReport:
        """The report; `http` is tried where `https` was only a guess and nobody is there."""
        deadline = Deadline.after(self._limits.timeout)
        report = MapReport(query)
        for url in urls:
            report = await self._map(replace(query, url=url), deadline, tell)
            if report.pages or report.reason not in NO_CONNECTION:
                break
        return report

    async def _map(self, query: MapQuery, deadline: Deadline, tell: Tell) -> MapReport:
        url = query.url
        try:
            await guarded("the guard", self._fetcher.check(url, deadline))
        except UrlRefused:
            raise
        except ResearchError as error:
            return MapReport(query, reason=error.reason, message=str(error))
        if self._robots.binding and await self._robots.rule(url) is RobotsRule.REFUSED:
            reason = Reason.ROBOTS_DISALLOWED
            return MapReport(query, reason=reason, message=sentence(url, reason))

        async def count(found: int) -> None:
            await tell(min(found, query.limit), query.limit, f"{found} addresses found")

        job = SiteJob(url, self._fetcher, self._finder, self._robots, count)
        tried = await self._climb(query, job, deadline, tell)
        report = _report(query, tried)
        return replace(report, notes=(*report.notes, _DISCOURAGED)) if job.discouraged else report

    async def _climb(self, query: MapQuery, job: SiteJob, deadline: Deadline, tell: Tell) -> _Tried:
        """Mapper after mapper; of a private site only those that look from here hear."""
        public = await self._fetcher.shareable(query.url, deadline)
        tried = _Tried()
        for place, mapper in enumerate(self._mappers):
            facts = mapper.facts
            kept = KEPT_FOR_CHECKS if place + 1 == len(self._mappers) else KEPT_FOR_THE_NEXT
            within = deadline.share(facts.cap, reserve=min(kept, deadline.remaining() / 2))
            if why := _why_skipped(facts, tried, within, public=public):
                tried.rows.append(EngineRow(facts.name, EngineState.SKIPPED, detail=why))
                continue
            await tell(0, query.limit, f"asking {facts.name}")
            mapped = await self._turns.run(mapper, query, job, within)
            await self._note(tried, mapped, query, deadline)
        return tried

    async def _note(self, tried: _Tried, mapped: Mapped, query: MapQuery, deadline: Deadline) -> None:
        """Keep the row, and the list when it is the longest so far."""
        row = mapped.row
        if mapped.error is not None:
            tried.errors.append(mapped.error)
        if mapped.answer is not None:
            found = await shown(
                query, mapped.answer, self._fetcher, deadline.share(math.inf, reserve=0.2), row.name
            )
            state = EngineState.OK if found.pages else EngineState.EMPTY
            row = replace(row, state=state, count=len(found.pages), detail=found.detail)
            if tried.best is None or len(found.pages) > len(tried.best.pages):
                tried.best, tried.mapper = found, row.name
        tried.rows.append(row)


def _why_skipped(facts: MapperFacts, tried: _Tried, within: Deadline, *, public: bool) -> str:
    """Why a mapper is not asked; "" when it is."""
    if tried.best is not None and tried.best.good:
        return f"not needed: {tried.mapper} knew the site"
    if not (public or facts.from_here):
        return "not told of a private address"
    if facts.metered and within.remaining() < METERED_FLOOR:
        return f"only {within.remaining():.0f} s were left"
    return ""


def _report(query: MapQuery, tried: _Tried) -> MapReport:
    rows, best = tuple(tried.rows), tried.best
    if best is None or not best.pages:
        reason, message = _why(tried)
        return MapReport(query, rows=rows, reason=reason, message=message)
    return MapReport(query, best.pages, tried.mapper, rows, best.notes, best.partial)


def _why(tried: _Tried) -> tuple[Reason, str]:
    """Why there is nothing: what was learnt of the site, else what kept the first mapper from learning."""
    of_site = [error for error in tried.errors if isinstance(error, NoContent)]
    for error in (*of_site[-1:], *tried.errors):
        return error.reason, str(error)
    for row in tried.rows:
        if row.reason:
            return row.reason, row.detail
    if tried.rows:
        return Reason.EMPTY, "no page of the site is known"
    return Reason.NOT_CONFIGURED, "no mapper is on"
