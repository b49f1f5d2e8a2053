"""Who rests until when, in a store: known to every process that shares it, and after a restart."""

from __future__ import annotations

import asyncio
import sqlite3
from abc import ABC, abstractmethod
from typing import Any

from research_mcp.core.errors import Reason, StoreUnavailable
from research_mcp.core.ports import Clock, Rest
from research_mcp.store.db import Db
from research_mcp.store.memory import MemoryParking

PATIENCE = 0.25
"""Seconds to wait for the store before this process's own knowledge must do."""
LONGEST_DETAIL = 500


class SharedParking(ABC):
    """`core.ports.Parking` in a store. Never raises: while the store fails, this process remembers.

    Kept across restarts is what outlives them: rests with an end, and an account's rest without one,
    which ends when the key changes, because the account's id does. Two rests of an instance end with
    the process: one without an end ("until restart"), and a spent budget, which the operator may have
    raised meanwhile.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._here = MemoryParking(clock)
        self._copy = MemoryParking(clock)
        self._look: asyncio.Task[None] | None = None

    @abstractmethod
    def _usable(self) -> bool:
        """False while the store fails."""

    @abstractmethod
    async def _all(self) -> dict[str, Rest]:
        """Every rest in the store; those that are over may be among them. Raises `StoreUnavailable`."""

    @abstractmethod
    def _write(self, name: str, rest: Rest) -> asyncio.Future[Any]:
        """Have a rest written, unless a longer one is there; done when it is."""

    @abstractmethod
    def _erase(self, name: str) -> asyncio.Future[Any]:
        """Have a rest removed; done when it is."""

    async def rest(self, name: str) -> Rest | None:
        """Why and until when `name` rests; None when it is free."""
        if here := await self._here.rest(name):
            return here
        if self._usable():
            if self._look is None:
                self._look = asyncio.create_task(self._look_up())
            await asyncio.shield(self._look)
        return await self._copy.rest(name)

    async def _look_up(self) -> None:
        """One look into the store for all who ask in the same turn of the loop; later ones look anew."""
        self._look = None
        try:
            rests = await self._all()
        except StoreUnavailable:
            return
        self._copy = MemoryParking(self._clock, rests)

    async def park(self, name: str, rest: Rest) -> None:
        """Let `name` rest. A longer rest that already holds is kept."""
        if _ends_with_the_process(name, rest):
            await self._here.park(name, rest)
            return
        await self._copy.park(name, rest)
        await self._in_time(self._write(name, rest))

    async def release(self, name: str) -> None:
        """Free `name` at once."""
        await self._here.release(name)
        await self._copy.release(name)
        await self._in_time(self._erase(name))

    async def _in_time(self, written: asyncio.Future[Any]) -> None:
        """Written when this returns, or, from a store in trouble, later."""
        await asyncio.wait({written}, timeout=PATIENCE if self._usable() else 0)


class SqliteParking(SharedParking):
    """`SharedParking` on a `Db`: for the processes of one host."""

    def __init__(self, db: Db) -> None:
        super().__init__(db.clock)
        self._db = db

    def _usable(self) -> bool:
        return self._db.usable()

    async def _all(self) -> dict[str, Rest]:
        return await self._db.read(_rests, patience=PATIENCE)

    def _write(self, name: str, rest: Rest) -> asyncio.Future[Any]:
        now = self._clock.now()
        return asyncio.wrap_future(self._db.post(lambda c: _park(c, name, rest, now)))

    def _erase(self, name: str) -> asyncio.Future[Any]:
        done = self._db.post(lambda c: c.execute("DELETE FROM rests WHERE name = ?", (name,)))
        return asyncio.wrap_future(done)


def _ends_with_the_process(name: str, rest: Rest) -> bool:
    return name.startswith("instance:") and (rest.until is None or rest.reason is Reason.OUT_OF_CREDITS)


def _rests(connection: sqlite3.Connection) -> dict[str, Rest]:
    rows = connection.execute("SELECT name, until, reason, detail FROM rests")
    return {name: Rest(until, known_reason(reason), detail) for name, until, reason, detail in rows}


def known_reason(text: str) -> Reason:
    """A later program may have written a reason that this one does not know."""
    return Reason(text) if text in list(Reason) else Reason.UPSTREAM_ERROR


def _park(connection: sqlite3.Connection, name: str, rest: Rest, now: float) -> None:
    connection.execute("DELETE FROM rests WHERE until <= ?", (now,))
    connection.execute(
        "INSERT INTO rests VALUES (?, ?, ?, ?) ON CONFLICT (name) DO UPDATE "
        "SET until = excluded.until, reason = excluded.reason, detail = excluded.detail "
        "WHERE excluded.until IS NULL OR until <= excluded.until",
        (name, rest.until, rest.reason.value, rest.detail[:LONGEST_DETAIL]),
    )
