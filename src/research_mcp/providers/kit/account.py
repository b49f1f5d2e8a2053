"""A vendor's way out for one key: the key goes with each request, and bad answers become errors."""

from __future__ import annotations

from typing import ClassVar, Protocol

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import BadReply, NoContent, ProviderError, Reason
from research_mcp.core.instance import Account
from research_mcp.core.ports import Clock, Http
from research_mcp.core.wire import Reply, Request
from research_mcp.net.status import Phrases, error_of
from research_mcp.providers.kit.legs import is_under


class Judged(Protocol):
    """What a type declares about its vendor's answers (`kit.read.ReadType`, `kit.map.MapType`)."""

    endpoint: ClassVar[str]
    site: ClassVar[bool]
    phrases: ClassVar[Phrases]
    passes: ClassVar[frozenset[int]]

    def signed(self, request: Request, account: Account) -> Request:
        """The request as it may go to the vendor."""

    def refusal(self, reply: Reply) -> ProviderError | None:
        """The error that only this vendor's answers show; None otherwise."""


class AccountHttp:
    """A `core.ports.Http` for one key: returns good answers only, raises what the others mean."""

    def __init__(self, type_: Judged, http: Http, account: Account, clock: Clock) -> None:
        self._type = type_
        self._http = http
        self._account = account
        self._clock = clock

    async def send(self, request: Request, deadline: Deadline) -> Reply:
        """Send with the type's headers, and with the key if it goes to the type's own endpoint."""
        if is_under(request.url, self._type.endpoint):
            request = self._type.signed(request, self._account)
        reply = await self._http.send(request, deadline)
        if error := self._type.refusal(reply) or self._judge(reply):
            raise error
        return reply

    def _judge(self, reply: Reply) -> ProviderError | None:
        if reply.status in self._type.passes:
            return None
        keyed = self._account.key is not None
        error = error_of(reply, self._clock.now(), self._type.phrases, keyed=keyed)
        if isinstance(error, NoContent) and error.reason is Reason.NOT_FOUND and not self._type.site:
            return BadReply(f"the vendor has no such endpoint (status {reply.status})")
        return error
