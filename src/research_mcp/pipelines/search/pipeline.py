"""The search pipeline: many engines, one ranked list, a row for each engine (`core.ports.Searcher`)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import InvalidArgument, Reason
from research_mcp.core.models import EngineState, MergedHit, SearchQuery, SearchReport, Topic
from research_mcp.core.ports import (
    Agreements,
    Cache,
    Clock,
    Paces,
    Parking,
    Progress,
    Reranker,
    SearchEngine,
    no_progress,
)
from research_mcp.core.url_key import url_key
from research_mcp.observe.events import CacheLook, Emit, ignore
from research_mcp.observe.overview import BreakerState
from research_mcp.pipelines.search.admission import Admission
from research_mcp.pipelines.search.asking import Asked, Asker
from research_mcp.pipelines.search.bench import Bench
from research_mcp.pipelines.search.fanout import Fanout, FanOutRun, rounds
from research_mcp.pipelines.search.filters import Preferred, Sieve
from research_mcp.pipelines.search.fuse import Likes, fuse
from research_mcp.pipelines.search.hosts import NO_RULES, HostRules
from research_mcp.pipelines.search.notes import not_asked, notes_on
from research_mcp.pipelines.search.own_site import own_check
from research_mcp.pipelines.search.page_types import page_type
from research_mcp.pipelines.search.pool import Ballot, agreement, pool
from research_mcp.pipelines.search.rerank import Rerank
from research_mcp.pipelines.search.topics import topic_of
from research_mcp.pipelines.search.weights import weights
from research_mcp.pipelines.shared_runs import SharedRuns, Tell
from research_mcp.pipelines.turns import Turns

_DEAD_KEYS = (Reason.OUT_OF_CREDITS, Reason.BAD_KEY)


@dataclass(frozen=True, slots=True)
class SearchLimits:
    """Seconds for a whole search; seconds more for the late once the list is full; who is asked when."""

    timeout: float = 12.0
    grace: float = 1.5
    fanout: Fanout = Fanout.ALL


class SearchPipeline:
    """Asks `engines` (their order breaks ties and decides whose copy is shown) and merges.

    `reranker` has the last word on the order of the whole merged list, when there is one and it answers.
    """

    def __init__(
        self,
        engines: Sequence[SearchEngine],
        *,
        clock: Clock,
        parking: Parking,
        paces: Paces,
        cache: Cache[SearchReport],
        agreements: Agreements,
        limits: SearchLimits | None = None,
        rules: HostRules = NO_RULES,
        reranker: Reranker | None = None,
        emit: Emit = ignore,
    ) -> None:
        self._engines = tuple(engines)
        self._reserve = {engine.facts.name for engine in engines if engine.facts.reserve}
        self._metered = {engine.facts.name for engine in engines if engine.facts.metered}
        self._clock = clock
        self._cache = cache
        self._emit = emit
        self._agreements = agreements
        self._limits = limits or SearchLimits()
        self._rules = rules
        self._turns = Turns(parking, paces, clock)
        self._admission = Admission()
        self._bench = Bench(self._turns)
        self._asker = Asker(self._turns, clock, emit)
        self._rerank = Rerank(reranker, self._turns, emit)
        self._runs: SharedRuns[SearchReport] = SharedRuns()
        self._in_flight: dict[str, SearchQuery] = {}

    async def search(self, query: SearchQuery, progress: Progress = no_progress) -> SearchReport:
        """The report on one question; an equal question in flight or in the cache is shared.

        One that differs in the number of hits alone waits for the other's answer, which may have enough.

        Raises `InvalidArgument` for a question without words. What the engines do is in the rows.
        """
        query = replace(query, text=" ".join(query.text.split()))
        if not query.text:
            raise InvalidArgument("query is empty: say what to search for")
        question = _question(query)
        kept = await self._kept(question)
        before = self._in_flight.get(question, query)
        if not _enough(kept, query) and before.limit != query.limit:
            await self._run(before, progress)
            kept = await self._kept(question)
        self._emit(CacheLook("search", hit=_enough(kept, query)))
        if kept is not None and _enough(kept, query):
            return _reused(kept, query)
        self._in_flight.setdefault(question, query)
        try:
            report = await self._run(query, progress)
        finally:
            if self._in_flight.get(question) is query:
                del self._in_flight[question]
        if kept is not None and len(report.hits) < len(kept.hits[: query.limit]):
            return _reused(kept, query)
        return report

    def breakers(self) -> Mapping[str, BreakerState]:
        """The state of the breaker of each engine that was asked, and of the reranker."""
        return self._turns.breakers()

    async def _kept(self, question: str) -> SearchReport | None:
        """The kept answer, None when another one would be better now."""
        kept = await self._cache.get(question)
        return None if kept is None or self._could_be_better(kept) else kept

    async def _run(self, query: SearchQuery, progress: Progress) -> SearchReport:
        return await self._runs.share(_key(query), lambda tell: self._admitted(query, tell), progress)

    async def _admitted(self, query: SearchQuery, tell: Tell) -> SearchReport:
        """A search whose time runs from its admission."""
        async with self._admission.search():
            return await self._search(query, tell)

    async def _search(self, query: SearchQuery, tell: Tell) -> SearchReport:
        topic = topic_of(query)
        sieve = Sieve.of(query, self._rules, self._clock.now())
        deadline = Deadline.after(self._limits.timeout)
        fan_out = FanOutRun(
            query,
            sieve,
            turns=self._turns,
            asker=self._asker,
            deadline=self._rerank.leave_time(deadline),
            grace=self._limits.grace,
            tell=tell,
        )
        plan = rounds(self._engines, topic, self._limits.fanout)
        await fan_out.run(plan)
        names = [engine.facts.name for engine in self._engines]
        asked = [fan_out.asked[name] for name in names if name in fan_out.asked]
        unasked = [
            e.facts.name for engines in plan[:-1] for e in engines if e.facts.name not in fan_out.asked
        ]
        report, ordered = await self._merged(query, topic, sieve, asked, deadline)
        report = replace(report, notes=(*report.notes, *not_asked(unasked, full=fan_out.full)))
        if ordered and self._complete(report):
            await self._cache.put(_question(query), report)
        return replace(report, hits=_shown(report, query))

    async def _merged(
        self, query: SearchQuery, topic: Topic, sieve: Sieve, asked: Sequence[Asked], deadline: Deadline
    ) -> tuple[SearchReport, bool]:
        """The report with every hit, and whether its order is as good as it gets."""
        asked = await self._bench.judge(query, _judged(asked))
        known = await self._agreements.known(topic)
        votes = weights([one.facts for one in asked], known, topic)
        ballots = [replace(one.ballot, weight=votes[one.facts.name]) for one in asked if one.ballot.hits]
        entries = pool(ballots)
        if shares := agreement(ballots, entries):
            await self._agreements.learn(topic, shares)
        kept, removed = sieve.pass_on(entries.values())
        newer = bool(query.time_range) or topic is Topic.NEWS
        likes = Likes(query.language, newer, self._rules, Preferred.of(query.prefer_domains))
        fused = fuse(query.text, ballots, kept, likes)
        ranked = await self._rerank.order(query.text, fused, deadline, likes)
        rows = tuple(one.row for one in asked)
        shown = tuple(ranked.hits[: query.limit])
        notes = (*notes_on(query, asked, removed, shown), *ranked.notes)
        return SearchReport(query, tuple(ranked.hits), rows, notes), not ranked.notes

    def _complete(self, report: SearchReport) -> bool:
        """True when asking again would bring nothing better now.

        A reserve that failed fills in for nobody: the list stands without it. So it does without a key
        that just turned out to be spent or refused.
        """
        settled = (EngineState.OK, EngineState.EMPTY, EngineState.RESTING)
        return bool(report.hits) and all(
            row.name in self._reserve
            or row.state in settled
            or row.reason in _DEAD_KEYS
            or (row.state is EngineState.SKIPPED and row.retry_at > 0)
            for row in report.rows
        )

    def _could_be_better(self, kept: SearchReport) -> bool:
        """True when an engine that rested for the kept answer is free again.

        One that only kept its pace is not worth paying the others a second time.
        """
        now = self._clock.now()
        paid = any(row.name in self._metered and row.state is EngineState.OK for row in kept.rows)
        return any(
            row.name not in self._reserve
            and (row.state is not EngineState.SKIPPED or not paid)
            and 0 < row.retry_at <= now
            for row in kept.rows
        )


def _judged(asked: Sequence[Asked]) -> list[Asked]:
    """Doubtful lists count only if another index family found some of the same pages."""
    judged = []
    for one in asked:
        others: set[str] = set()
        if one.doubtful:
            others = _found_by(asked, other_than=one.facts.index)
        judged.append(one.discounted() if one.doubtful and others.isdisjoint(one.ballot.keys) else one)
    return judged


def _found_by(asked: Sequence[Asked], other_than: str) -> set[str]:
    ballots: list[Ballot] = [one.ballot for one in asked if one.facts.index != other_than]
    return {key for ballot in ballots for key in ballot.keys}


def _question(query: SearchQuery) -> str:
    """Equal for equal questions, however many hits are wanted."""
    return _key(replace(query, limit=0))


def _enough(kept: SearchReport | None, query: SearchQuery) -> bool:
    return kept is not None and query.limit <= max(kept.query.limit, len(kept.hits))


def _reused(kept: SearchReport, query: SearchQuery) -> SearchReport:
    note = "reused from an equal search of the last minutes"
    return replace(kept, query=query, hits=_shown(kept, query), cached=True, notes=(*kept.notes, note))


def _shown(report: SearchReport, query: SearchQuery) -> tuple[MergedHit, ...]:
    """The first hits, as many as are wanted, each with its type."""
    is_own = own_check(query.text)
    keys = ((hit, url_key(hit.url)) for hit in report.hits[: query.limit])
    return tuple(
        replace(hit, type=page_type(key, own=is_own(key, hit.title, hit.snippet))) for hit, key in keys
    )


def _key(query: SearchQuery) -> str:
    """Equal for questions that deserve the same answer. Holds the question, so never log it."""
    same = replace(
        query,
        include_domains=tuple(sorted(set(query.include_domains))),
        exclude_domains=tuple(sorted(set(query.exclude_domains))),
        prefer_domains=tuple(sorted(set(query.prefer_domains))),
    )
    values = (getattr(same, name) for name in SearchQuery.__slots__)
    return json.dumps(["search", *values], ensure_ascii=False)
