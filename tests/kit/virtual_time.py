"""An event loop whose time jumps to the next timer as soon as nothing else is ready.

Every `asyncio.timeout`, `sleep` and `Deadline` runs at once, so a 45 s deadline costs microseconds.
Only for tests without real sockets or worker processes: waiting for those would count as idle.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class _JumpingSelector(selectors.DefaultSelector):
    def __init__(self, loop: VirtualTimeLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[Any]:
        ready = super().select(0)
        if ready or timeout is None or timeout <= 0:
            return ready if ready or timeout is not None else super().select(None)
        self._loop.jump(timeout)
        return []


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """Starts at second 0 of its own time."""

    def __init__(self) -> None:
        self._virtual = 0.0
        super().__init__(_JumpingSelector(self))

    def time(self) -> float:
        return self._virtual

    def jump(self, seconds: float) -> None:
        self._virtual += seconds


class VirtualClock:
    """A `core.ports.Clock` that moves with the virtual loop: epoch `start` plus loop time."""

    def __init__(self, start: float = 1_800_000_000.0) -> None:
        self.start = start
        self.skipped = 0.0

    def now(self) -> float:
        return self.start + self.skipped + asyncio.get_running_loop().time()


def run(main: Coroutine[Any, Any, T]) -> T:
    """Run one coroutine to its end in virtual time."""
    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        return runner.run(main)
