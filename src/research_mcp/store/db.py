"""One SQLite file, one thread: transactions shared by all who ask at the same moment.

Several processes on one host may use the file. Work that was asked for while another commit was on
its way to the disk is committed together, so ten reservations cost one flush. A store that fails is
tried again by whatever is asked next, with a short wait for locks, until it works.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import sqlite3
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from research_mcp.core.errors import ConfigError, ResearchError, StoreUnavailable
from research_mcp.core.ports import Clock, StoreHealth
from research_mcp.store.faults import Damaged, is_damage, is_lock, words
from research_mcp.store.schema import migrate
from research_mcp.store.totals import Totals

_log = logging.getLogger(__name__)

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]
Connect = Callable[[Path], sqlite3.Connection]

LOCK_WAIT_MS = 5_000
LOCK_WAIT_IN_TROUBLE_MS = 250
PATIENCE = 6.0
"""Seconds a caller waits: the longest lock wait and a slow disk."""
HEALTH_PATIENCE = 2.0
"""Less than whoever asks for the health waits: a store that is late is impaired, the server is not."""
MOST_KEPT = 10_000
"""Writes kept for later while the store fails; then the newest go, which errs towards "spent"."""
LEISURE = 0.25
"""Seconds that work without hurry waits for other work to be committed with."""
_BATCH = 64


def connect(path: Path) -> sqlite3.Connection:
    """Open the file, created with mode 0600 in a folder that is created too."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    path.chmod(0o600)
    return sqlite3.connect(path, timeout=LOCK_WAIT_MS / 1_000, isolation_level=None)


@dataclass(slots=True)
class _Job:
    """`kept`: written later when it cannot be written now; such work has nobody to tell of a failure."""

    work: Work[Any]
    writes: bool
    kept: bool
    future: Future[Any]


class Db:
    """The store's file. Every method but `open` may be called at any time; nothing blocks the loop."""

    def __init__(self, path: Path, clock: Clock, *, connect: Connect = connect) -> None:
        self.path = path
        self.clock = clock
        self.totals = Totals(path.with_name(f"{path.name}.totals"))
        self._connect = connect
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="store")
        self._jobs: deque[_Job] = deque()
        self._connection: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None
        self._trouble = ""
        self._note = ""
        self._late = False
        self._due = False
        self._later: asyncio.TimerHandle | None = None
        self._wait = 0
        self._closed = False

    async def open(self) -> None:
        """Open and migrate now. Raises `ConfigError` for a store of a newer program, nothing else."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._first)

    async def close(self) -> None:
        """Write what is pending and end the thread. Later work is refused."""
        if not self._closed:
            self._closed = True
            if self._later is not None:
                self._later.cancel()
            await asyncio.get_running_loop().run_in_executor(self._thread, self._last)
            self._thread.shutdown(wait=False)

    def usable(self) -> bool:
        """False while the store fails or is slow; asking then has it tried again in the background."""
        if self._trouble:
            now = self.clock.now()
            self._submit(_Job(lambda c: _probe(c, now), writes=True, kept=False, future=Future()))
        return not (self._trouble or self._late)

    async def read(self, work: Work[T], *, patience: float = PATIENCE) -> T:
        """The result of `work`, which only reads. Raises `StoreUnavailable`."""
        return await self._ask(work, False, patience, None)

    async def write(
        self, work: Work[T], *, patience: float = PATIENCE, undo: Work[object] | None = None
    ) -> T:
        """The result of `work`, committed to the disk. Raises `StoreUnavailable` and what `work` raises.

        `work` may be run again when a commit fails, so it must only touch the connection. `undo` is
        written when the caller is gone (cancelled, out of patience) and `work` may have been done.
        """
        return await self._ask(work, True, patience, undo)

    def post(self, work: Work[object], *, hurry: bool = True) -> Future[None]:
        """Have `work` written as soon as the store allows, in the order of asking.

        Without `hurry` it may wait a moment, so that other work shares its commit.
        """
        job = _Job(work, writes=True, kept=True, future=Future())
        if len(self._jobs) < MOST_KEPT:
            self._submit(job, hurry=hurry)
        return job.future

    async def health(self) -> StoreHealth:
        """Try a write; ends within two seconds. `detail` may tell of a damage that was overcome."""
        now = self.clock.now()
        try:
            await self.write(lambda c: _probe(c, now), patience=HEALTH_PATIENCE)
        except StoreUnavailable as error:
            return StoreHealth(False, str(error))
        return StoreHealth(True, self._note)

    async def _ask(self, work: Work[T], writes: bool, patience: float, undo: Work[object] | None) -> T:
        job = _Job(work, writes, kept=False, future=Future())
        if not self._submit(job):
            raise StoreUnavailable("the store is closed: the server is stopping")
        try:
            async with asyncio.timeout(patience):
                result: T = await asyncio.wrap_future(job.future)
                return result
        except (TimeoutError, asyncio.CancelledError) as gone:
            if not job.future.cancel() and undo is not None:
                self.post(undo)
            if isinstance(gone, asyncio.CancelledError):
                raise
            self._late = True
            raise StoreUnavailable(_sentence(f"it did not answer in {patience:g} s")) from None

    def _submit(self, job: _Job, *, hurry: bool = True) -> bool:
        if self._closed:
            return False
        self._jobs.append(job)
        if hurry:
            self._wake()
        elif self._later is None:
            self._later = asyncio.get_running_loop().call_later(LEISURE, self._wake)
        return True

    def _wake(self) -> None:
        if self._later is not None:
            self._later.cancel()
            self._later = None
        if not (self._due or self._closed):  # a drain that has not begun yet will find all jobs
            self._due = True
            self._thread.submit(self._drain).add_done_callback(_log_crash)

    # From here on everything runs in the store's thread.

    def _first(self) -> None:
        try:
            self._on_sound_file(lambda _: None)
        except (sqlite3.Error, OSError) as error:
            self._failed(error, [])

    def _last(self) -> None:
        if not self._drain():
            _log.error("the store %s closes with %d writes undone", self.path, len(self._jobs))
        self._disconnect()

    def _drain(self) -> bool:
        """Do the pending jobs, batch by batch; False when the store failed."""
        self._due = False
        while jobs := self._take():
            try:
                self._on_sound_file(partial(self._transact, jobs))
            except (sqlite3.Error, OSError, ConfigError) as error:
                self._failed(error, jobs)
                return False
            if any(job.writes for job in jobs):
                self._works()
            self._late = False
        return True

    def _take(self) -> list[_Job]:
        jobs: list[_Job] = []
        while self._jobs and len(jobs) < _BATCH:
            job = self._jobs.popleft()
            if job.future.running() or job.future.set_running_or_notify_cancel():
                jobs.append(job)
        return jobs

    def _transact(self, jobs: list[_Job], connection: sqlite3.Connection) -> None:
        """All jobs in one transaction, each in a savepoint; nobody is told before the commit."""
        done: list[tuple[_Job, object, ResearchError | None]] = []
        try:
            connection.execute("BEGIN IMMEDIATE" if any(job.writes for job in jobs) else "BEGIN")
            for job in jobs:
                connection.execute("SAVEPOINT job")
                try:
                    done.append((job, job.work(connection), None))
                except ResearchError as error:
                    connection.execute("ROLLBACK TO job")
                    done.append((job, None, error))
                connection.execute("RELEASE job")
            self.totals.save(connection, self.clock.now())
            connection.execute("COMMIT")
        finally:
            if connection.in_transaction:
                with contextlib.suppress(sqlite3.Error):
                    connection.execute("ROLLBACK")
        for job, result, refused in done:
            if refused is None:
                job.future.set_result(result)
            else:
                job.future.set_exception(refused)

    def _on_sound_file(self, do: Callable[[sqlite3.Connection], None]) -> None:
        """`do` with the open file; a damaged one is moved aside first and a new one started."""
        try:
            do(self._ready())
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise
            self._disconnect()
            self._move_aside()
            do(self._ready())

    def _ready(self) -> sqlite3.Connection:
        """The open connection to the file that is at the path now."""
        if self._connection is not None and self._file != _identity(self.path):
            _log.error("the store %s was moved or removed while in use", self.path)
            self._disconnect()
        if self._connection is None:
            self._connection = self._opened()
        wait = LOCK_WAIT_IN_TROUBLE_MS if self._trouble else LOCK_WAIT_MS
        if wait != self._wait:
            self._connection.execute(f"PRAGMA busy_timeout = {wait}")
            self._wait = wait
        return self._connection

    def _opened(self) -> sqlite3.Connection:
        connection = self._connect(self.path)
        self._file = _identity(self.path)
        self._wait = 0
        try:
            if self._trouble:
                connection.execute(f"PRAGMA busy_timeout = {LOCK_WAIT_IN_TROUBLE_MS}")
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            faults = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
            if faults != "ok":
                raise Damaged(faults)
            migrate(connection, seed=self.totals.restore)
        except (sqlite3.Error, ConfigError):
            connection.close()
            raise
        return connection

    def _move_aside(self) -> None:
        """Rename what is damaged, unless another process has put a new file there meanwhile."""
        if _identity(self.path) != self._file:
            return
        stamp = datetime.fromtimestamp(self.clock.now(), UTC).strftime("%Y%m%dT%H%M%S")
        aside = self.path.with_name(f"{self.path.name}.damaged-{stamp}")
        _log.error("the store %s is damaged: kept as %s, a new one is started", self.path, aside.name)
        self._note = f"the store was damaged at {stamp} UTC and started anew at the last known totals"
        for suffix in ("", "-wal", "-shm"):
            with contextlib.suppress(FileNotFoundError):
                self.path.with_name(self.path.name + suffix).rename(aside.with_name(aside.name + suffix))

    def _failed(self, error: Exception, jobs: list[_Job]) -> None:
        why = words(error)
        if why != self._trouble:
            _log.error("the store %s cannot be used: %s (%s)", self.path, why, error)
        self._trouble = why
        if not is_lock(error):
            self._disconnect()
        kept = [job for job in jobs if job.kept]
        self._jobs.extendleft(reversed(kept))
        for job in jobs:
            if not job.kept:
                job.future.set_exception(StoreUnavailable(_sentence(why)))

    def _works(self) -> None:
        if self._trouble:
            _log.warning("the store %s works again", self.path)
        self._trouble = ""

    def _disconnect(self) -> None:
        if self._connection is not None:
            with contextlib.suppress(sqlite3.Error):
                self._connection.close()
        self._connection = None


def _sentence(why: str) -> str:
    return f"this server's budget store cannot be used ({why}): metered providers pause until it works again"


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def _probe(connection: sqlite3.Connection, now: float) -> None:
    connection.execute(
        "INSERT INTO probes VALUES ('health', ?) ON CONFLICT (name) DO UPDATE SET at = excluded.at", (now,)
    )


def _log_crash(drained: Future[bool]) -> None:
    if error := drained.exception():
        _log.error("the store's thread failed", exc_info=error)
