"""What outlives a call: rests, paces, money, caches, observed agreement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, TypeVar

from research_mcp.core.errors import Reason
from research_mcp.core.models import Topic


@dataclass(frozen=True, slots=True)
class Rest:
    """Why something rests, and until when (epoch seconds; None until restart)."""

    until: float | None
    reason: Reason
    detail: str = ""


class Parking(Protocol):
    """Who rests until when: accounts (`account:ID`) and instances (`instance:NAME`)."""

    async def rest(self, name: str) -> Rest | None: ...

    async def park(self, name: str, rest: Rest) -> None: ...

    async def release(self, name: str) -> None: ...


class Paces(Protocol):
    """The least time between two uses of a name, shared by all callers.

    `take` takes the slot and returns 0.0, or takes nothing and returns the seconds to wait. `give_back`
    frees a slot that came to nothing, for the `holder` that took it last; anyone else's stays taken. It
    never raises and does not wait for a slow store.
    """

    async def take(self, name: str, interval: float, holder: str = "") -> float: ...

    async def give_back(self, name: str, holder: str) -> None: ...


@dataclass(frozen=True, slots=True)
class Reservation:
    """Units set aside for one call: `key` is unique for the call, `units` what it may cost at most."""

    key: str
    account: str
    instance: str
    units: int


@dataclass(frozen=True, slots=True)
class Usage:
    """One line of the money table: a budget, or an instance without one (then `limit` is None).

    `used` counts `period` ("2026-09", "2026-09-01", "total"), open reservations included; these alone
    are `reserved`. `billed` is the instance's settled sum since the store began; it never falls. A budget
    for one key names its `account`.
    """

    instance: str
    used: int
    limit: int | None
    per: str
    period: str
    renews_at: float | None
    billed: int
    source: str = ""
    account: str = ""
    reserved: int = 0


@dataclass(frozen=True, slots=True)
class Spent:
    """Units of one instance since midnight and since the first of the month (UTC), open reservations
    included; legs of a reader have a name of their own."""

    instance: str
    today: int
    month: int


@dataclass(frozen=True, slots=True)
class StoreHealth:
    """Whether the store can be written, and if not, why: one sentence."""

    ok: bool
    detail: str = ""


class Meter(Protocol):
    """Money, counted before it is spent.

    `reserve` raises `BudgetSpent` (a `QuotaSpent`) when a budget of this server has no room and
    `StoreUnavailable` when nothing can be counted; either way nothing may be sent. The same `key`
    again gives the same reservation, charged once. A reservation that is neither settled nor refunded
    counts as spent. `settle` and `refund` never raise and do not wait for a slow store; what cannot be
    written now is written later. `usage` and `spent` raise `StoreUnavailable`; `spent` names each instance
    that was billed this month.
    """

    async def reserve(self, account: str, instance: str, units: int, key: str) -> Reservation: ...

    async def settle(self, reservation: Reservation, units: int) -> None: ...

    async def refund(self, reservation: Reservation) -> None: ...

    async def usage(self) -> tuple[Usage, ...]: ...

    async def spent(self) -> tuple[Spent, ...]: ...

    async def health(self) -> StoreHealth: ...


V = TypeVar("V")


class Cache(Protocol[V]):
    """Good answers, kept for a while. `get` gives None for what is unknown or too old.

    Never raises: without its store it keeps nothing.
    """

    async def get(self, key: str) -> V | None: ...

    async def put(self, key: str, value: V) -> None: ...


@dataclass(frozen=True, slots=True)
class Confirmed:
    """How often another index family found an engine's results too: mean share and how many lists."""

    share: float
    lists: int


class Agreements(Protocol):
    """What was observed of each engine within a topic: moving averages over some hundred questions.

    Never raises: without its store nothing is known and the priors decide.
    """

    async def known(self, topic: Topic) -> Mapping[str, Confirmed]: ...

    async def learn(self, topic: Topic, shares: Mapping[str, float]) -> None: ...
