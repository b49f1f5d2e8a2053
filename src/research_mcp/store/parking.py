"""Who rests until when, on SQLite: known to every process of the host, and after a restart."""

from __future__ import annotations

import asyncio
import sqlite3

from research_mcp.core.errors import Reason, StoreUnavailable
from research_mcp.core.ports import Rest
from research_mcp.store.db import Db, Work
from research_mcp.store.memory import MemoryParking

PATIENCE = 0.25
"""Seconds to wait for the store before this process's own knowledge must do."""
_LONGEST_DETAIL = 500


class SqliteParking:
    """`core.ports.Parking` on a `Db`. Never raises: while the store fails, this process remembers.

    Kept across restarts is what outlives them: rests with an end, and an account's rest without one,
    which ends when the key changes, because the account's id does. Two rests of an instance end with
    the process: one without an end ("until restart"), and a spent budget, which the operator may have
    raised meanwhile.
    """

    def __init__(self, db: Db) -> None:
        self._db = db
        self._here = MemoryParking(db.clock)
        self._copy = MemoryParking(db.clock)
        self._look: asyncio.Task[None] | None = None

    async def rest(self, name: str) -> Rest | None:
        """Why and until when `name` rests; None when it is free."""
        if here := await self._here.rest(name):
            return here
        if self._db.usable():
            if self._look is None:
                self._look = asyncio.create_task(self._look_up())
            await asyncio.shield(self._look)
        return await self._copy.rest(name)

    async def _look_up(self) -> None:
        """One look into the store for all who ask in the same turn of the loop; later ones look anew."""
        self._look = None
        now = self._db.clock.now()
        try:
            rests = await self._db.read(lambda c: _rests(c, now), patience=PATIENCE)
        except StoreUnavailable:
            return
        self._copy = MemoryParking(self._db.clock, rests)

    async def park(self, name: str, rest: Rest) -> None:
        """Let `name` rest. A longer rest that already holds is kept."""
        if _ends_with_the_process(name, rest):
            await self._here.park(name, rest)
            return
        await self._copy.park(name, rest)
        now = self._db.clock.now()
        await self._posted(lambda c: _park(c, name, rest, now))

    async def release(self, name: str) -> None:
        """Free `name` at once."""
        await self._here.release(name)
        await self._copy.release(name)
        await self._posted(lambda c: c.execute("DELETE FROM rests WHERE name = ?", (name,)))

    async def _posted(self, work: Work[object]) -> None:
        """Written when this returns, or, from a store in trouble, later."""
        written = asyncio.wrap_future(self._db.post(work))
        await asyncio.wait({written}, timeout=PATIENCE if self._db.usable() else 0)


def _ends_with_the_process(name: str, rest: Rest) -> bool:
    return name.startswith("instance:") and (rest.until is None or rest.reason is Reason.OUT_OF_CREDITS)


def _rests(connection: sqlite3.Connection, now: float) -> dict[str, Rest]:
    rows = connection.execute(
        "SELECT name, until, reason, detail FROM rests WHERE until IS NULL OR until > ?", (now,)
    )
    return {name: Rest(until, _reason(reason), detail) for name, until, reason, detail in rows}


def _reason(text: str) -> Reason:
    """A later program may have written a reason that this one does not know."""
    return Reason(text) if text in list(Reason) else Reason.UPSTREAM_ERROR


def _park(connection: sqlite3.Connection, name: str, rest: Rest, now: float) -> None:
    connection.execute("DELETE FROM rests WHERE until <= ?", (now,))
    connection.execute(
        "INSERT INTO rests VALUES (?, ?, ?, ?) ON CONFLICT (name) DO UPDATE "
        "SET until = excluded.until, reason = excluded.reason, detail = excluded.detail "
        "WHERE excluded.until IS NULL OR until <= excluded.until",
        (name, rest.until, rest.reason.value, rest.detail[:_LONGEST_DETAIL]),
    )
