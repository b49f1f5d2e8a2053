"""The least time between two uses, in a store: one pace for all processes that share it."""

from __future__ import annotations

import sqlite3
from abc import ABC, abstractmethod

from research_mcp.core.errors import StoreUnavailable
from research_mcp.core.ports import Clock
from research_mcp.store.db import Db
from research_mcp.store.memory import MemoryPaces

PATIENCE = 0.5
"""Seconds to wait for the store before this process keeps the pace alone."""


class SharedPaces(ABC):
    """`core.ports.Paces` in a store. Never raises: while the store fails, this process keeps the pace."""

    def __init__(self, clock: Clock) -> None:
        self._copy = MemoryPaces(clock)

    @abstractmethod
    def _usable(self) -> bool:
        """False while the store fails."""

    @abstractmethod
    async def _taken(self, name: str, interval: float, holder: str) -> float:
        """As `take`, in the store. Raises `StoreUnavailable`."""

    @abstractmethod
    def _given_back(self, name: str, holder: str) -> None:
        """As `give_back`, in the store, as soon as that can be written."""

    async def take(self, name: str, interval: float, holder: str = "") -> float:
        """Take the slot and return 0.0, or take nothing and return the seconds to wait."""
        if not self._usable():
            return await self._copy.take(name, interval, holder)
        try:
            wait = await self._taken(name, interval, holder)
        except StoreUnavailable:
            return await self._copy.take(name, interval, holder)
        if wait == 0.0:
            await self._copy.take(name, interval, holder)
        return wait

    async def give_back(self, name: str, holder: str) -> None:
        """Free the slot if `holder` took it last."""
        await self._copy.give_back(name, holder)
        if holder:
            self._given_back(name, holder)


class SqlitePaces(SharedPaces):
    """`SharedPaces` on a `Db`: for the processes of one host."""

    def __init__(self, db: Db) -> None:
        super().__init__(db.clock)
        self._db = db

    def _usable(self) -> bool:
        return self._db.usable()

    async def _taken(self, name: str, interval: float, holder: str) -> float:
        return await self._db.write(lambda c: self._take(c, name, interval, holder), patience=PATIENCE)

    def _given_back(self, name: str, holder: str) -> None:
        self._db.post(lambda c: c.execute("DELETE FROM paces WHERE name = ? AND holder = ?", (name, holder)))

    def _take(self, connection: sqlite3.Connection, name: str, interval: float, holder: str) -> float:
        """Runs in the store's thread. The clock is read under the write lock, so no slot goes twice."""
        now = self._db.clock.now()
        row = connection.execute("SELECT taken FROM paces WHERE name = ?", (name,)).fetchone()
        wait = row[0] + interval - now if row else 0.0
        # more than one interval ahead: the wall clock was set back
        if 0.0 < wait <= interval:
            return float(wait)
        connection.execute(
            "INSERT OR REPLACE INTO paces (name, taken, holder) VALUES (?, ?, ?)", (name, now, holder)
        )
        return 0.0
