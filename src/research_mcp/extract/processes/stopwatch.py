"""A time limit inside a worker: a step that overruns is left, and what is read so far is kept.

The pool's kill is the hard stop; this one comes before it, so that there is something to give back.
It reaches Python code only: a parser written in C is stopped by the pool.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

AGAIN = 0.1  # seconds: what is raised inside a finalizer or a callback of the collector is swallowed there


class OutOfTime(BaseException):
    """A step took too long. Not an `Exception`: parsers swallow those."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raise `OutOfTime` inside the block after `seconds`, and again until it is left. Main thread only."""
    started = time.monotonic()
    handler = signal.signal(signal.SIGALRM, _stop)
    others, interval = signal.setitimer(signal.ITIMER_REAL, max(seconds, 0.001), AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
        if others:
            signal.setitimer(signal.ITIMER_REAL, max(others - (time.monotonic() - started), 0.001), interval)


def _stop(_number: int, _frame: FrameType | None) -> None:
    raise OutOfTime
