"""The answer pipeline: a model that searches and the search engines, side by side under one deadline.

Only text that sources stand behind is an answer. Where there is none, the engines' sources take its
place and say why; what the model said without sources is kept apart (`core.ports.Answerer`).
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from research_mcp.core.answers import AnswerReport, Fallback, Lost, ModelAnswer, Question
from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import InvalidArgument, Reason, ResearchError
from research_mcp.core.models import SearchQuery, SearchReport, TimeRange
from research_mcp.core.ports import AnswerModel, AnswerStore, Clock, Progress, Searcher, no_progress
from research_mcp.observe.events import Emit, ignore
from research_mcp.observe.overview import BreakerState
from research_mcp.pipelines.answer.models import Models, Outcome
from research_mcp.pipelines.answer.sources import own_sources, with_found
from research_mcp.pipelines.guarded import guarded
from research_mcp.pipelines.turns import Turns

SOURCE_FALLBACK = "source_fallback"

_FAREWELL = 0.2
_RANGES = ((1, TimeRange.DAY), (7, TimeRange.WEEK), (31, TimeRange.MONTH), (366, TimeRange.YEAR))
_LOST = {
    Lost.UNKNOWN: Reason.SESSION_UNKNOWN,
    Lost.EXPIRED: Reason.SESSION_EXPIRED,
    Lost.EVICTED: Reason.SESSION_EVICTED,
    Lost.OUT_OF_REACH: Reason.OVERLOADED,
}


@dataclass(frozen=True, slots=True)
class AnswerLimits:
    """`timeout`: seconds for a whole answer, under the 55 s of any tool. `grace`: seconds that engines
    get once the model has answered. `search`: seconds kept for them when they are asked only after it
    failed. `fallback_sources`: how many sources take the place of an answer, at least."""

    timeout: float = 50.0
    grace: float = 3.0
    search: float = 13.0
    fallback_sources: int = 5


class AnswerPipeline:
    """Asks `models` in order until one answers, and `searcher` beside them. `store` keeps the answers."""

    def __init__(
        self,
        models: Sequence[AnswerModel],
        searcher: Searcher,
        *,
        turns: Turns,
        clock: Clock,
        store: AnswerStore,
        limits: AnswerLimits | None = None,
        emit: Emit = ignore,
    ) -> None:
        self._models = Models(models, turns, emit)
        self._turns = turns
        self._searcher = searcher
        self._clock = clock
        self._store = store
        self._limits = limits or AnswerLimits()

    async def answer(self, question: Question, progress: Progress = no_progress) -> AnswerReport:
        """The report on one question, kept under its `session_id` unless it is empty.

        Raises `InvalidArgument` for a question without words or with a domain in both lists.
        """
        question = _checked(question)
        deadline = Deadline.after(self._limits.timeout)
        searching = None
        if question.extra_sources:
            searching = asyncio.create_task(self._search(question, deadline))
        try:
            await progress(0, 2, "asking the model and the search engines")
            reserve = 1.0 if searching else min(self._limits.search, self._limits.timeout / 2)
            outcome = await self._models.ask(question, deadline.share(float("inf"), reserve=reserve))
            await progress(1, 2, "the model answered" if outcome.answer else "the model failed")
            report = _judged(question, outcome)
            search = await self._found(question, searching, report, deadline)
        finally:
            if searching:
                await _stopped(searching)
        return await self._kept(_with_search(report, search, self._limits.fallback_sources))

    def breakers(self) -> Mapping[str, BreakerState]:
        """The state of the breaker of each model that was asked."""
        return self._turns.breakers()

    async def kept(self, session_id: str) -> AnswerReport:
        """An earlier report. Raises `ResearchError` that tells unknown, expired and evicted ids apart."""
        found = await self._store.find(session_id)
        if isinstance(found, Lost):
            raise ResearchError(_sentence(found, session_id, self._store.seconds), reason=_LOST[found])
        return found

    async def _kept(self, report: AnswerReport) -> AnswerReport:
        if report.empty:
            return report
        session_id = secrets.token_hex(16)
        report = replace(report, session_id=session_id, expires_at=self._clock.now() + self._store.seconds)
        await self._store.keep(session_id, report)
        return report

    async def _found(
        self,
        question: Question,
        searching: asyncio.Task[SearchReport] | None,
        report: AnswerReport,
        deadline: Deadline,
    ) -> SearchReport | str:
        """What the engines found, or why nothing came of them ("" when they were not asked)."""
        if searching is None:
            if report.fallback is None:
                return ""
            searching = asyncio.create_task(self._search(question, deadline))
        within = deadline if report.fallback else deadline.share(self._limits.grace)
        try:
            async with within.enforce():
                return await guarded("search", searching)
        except TimeoutError:
            if report.fallback:
                return f"the search was stopped after {self._limits.timeout:g} s at most"
            return f"the search was stopped {self._limits.grace:g} s after the model's answer"
        except ResearchError as error:
            return f"the search failed: {error}"
        finally:
            await _stopped(searching)

    async def _search(self, question: Question, deadline: Deadline) -> SearchReport:
        days = question.recency_days
        query = SearchQuery(
            question.text,
            limit=max(question.extra_sources, self._limits.fallback_sources),
            time_range=next((span for most, span in _RANGES if 0 < days <= most), TimeRange.ANY),
            include_domains=question.include_domains,
            exclude_domains=question.exclude_domains,
        )
        async with deadline.enforce():
            return await self._searcher.search(query)


async def _stopped(task: asyncio.Task[SearchReport]) -> None:
    """Cancel what still runs and give it a moment; one that will not end is left behind."""
    task.cancel()
    await asyncio.wait({task}, timeout=_FAREWELL)
    if task.done() and not task.cancelled():
        task.exception()  # taken note of: whoever waited for it has it already


def _checked(question: Question) -> Question:
    question = replace(question, text=" ".join(question.text.split()))
    if not question.text:
        raise InvalidArgument("query is empty: say what to find out")
    if question.extra_sources < 0 or question.recency_days < 0:
        raise InvalidArgument("extra_sources and recency_days must not be negative: use 0 for none")
    both = [domain for domain in question.include_domains if domain in question.exclude_domains]
    if both:
        raise InvalidArgument(
            f"{both[0]!r} stands in include_domains and in exclude_domains: leave it out of one of them"
        )
    return question


def _judged(question: Question, outcome: Outcome) -> AnswerReport:
    """What the model's answer is worth, before the engines have their say."""
    base = AnswerReport(question, provider=SOURCE_FALLBACK, attempts=outcome.attempts)
    answer = outcome.answer
    if answer is None:
        return replace(base, fallback=outcome.fallback or Fallback.DISABLED)
    own = own_sources(answer.text, answer.citations, question, outcome.label)
    warnings = list(answer.warnings)
    if own.removed:
        warnings.append(f"sources_removed: {own.removed} cited pages lie outside the requested domains")
    fallback = _why_not(answer, own.sources, own.removed, warnings)
    return replace(
        base,
        content=own.text if fallback is None else "",
        unverified=own.text if fallback is not None else "",
        sources=own.sources,
        provider=SOURCE_FALLBACK if fallback else outcome.label,
        fallback=fallback,
        partial=answer.partial,
        warnings=tuple(warnings),
    )


def _why_not(
    answer: ModelAnswer, sources: Sequence[object], removed: int, warnings: list[str]
) -> Fallback | None:
    """Why the text is no answer; None when sources stand behind it."""
    if answer.refusal:
        warnings.append(f"refusal: the model refused: {answer.refusal[:300]}")
    if not answer.text:
        return Fallback.REFUSED if answer.refusal else Fallback.CONTENT_EMPTY
    if not sources:
        return Fallback.SOURCES_FILTERED if removed else Fallback.SOURCES_EMPTY
    if not answer.searched:
        warnings.append(
            "no_search_evidence: nothing shows that the model searched; its links may be invented"
        )
        return Fallback.SOURCES_EMPTY
    return None


def _with_search(report: AnswerReport, search: SearchReport | str, least: int) -> AnswerReport:
    if isinstance(search, str):
        warnings = (*report.warnings, f"search_failed: {search}") if search else report.warnings
        return replace(report, warnings=warnings)
    fallback = report.fallback is not None
    most = max(report.question.extra_sources, least) if fallback else report.question.extra_sources
    sources = with_found(report.sources, search.hits, most, fallback=fallback)
    return replace(report, sources=sources, search=search)


def _sentence(lost: Lost, session_id: str, seconds: float) -> str:
    shown = session_id[:40]
    kept = f"answers are kept for {seconds / 60:g} minutes"
    if lost is Lost.EXPIRED:
        return f"the sources of session {shown!r} have expired: {kept}"
    if lost is Lost.OUT_OF_REACH:
        return f"session {shown!r} cannot be looked up: this server's store does not answer now"
    if lost is Lost.EVICTED:
        return f"the sources of session {shown!r} made room for newer ones"
    return f"there is no session {shown!r} here: {kept}, and over a restart only on Valkey"
