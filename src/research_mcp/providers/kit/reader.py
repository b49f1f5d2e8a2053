"""A configured read instance: keys, headers and the status table around a type."""

from __future__ import annotations

from dataclasses import replace

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import BadReply, NoContent, ProviderError, Reason
from research_mcp.core.instance import Account
from research_mcp.core.models import Page
from research_mcp.core.ports import Clock, Http, Job
from research_mcp.core.wire import Reply, Request
from research_mcp.net.status import error_of
from research_mcp.providers.kit.keys import KeyRing
from research_mcp.providers.kit.legs import is_under
from research_mcp.providers.kit.metering import Metering
from research_mcp.providers.kit.read import ReadType


class ConfiguredReader:
    """One row of the configuration as the read pipeline sees it (`core.ports.PageReader`)."""

    def __init__(
        self,
        name: str,
        type_: ReadType,
        http: Http,
        ring: KeyRing,
        clock: Clock,
        *,
        metering: Metering | None = None,
    ) -> None:
        self._type = type_
        self._http = http
        self._ring = ring
        self._clock = clock
        self._metering = metering or Metering(None, name)
        self.facts = type_.facts(name, metered=type_.spec.metered and ring.keyed)

    def accepts(self, url: str) -> bool:
        """Whether this reader is for `url`."""
        return self._type.accepts(url)

    async def read(self, job: Job, deadline: Deadline) -> Page:
        """Read with the first key that works."""
        page = await self._ring.use(lambda account: self._read(job, account, deadline))
        return replace(page, reader=self.facts.name)

    async def _read(self, job: Job, account: Account, deadline: Deadline) -> Page:
        async with self._metering.call(account, self._http) as paid:
            http = AccountHttp(self._type, paid, account, self._clock)
            return await self._type.read(job, http, deadline)


class AccountHttp:
    """A `core.ports.Http` for one key: returns good answers only, raises what the others mean."""

    def __init__(self, type_: ReadType, http: Http, account: Account, clock: Clock) -> None:
        self._type = type_
        self._http = http
        self._account = account
        self._clock = clock

    async def send(self, request: Request, deadline: Deadline) -> Reply:
        """Send with the type's headers, and with the key if it goes to the type's own endpoint."""
        if is_under(request.url, self._type.endpoint):
            request = replace(request, headers={**self._type.headers, **request.headers})
            if self._account.key is not None:
                request = self._type.key_place.apply(request, self._account.key)
        reply = await self._http.send(request, deadline)
        if error := self._type.refusal(reply) or self._judge(reply):
            raise error
        return reply

    def _judge(self, reply: Reply) -> ProviderError | None:
        if reply.status in self._type.passes:
            return None
        error = error_of(reply, self._clock.now(), self._type.phrases)
        if isinstance(error, NoContent) and error.reason is Reason.NOT_FOUND and not self._type.site:
            return BadReply(f"the vendor has no such endpoint (status {reply.status})")
        return error
