"""How many calls of one instance run at once: as many as it keeps answering."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass, field

UNANSWERED = 8
"""Calls that may be begun without an answer to any of them: more would only pile up on a dead vendor."""

MOST = 64
"""Calls at once, however well they are answered."""

PATIENCE = 6.0
"""Seconds that a call waits for its place: on a busy server a late list is better than none."""

SILENCE = 1.0
"""Seconds without an answer to any call after which nobody waits for a full instance any more."""


@dataclass(slots=True)
class _Gate:
    running: int = 0
    unanswered: int = 0
    asked_at: float = 0.0
    queue: deque[asyncio.Future[None]] = field(default_factory=deque)

    @property
    def open(self) -> bool:
        return self.running < MOST and self.unanswered < UNANSWERED

    def take(self) -> None:
        if not self.unanswered:
            self.asked_at = asyncio.get_running_loop().time()
        self.running += 1
        self.unanswered += 1


class Bulkhead:
    """Places by name. Eight calls without an answer fill it; each answer makes room for eight more."""

    def __init__(self) -> None:
        self._gates: dict[str, _Gate] = {}

    def running(self, name: str) -> int:
        """Calls of `name` that have a place now."""
        return self._gate(name).running

    async def enter(self, name: str) -> bool:
        """Take a place, waiting a moment for one; False when none got free."""
        gate = self._gate(name)
        if gate.open and not gate.queue:
            gate.take()
            return True
        if asyncio.get_running_loop().time() - gate.asked_at > SILENCE:
            return False
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        gate.queue.append(place)
        try:
            async with asyncio.timeout(PATIENCE):
                await place
        except (TimeoutError, asyncio.CancelledError) as gone:
            if not place.cancelled():  # it was given in the same moment
                self.leave(name, answered=False)
            if isinstance(gone, asyncio.CancelledError):
                raise
            return False
        return True

    def leave(self, name: str, *, answered: bool) -> None:
        """Give the place back; an answer, be it an empty one, shows that the instance is alive."""
        gate = self._gate(name)
        gate.running -= 1
        gate.unanswered = 0 if answered else min(gate.unanswered, gate.running)
        while gate.queue and gate.open:
            place = gate.queue.popleft()
            if not place.done():
                gate.take()
                place.set_result(None)

    def _gate(self, name: str) -> _Gate:
        return self._gates.setdefault(name, _Gate())
