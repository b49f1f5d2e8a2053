"""The store's tables and the way there from every earlier version: forward only, one transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence

from research_mcp.core.errors import ConfigError

Migration = tuple[str, ...]

MIGRATIONS: tuple[Migration, ...] = (
    (
        # What is settled, by the hour (epoch seconds // 3600), so that any budget's period is a sum.
        """CREATE TABLE usage (
            instance TEXT NOT NULL, account TEXT NOT NULL, hour INTEGER NOT NULL, units INTEGER NOT NULL,
            PRIMARY KEY (instance, account, hour)
        ) WITHOUT ROWID""",
        "CREATE INDEX usage_by_account ON usage (account, hour)",
        """CREATE TABLE billed (
            instance TEXT NOT NULL, account TEXT NOT NULL, units INTEGER NOT NULL,
            PRIMARY KEY (instance, account)
        ) WITHOUT ROWID""",
        # state: open, settled, refunded, lapsed; created: epoch seconds.
        """CREATE TABLE reservations (
            key TEXT PRIMARY KEY, instance TEXT NOT NULL, account TEXT NOT NULL, hour INTEGER NOT NULL,
            units INTEGER NOT NULL, state TEXT NOT NULL, created REAL NOT NULL
        ) WITHOUT ROWID""",
        "CREATE INDEX reservations_by_state ON reservations (state, created)",
        # until: epoch seconds, NULL for an account's key that was refused.
        """CREATE TABLE rests (
            name TEXT PRIMARY KEY, until REAL, reason TEXT NOT NULL, detail TEXT NOT NULL
        ) WITHOUT ROWID""",
        "CREATE TABLE paces (name TEXT PRIMARY KEY, taken REAL NOT NULL) WITHOUT ROWID",
        "CREATE TABLE probes (name TEXT PRIMARY KEY, at REAL NOT NULL) WITHOUT ROWID",
    ),
    (
        # How often other index families confirmed an engine's results: mean share of so many lists.
        """CREATE TABLE agreements (
            topic TEXT NOT NULL, engine TEXT NOT NULL, share REAL NOT NULL, lists INTEGER NOT NULL,
            PRIMARY KEY (topic, engine)
        ) WITHOUT ROWID""",
    ),
    # What the operator took back of `units`: budgets that never renew do not count it.
    ("ALTER TABLE billed ADD COLUMN forgiven INTEGER NOT NULL DEFAULT 0",),
    # Whose call took the slot, so that it can be given back by that call alone.
    ("ALTER TABLE paces ADD COLUMN holder TEXT NOT NULL DEFAULT ''",),
)
"""Entry n leads from version n to n + 1. Never edit one that was released: append."""


def migrate(
    connection: sqlite3.Connection,
    *,
    migrations: Sequence[Migration] = MIGRATIONS,
    seed: Callable[[sqlite3.Connection], None] = lambda _: None,
) -> None:
    """Bring the tables to the newest version; `seed` fills a store that was just created.

    Raises `ConfigError` for a store that a newer program wrote.
    """
    if _version(connection) == len(migrations):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = _version(connection)
        if version > len(migrations):
            raise ConfigError(
                f"the store has schema version {version} and this program knows {len(migrations)}: "
                "run the newer program, or move the store's file away"
            )
        for migration in migrations[version:]:
            for statement in migration:
                connection.execute(statement)
        if version == 0:
            seed(connection)
        connection.execute(f"PRAGMA user_version = {len(migrations)}")
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])
