"""Equal questions in flight share one run, and each of their callers hears how far it is."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Generic, TypeVar

from research_mcp.core.flights import Flights
from research_mcp.core.ports import Progress

T = TypeVar("T")

Tell = Callable[[int, int, str], Awaitable[None]]
"""`await tell(done, total, message)` reaches every caller of a run."""


class SharedRuns(Generic[T]):
    """Runs by key. A run is cancelled when its last caller leaves."""

    def __init__(self) -> None:
        self._flights: Flights[str, T] = Flights()
        self._listeners: dict[str, list[Progress]] = {}

    async def share(self, key: str, start: Callable[[Tell], Coroutine[Any, Any, T]], progress: Progress) -> T:
        """The result of the run under `key`, which `start` begins when there is none."""
        listeners = self._listeners.setdefault(key, [])
        listeners.append(progress)
        try:
            return await self._flights.share(key, lambda: start(self._teller(key)))
        finally:
            listeners.remove(progress)
            if not listeners:
                self._listeners.pop(key, None)

    def _teller(self, key: str) -> Tell:
        async def tell(done: int, total: int, message: str) -> None:
            for progress in tuple(self._listeners.get(key, ())):
                await progress(done, total, message)

        return tell
