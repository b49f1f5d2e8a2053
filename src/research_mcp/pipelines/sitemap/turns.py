"""One mapper's turn: is it free, what came of it, and what that means for its next turns."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import NoContent, Reason, ResearchError, Transient, UrlRefused
from research_mcp.core.models import EngineRow, EngineState
from research_mcp.core.ports import Clock, Site, SiteMapper
from research_mcp.core.sitemaps import MapAnswer, MapQuery
from research_mcp.observe.events import Emit, ProviderCall
from research_mcp.observe.spans import provider_span
from research_mcp.pipelines.guarded import guarded
from research_mcp.pipelines.search.asking import state_of
from research_mcp.pipelines.turns import NotFree, Turn, Turns


@dataclass(frozen=True, slots=True)
class Mapped:
    """What became of one mapper: its answer and a row; without an answer, the error or the refusal."""

    row: EngineRow
    answer: MapAnswer | None = None
    error: ResearchError | None = None


class MapTurns:
    """Runs mappers, each in a bulkhead and behind a breaker."""

    def __init__(self, turns: Turns, clock: Clock, emit: Emit) -> None:
        self._turns = turns
        self._clock = clock
        self._emit = emit

    async def run(self, mapper: SiteMapper, query: MapQuery, site: Site, deadline: Deadline) -> Mapped:
        """The outcome of one turn. Raises `UrlRefused`, which ends the whole map."""
        name = mapper.facts.name
        why = await self._turns.ask(Turn(name)) or await self._turns.enter(name)
        if why:
            return Mapped(self._refused(name, why))
        started = asyncio.get_running_loop().time()
        mapped: Mapped | None = None
        try:
            mapped = await self._turn(mapper, query, site, deadline)
        finally:
            self._turns.leave(name, answered=mapped is not None and mapped.error is None)
        ms = round((asyncio.get_running_loop().time() - started) * 1000)
        row = mapped.row
        reason = row.reason.value if row.reason else ""
        self._emit(ProviderCall(name, "map", row.state.value, ms, row.detail, reason))
        return mapped

    async def _turn(self, mapper: SiteMapper, query: MapQuery, site: Site, deadline: Deadline) -> Mapped:
        name, given = mapper.facts.name, deadline.remaining()
        try:
            with provider_span("map", name):
                async with deadline.enforce():
                    answer = await guarded(name, mapper.map(query, site, deadline))
        except UrlRefused:
            raise
        except TimeoutError:
            return await self._failed(name, Transient(f"no answer in {given:.0f} s", reason=Reason.TIMEOUT))
        except ResearchError as error:
            return await self._failed(name, error)
        self._turns.succeeded(name)
        state = EngineState.OK if answer.pages else EngineState.EMPTY
        return Mapped(EngineRow(name, state, count=len(answer.pages)), answer)

    async def _failed(self, name: str, error: ResearchError) -> Mapped:
        """Parks or counts what is the mapper's own fault; what the site lacks is nobody's."""
        rest = 0.0 if isinstance(error, NoContent) else await self._turns.failed(name, error)
        row = EngineRow(
            name,
            state_of(error),
            reason=error.reason,
            detail=str(error),
            retry_at=self._at(rest) if rest else 0.0,
        )
        return Mapped(row, error=error)

    def _refused(self, name: str, why: NotFree) -> EngineRow:
        return EngineRow(name, why.state, reason=why.reason, detail=why.detail, retry_at=self._at(why.wait))

    def _at(self, wait: float | None) -> float:
        return 0.0 if wait is None else self._clock.now() + wait
