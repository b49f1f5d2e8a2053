"""A configured read instance: keys, headers and the status table around a type."""

from __future__ import annotations

from dataclasses import replace

from research_mcp.core.deadline import Deadline
from research_mcp.core.instance import Account
from research_mcp.core.models import Page
from research_mcp.core.ports import Clock, Http, Job
from research_mcp.providers.kit.account import AccountHttp
from research_mcp.providers.kit.keys import KeyRing
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
