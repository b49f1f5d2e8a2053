"""The meter on SQLite: reservations, what they became, and the budgets they must fit into.

A reservation is a row in state `open` until it is settled (then it counts in `usage`, by the hour, and
in `billed`, for ever), refunded (then it never was) or ten minutes old (then it is settled as it stands:
its process died). A late settlement can only add to that, so no crash ever makes the count too low.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterator, Sequence

from research_mcp.core.budget import Budget, period_start
from research_mcp.core.instance import Quota
from research_mcp.core.ports import Reservation, Spent, StoreHealth, Usage
from research_mcp.store.budgets import (
    HOUR,
    LAPSES_AFTER,
    REMEMBERED,
    SWEEP_EVERY,
    USAGE_KEPT,
    spent_error,
    usage_line,
)
from research_mcp.store.db import Db

_log = logging.getLogger(__name__)

_SPENT = """
SELECT instance, sum(CASE WHEN hour >= :day THEN units ELSE 0 END), sum(units)
FROM (SELECT instance, hour, units FROM usage WHERE hour >= :month
      UNION ALL
      SELECT instance, hour, units FROM reservations WHERE state = 'open' AND hour >= :month)
GROUP BY instance ORDER BY instance
"""


class SqliteMeter:
    """`core.ports.Meter` on a `Db`; several processes may share the file. `budgets` may be empty."""

    def __init__(self, db: Db, budgets: Sequence[Budget] = ()) -> None:
        self._db = db
        self._budgets = tuple(budgets)
        self._swept = float("-inf")

    async def reserve(self, account: str, instance: str, units: int, key: str) -> Reservation:
        """Set `units` aside, durably. Raises `BudgetSpent`, `StoreUnavailable`."""
        self._sweep_when_due()
        reservation = Reservation(key, account, instance, units)
        return await self._db.write(
            lambda c: self._reserve(c, reservation), undo=lambda c: self._close(c, reservation, None)
        )

    async def settle(self, reservation: Reservation, units: int) -> None:
        """The call was made and cost `units`."""
        self._db.post(lambda c: self._close(c, reservation, units), hurry=False)

    async def refund(self, reservation: Reservation) -> None:
        """Nothing was sent: the reservation never was."""
        self._db.post(lambda c: self._close(c, reservation, None), hurry=False)

    async def usage(self) -> tuple[Usage, ...]:
        """Every budget, and every other instance that was ever billed. Raises `StoreUnavailable`."""
        self._sweep_when_due()
        return await self._db.read(lambda c: tuple(self._usage(c)))

    async def spent(self) -> tuple[Spent, ...]:
        """What each instance was billed today and this month. Raises `StoreUnavailable`."""
        now = self._db.clock.now()
        return await self._db.read(lambda c: _spent(c, now))

    async def reset(self, instance: str) -> None:
        """Let the budgets of `instance` count from zero; what is billed stays. Raises `StoreUnavailable`."""
        accounts = [b.account for b in self._budgets if b.instance == instance and b.account]

        def forgive(connection: sqlite3.Connection) -> None:
            _forgive(connection, instance, accounts)
            self._db.totals.changed()

        await self._db.write(forgive)

    async def health(self) -> StoreHealth:
        """Whether money can be counted; ends within three seconds."""
        return await self._db.health()

    def _sweep_when_due(self) -> None:
        now = self._db.clock.now()
        if not 0 <= now - self._swept < SWEEP_EVERY:
            self._swept = now
            self._db.post(lambda c: _sweep(c, now))

    # From here on everything runs in the store's thread, inside a transaction.

    def _reserve(self, connection: sqlite3.Connection, wanted: Reservation) -> Reservation:
        now = self._db.clock.now()
        known = connection.execute(
            "SELECT account, instance, units, state FROM reservations WHERE key = ?", (wanted.key,)
        ).fetchone()
        if known is not None and known[3] != "refunded":
            return Reservation(wanted.key, *known[:3])
        for budget in self._budgets:
            if budget.covers(wanted.account, wanted.instance):
                used, reserved = _used(connection, budget, now)
                if used + reserved + wanted.units > budget.quota.limit:
                    raise spent_error(budget, used + reserved, now)
        connection.execute(
            "INSERT OR REPLACE INTO reservations VALUES (?, ?, ?, ?, ?, 'open', ?)",
            (wanted.key, wanted.instance, wanted.account, int(now) // HOUR, wanted.units, now),
        )
        self._db.totals.changed()
        return wanted

    def _close(self, connection: sqlite3.Connection, closed: Reservation, units: int | None) -> None:
        """Settle at `units`, or refund for None. Once closed, only a lapsed one can still grow."""
        row = connection.execute(
            "SELECT hour, units, state FROM reservations WHERE key = ?", (closed.key,)
        ).fetchone()
        if row is None or row[2] in ("settled", "refunded") or (row[2] == "lapsed" and units is None):
            return
        hour, reserved, state = row
        if units is not None:
            more = max(0, units - reserved) if state == "lapsed" else units
            _count(connection, closed.instance, closed.account, hour, more)
        connection.execute(
            "UPDATE reservations SET state = ? WHERE key = ?",
            ("refunded" if units is None else "settled", closed.key),
        )
        if units != reserved:  # else the totals counted it as spent already
            self._db.totals.changed()

    def _usage(self, connection: sqlite3.Connection) -> Iterator[Usage]:
        now = self._db.clock.now()
        billed: dict[str, int] = dict(
            connection.execute("SELECT instance, sum(units) FROM billed GROUP BY instance")
        )
        open_now = {row[0] for row in connection.execute("SELECT instance FROM reservations")}
        limited = {budget.instance for budget in self._budgets}
        for budget in self._budgets:
            yield _line(connection, budget, budget.quota.limit, billed, now)
        for instance in sorted((set(billed) | open_now) - limited):
            yield _line(connection, Budget(instance, Quota(0), ""), None, billed, now)


def _sweep(connection: sqlite3.Connection, now: float) -> None:
    """Count what was left open as spent and forget what no budget asks for any more."""
    lapsed = connection.execute(
        "SELECT key, instance, account, hour, units FROM reservations WHERE state = 'open' AND created < ?",
        (now - LAPSES_AFTER,),
    ).fetchall()
    for key, instance, account, hour, units in lapsed:
        _count(connection, instance, account, hour, units)
        connection.execute("UPDATE reservations SET state = 'lapsed' WHERE key = ?", (key,))
    if lapsed:
        _log.warning("%d reservations were never settled and count as spent", len(lapsed))
    connection.execute("DELETE FROM reservations WHERE state <> 'open' AND created < ?", (now - REMEMBERED,))
    # By number, not by age: a clock that runs ahead for a while would have the running month forgotten.
    connection.execute(
        "DELETE FROM usage WHERE hour < (SELECT min(hour) FROM "
        "(SELECT DISTINCT hour FROM usage ORDER BY hour DESC LIMIT ?))",
        (USAGE_KEPT,),
    )


def _line(
    connection: sqlite3.Connection, budget: Budget, limit: int | None, billed: dict[str, int], now: float
) -> Usage:
    used, reserved = _used(connection, budget, now)
    return usage_line(budget, limit, used + reserved, billed.get(budget.instance, 0), now, reserved)


def _used(connection: sqlite3.Connection, budget: Budget, now: float) -> tuple[int, int]:
    """Units of the running period, settled and open. Hours ahead of a clock that was set back count."""
    column, name = ("account", budget.account) if budget.account else ("instance", budget.instance)
    first = int(period_start(budget.quota.per, now)) // HOUR
    settled = (
        f"SELECT units - forgiven AS units FROM billed WHERE {column} = :name"  # noqa: S608  # one of two literals above
        if budget.quota.per == "total"
        else f"SELECT units FROM usage WHERE {column} = :name AND hour >= :first"  # noqa: S608
    )
    row = connection.execute(
        f"SELECT (SELECT coalesce(sum(units), 0) FROM ({settled})), coalesce(sum(units), 0) "  # noqa: S608
        f"FROM reservations WHERE state = 'open' AND {column} = :name AND hour >= :first",
        {"name": name, "first": first},
    ).fetchone()
    return int(row[0]), int(row[1])


def _spent(connection: sqlite3.Connection, now: float) -> tuple[Spent, ...]:
    starts = {per: int(period_start(per, now)) // HOUR for per in ("day", "month")}
    rows = connection.execute(_SPENT, starts)
    return tuple(Spent(instance, int(today), int(month)) for instance, today, month in rows)


def _forgive(connection: sqlite3.Connection, instance: str, accounts: Sequence[str]) -> None:
    for column, name in [("instance", instance), *(("account", account) for account in accounts)]:
        connection.execute(f"DELETE FROM usage WHERE {column} = ?", (name,))  # noqa: S608  # two literals
        connection.execute(f"UPDATE billed SET forgiven = units WHERE {column} = ?", (name,))  # noqa: S608


def _count(connection: sqlite3.Connection, instance: str, account: str, hour: int, units: int) -> None:
    connection.execute(
        "INSERT INTO usage VALUES (?, ?, ?, ?) "
        "ON CONFLICT (instance, account, hour) DO UPDATE SET units = units + excluded.units",
        (instance, account, hour, units),
    )
    connection.execute(
        "INSERT INTO billed (instance, account, units) VALUES (?, ?, ?) "
        "ON CONFLICT (instance, account) DO UPDATE SET units = units + excluded.units",
        (instance, account, units),
    )
