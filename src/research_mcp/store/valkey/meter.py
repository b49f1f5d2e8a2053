"""The meter on Valkey: each step is one script, so that budgets are exact over all replicas.

A reservation counts as used from the moment it is made. It is open until it is settled, refunded or
ten minutes old (then it is settled as it stands: its process died). A late settlement can only add to
that, so no crash ever makes the count too low.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Sequence

from research_mcp.core.budget import Budget, period_start
from research_mcp.core.errors import StoreUnavailable
from research_mcp.core.instance import Quota
from research_mcp.core.ports import Reservation, Spent, StoreHealth, Usage
from research_mcp.core.wire import JsonValue
from research_mcp.store.budgets import (
    HOUR,
    LAPSES_AFTER,
    REMEMBERED,
    SWEEP_EVERY,
    spent_error,
    usage_line,
)
from research_mcp.store.valkey.line import HEALTH_PATIENCE, PATIENCE, Line
from research_mcp.store.valkey.link import Command, Reply
from research_mcp.store.valkey.scripts import CLOSE, RESERVE, RESET, SWEEP, USAGE, call

_log = logging.getLogger(__name__)


class ValkeyMeter:
    """`core.ports.Meter` on a `Line`; any number of processes may share it. `budgets` may be empty."""

    def __init__(self, line: Line, budgets: Sequence[Budget] = ()) -> None:
        self._line = line
        self._budgets = tuple(budgets)
        self._swept = float("-inf")

    async def reserve(self, account: str, instance: str, units: int, key: str) -> Reservation:
        """Set `units` aside, durably. Raises `BudgetSpent`, `StoreUnavailable`."""
        self._sweep_when_due()
        now = self._line.clock.now()
        wanted = Reservation(key, account, instance, units)
        attempt = uuid.uuid4().hex
        covering = [budget for budget in self._budgets if budget.covers(account, instance)]
        reply = await self._line.ask(
            self._call(
                RESERVE,
                **_named(wanted),
                units=units,
                attempt=attempt,
                now=now,
                hour=int(now) // HOUR,
                budgets=[{**_scope(budget, now), "limit": budget.quota.limit} for budget in covering],
            ),
            undo=self._close(wanted, -1, attempt=attempt),
        )
        match reply:
            case [b"reserved"]:
                return wanted
            case [b"known", bytes(account_), bytes(instance_), bytes(units_)]:
                return Reservation(key, account_.decode(), instance_.decode(), int(units_))
            case [b"spent", int(place), int(used)]:
                raise spent_error(covering[place - 1], used, now)
            case _:  # b"void": given up already, so there is nobody to read this
                raise StoreUnavailable("this reservation was given up before the store had made it")

    async def settle(self, reservation: Reservation, units: int) -> None:
        """The call was made and cost `units`."""
        self._line.post(self._close(reservation, units))

    async def refund(self, reservation: Reservation) -> None:
        """Nothing was sent: the reservation never was."""
        self._line.post(self._close(reservation, -1))

    async def usage(self) -> tuple[Usage, ...]:
        """Every budget, and every other instance that was ever billed. Raises `StoreUnavailable`."""
        self._sweep_when_due()
        now = self._line.clock.now()
        lines, instances = await self._counts(now)
        billed = {name: units for name, units, *_ in instances}
        limited = {budget.instance for budget in self._budgets}
        rows = [
            usage_line(budget, budget.quota.limit, used, billed.get(budget.instance, 0), now, reserved)
            for budget, (used, reserved) in zip(self._budgets, lines, strict=True)
        ]
        rows += [
            usage_line(Budget(name, Quota(0), ""), None, month, units, now, reserved)
            for name, units, month, _, reserved in instances
            if name not in limited
        ]
        return tuple(rows)

    async def spent(self) -> tuple[Spent, ...]:
        """What each instance was billed today and this month. Raises `StoreUnavailable`."""
        _, instances = await self._counts(self._line.clock.now())
        return tuple(Spent(name, today, month) for name, _, month, today, _ in instances if month)

    async def reset(self, instance: str) -> None:
        """Let the budgets of `instance` count from zero; what is billed stays. Raises `StoreUnavailable`."""
        accounts = [b.account for b in self._budgets if b.instance == instance and b.account]
        await self._line.ask(self._call(RESET, instance=instance, accounts=list(accounts)))

    async def health(self) -> StoreHealth:
        """Whether money can be counted: the store takes writes, and the counts are what they should be.

        Ends within three seconds.
        """
        loop = asyncio.get_running_loop()
        ends = loop.time() + HEALTH_PATIENCE
        health = await self._line.health()
        if health.ok:
            try:
                await self._counts(self._line.clock.now(), patience=ends - loop.time())
            except StoreUnavailable as error:
                return StoreHealth(False, str(error))
        return health

    async def _counts(
        self, now: float, *, patience: float = PATIENCE
    ) -> tuple[list[tuple[int, int]], list[tuple[str, int, int, int, int]]]:
        """Used and reserved of each budget; name, billed, month, today, reserved of each instance."""
        command = self._call(
            USAGE,
            budgets=[_scope(budget, now) for budget in self._budgets],
            month=_first("month", now),
            day=_first("day", now),
        )
        match await self._line.ask(command, patience=patience):
            case [list(lines), list(instances)]:
                found = sorted((bytes(name).decode(), *figures) for name, *figures in instances)
                return [(used, reserved) for used, reserved in lines], found
            case _:
                raise StoreUnavailable("the store's figures are not understood")

    def _close(self, closed: Reservation, units: int, attempt: str = "") -> Command:
        """Settle at `units`, or refund for -1; with `attempt`, only what that attempt has reserved."""
        only: dict[str, JsonValue] = {"attempt": attempt} if attempt else {}
        hour = int(self._line.clock.now()) // HOUR
        remembered = int(REMEMBERED)
        return self._call(CLOSE, **_named(closed), units=units, hour=hour, remembered=remembered, **only)

    def _call(self, script: str, **arguments: JsonValue) -> Command:
        return call(script, self._line.prefix, arguments)

    def _sweep_when_due(self) -> None:
        now = self._line.clock.now()
        if not 0 <= now - self._swept < SWEEP_EVERY:
            self._swept = now
            swept = self._line.post(self._call(SWEEP, before=now - LAPSES_AFTER, remembered=int(REMEMBERED)))
            swept.add_done_callback(_log_lapsed)


def _named(reservation: Reservation) -> dict[str, JsonValue]:
    return {
        "key": reservation.key,
        "account": reservation.account,
        "instance": reservation.instance,
    }


def _scope(budget: Budget, now: float) -> dict[str, JsonValue]:
    """Whose units count against a budget, and since when."""
    return {
        "scope": "account" if budget.account else "instance",
        "name": budget.account or budget.instance,
        "first": _first(budget.quota.per, now),
    }


def _first(per: str, now: float) -> str:
    """The first hour or day of the running period, as the scripts name it."""
    if per == "total":
        return per
    start = int(period_start(per, now))
    return f"h{start // HOUR}" if per == "hour" else f"d{start // (24 * HOUR)}"


def _log_lapsed(swept: asyncio.Future[Reply]) -> None:
    if not swept.cancelled() and not swept.exception() and swept.result():
        _log.warning("%s reservations were never settled and count as spent", swept.result())
