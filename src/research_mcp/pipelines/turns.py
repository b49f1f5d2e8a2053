"""Who may run now. An instance that is not free says why, and when it will be."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import BadReply, NoContent, ProviderError, Reason, ResearchError, Transient
from research_mcp.core.models import EngineState
from research_mcp.core.ports import Clock, Paces, Parking, Rest
from research_mcp.observe.overview import BreakerState
from research_mcp.pipelines.breaker import Breaker
from research_mcp.pipelines.bulkhead import Bulkhead

METERED_FLOOR = 2.0
"""Seconds under which nothing paid is started: the answer would come too late."""

_SOON = 2.0
"""Seconds after which a full bulkhead is worth another look."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One use of an instance, asked for. `pace`: least seconds between two, 0 for none.

    `holder` tells it from all others, so that only the pace that it took is given back.
    """

    name: str
    pace: float = 0.0
    holder: str = field(default_factory=lambda: uuid.uuid4().hex)


@dataclass(frozen=True, slots=True)
class NotFree:
    """Why an instance does not run. `wait`: seconds until it could, None until restart."""

    state: EngineState
    reason: Reason
    detail: str
    wait: float | None


NO_PLACE = NotFree(
    EngineState.SKIPPED, Reason.OVERLOADED, "this server's other calls there are not answered yet", _SOON
)
"""Why a call gets no place in time."""


class Turns:
    """Hands out turns: parked, broken, paced or full instances get none."""

    def __init__(self, parking: Parking, paces: Paces, clock: Clock) -> None:
        self._parking = parking
        self._paces = paces
        self._clock = clock
        self._breaker = Breaker()
        self._bulkhead = Bulkhead()
        self._on_probation: set[str] = set()

    async def ask(self, turn: Turn) -> NotFree | None:
        """None when the instance may be called now (its pace is then taken), else why not.

        The call itself takes a place with `enter` and gives it back with `leave`.
        """
        rest = await self._parking.rest(_parked(turn.name))
        if rest is not None:
            wait = None if rest.until is None else max(0.0, rest.until - self._clock.now())
            return NotFree(EngineState.RESTING, rest.reason, rest.detail, wait)
        if turn.pace and (wait := await self._paces.take(turn.name, turn.pace, turn.holder)) > 0:
            detail = f"one query every {turn.pace:g} s at most (this server's own pace)"
            return NotFree(EngineState.SKIPPED, Reason.RATE_LIMITED, detail, wait)
        return None

    async def give_back(self, turn: Turn) -> None:
        """Free the pace that it took: its call sent nothing."""
        if turn.pace:
            await self._paces.give_back(turn.name, turn.holder)

    async def wait_for(self, turn: Turn, refused: NotFree, deadline: Deadline) -> NotFree | None:
        """`ask` again until the instance is free; the last refusal when the deadline comes first."""
        while refused.wait is not None and refused.wait < deadline.remaining():
            await asyncio.sleep(refused.wait)
            again = await self.ask(turn)
            if again is None:
                return None
            refused = again
        return refused

    async def enter(self, name: str) -> NotFree | None:
        """Take a place among the running calls of `name`, after a short wait; None when it has one."""
        if name in self._on_probation and self._bulkhead.running(name):
            detail = "it failed too often; one call is trying it out"
            return NotFree(EngineState.RESTING, Reason.UPSTREAM_ERROR, detail, _SOON)
        return None if await self._bulkhead.enter(name) else NO_PLACE

    def leave(self, name: str, *, answered: bool) -> None:
        """Give the place of a call back that is over."""
        self._bulkhead.leave(name, answered=answered)

    def succeeded(self, name: str) -> None:
        """The call brought an answer."""
        self._breaker.succeeded(name)
        self._on_probation.discard(name)

    async def failed(self, name: str, error: ResearchError) -> float | None:
        """Park or count what went wrong; seconds that the instance rests now (None until restart)."""
        rest_for = error.rest_for if isinstance(error, ProviderError) else 0.0
        if rest_for == 0 and isinstance(error, Transient | BadReply | NoContent):
            rest_for = self._breaker.failed(name)
            if rest_for:
                self._on_probation.add(name)
                await self._park(name, rest_for, error.reason, f"it failed too often, last: {error}")
        elif rest_for != 0 and was_sent(error):
            await self._park(name, rest_for, error.reason, str(error))
        return rest_for

    def breakers(self) -> Mapping[str, BreakerState]:
        """The state of the breaker of each name that was called."""
        return self._breaker.states()

    async def bench(self, name: str, seconds: float, reason: Reason, detail: str) -> float:
        """Leave `name` alone for `seconds`, though it answers; the epoch second at which it is free again."""
        await self._park(name, seconds, reason, detail)
        return self._clock.now() + seconds

    async def _park(self, name: str, seconds: float | None, reason: Reason, detail: str) -> None:
        until = None if seconds is None else self._clock.now() + seconds
        await self._parking.park(_parked(name), Rest(until, reason, detail))


def has_left(error: ResearchError) -> bool:
    """False when it is certain that no request left this machine."""
    return not isinstance(error, ProviderError) or error.sent


def was_sent(error: ResearchError) -> bool:
    """False when an instance refused by itself: every key rests, or a budget is spent."""
    return has_left(error) or isinstance(error, Transient | NoContent)


def _parked(name: str) -> str:
    return f"instance:{name}"
