"""Equal work in flight shares one run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")


@dataclass(slots=True)
class _Flight(Generic[T]):
    task: asyncio.Task[T]
    waiters: int = 0


class Flights(Generic[K, T]):
    """Callers with an equal key await one task, which is cancelled when the last of them leaves."""

    def __init__(self) -> None:
        self._flights: dict[K, _Flight[T]] = {}

    def __contains__(self, key: K) -> bool:
        return key in self._flights

    async def share(self, key: K, start: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """The result of the run under `key`, which `start` begins when there is none."""
        flight = self._flights.get(key)
        if flight is None:
            flight = _Flight(asyncio.create_task(start()))
            self._flights[key] = flight
        flight.waiters += 1
        try:
            return await asyncio.shield(flight.task)
        finally:
            flight.waiters -= 1
            if flight.task.done() or not flight.waiters:
                self._land(key, flight)

    def _land(self, key: K, flight: _Flight[T]) -> None:
        if self._flights.get(key) is flight:
            del self._flights[key]
        flight.task.cancel()
