"""When a provider fails too often, leave it alone for a while."""

from __future__ import annotations

import asyncio
import random
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field

from research_mcp.observe.overview import BreakerState

IN_A_ROW = 5
WINDOW = 30.0
ENOUGH = 10
FIRST_REST = 30.0
PATIENT_RESTS = 3
"""Rests that are as short as the first: who is down for a minute is back within half a one after it."""

LONGEST_REST = 300.0
JITTER = 0.2


@dataclass(slots=True)
class _Record:
    recent: deque[tuple[float, bool]] = field(default_factory=lambda: deque(maxlen=200))
    in_a_row: int = 0
    opened: int = 0
    open_until: float = 0.0

    def state(self, now: float) -> BreakerState:
        if now < self.open_until:
            return BreakerState.OPEN
        return BreakerState.HALF_OPEN if self.opened else BreakerState.CLOSED


class Breaker:
    """Counts failures by name. Opens after 5 in a row, or when half of at least 10 in 30 s failed.

    A name that was open opens again at its next failure: three times for 30 s, then for twice as long
    each time, to 300 s at most. Up to a fifth is taken off, so that servers do not try again together.
    """

    def __init__(self) -> None:
        self._records: dict[str, _Record] = {}

    def succeeded(self, name: str) -> None:
        """Closes the breaker of `name` for good."""
        record = self._record(name)
        record.recent.append((asyncio.get_running_loop().time(), True))
        record.in_a_row = record.opened = 0
        record.open_until = 0.0

    def failed(self, name: str) -> float:
        """Counts a failure; the seconds to leave `name` alone, 0.0 for none.

        One that comes while the breaker is open was begun before, with the others, and adds nothing.
        """
        record = self._record(name)
        now = asyncio.get_running_loop().time()
        if now < record.open_until:
            return record.open_until - now
        record.recent.append((now, False))
        record.in_a_row += 1
        if not (record.opened or record.in_a_row >= IN_A_ROW or _half_failed(record, now)):
            return 0.0
        record.opened += 1
        record.recent.clear()
        doublings = min(max(0, record.opened - PATIENT_RESTS), 10)
        rest = min(FIRST_REST * (1 << doublings), LONGEST_REST)
        rest *= random.uniform(1 - JITTER, 1)  # noqa: S311 - spreads load, guards nothing
        record.open_until = now + rest
        return rest

    def states(self) -> Mapping[str, BreakerState]:
        """The state of each name that was ever counted."""
        now = asyncio.get_running_loop().time()
        return {name: record.state(now) for name, record in self._records.items()}

    def _record(self, name: str) -> _Record:
        return self._records.setdefault(name, _Record())


def _half_failed(record: _Record, now: float) -> bool:
    recent = [good for at, good in record.recent if now - at <= WINDOW]
    return len(recent) >= ENOUGH and recent.count(False) * 2 >= len(recent)
