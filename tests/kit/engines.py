"""Fake engines at the seam of the search pipeline, and a pipeline around them in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from research_mcp.core.deadline import Deadline
from research_mcp.core.models import EngineAnswer, Filter, Hit, SearchQuery, SearchReport
from research_mcp.core.ports import EngineFacts
from research_mcp.observe.events import Event
from research_mcp.pipelines.search.hosts import NO_RULES, HostRules
from research_mcp.pipelines.search.pipeline import SearchLimits, SearchPipeline
from research_mcp.store.memory import MemoryAgreements, MemoryCache, MemoryPaces, MemoryParking
from tests.kit.virtual_time import VirtualClock

QUERY = SearchQuery("tidal power", limit=3)


def pages(*names: str, host: str = "sea.example", date: str = "") -> tuple[Hit, ...]:
    """A hit on the query's topic for each name."""
    return tuple(
        Hit(f"Tidal power {name}", f"https://{host}/{name}", f"About {name} and tidal power.", date)
        for name in names
    )


class FakeEngine:
    """Answers after `delay` with `hits`, or raises `error`; remembers what it was asked.

    `script` overrides hits and error for the first calls, one item a call.
    """

    def __init__(
        self,
        name: str,
        hits: Iterable[Hit] = (),
        *,
        delay: float = 0.1,
        error: BaseException | None = None,
        script: Sequence[BaseException | tuple[Hit, ...]] = (),
        unapplied: Iterable[Filter] = (),
        notes: tuple[str, ...] = (),
        **facts: object,
    ) -> None:
        self.facts = replace(EngineFacts(name, index=name, prior=1.0), **facts)
        self.hits = tuple(hits)
        self.delay = delay
        self.error = error
        self.script = list(script)
        self.unapplied = frozenset(unapplied)
        self.notes = notes
        self.calls = 0
        self.cancelled = 0
        self.started_at: list[float] = []

    async def search(self, query: SearchQuery, deadline: Deadline) -> EngineAnswer:
        self.calls += 1
        self.started_at.append(asyncio.get_running_loop().time())
        try:
            await asyncio.sleep(self.delay)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        outcome = self.script.pop(0) if self.script else self.error or self.hits
        if isinstance(outcome, BaseException):
            raise outcome
        return EngineAnswer(outcome, self.unapplied & query.filters(), self.notes)


class StubbornEngine(FakeEngine):
    """Does not end when it is cancelled."""

    async def search(self, query: SearchQuery, deadline: Deadline) -> EngineAnswer:
        self.calls += 1
        for _ in range(5):
            try:
                await asyncio.sleep(1_000)
            except asyncio.CancelledError:
                self.cancelled += 1
        return EngineAnswer(self.hits)


@dataclass
class Desk:
    """A pipeline over fake engines, with everything it keeps in reach of the test."""

    engines: Sequence[FakeEngine]
    limits: SearchLimits = field(default_factory=SearchLimits)
    rules: HostRules = NO_RULES
    clock: VirtualClock = field(default_factory=VirtualClock)
    events: list[Event] = field(default_factory=list)
    told: list[tuple[int, int, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.parking = MemoryParking(self.clock)
        self.paces = MemoryPaces(self.clock)
        self.agreements = MemoryAgreements()
        self.pipeline = SearchPipeline(
            self.engines,
            clock=self.clock,
            parking=self.parking,
            paces=self.paces,
            cache=MemoryCache[SearchReport](self.clock, seconds=600.0),
            agreements=self.agreements,
            limits=self.limits,
            rules=self.rules,
            emit=self.events.append,
        )

    async def tell(self, done: int, total: int, message: str) -> None:
        self.told.append((done, total, message))

    async def search(self, query: SearchQuery = QUERY) -> SearchReport:
        return await self.pipeline.search(query, self.tell)


def states(report: SearchReport) -> dict[str, str]:
    return {row.name: row.state.value for row in report.rows}


def urls(report: SearchReport) -> list[str]:
    return [hit.url for hit in report.hits]
