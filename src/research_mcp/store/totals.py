"""The last known totals beside the store, so that a damaged store does not forget what was spent."""

from __future__ import annotations

import json
import logging
import os
import sqlite3
from pathlib import Path

from research_mcp.core.budget import period_start

_log = logging.getLogger(__name__)
_HOUR = 3_600

_USAGE = """
SELECT instance, account,
       CASE WHEN hour >= :hour THEN hour WHEN hour >= :day THEN :day ELSE :month END AS bucket, sum(units)
FROM (SELECT instance, account, hour, units FROM usage WHERE hour >= :month
      UNION ALL
      SELECT instance, account, hour, units FROM reservations WHERE state = 'open')
GROUP BY instance, account, bucket
"""
_BILLED = """
SELECT instance, account, sum(units), sum(forgiven)
FROM (SELECT instance, account, units, forgiven FROM billed
      UNION ALL
      SELECT instance, account, units, 0 FROM reservations WHERE state = 'open')
GROUP BY instance, account
"""


class Totals:
    """A small JSON file: billed sums, and what this hour, day and month have used. Mode 0600.

    Written inside each of the store's transactions that moved money (`changed`), before the commit, so
    it is never behind. Open reservations are in it as spent.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._changed = False

    def changed(self) -> None:
        """Money moved in the running transaction."""
        self._changed = True

    def save(self, connection: sqlite3.Connection, now: float) -> None:
        """Write them as `connection` sees them, if they changed. Money does not stop for a failure."""
        if not self._changed:
            return
        self._changed = False
        starts = {per: int(period_start(per, now)) // _HOUR for per in ("hour", "day", "month")}
        content = {
            "usage": connection.execute(_USAGE, starts).fetchall(),
            "billed": connection.execute(_BILLED).fetchall(),
        }
        # one name for all: the store's write lock is held
        fresh = self.path.with_name(f"{self.path.name}.new")
        try:
            with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
                json.dump(content, file)
            fresh.replace(self.path)
        except OSError as error:
            _log.warning("the totals beside the store cannot be written: %s", error)

    def restore(self, connection: sqlite3.Connection) -> None:
        """Fill a store that was just created. A missing or unreadable file means starting at zero."""
        try:
            content = json.loads(self.path.read_text())
            usage = [(str(i), str(a), int(hour), int(units)) for i, a, hour, units in content["usage"]]
            # files of earlier versions have no fourth figure
            billed = [
                (str(i), str(a), int(units), int(*more[:1])) for i, a, units, *more in content["billed"]
            ]
        except FileNotFoundError:
            return
        except (OSError, ValueError, KeyError, TypeError) as error:
            _log.error("%s cannot be read, so a new store counts from zero: %s", self.path, error)
            return
        connection.executemany("INSERT OR REPLACE INTO usage VALUES (?, ?, ?, ?)", usage)
        connection.executemany("INSERT OR REPLACE INTO billed VALUES (?, ?, ?, ?)", billed)
        sums = ", ".join(f"{instance} {units}" for instance, _, units, _ in billed)
        _log.warning(
            "a new store starts at the last known totals (%s); to count from zero, stop, remove it and %s",
            sums or "nothing billed",
            self.path,
        )
