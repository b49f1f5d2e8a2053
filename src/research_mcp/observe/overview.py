"""The state of the whole server at one moment: what `/metrics` and the status page show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from research_mcp.core.ports import Rest, Spent, Usage


class BreakerState(StrEnum):
    """Open: left alone. Half open: its rest is over, and its next failure opens it again at once."""

    CLOSED = "closed"
    HALF_OPEN = "half_open"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class Record:
    """The last calls of one instance (200 at most): how many were good, and milliseconds of all."""

    calls: int = 0
    good: int = 0
    p50: int = 0
    p95: int = 0


@dataclass(frozen=True, slots=True)
class Provider:
    """One row of the configuration: on, off and why, resting until when, and how its calls went.

    `kind` is search, rerank, read, answer or map.
    """

    name: str
    kind: str
    on: bool
    why: str = ""
    rest: Rest | None = None
    breaker: BreakerState = BreakerState.CLOSED
    record: Record = Record()


@dataclass(frozen=True, slots=True)
class Spending:
    """What one instance was billed, in units, and at its list price in dollars (None: not declared)."""

    spent: Spent
    price: float | None = None

    @property
    def today(self) -> float | None:
        """Dollars since midnight UTC."""
        return None if self.price is None else self.spent.today * self.price

    @property
    def month(self) -> float | None:
        """Dollars since the first of the month."""
        return None if self.price is None else self.spent.month * self.price


@dataclass(frozen=True, slots=True)
class Workers:
    """The processes that turn pages into text. `waiting` counts tasks, `replaced` is by cause."""

    busy: int = 0
    idle: int = 0
    starting: int = 0
    waiting: int = 0
    replaced: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Minute:
    """Tool calls that came to an end of their own in one minute, which began at epoch second `start`."""

    start: float
    good: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True)
class Failure:
    """One thing that failed, of late `times` times in the same way; `at` (epoch seconds) and `detail`
    are of the last time."""

    at: float
    where: str
    reason: str
    detail: str = ""
    times: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """Everything at epoch second `at`. `budgets` and `spending` are empty while the store fails, and
    `degraded` says so. `lag` is how late the event loop was at its worst in the last minute, seconds;
    `tasks` counts the tasks of the loop."""

    at: float
    started: float
    version: str
    ready: bool = True
    degraded: tuple[str, ...] = ()
    providers: tuple[Provider, ...] = ()
    budgets: tuple[Usage, ...] = ()
    spending: tuple[Spending, ...] = ()
    workers: Workers = Workers()
    lag: float = 0.0
    tasks: int = 0
    minutes: tuple[Minute, ...] = ()
    failures: tuple[Failure, ...] = ()
