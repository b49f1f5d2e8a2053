"""A configured map instance: keys, money and the status table around a pure type."""

from __future__ import annotations

from functools import cached_property

from research_mcp.core.deadline import Deadline
from research_mcp.core.instance import Account
from research_mcp.core.ports import MapperFacts, Site
from research_mcp.core.sitemaps import MapAnswer, MapQuery
from research_mcp.providers.kit.account import AccountHttp
from research_mcp.providers.kit.configured import ConfiguredType
from research_mcp.providers.kit.map import MapType


class ConfiguredMapper(ConfiguredType[MapType]):
    """One row of the configuration as the map pipeline sees it (`core.ports.SiteMapper`)."""

    @cached_property
    def facts(self) -> MapperFacts:
        """What the map pipeline may know of it."""
        return MapperFacts(
            self.name, metered=self.metered, from_here=self._type.from_here, cap=self._type.cap
        )

    async def map(self, query: MapQuery, site: Site, deadline: Deadline) -> MapAnswer:
        """Ask with the first key that works."""
        return await self._ring.use(lambda account: self._map(query, site, account, deadline))

    async def _map(self, query: MapQuery, site: Site, account: Account, deadline: Deadline) -> MapAnswer:
        async with self._metering.call(account, self._http) as paid:
            http = AccountHttp(self._type, paid, account, self._clock)
            return await self._type.map(query, site, http, deadline)
