"""The way to the server that many callers share: what is asked at the same moment travels together.

Commands are sent in the order of asking over one connection, each batch in one round trip. A server
that fails is tried again twice a second, and works again without a restart.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from valkey.exceptions import ConnectionError as HungUp
from valkey.exceptions import ResponseError, ValkeyError

from research_mcp.core.errors import ConfigError, StoreUnavailable
from research_mcp.core.ports import Clock, StoreHealth
from research_mcp.store.valkey.address import Address
from research_mcp.store.valkey.faults import passes, words
from research_mcp.store.valkey.fitness import remarks
from research_mcp.store.valkey.link import Command, Link, Reply

_log = logging.getLogger(__name__)

PATIENCE = 3.0
"""Seconds a caller waits for money to be counted."""
EXCHANGE_SECONDS = 2.0
"""Seconds for one batch, connecting included."""
HEALTH_PATIENCE = 2.5
AGAIN_AFTER = 0.5
"""Seconds between two tries of a server in trouble."""
CLOSING_SECONDS = 1.0
MOST_KEPT = 10_000
"""Writes kept for later while the store fails; then the newest go, which errs towards "spent"."""
_BATCH = 64


@dataclass(slots=True, eq=False)
class _Job:
    """`kept`: sent later when it cannot be sent now. `undo`: sent when the caller may not know of it."""

    command: Command
    future: asyncio.Future[Reply]
    kept: bool = False
    heals: bool = False
    undo: Command | None = None
    sent: bool = False


class Line:
    """Commands to one server, for the tasks of one event loop. Every key begins with `prefix`."""

    def __init__(self, address: Address, prefix: str, clock: Clock) -> None:
        self.prefix = prefix
        self.clock = clock
        self._link = Link(address, prefix)
        self._jobs: deque[_Job] = deque()
        self._worker: asyncio.Task[None] | None = None
        self._probing: _Job | None = None
        self._trouble = ""
        self._late = False
        self._closed = False

    def __str__(self) -> str:
        return str(self._link.address)

    async def open(self) -> None:
        """Connect now. Raises `ConfigError` for the keys of a newer program, nothing else."""
        try:
            async with asyncio.timeout(EXCHANGE_SECONDS):
                time, info = await self._link.exchange([("TIME",), ("INFO",)])
        except (ValkeyError, OSError) as error:
            self._failed(error, ())
            return
        for remark in remarks(time, info, self.clock.now()):
            _log.warning("the store %s: %s", self, remark)

    async def close(self) -> None:
        """Send what is pending, as far as the server takes it, and hang up. Later work is refused."""
        self._closed = True
        if self._worker is not None:
            await asyncio.wait({self._worker}, timeout=CLOSING_SECONDS)
            self._worker.cancel()
            await asyncio.gather(self._worker, return_exceptions=True)
        if undone := sum(job.kept for job in self._jobs):
            _log.error("the store %s closes with %d writes undone", self, undone)
        await self._link.close()

    def usable(self) -> bool:
        """False while the store fails or is slow."""
        return not (self._trouble or self._late)

    async def ask(
        self, command: Command, *, patience: float = PATIENCE, undo: Command | None = None
    ) -> Reply:
        """The reply. Raises `StoreUnavailable`, at once while the store is in trouble.

        `undo` is sent when the caller is gone (cancelled, out of patience) or told of a failure, and
        the command may have been done all the same, or may yet be: it must be right in every order.
        """
        if self._trouble:
            raise StoreUnavailable(_sentence(self._trouble))
        job = _Job(command, _future(), undo=undo)
        self._submit(job)
        return await self._awaited(job, patience)

    def post(self, command: Command) -> asyncio.Future[Reply]:
        """Have `command` sent as soon as the store allows, in the order of asking."""
        job = _Job(command, _future(), kept=True)
        if len(self._jobs) < MOST_KEPT:
            self._submit(job)
        return job.future

    def send(self, command: Command) -> None:
        """Have `command` sent if the store takes it now. Nobody hears of it, and it is never made up for."""
        if self.usable() and len(self._jobs) < _BATCH:
            self._submit(_Job(command, _future()))

    async def health(self) -> StoreHealth:
        """Try a write; ends within three seconds."""
        try:
            await self._awaited(self._probe(), HEALTH_PATIENCE)
        except StoreUnavailable as error:
            return StoreHealth(False, str(error))
        return StoreHealth(True)

    def _probe(self) -> _Job:
        """The probe that is under way, or a new one."""
        if self._probing is None or self._probing.future.done():
            command = ("SET", f"{self.prefix}probe", f"{self.clock.now():.3f}")
            self._probing = _Job(command, _future(), heals=True)
            self._submit(self._probing)
        return self._probing

    async def _awaited(self, job: _Job, patience: float) -> Reply:
        try:
            async with asyncio.timeout(patience):
                return await asyncio.shield(job.future)
        except (TimeoutError, asyncio.CancelledError) as gone:
            if not (job.sent or job.heals):
                with contextlib.suppress(ValueError):  # refused at the same moment
                    self._jobs.remove(job)
            elif job.undo is not None:
                self.post(job.undo)
            if isinstance(gone, asyncio.CancelledError):
                raise
            self._late = True
            self._probe()  # its answer ends the lateness
            raise StoreUnavailable(_sentence(f"it did not answer in {patience:g} s")) from None

    def _submit(self, job: _Job) -> None:
        if self._closed:
            _refuse(job.future, StoreUnavailable("the store is closed: the server is stopping"))
            return
        self._jobs.append(job)
        if self._worker is None or self._worker.done():
            self._worker = asyncio.create_task(self._drain())
            self._worker.add_done_callback(_log_crash)

    async def _drain(self) -> None:
        """Do the pending jobs, batch by batch; between two failures there is a pause."""
        while self._jobs:
            jobs = [self._jobs.popleft() for _ in range(min(_BATCH, len(self._jobs)))]
            if not await self._done(jobs):
                await asyncio.sleep(AGAIN_AFTER)

    async def _done(self, jobs: Sequence[_Job]) -> bool:
        """Send a batch and tell those who wait; False when the store failed."""
        for job in jobs:
            job.sent = True
        try:
            replies = await self._exchanged([job.command for job in jobs])
        except (ValkeyError, OSError, ConfigError) as error:
            self._failed(error, jobs)
            return False
        except asyncio.CancelledError:
            self._jobs.extendleft(reversed([job for job in jobs if job.kept]))
            raise
        self._late = False
        failed = [job for job, reply in zip(jobs, replies, strict=True) if not _settled(job, reply)]
        if failed:
            self._failed(next(r for r in replies if isinstance(r, ResponseError) and passes(r)), failed)
        elif any(job.heals for job in jobs):
            self._works()
        return not failed

    async def _exchanged(self, commands: Sequence[Command]) -> list[Reply]:
        """A connection that turns out to be dead is replaced once: every command may be sent twice."""
        had = not self._link.fresh
        try:
            async with asyncio.timeout(EXCHANGE_SECONDS):
                return await self._link.exchange(commands)
        except (HungUp, OSError) as error:
            await self._link.close()
            if not had or isinstance(error, TimeoutError):
                raise
        async with asyncio.timeout(EXCHANGE_SECONDS):
            return await self._link.exchange(commands)

    def _failed(self, error: Exception, jobs: Sequence[_Job]) -> None:
        why = words(error)
        if why != self._trouble:
            _log.error("the store %s cannot be used: %s", self, why)
        self._trouble = why
        undone = [_Job(job.undo, _future(), kept=True) for job in jobs if job.undo is not None]
        back = [*(job for job in jobs if job.kept), *undone]
        waiting = [job for job in self._jobs if not (job.kept or job.heals)]
        self._jobs = deque(job for job in (*back, *self._jobs) if job not in waiting)
        for job in (*jobs, *waiting):
            if not job.kept:
                _refuse(job.future, StoreUnavailable(_sentence(why)))
        self._probe()

    def _works(self) -> None:
        if self._trouble:
            _log.warning("the store %s works again", self)
        self._trouble = ""


def _future() -> asyncio.Future[Reply]:
    return asyncio.get_running_loop().create_future()


def _settled(job: _Job, reply: Reply) -> bool:
    """Tell who waits for `job`; False when it has to wait for the store's trouble to pass."""
    if isinstance(reply, ResponseError):
        if passes(reply):
            return False
        _log.error("the store answers %s with an error: %s", job.command[0], reply)
        _refuse(job.future, StoreUnavailable(_sentence("it answers with an error")))
    elif not job.future.done():
        job.future.set_result(reply)
    return True


def _refuse(future: asyncio.Future[Reply], error: StoreUnavailable) -> None:
    if not future.done():
        future.set_exception(error)
        future.exception()  # there may be nobody left to tell


def _log_crash(worker: asyncio.Task[None]) -> None:
    if not worker.cancelled() and (error := worker.exception()):
        _log.error("the way to the store failed", exc_info=error)


def _sentence(why: str) -> str:
    return f"this server's budget store cannot be used ({why}): metered providers pause until it works again"
