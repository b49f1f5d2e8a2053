"""Extraction in processes that can be killed (`core.ports.Extractor`, `core.ports.LinkFinder`).

A hostile page can keep a parser busy for minutes, eat memory or crash it. So each task runs alone in
a worker forked from a server that has the parsers loaded already; a task past its time, a crash and
a caller that leaves all end the worker, and a fresh one (about 15 ms) takes its place. This process
imports no parser and unpickles nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import multiprocessing
import os
import socket
import sys
import types
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.context import ForkServerProcess
from pathlib import Path

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import NoContent, Overloaded, Reason
from research_mcp.core.models import Extracted
from research_mcp.core.sitemaps import Links
from research_mcp.core.wire import Document
from research_mcp.extract.processes.documents import is_document
from research_mcp.extract.processes.frames import LENGTHS, Outcome, Task, pack_task, unpack_outcome
from research_mcp.extract.processes.serving import serve
from research_mcp.observe.overview import Workers

_log = logging.getLogger(__name__)

_BUFFER = 1 << 20
_NICE = 15
_TICKS = os.sysconf("SC_CLK_TCK")
_CAUSES = ("worn", "killed", "slow")
"""Why a worker was replaced: used up, ended with its task (time, memory, crash, a caller that left), or
replaced in advance because its task took long."""

_RETRY = 0.5
"""Seconds between two attempts to start a worker when the system refuses."""


@dataclass(frozen=True, slots=True)
class PoolLimits:
    """Seconds and bytes. `document_seconds` are for PDF, Office files, e-books and notebooks; `memory` is
    address space, `worn` the resident size that ends a worker.

    A task that runs for longer than `slow_after` gives up its place to the next one, and once it had a fifth
    of that time of the processor, its claim to it too: on a busy machine a small page must not starve. At
    most `slow` tasks do so at a time. Hostile pages thus delay ordinary ones by about `slow_after`, not by
    their own time.
    """

    page_seconds: float = 10.0
    document_seconds: float = 15.0
    queue: int = 32
    tasks: int = 200
    slow_after: float = 0.5
    slow: int = 4
    memory: int = 1 << 30
    worn: int = 128_000_000
    answer: int = 32_000_000


class _Died(Exception):
    """The worker's end of the pipe closed, or said what no worker says."""


class _Worker:
    """One process and this side of its pipe."""

    def __init__(self, process: ForkServerProcess, pipe: socket.socket, lifeline: socket.socket) -> None:
        self.process = process
        self._lifeline = lifeline
        self.tasks = 0
        self.resident = 0
        self._pipe = pipe
        self._spent_before = 0.0

    async def ask(self, task: Task, cap: int) -> Outcome:
        """Send the task, wait for its outcome. Raises `_Died`."""
        loop = asyncio.get_running_loop()
        head, body = pack_task(task)
        try:
            await loop.sock_sendall(self._pipe, head)
            await loop.sock_sendall(self._pipe, body)
            size, _ = LENGTHS.unpack(await self._exactly(LENGTHS.size))
            if size > cap:
                raise _Died
            outcome = unpack_outcome(bytes(await self._exactly(size)))
        except (ConnectionError, ValueError, KeyError, TypeError, AttributeError):
            raise _Died from None
        self.tasks += 1
        self.resident = outcome.resident
        self._spent_before = outcome.spent
        return outcome

    async def _exactly(self, size: int) -> bytearray:
        loop = asyncio.get_running_loop()
        data = bytearray(size)
        view = memoryview(data)
        while view:
            got = await loop.sock_recv_into(self._pipe, view)
            if not got:
                raise _Died
            view = view[got:]
        return data

    def used(self) -> float:
        """Seconds of processor time that the running task has had."""
        return self._spent() - self._spent_before

    def _spent(self) -> float:
        try:
            stat = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="latin-1")
        except OSError:  # it has ended
            return 0.0
        user, system = stat.rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / _TICKS

    def yield_processor(self) -> None:
        """From now on run only when others do not want to."""
        with contextlib.suppress(OSError, TypeError):
            os.setpriority(os.PRIO_PROCESS, self.process.pid, _NICE)  # type: ignore[arg-type]  # None: ended

    def end(self) -> None:
        """Kill at once. The fork server reaps."""
        self._pipe.close()
        self.process.kill()
        self._lifeline.close()


class ExtractionPool:
    """`workers` processes; further tasks queue. `entry` and `finder` are what a worker calls for the text
    of a document and for its links ("module:function")."""

    def __init__(
        self,
        workers: int = 2,
        *,
        limits: PoolLimits | None = None,
        entry: str = "research_mcp.extract.worker:extract_document",
        finder: str = "research_mcp.extract.sitemaps:find_links",
    ) -> None:
        self._size = workers
        self._limits = limits or PoolLimits()
        self._entries = (entry, finder)
        self._context = multiprocessing.get_context("forkserver")
        modules = [name.partition(":")[0] for name in self._entries]
        self._context.set_forkserver_preload([*modules, serve.__module__])
        self._starter = ThreadPoolExecutor(1, thread_name_prefix="extract-start")
        self._idle: asyncio.Queue[_Worker] = asyncio.Queue()
        self._all: set[_Worker] = set()
        self._slow: set[_Worker] = set()
        self._starting: set[asyncio.Task[None]] = set()
        self._waiting = 0
        self._replaced = dict.fromkeys(_CAUSES, 0)
        self._closed = False

    async def start(self) -> None:
        """Begin to start the workers and return; the first task waits for the first of them."""
        for _ in range(self._size):
            self._begin()

    def workers(self) -> Workers:
        """What the processes do at this moment, and how many were replaced since the start."""
        idle = self._idle.qsize()
        busy = len(self._all) - idle
        return Workers(busy, idle, len(self._starting), self._waiting, dict(self._replaced))

    async def close(self) -> None:
        """End every worker. Tasks that still run fail as if their worker had died."""
        self._closed = True
        starting = tuple(self._starting)
        for task in starting:
            task.cancel()
        await asyncio.gather(*starting, return_exceptions=True)
        for worker in tuple(self._all):
            self._end(worker)
        await asyncio.to_thread(self._starter.shutdown)

    async def extract(self, document: Document, deadline: Deadline) -> Extracted:
        """What a worker makes of `document`.

        Raises `Overloaded` when the queue is full, `NoContent` with `deadline` when time ran out, with
        `too_large` when the page needs more memory than a worker may have or broke it, and with
        `internal_error` when extraction crashed: its traceback is logged, without words of the page.
        """
        result = await self._result(document, deadline, links=False)
        if not isinstance(result, Extracted):
            raise _broken()
        return result

    async def links(self, document: Document, deadline: Deadline) -> Links:
        """Where `document` leads to. Raises as `extract` does."""
        result = await self._result(document, deadline, links=True)
        if not isinstance(result, Links):
            raise _broken()
        return result

    async def _result(
        self, document: Document, deadline: Deadline, *, links: bool
    ) -> Extracted | Links | None:
        """What a worker made of the document; None when that killed it."""
        worker = await self._turn(deadline)
        keep = False
        slow = asyncio.get_running_loop().call_later(self._limits.slow_after, self._step_aside, worker)
        try:
            outcome = await self._run(worker, document, deadline, links=links)
            keep = not outcome.failure
        except _Died:
            outcome = Outcome(None, "died")
        finally:
            slow.cancel()
            self._give_back(worker, keep)
        if outcome.failure == "crash":
            _log.error("extraction of %s crashed:\n%s", document.url, outcome.trace)
            raise NoContent(
                "extraction failed because of a fault in this server; its log has the details",
                reason=Reason.INTERNAL_ERROR,
            )
        return outcome.result

    async def _turn(self, deadline: Deadline) -> _Worker:
        if self._waiting >= self._limits.queue:
            raise Overloaded(
                f"{self._waiting} pages are waiting for extraction already; try again in some seconds"
            )
        self._waiting += 1
        try:
            async with deadline.enforce():
                return await self._idle.get()
        except TimeoutError:
            raise NoContent("no extraction worker was free in time", reason=Reason.DEADLINE) from None
        finally:
            self._waiting -= 1

    async def _run(self, worker: _Worker, document: Document, deadline: Deadline, *, links: bool) -> Outcome:
        limits = self._limits
        long = is_document(document.body)
        within = deadline.share(limits.document_seconds if long else limits.page_seconds)
        seconds = within.remaining()
        try:
            async with within.enforce():
                return await worker.ask(Task(document, seconds, links), limits.answer)
        except TimeoutError:
            raise NoContent(
                f"extraction was stopped after {seconds:.0f} s: the page is too hard to parse",
                reason=Reason.DEADLINE,
            ) from None

    def _step_aside(self, worker: _Worker) -> None:
        """Start another worker in the place of a busy one."""
        if len(self._slow) < self._limits.slow and not self._closed:
            self._slow.add(worker)
            self._begin()
            self._calm(worker)

    def _calm(self, worker: _Worker) -> None:
        """Take its claim to the processor from a task that had its share; look again at one that had not."""
        if worker not in self._slow:
            return
        if worker.used() >= self._limits.slow_after / 5:
            worker.yield_processor()
        else:
            asyncio.get_running_loop().call_later(self._limits.slow_after / 5, self._calm, worker)

    def _give_back(self, worker: _Worker, keep: bool) -> None:
        if worker in self._slow:
            self._slow.discard(worker)
            self._replaced["slow"] += 1
            self._end(worker)
            return
        worn = worker.tasks >= self._limits.tasks or worker.resident > self._limits.worn
        if keep and not worn and not self._closed:
            self._idle.put_nowait(worker)
            return
        self._replaced["worn" if keep else "killed"] += 1
        self._end(worker)
        self._begin()

    def _end(self, worker: _Worker) -> None:
        self._all.discard(worker)
        worker.end()

    def _begin(self) -> None:
        """Start one worker beside whatever goes on."""
        if not self._closed:
            task = asyncio.create_task(self._started(), name="extraction worker")
            self._starting.add(task)
            task.add_done_callback(self._starting.discard)

    async def _started(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            start = loop.run_in_executor(self._starter, self._start)
            try:
                worker = await asyncio.shield(start)
            except (OSError, EOFError) as error:
                _log.warning("an extraction worker could not start: %s", error)
                await asyncio.sleep(_RETRY)
            except asyncio.CancelledError:
                start.add_done_callback(_end_late)
                raise
            else:
                self._all.add(worker)
                self._idle.put_nowait(worker)
                return

    def _start(self) -> _Worker:
        """Fork a worker. Blocks until the fork server has loaded the parsers, so in a thread."""
        pipe, its_pipe = socket.socketpair()
        lifeline, its_lifeline = socket.socketpair()
        with its_pipe, its_lifeline:
            for end in (pipe, its_pipe):
                end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _BUFFER)
            pipe.setblocking(False)
            args = (its_pipe, its_lifeline, *self._entries, self._limits.memory)
            process = self._context.Process(target=serve, args=args, daemon=True, name="extract")
            try:
                with _nameless_main():
                    process.start()
            except BaseException:
                pipe.close()
                lifeline.close()
                raise
        return _Worker(process, pipe, lifeline)


def _broken() -> NoContent:
    return NoContent(
        "the page needs more memory than extraction may use, or breaks the parser", reason=Reason.TOO_LARGE
    )


def _end_late(start: asyncio.Future[_Worker]) -> None:
    with contextlib.suppress(OSError, EOFError, asyncio.CancelledError):
        start.result().end()


@contextmanager
def _nameless_main() -> Iterator[None]:
    """Hide the main module: a worker would otherwise import it again, with the whole server behind it."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = types.ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main
