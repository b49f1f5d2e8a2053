"""A configured read instance: keys, headers and the status table around a type."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

from research_mcp.core.deadline import Deadline
from research_mcp.core.instance import Account
from research_mcp.core.models import Page
from research_mcp.core.ports import Job, ReaderFacts
from research_mcp.providers.kit.account import AccountHttp
from research_mcp.providers.kit.configured import ConfiguredType
from research_mcp.providers.kit.read import ReadType


class ConfiguredReader(ConfiguredType[ReadType]):
    """One row of the configuration as the read pipeline sees it (`core.ports.PageReader`)."""

    @cached_property
    def facts(self) -> ReaderFacts:
        """What the read pipeline may know of it."""
        return self._type.facts(self.name, metered=self.metered)

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
