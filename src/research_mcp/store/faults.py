"""What SQLite and the disk can do to us, in words for the operator and the model."""

from __future__ import annotations

import sqlite3

_WORDS = {
    sqlite3.SQLITE_BUSY: "another process keeps it locked",
    sqlite3.SQLITE_LOCKED: "another process keeps it locked",
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_READONLY: "it is read-only",
    sqlite3.SQLITE_CANTOPEN: "its file cannot be opened",
    sqlite3.SQLITE_IOERR: "the disk fails",
    sqlite3.SQLITE_CORRUPT: "its file is damaged",
    sqlite3.SQLITE_NOTADB: "its file is damaged",
}


class Damaged(sqlite3.DatabaseError):
    """The file opens, but its check finds faults."""


def _code(error: Exception) -> int:
    """SQLite's primary result code, 0 for other errors."""
    return int(getattr(error, "sqlite_errorcode", None) or 0) & 0xFF


def is_damage(error: Exception) -> bool:
    """True when the file itself is bad: waiting does not help, a new one does."""
    return isinstance(error, Damaged) or _code(error) in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def is_lock(error: Exception) -> bool:
    """True when another connection holds the write lock."""
    return _code(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def words(error: Exception) -> str:
    """Why the store cannot be used, without paths."""
    return _WORDS.get(_code(error)) or (
        "its folder or file cannot be used" if isinstance(error, OSError) else str(error)
    )
