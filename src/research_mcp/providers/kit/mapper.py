"""A configured map instance: keys, money and the status table around a pure type."""

from __future__ import annotations

from research_mcp.core.deadline import Deadline
from research_mcp.core.instance import Account
from research_mcp.core.ports import Clock, Http, MapperFacts, Site
from research_mcp.core.sitemaps import MapAnswer, MapQuery
from research_mcp.providers.kit.account import AccountHttp
from research_mcp.providers.kit.keys import KeyRing
from research_mcp.providers.kit.map import MapType
from research_mcp.providers.kit.metering import Metering


class ConfiguredMapper:
    """One row of the configuration as the map pipeline sees it (`core.ports.SiteMapper`)."""

    def __init__(
        self,
        name: str,
        type_: MapType,
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
        self.facts = MapperFacts(
            name, metered=type_.spec.metered and ring.keyed, from_here=type_.from_here, cap=type_.cap
        )

    async def map(self, query: MapQuery, site: Site, deadline: Deadline) -> MapAnswer:
        """Ask with the first key that works."""
        return await self._ring.use(lambda account: self._map(query, site, account, deadline))

    async def _map(self, query: MapQuery, site: Site, account: Account, deadline: Deadline) -> MapAnswer:
        async with self._metering.call(account, self._http) as paid:
            http = AccountHttp(self._type, paid, account, self._clock)
            return await self._type.map(query, site, http, deadline)
