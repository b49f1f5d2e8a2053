"""The list of models that a provider serves, asked only when a sentence needs it."""

from __future__ import annotations

from collections.abc import Callable

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import BadReply, ProviderError
from research_mcp.core.hygiene import clean_line
from research_mcp.core.ports import Clock, Http
from research_mcp.core.wire import Request
from research_mcp.net.status import error_of
from research_mcp.providers.kit.tree import rows, text

GOOD_FOR = 300.0
FAILED_FOR = 15.0
"""Seconds for which a list, and the lack of one, is believed."""

_PATIENCE = 5.0
_MOST_NAMES = 30

Sign = Callable[[Request], Request]


class KnownModels:
    """The names at one address. Never refuses a model by itself: the provider decides, the list explains."""

    def __init__(self, url: str, clock: Clock) -> None:
        self._url = url
        self._clock = clock
        self._names: tuple[str, ...] = ()
        self._until = 0.0

    async def known(self, http: Http, sign: Sign, deadline: Deadline) -> tuple[str, ...]:
        """The names, a little while old at most; none when they cannot be had."""
        if self._clock.now() >= self._until:
            try:
                self._names = await self.fetch(http, sign, deadline)
                self._until = self._clock.now() + GOOD_FOR
            except ProviderError:
                self._names = ()
                self._until = self._clock.now() + FAILED_FOR
        return self._names

    async def fetch(self, http: Http, sign: Sign, deadline: Deadline) -> tuple[str, ...]:
        """The names as of now. Raises `ProviderError`."""
        reply = await http.send(sign(Request("GET", self._url)), deadline.share(_PATIENCE))
        if error := error_of(reply, self._clock.now()):
            raise error
        body = reply.json()
        listed = rows(body, "data") or rows(body, "models")
        names = [name for row in listed if (name := clean_line(text(row, "id") or text(row, "name"), 80))]
        if not names:
            raise BadReply("the list of models names none")
        return tuple(names[:_MOST_NAMES])
