"""How many calls of one instance run at once: as many as it keeps answering."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass, field

UNANSWERED = 8
"""Calls that may be begun without an answer to any of them: more would only pile up on a dead vendor."""

MOST = 64
"""Calls at once, however well they are answered."""

PATIENCE = 9.0
"""Seconds that a call waits for its place: on a busy server a late list is better than none."""

PULSE = 0.125
SILENT_PULSES = 8
"""Pulses without an answer to any call, a second in all, after which nobody waits for a full instance.

Counted, not timed: when this server is too busy to take answers in, its pulse is slow as well.
"""


@dataclass(slots=True)
class _Gate:
    running: int = 0
    unanswered: int = 0
    pulses: int = 0
    beat: asyncio.TimerHandle | None = None
    queue: deque[asyncio.Future[None]] = field(default_factory=deque)

    @property
    def open(self) -> bool:
        return self.running < MOST and self.unanswered < UNANSWERED

    @property
    def silent(self) -> bool:
        return self.pulses >= SILENT_PULSES

    def take(self) -> None:
        self.running += 1
        self.unanswered += 1
        if self.beat is None and not self.silent:
            self._listen()

    def leave(self, *, answered: bool) -> None:
        self.running -= 1
        self.unanswered = 0 if answered else min(self.unanswered, self.running)
        if not self.unanswered:
            self.pulses = 0
            if self.beat is not None:
                self.beat.cancel()
                self.beat = None

    def _listen(self) -> None:
        self.beat = asyncio.get_running_loop().call_later(PULSE, self._pulse)

    def _pulse(self) -> None:
        self.beat = None
        self.pulses += 1
        if not self.silent:
            self._listen()


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
        if gate.silent:
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
        gate.leave(answered=answered)
        while gate.queue and gate.open:
            place = gate.queue.popleft()
            if not place.done():
                gate.take()
                place.set_result(None)

    def _gate(self, name: str) -> _Gate:
        return self._gates.setdefault(name, _Gate())
