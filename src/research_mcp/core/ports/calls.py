"""What every call carries along: the clock and its progress."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol

Progress = Callable[[int, int, str], Awaitable[None]]
"""`await progress(done, total, message)`; must be cheap and must not raise."""


async def no_progress(done: int, total: int, message: str) -> None:
    """The progress sink for callers that asked for none."""


class Clock(Protocol):
    """Wall time in epoch seconds. Durations come from the event loop through `Deadline`."""

    def now(self) -> float: ...
