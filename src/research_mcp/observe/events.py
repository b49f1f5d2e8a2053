"""Frozen records of what happened. Producers emit them; log, metrics and the status page render them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One tool call as the operator sees it: the one log line.

    `billed`: units that the vendors' calls made for it were billed, failed ones included.
    """

    tool: str
    target: str
    outcome: str
    by: str = ""
    count: int = 0
    ms: int = 0
    billed: int = 0
    detail: str = ""


@dataclass(frozen=True, slots=True)
class ProviderCall:
    """One call of one instance: `operation` is search, rerank, read, answer or map.

    `outcome` is "ok", "empty" or how it failed, `reason` the stable code of a failure ("" for none).
    """

    instance: str
    operation: str
    outcome: str
    ms: int = 0
    detail: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Charge:
    """Units that an instance (or a leg of one) was billed for one call, answered or not."""

    instance: str
    units: int


@dataclass(frozen=True, slots=True)
class CacheLook:
    """One look into a cache (search, read or map): `hit` when it had the answer."""

    cache: str
    hit: bool


@dataclass(frozen=True, slots=True)
class Parked:
    """A key that is not used until `until` (ISO time; "" for: until the restart or another key)."""

    account: str
    reason: str
    until: str = ""
    detail: str = ""


Event = ToolCall | ProviderCall | Charge | CacheLook | Parked
Emit = Callable[[Event], None]


def ignore(event: Event) -> None:
    """The sink for those who do not listen."""
