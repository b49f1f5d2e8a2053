"""Answers that a vendor is still working on: asked for again until they are there."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import Reason, Transient
from research_mcp.core.ports import Http
from research_mcp.core.wire import Reply, Request

PAUSE = 1.0
"""Seconds between two questions."""


async def until(
    done: Callable[[Reply], bool], http: Http, request: Request, deadline: Deadline, *, pause: float = PAUSE
) -> Reply:
    """The first answer to `request` that is `done`. Raises `Transient` (`timeout`) when time runs out."""
    while True:
        reply = await http.send(request, deadline)
        if done(reply):
            return reply
        if deadline.remaining() <= pause:
            raise Transient("the vendor was still working on it when the time ran out", reason=Reason.TIMEOUT)
        await asyncio.sleep(pause)
