"""The worker's side of the pool: one task after the other, under limits of its own process.

Runs only in children of the fork server. A worker ends when its pipe closes, when a limit stops it,
when the pool kills it, and with the server's process, however busy it is and however that one ended.
"""

from __future__ import annotations

import contextlib
import fcntl
import gc
import logging
import os
import resource
import select
import signal
import socket
import traceback
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from research_mcp.core.models import Extracted
from research_mcp.core.sitemaps import Links
from research_mcp.core.wire import Document
from research_mcp.extract.processes.frames import LENGTHS, Outcome, Task, pack_outcome, unpack_task

Work = Callable[[Document, float], Extracted | Links]

_CPU_SLACK = 2
_COLLECT_AFTER = (50_000, 2, 2)
"""Python looks for cycles at every 700 new objects: of a page, a hundred times and a sixth of its time."""
_MOST_TRACE = 8_000
_PAGE = os.sysconf("SC_PAGE_SIZE")


def serve(pipe: socket.socket, lifeline: socket.socket, entry: str, finder: str, memory: int) -> None:
    """Answer tasks from `pipe` until it or `lifeline` closes.

    `entry` ("module:function") reads the text of a document, `finder` its links.
    """
    _end_with(lifeline)
    _cage(memory)
    extract, find = _load(entry), _load(finder)
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_COLLECT_AFTER)
    with pipe, contextlib.suppress(ConnectionError):
        while (task := _receive(pipe)) is not None:
            outcome = _answer(find if task.links else extract, task)
            pipe.sendall(pack_outcome(outcome))
            if outcome.failure:
                return


def _end_with(lifeline: socket.socket) -> None:
    """Die when the other end closes, even inside a parser that never returns.

    Nothing is ever sent on this socket, so its only signal is the hang-up, and the kernel delivers it.
    """
    signal.signal(signal.SIGIO, signal.SIG_DFL)
    fcntl.fcntl(lifeline, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC)
    if select.select([lifeline], [], [], 0)[0]:
        raise SystemExit


def _cage(memory: int) -> None:
    """No more than `memory` bytes of addresses, no core file, deaf to the terminal, first out of memory."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")
    logging.disable(logging.CRITICAL)


def _load(entry: str) -> Work:
    module, _, name = entry.partition(":")
    work: Work = getattr(import_module(module), name)
    return work


def _answer(work: Work, task: Task) -> Outcome:
    limit = int(_spent() + task.seconds) + _CPU_SLACK
    resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
    try:
        result = work(task.document, task.seconds)
    except (MemoryError, RecursionError):
        return Outcome(None, "memory", _resident())
    except Exception as crash:  # noqa: BLE001 - the pool logs it; here its words would reach stderr
        return Outcome(None, "crash", _resident(), trace=_trace(crash))
    return Outcome(result, "", _resident(), _spent())


def _trace(crash: Exception) -> str:
    """Where it happened and of what type it is: its message may quote the page."""
    places = "".join(traceback.format_tb(crash.__traceback__))
    return f"{places}{type(crash).__qualname__}"[-_MOST_TRACE:]


def _spent() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE


def _receive(pipe: socket.socket) -> Task | None:
    lengths = _exactly(pipe, LENGTHS.size)
    if lengths is None:
        return None
    head_size, body_size = LENGTHS.unpack(lengths)
    head, body = _exactly(pipe, head_size), _exactly(pipe, body_size)
    return None if head is None or body is None else unpack_task(bytes(head), bytes(body))


def _exactly(pipe: socket.socket, size: int) -> bytearray | None:
    data = bytearray(size)
    view = memoryview(data)
    while view:
        got = pipe.recv_into(view)
        if not got:
            return None
        view = view[got:]
    return data
