"""State in this process alone: who rests, paces, cached answers, what was seen of the engines."""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Generic, TypeVar

from cachetools import TTLCache

from research_mcp.core.answers import AnswerReport, Lost
from research_mcp.core.models import Page, Topic
from research_mcp.core.ports import Clock, Confirmed, Rest

V = TypeVar("V")


class MemoryParking:
    """`core.ports.Parking`, forgotten at restart: what rests until restart is free again then.

    `rests` is who rests at the start.
    """

    def __init__(self, clock: Clock, rests: Mapping[str, Rest] | None = None) -> None:
        self._clock = clock
        self._rests = dict(rests or {})

    async def rest(self, name: str) -> Rest | None:
        """Why and until when `name` rests; None when it is free."""
        rest = self._rests.get(name)
        if rest is not None and rest.until is not None and rest.until <= self._clock.now():
            del self._rests[name]
            return None
        return rest

    async def park(self, name: str, rest: Rest) -> None:
        """Let `name` rest. A longer rest that already holds is kept."""
        held = await self.rest(name)
        if held is None or _ends(held) <= _ends(rest):
            self._rests[name] = rest

    async def release(self, name: str) -> None:
        """Free `name` at once."""
        self._rests.pop(name, None)


def _ends(rest: Rest) -> float:
    return float("inf") if rest.until is None else rest.until


class MemoryPaces:
    """`core.ports.Paces` for the callers of this process."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._slots: dict[str, tuple[float, str]] = {}

    async def take(self, name: str, interval: float, holder: str = "") -> float:
        """Take the slot and return 0.0, or take nothing and return the seconds to wait."""
        now = self._clock.now()
        free_at, _ = self._slots.get(name, (0.0, ""))
        wait = free_at - now
        # more than one interval ahead: the wall clock was set back
        if 0.0 < wait <= interval:
            return wait
        self._slots[name] = (now + interval, holder)
        return 0.0

    async def give_back(self, name: str, holder: str) -> None:
        """Free the slot if `holder` took it last."""
        _, taken_by = self._slots.get(name, (0.0, ""))
        if holder and taken_by == holder:
            del self._slots[name]


class MemoryCache(Generic[V]):
    """`core.ports.Cache`: each value is kept for `seconds`; the least used go first.

    There is `room` for that many values, or for that sum of what `weigh` says of each.
    """

    def __init__(
        self, clock: Clock, *, seconds: float, room: int = 1_000, weigh: Callable[[V], float] = lambda _: 1
    ) -> None:
        self._weigh = weigh
        self._kept: TTLCache[str, V] = TTLCache(room, seconds, timer=clock.now, getsizeof=weigh)

    async def get(self, key: str) -> V | None:
        """The value, or None when it is unknown or too old."""
        return self._kept.get(key)

    async def put(self, key: str, value: V) -> None:
        """Keep the value from now on, unless there is no room for it at all."""
        if self._weigh(value) <= self._kept.maxsize:
            self._kept[key] = value


def weight_of_page(page: Page) -> float:
    """About the bytes that a kept page takes."""
    return sys.getsizeof(page.markdown) + 2_000


SPAN = 300
"""Lists over which agreement is averaged: the far past fades."""

NOTHING_SEEN = Confirmed(0.0, 0)


def folded(before: Confirmed, more: Confirmed, span: int) -> Confirmed:
    """A moving average with `more` lists added: the plain mean at first, `span` lists wide later."""
    lists = min(before.lists + more.lists, span)
    part = min(1.0, more.lists / lists)
    return Confirmed(before.share + (more.share - before.share) * part, lists)


class MemoryAgreements:
    """`core.ports.Agreements` of this process, forgotten at restart. `seen` is what is known already."""

    def __init__(self, span: int = SPAN, seen: Mapping[tuple[Topic, str], Confirmed] | None = None) -> None:
        self._span = span
        self._seen: dict[Topic, dict[str, Confirmed]] = {}
        for (topic, engine), confirmed in (seen or {}).items():
            self._seen.setdefault(topic, {})[engine] = confirmed

    async def known(self, topic: Topic) -> Mapping[str, Confirmed]:
        """What is known of each engine within `topic`."""
        return dict(self._seen.get(topic, {}))

    async def learn(self, topic: Topic, shares: Mapping[str, float]) -> None:
        """Add one list of each named engine."""
        for engine, share in shares.items():
            self.add(topic, engine, Confirmed(share, 1))

    def add(self, topic: Topic, engine: str, more: Confirmed) -> None:
        """Add several lists of one engine at once."""
        seen = self._seen.setdefault(topic, {})
        seen[engine] = folded(seen.get(engine, NOTHING_SEEN), more, self._span)


class MemoryAnswers:
    """`core.ports.AnswerStore` of at most `items` answers and `characters` in all; the oldest go first.

    What went is remembered by its id for a while, so that its loss can be told from a wrong id.
    """

    _MOST_LOST = 4_096

    def __init__(
        self, clock: Clock, *, seconds: float = 3_600.0, items: int = 256, characters: int = 20_000_000
    ) -> None:
        self.seconds = seconds
        self._clock = clock
        self._items = items
        self._room = characters
        self._kept: OrderedDict[str, tuple[float, int, AnswerReport]] = OrderedDict()
        self._lost: OrderedDict[str, Lost] = OrderedDict()

    async def keep(self, session_id: str, report: AnswerReport) -> None:
        """Keep `report` from now on. One that is larger than the whole store is evicted at once."""
        self._expire()
        weight = _characters(report)
        self._kept[session_id] = (self._clock.now() + self.seconds, weight, report)
        self._room -= weight
        while len(self._kept) > self._items or self._room < 0:
            self._lose(next(iter(self._kept)), Lost.EVICTED)

    async def find(self, session_id: str) -> AnswerReport | Lost:
        """The report, or why it is not there."""
        self._expire()
        if session_id in self._kept:
            return self._kept[session_id][2]
        return self._lost.get(session_id, Lost.UNKNOWN)

    def _expire(self) -> None:
        now = self._clock.now()
        while self._kept:
            first, (ends, _, _) = next(iter(self._kept.items()))
            if ends > now:
                return
            self._lose(first, Lost.EXPIRED)

    def _lose(self, session_id: str, why: Lost) -> None:
        self._room += self._kept.pop(session_id)[1]
        self._lost[session_id] = why
        if len(self._lost) > self._MOST_LOST:
            self._lost.popitem(last=False)


def _characters(report: AnswerReport) -> int:
    sources = sum(len(s.url) + len(s.title) + len(s.snippet) + 100 for s in report.sources)
    return len(report.content) + len(report.unverified) + sources + 1_000
