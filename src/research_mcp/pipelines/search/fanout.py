"""One question to many engines at once, under one deadline."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import Reason, Transient
from research_mcp.core.models import SearchQuery, Topic
from research_mcp.core.ports import SearchEngine
from research_mcp.pipelines.search.asking import Asked, Asker
from research_mcp.pipelines.search.filters import Sieve
from research_mcp.pipelines.shared_runs import Tell
from research_mcp.pipelines.turns import NO_PLACE, NotFree, Turn, Turns

LAST_CALL = 4.0
"""Seconds before the deadline at which the next round starts, whoever is still silent."""

NEXT_CALL = 1.5
"""Seconds that each further round gets then."""

ANSWER_TIME = 3.0
"""Seconds kept for the answer when an engine waits for its turn."""

HELD_UP = 0.25
"""Seconds later than due from which this server was too busy to look, so that no engine is to blame."""

_FAREWELL = 0.2
"""Seconds that cancelled calls get to clean up; what takes longer is left behind."""


class Fanout(StrEnum):
    """`all`: every engine, every query. `economy`: metered ones only while the list is short."""

    ALL = "all"
    ECONOMY = "economy"


def rounds(engines: Sequence[SearchEngine], topic: Topic, fanout: Fanout) -> list[list[SearchEngine]]:
    """Who is asked together, in the order of asking; specialists only within their own topic."""
    fitting = [e for e in engines if topic in e.facts.topics or Topic.GENERAL in e.facts.topics]
    first = [e for e in fitting if not e.facts.reserve]
    reserve = [e for e in fitting if e.facts.reserve]
    if fanout is Fanout.ALL:
        return [first, reserve]
    free = [e for e in first if not e.facts.metered]
    return [free, *([e] for e in first if e.facts.metered), reserve]


@dataclass(eq=False, slots=True)
class _Call:
    """`turn` is the one it was given. `started`: when it got its place; None while it waits for one."""

    engine: SearchEngine
    turn: Turn
    started: float | None = None


class FanOutRun:
    """One run. `run` may be called once; afterwards `asked` holds the outcomes by engine name."""

    def __init__(
        self,
        query: SearchQuery,
        sieve: Sieve,
        *,
        turns: Turns,
        asker: Asker,
        deadline: Deadline,
        grace: float,
        tell: Tell,
    ) -> None:
        self._query = query
        self._sieve = sieve
        self._turns = turns
        self._asker = asker
        self._deadline = deadline
        self._grace = grace
        self._tell = tell
        self._calls: dict[asyncio.Task[Asked], _Call] = {}
        self._refused: dict[SearchEngine, NotFree] = {}
        self._keys: set[str] = set()
        self._begun = 0
        self._grace_ends = math.inf
        self.asked: dict[str, Asked] = {}

    async def run(self, rounds: Sequence[Sequence[SearchEngine]]) -> None:
        """Ask round after round until the list is full, all have answered or the deadline comes.

        The last of `rounds` are the reserve engines.
        """
        try:
            async with self._deadline.enforce():
                await self._all(rounds)
        except TimeoutError:
            pass
        except BaseException:
            await self._stop()
            raise
        await self._name_the_late()

    async def _all(self, rounds: Sequence[Sequence[SearchEngine]]) -> None:
        last = len(rounds) - 1
        for number, engines in enumerate(rounds):
            if number == last and not self._begun:
                await self._wait_for_a_turn()
                await self._watch(LAST_CALL)
            if self.full:
                break
            await self._offer(engines)
            await self._watch(LAST_CALL if number < last else 0.0)
        await self._watch(0.0)

    async def _offer(self, engines: Sequence[SearchEngine]) -> None:
        await asyncio.gather(*(self._offer_one(engine) for engine in engines))
        if self._calls:
            names = ", ".join(call.engine.facts.name for call in self._calls.values())
            await self._tell(self._begun - len(self._calls), self._begun, f"asking {names}")

    async def _offer_one(self, engine: SearchEngine) -> None:
        turn = _turn(engine)
        why = await self._turns.ask(turn)
        if why is None:
            self._start(engine, turn)
        else:
            self._refuse(engine, why)

    def _refuse(self, engine: SearchEngine, why: NotFree) -> None:
        self._refused[engine] = why
        self.asked[engine.facts.name] = self._asker.refused(engine.facts, why)

    def _start(self, engine: SearchEngine, turn: Turn) -> None:
        self._begun += 1
        call = _Call(engine, turn)
        self._calls[asyncio.create_task(self._run(call), name=engine.facts.name)] = call

    async def _run(self, call: _Call) -> Asked:
        asked = await self._ask(call)
        if not asked.sent:
            await self._turns.give_back(call.turn)
        return asked

    async def _ask(self, call: _Call) -> Asked:
        facts = call.engine.facts
        if why := await self._turns.enter(facts.name):
            return self._asker.refused(facts, why)
        call.started = asyncio.get_running_loop().time()
        answered = False
        try:
            asked = await self._asker.ask(call.engine, self._query, self._deadline)
            answered = asked.answered
        finally:
            self._turns.leave(facts.name, answered=answered)
        return asked

    async def _wait_for_a_turn(self) -> None:
        """Nothing else can answer: the soonest engine waits, if that leaves it time to answer."""
        patience = self._deadline.share(math.inf, reserve=ANSWER_TIME)
        waiting = [(why.wait, engine) for engine, why in self._refused.items() if why.wait is not None]
        if not waiting:
            return
        _, engine = min(waiting, key=lambda pair: pair[0])
        turn = _turn(engine)
        why = await self._turns.wait_for(turn, self._refused[engine], patience)
        if why is None:
            self._start(engine, turn)
        else:
            self._refuse(engine, why)

    async def _watch(self, last_call: float) -> None:
        """Collect answers until all are there, the grace is over, or the next round is due."""
        loop = asyncio.get_running_loop()
        due = math.inf
        if last_call:
            due = loop.time() + max(self._deadline.remaining() - last_call, NEXT_CALL)
        while self._calls:
            if self.full and self._half_answered:
                self._grace_ends = min(self._grace_ends, loop.time() + self._grace)
            left = min(self._grace_ends, due) - loop.time()
            if left <= 0:
                return
            done, _ = await asyncio.wait(
                self._calls, timeout=None if left == math.inf else left, return_when=asyncio.FIRST_COMPLETED
            )
            for task in done:
                await self._collect(task)

    async def _collect(self, task: asyncio.Task[Asked]) -> None:
        asked = await self._outcome(task, self._calls.pop(task))
        name = asked.facts.name
        self.asked[name] = asked
        if not asked.doubtful:
            self._keys.update(
                key
                for key, hit in zip(asked.ballot.keys, asked.ballot.hits, strict=True)
                if self._sieve.removal(key, hit) is None
            )
        said = f"{asked.row.count} results" if asked.answered else asked.row.state.value.replace("_", " ")
        await self._tell(self._begun - len(self._calls), self._begun, f"{name}: {said}")

    async def _outcome(self, task: asyncio.Task[Asked], call: _Call) -> Asked:
        if task.cancelled():
            error = Transient("its call stopped itself")
            return await self._asker.too_late(call.engine.facts, error, call.started or 0.0)
        return task.result()

    @property
    def full(self) -> bool:
        """True when as many pages were found as were asked for."""
        return len(self._keys) >= self._query.limit

    @property
    def _half_answered(self) -> bool:
        """At least half of those that answered or still may."""
        return sum(asked.answered for asked in self.asked.values()) >= len(self._calls)

    async def _name_the_late(self) -> None:
        now = asyncio.get_running_loop().time()
        blame = max(self._deadline.overdue(), now - self._grace_ends) < HELD_UP
        for task in [task for task in self._calls if task.done()]:
            await self._collect(task)
        late = list(self._calls.values())
        await self._stop()
        for call in late:
            self.asked[call.engine.facts.name] = await self._late(call, now, blame=blame)

    async def _late(self, call: _Call, now: float, *, blame: bool) -> Asked:
        facts = call.engine.facts
        if call.started is None:
            await self._turns.give_back(call.turn)
            return self._asker.refused(facts, NO_PLACE)
        if self._grace_ends <= now:
            detail = f"the list was full; it got {self._grace:g} s more"
            return await self._asker.not_waited_for(facts, call.started, detail, blame=blame)
        error = Transient(f"no answer within {now - call.started:.0f} s", reason=Reason.TIMEOUT)
        return await self._asker.too_late(facts, error, call.started, blame=blame)

    async def _stop(self) -> None:
        """Cancel what still runs and give it a moment; a call that will not end is left behind."""
        calls, self._calls = self._calls, {}
        for task in calls:
            task.cancel()
        if calls:
            await asyncio.wait(calls, timeout=_FAREWELL)


def _turn(engine: SearchEngine) -> Turn:
    return Turn(engine.facts.name, engine.facts.pace)
