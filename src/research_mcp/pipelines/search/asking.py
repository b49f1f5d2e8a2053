"""One engine, one question: a guarded call, tidied hits, an honest row."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import RateLimited, Reason, ResearchError, Transient
from research_mcp.core.hygiene import clean_line
from research_mcp.core.models import EngineRow, EngineState, Filter, Hit, SearchQuery
from research_mcp.core.ports import Clock, EngineFacts, SearchEngine
from research_mcp.observe.events import Emit, ProviderCall
from research_mcp.observe.spans import provider_span
from research_mcp.pipelines.guarded import guarded
from research_mcp.pipelines.search.coverage import off_topic
from research_mcp.pipelines.search.pool import Ballot
from research_mcp.pipelines.turns import NotFree, Turns, has_left, was_sent

MOST_HITS = 100
TITLE_CHARS = 300
SNIPPET_CHARS = 2_000
URL_CHARS = 2_048
FAIR_MS = 1_000
"""An engine that had less before it was stopped is not to blame."""

_WEB_URL = re.compile(r"https?://[^\s\x00-\x20\x7f]+", re.IGNORECASE)
_ISO_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


@dataclass(frozen=True, slots=True)
class Asked:
    """What became of one engine: its row and, when it answered, its list and what it left undone.

    `doubtful`: the list shares nothing with the query and counts only if others found any of it.
    `sent` is False when it is certain that the engine was not asked.
    """

    facts: EngineFacts
    row: EngineRow
    ballot: Ballot
    unapplied: frozenset[Filter] = frozenset()
    notes: tuple[str, ...] = ()
    doubtful: bool = False
    sent: bool = True

    @property
    def answered(self) -> bool:
        """True for an answer, be it empty."""
        return self.row.state in (EngineState.OK, EngineState.EMPTY)

    def discounted(self) -> Asked:
        """The same engine with its doubtful list counted as empty."""
        detail = f"its {self.row.count} results share nothing with the query"
        if self.row.count == 1:
            detail = "its only result shares nothing with the query"
        row = replace(self.row, state=EngineState.EMPTY, count=0, detail=detail)
        return replace(self, row=row, ballot=Ballot.of(self.facts.name, ()), doubtful=False)


class Asker:
    """Asks engines and keeps the books: events, breaker, parking."""

    def __init__(self, turns: Turns, clock: Clock, emit: Emit) -> None:
        self._turns = turns
        self._clock = clock
        self._emit = emit

    async def ask(self, engine: SearchEngine, query: SearchQuery, deadline: Deadline) -> Asked:
        """The outcome of one call. Raises nothing but cancellation."""
        facts = engine.facts
        started = asyncio.get_running_loop().time()
        try:
            with provider_span("search", facts.name):
                answer = await guarded(facts.name, engine.search(query, deadline))
        except ResearchError as error:
            return await self._failed(facts, error, started)
        self._turns.succeeded(facts.name)
        hits = tidied(answer.hits)
        state = EngineState.OK if hits else EngineState.EMPTY
        row = EngineRow(facts.name, state, count=len(hits), ms=_ms(started))
        self._tell(facts, row)
        ballot = Ballot.of(facts.name, hits, family=facts.index)
        doubtful = bool(hits) and off_topic(query.text, hits)
        return Asked(facts, row, ballot, answer.unapplied, answer.notes, doubtful)

    def refused(self, facts: EngineFacts, why: NotFree) -> Asked:
        """The outcome for an engine that got no turn."""
        row = EngineRow(
            facts.name, why.state, reason=why.reason, detail=why.detail, retry_at=self._at(why.wait)
        )
        return Asked(facts, row, Ballot.of(facts.name, ()), sent=False)

    async def too_late(
        self, facts: EngineFacts, error: ResearchError, started: float, *, blame: bool = True
    ) -> Asked:
        """The outcome for an engine that was stopped by the deadline: to `blame`, a failure of its own."""
        return await self._failed(facts, error, started, blame=blame)

    async def not_waited_for(
        self, facts: EngineFacts, started: float, detail: str, *, blame: bool = True
    ) -> Asked:
        """The outcome for an engine that was stopped because the list was full.

        To `blame`, it counts as a failure after a fair time: an engine that hangs while the others answer
        would otherwise cost every search its grace.
        """
        rest: float | None = 0.0
        if blame and _ms(started) >= FAIR_MS:
            slow = Transient(f"no answer within {_ms(started) / 1000:.1f} s", reason=Reason.TIMEOUT)
            rest = await self._turns.failed(facts.name, slow)
        row = EngineRow(
            facts.name,
            EngineState.NOT_WAITED_FOR,
            detail=detail,
            retry_at=self._at(rest) if rest else 0.0,
            ms=_ms(started),
        )
        self._tell(facts, row)
        return Asked(facts, row, Ballot.of(facts.name, ()))

    async def _failed(
        self, facts: EngineFacts, error: ResearchError, started: float, *, blame: bool = True
    ) -> Asked:
        rest = await self._turns.failed(facts.name, error) if blame else 0.0
        row = EngineRow(
            facts.name,
            state_of(error),
            reason=error.reason,
            detail=str(error),
            retry_at=self._at(rest) if rest else 0.0,
            ms=_ms(started),
        )
        self._tell(facts, row)
        return Asked(facts, row, Ballot.of(facts.name, ()), sent=has_left(error))

    def _at(self, wait: float | None) -> float:
        return 0.0 if wait is None else self._clock.now() + wait

    def _tell(self, facts: EngineFacts, row: EngineRow) -> None:
        reason = row.reason.value if row.reason else ""
        self._emit(ProviderCall(facts.name, "search", row.state.value, row.ms, row.detail, reason))


def state_of(error: ResearchError) -> EngineState:
    """What became of a provider whose call failed."""
    if not was_sent(error):
        return EngineState.RESTING
    if error.reason is Reason.BLOCKED:
        return EngineState.BLOCKED
    if isinstance(error, RateLimited):
        return EngineState.RATE_LIMITED
    return EngineState.TIMED_OUT if error.reason is Reason.TIMEOUT else EngineState.FAILED


def _ms(started: float) -> int:
    return round((asyncio.get_running_loop().time() - started) * 1000)


def tidied(hits: Iterable[Hit]) -> tuple[Hit, ...]:
    """At most 100 hits with a web address, their texts on one visible line, dates ISO or ""."""
    kept = []
    for hit in hits:
        url = hit.url.strip()
        if len(url) > URL_CHARS or not _WEB_URL.fullmatch(url):
            continue
        title = clean_line(hit.title, TITLE_CHARS) or url
        snippet = clean_line(hit.snippet, SNIPPET_CHARS)
        date = hit.date if _ISO_DAY.fullmatch(hit.date) else ""
        kept.append(Hit(title, url, snippet, date, hit.score))
        if len(kept) == MOST_HITS:
            break
    return tuple(kept)
