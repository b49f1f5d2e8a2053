"""How often engines were confirmed, on SQLite: it outlives a restart and processes learn from each other.

Written behind: a search only counts in memory, and every half minute the counts go to the store as one
small write. What a crash or a failing store loses is half a minute of observations, which is harmless.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

from research_mcp.core.errors import StoreUnavailable
from research_mcp.core.models import Topic
from research_mcp.core.ports import Confirmed
from research_mcp.store.db import Db
from research_mcp.store.memory import NOTHING_SEEN, SPAN, MemoryAgreements, folded

EVERY = 30.0
"""Seconds between two meetings with the store."""

PATIENCE = 0.25
"""Seconds to wait for the store before this process's own knowledge must do."""

_Table = Mapping[tuple[Topic, str], Confirmed]


class SqliteAgreements:
    """`core.ports.Agreements` on a `Db`. Never raises: while the store fails, this process remembers.

    `save` writes what is still held back; call it at stop.
    """

    def __init__(self, db: Db, span: int = SPAN) -> None:
        self._db = db
        self._span = span
        self._view = MemoryAgreements(span)
        self._news: dict[tuple[Topic, str], Confirmed] = {}
        self._met = float("-inf")

    async def known(self, topic: Topic) -> Mapping[str, Confirmed]:
        """What is known of each engine within `topic`, by this process and up to a while ago by others."""
        if not 0 <= self._db.clock.now() - self._met < EVERY:
            self._met = self._db.clock.now()
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
            self._db.post(lambda c: _add(c, news, self._span))

    async def _meet(self) -> None:
        await self.save()
        if not self._db.usable():
            return
        try:
            table = await self._db.read(_table, patience=PATIENCE)
        except StoreUnavailable:
            return
        self._view = MemoryAgreements(self._span, table)
        for (topic, engine), seen in self._news.items():  # learned while the store was asked
            self._view.add(topic, engine, seen)


# What follows runs in the store's thread, inside a transaction.


def _table(connection: sqlite3.Connection) -> _Table:
    """Rows of topics that this program does not know are a newer program's."""
    rows = connection.execute("SELECT topic, engine, share, lists FROM agreements").fetchall()
    return {
        (Topic(topic), engine): Confirmed(share, lists)
        for topic, engine, share, lists in rows
        if topic in list(Topic)
    }


def _add(connection: sqlite3.Connection, news: _Table, span: int) -> None:
    for (topic, engine), seen in news.items():
        row = connection.execute(
            "SELECT share, lists FROM agreements WHERE topic = ? AND engine = ?", (topic.value, engine)
        ).fetchone()
        now = folded(Confirmed(*row) if row else NOTHING_SEEN, seen, span)
        connection.execute(
            "INSERT OR REPLACE INTO agreements VALUES (?, ?, ?, ?)",
            (topic.value, engine, now.share, now.lists),
        )
