"""How often engines were confirmed, in a store: it outlives a restart and processes learn from each other.

Written behind: a search only counts in memory, and every half minute the counts go to the store as one
small write. What a crash or a failing store loses is half a minute of observations, which is harmless.
"""

from __future__ import annotations

import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Mapping

from research_mcp.core.errors import StoreUnavailable
from research_mcp.core.models import Topic
from research_mcp.core.ports import Clock, Confirmed
from research_mcp.store.db import Db
from research_mcp.store.memory import NOTHING_SEEN, SPAN, MemoryAgreements, folded

EVERY = 30.0
"""Seconds between two meetings with the store."""

PATIENCE = 0.25
"""Seconds to wait for the store before this process's own knowledge must do."""

Seen = Mapping[tuple[Topic, str], Confirmed]


class SharedAgreements(ABC):
    """`core.ports.Agreements` in a store. Never raises: while the store fails, this process remembers.

    `save` writes what is still held back; call it at stop.
    """

    def __init__(self, clock: Clock, span: int) -> None:
        self._clock = clock
        self._span = span
        self._view = MemoryAgreements(span)
        self._news: dict[tuple[Topic, str], Confirmed] = {}
        self._met = float("-inf")

    @abstractmethod
    def _usable(self) -> bool:
        """False while the store fails."""

    @abstractmethod
    async def _all(self) -> Seen:
        """What the store knows. Raises `StoreUnavailable`."""

    @abstractmethod
    def _add(self, news: Seen) -> None:
        """Fold `news` into what the store knows, as soon as it allows."""

    async def known(self, topic: Topic) -> Mapping[str, Confirmed]:
        """What is known of each engine within `topic`, by this process and up to a while ago by others."""
        if not 0 <= self._clock.now() - self._met < EVERY:
            self._met = self._clock.now()
            await self._meet()
        return await self._view.known(topic)

    async def learn(self, topic: Topic, shares: Mapping[str, float]) -> None:
        """Add one list of each named engine."""
        await self._view.learn(topic, shares)
        for engine, share in shares.items():
            before = self._news.get((topic, engine), NOTHING_SEEN)
            self._news[topic, engine] = folded(before, Confirmed(share, 1), self._span)

    async def save(self) -> None:
        """Hand what was learned since the last meeting to the store."""
        if self._news:
            news, self._news = self._news, {}
            self._add(news)

    async def _meet(self) -> None:
        await self.save()
        if not self._usable():
            return
        try:
            table = await self._all()
        except StoreUnavailable:
            return
        self._view = MemoryAgreements(self._span, table)
        for (topic, engine), seen in self._news.items():  # learned while the store was asked
            self._view.add(topic, engine, seen)


class SqliteAgreements(SharedAgreements):
    """`SharedAgreements` on a `Db`."""

    def __init__(self, db: Db, span: int = SPAN) -> None:
        super().__init__(db.clock, span)
        self._db = db

    def _usable(self) -> bool:
        return self._db.usable()

    async def _all(self) -> Seen:
        return await self._db.read(_table, patience=PATIENCE)

    def _add(self, news: Seen) -> None:
        self._db.post(lambda c: _add(c, news, self._span))


# What follows runs in the store's thread, inside a transaction.


def _table(connection: sqlite3.Connection) -> Seen:
    """Rows of topics that this program does not know are a newer program's."""
    rows = connection.execute("SELECT topic, engine, share, lists FROM agreements").fetchall()
    return {
        (Topic(topic), engine): Confirmed(share, lists)
        for topic, engine, share, lists in rows
        if topic in list(Topic)
    }


def _add(connection: sqlite3.Connection, news: Seen, span: int) -> None:
    for (topic, engine), seen in news.items():
        row = connection.execute(
            "SELECT share, lists FROM agreements WHERE topic = ? AND engine = ?", (topic.value, engine)
        ).fetchone()
        now = folded(Confirmed(*row) if row else NOTHING_SEEN, seen, span)
        connection.execute(
            "INSERT OR REPLACE INTO agreements VALUES (?, ?, ?, ?)",
            (topic.value, engine, now.share, now.lists),
        )
