"""How late the event loop is: a nap that lasts longer than asked for shows who held the loop up."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

EVERY = 0.5
"""Seconds between two samples."""

REMEMBERED = 120
"""Samples of the last minute."""


class LoopLag:
    """Samples the delay of the running loop while `watch` runs; each is handed to `tell`, in seconds."""

    def __init__(self, tell: Callable[[float], None]) -> None:
        self._tell = tell
        self._last: deque[float] = deque(maxlen=REMEMBERED)

    @property
    def worst(self) -> float:
        """Seconds, the worst of the last minute."""
        return max(self._last, default=0.0)

    async def watch(self) -> None:
        """Sample until cancelled."""
        loop = asyncio.get_running_loop()
        while True:
            due = loop.time() + EVERY
            await asyncio.sleep(EVERY)
            late = max(0.0, loop.time() - due)
            self._last.append(late)
            self._tell(late)
