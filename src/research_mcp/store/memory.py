"""State in this process alone: who rests, paces, cached answers, what was seen of the engines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Generic, TypeVar

from cachetools import TTLCache

from research_mcp.core.models import Topic
from research_mcp.core.ports import Clock, Confirmed, Rest

V = TypeVar("V")


class MemoryParking:
    """`core.ports.Parking`, forgotten at restart: what rests until restart is free again then."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._rests: dict[str, Rest] = {}

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
        self._free_at: dict[str, float] = {}

    async def take(self, name: str, interval: float) -> float:
        """Take the slot and return 0.0, or take nothing and return the seconds to wait."""
        now = self._clock.now()
        wait = self._free_at.get(name, 0.0) - now
        # more than one interval ahead: the wall clock was set back
        if 0.0 < wait <= interval:
            return wait
        self._free_at[name] = now + interval
        return 0.0


class MemoryCache(Generic[V]):
    """`core.ports.Cache` of at most `items` values, each kept for `seconds`; the least used go first."""

    def __init__(self, clock: Clock, *, seconds: float, items: int = 1_000) -> None:
        self._kept: TTLCache[str, V] = TTLCache(maxsize=items, ttl=seconds, timer=clock.now)

    async def get(self, key: str) -> V | None:
        """The value, or None when it is unknown or too old."""
        return self._kept.get(key)

    async def put(self, key: str, value: V) -> None:
        """Keep the value from now on."""
        self._kept[key] = value


class MemoryAgreements:
    """`core.ports.Agreements`: plain means at first, moving averages over `span` lists later."""

    def __init__(self, span: int = 300) -> None:
        self._span = span
        self._seen: dict[Topic, dict[str, Confirmed]] = {}

    async def known(self, topic: Topic) -> Mapping[str, Confirmed]:
        """What is known of each engine within `topic`."""
        return dict(self._seen.get(topic, {}))

    async def learn(self, topic: Topic, shares: Mapping[str, float]) -> None:
        """Add one list of each named engine."""
        seen = self._seen.setdefault(topic, {})
        for engine, share in shares.items():
            before = seen.get(engine, Confirmed(0.0, 0))
            lists = min(before.lists + 1, self._span)
            seen[engine] = Confirmed(before.share + (share - before.share) / lists, lists)
