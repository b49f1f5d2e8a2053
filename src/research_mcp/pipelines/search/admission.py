"""When a search may begin: while this process keeps up with those that run.

A search costs this process some milliseconds of work, most of it when its engines answer. When more come
than it can work off, all would share the processor and miss their deadlines together; one after the other
they all arrive, and most of them sooner.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

FREE = 8
"""Searches that begin without a look at the load."""

SPACING = 0.004
"""Seconds between two beginnings beyond these: less than a search costs with one engine."""

KEEPS_UP = 0.01
"""Seconds for one turn of the event loop, up to which there is room for one more."""

LONGEST = 40.0
"""Seconds after which a search begins all the same: its caller will not wait much longer."""


class Admission:
    """Lets searches begin in the order of asking, beyond the first eight as the event loop keeps up."""

    def __init__(self) -> None:
        self._turn = asyncio.Lock()
        self._running = 0
        self._last = -math.inf

    @asynccontextmanager
    async def search(self) -> AsyncIterator[None]:
        """The time of one search, which begins when there is room."""
        try:
            async with asyncio.timeout(LONGEST), self._turn:
                await self._room()
                self._running += 1
        except TimeoutError:
            self._running += 1
        try:
            yield
        finally:
            self._running -= 1

    async def _room(self) -> None:
        loop = asyncio.get_running_loop()
        if self._running >= FREE:
            await asyncio.sleep(self._last + SPACING - loop.time())
            while await _turn_of_the_loop() > KEEPS_UP:
                pass
        self._last = loop.time()


async def _turn_of_the_loop() -> float:
    """Seconds that all who are ready took, once."""
    loop = asyncio.get_running_loop()
    asked = loop.time()
    await asyncio.sleep(0)
    return loop.time() - asked
