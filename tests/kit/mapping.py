"""Fakes around the map pipeline, and a configured mapper as the composition root builds it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import NoContent, ProviderError, Reason
from research_mcp.core.instance import Account, Secret
from research_mcp.core.ports import MapperFacts, Opened, RobotsRule, Site
from research_mcp.core.sitemaps import LinkKind, Links, MapAnswer, MapQuery, MapReport, SitePage
from research_mcp.core.wire import Document
from research_mcp.extract.sitemaps import find_links
from research_mcp.net.policy import VendorClient
from research_mcp.observe.events import Event
from research_mcp.pipelines.sitemap.pipeline import MapLimits, MapPipeline
from research_mcp.pipelines.turns import Turns
from research_mcp.providers.kit.base import Means
from research_mcp.providers.kit.keys import KeyRing
from research_mcp.providers.kit.map import MapType
from research_mcp.providers.kit.mapper import ConfiguredMapper
from research_mcp.store.memory import MemoryCache, MemoryPaces, MemoryParking
from tests.kit.reading import FakeFetcher
from tests.kit.virtual_time import VirtualClock, run
from tests.kit.wire import KEY, Answer, Wire

HOME = "https://mill.test/"


def pages(*paths: str) -> tuple[SitePage, ...]:
    return tuple(SitePage(HOME + path) for path in paths)


class MapDesk:
    """One instance of a map type on a fake wire."""

    def __init__(
        self,
        cls: type[MapType],
        answer: Answer | httpx.Response,
        *,
        keys: Sequence[str] = (KEY,),
        base_url: str = "",
    ) -> None:
        self.clock = VirtualClock()
        self.wire = Wire(answer)
        network: Any = self.wire
        client = VendorClient(
            network,
            "instance",
            clock=self.clock,
            user_agent="research-mcp/0 (test)",
            endpoint=cls.endpoint,
            base_url=base_url,
        )
        accounts = [Account(f"own#{n}", Secret(key)) for n, key in enumerate(keys, start=1)]
        ring = KeyRing(accounts, MemoryParking(self.clock), self.clock)
        self.mapper = ConfiguredMapper("instance", cls(Means({}, base_url)), client, ring, self.clock)

    def outcome(self, query: MapQuery) -> MapAnswer | ProviderError:
        """The answer, or the error that the mapper raises. In virtual time."""

        async def main() -> MapAnswer | ProviderError:
            try:
                return await self.mapper.map(query, FakeSite({}), Deadline.after(25))
            except ProviderError as error:
                return error

        return run(main())


class FakeSite:
    """A `core.ports.Site` of `bodies` by address: a body, a document or an error; all else is a 404."""

    def __init__(
        self,
        bodies: Mapping[str, str | bytes | Document | Exception],
        maps: Sequence[str] = (),
        *,
        seconds: float = 0.0,
        moved: Mapping[str, str] | None = None,
    ) -> None:
        self.bodies = dict(bodies)
        self.maps = tuple(maps)
        self.seconds = seconds
        self.moved = dict(moved or {})
        self.opened: list[str] = []
        self.linked: list[str] = []
        self.counts: list[int] = []

    async def open(self, url: str, deadline: Deadline, *, linked: bool = False) -> Opened:
        self.opened.append(url)
        if linked:
            self.linked.append(url)
        if self.seconds:
            await asyncio.sleep(self.seconds)
        found = self.bodies.get(url)
        if isinstance(found, Exception):
            raise found
        if found is None:
            return Opened(url, 404, Links(LinkKind.NONE))
        document = found if isinstance(found, Document) else self._document(url, found)
        return Opened(document.final_url, document.status, find_links(document, 5.0))

    def _document(self, url: str, body: str | bytes) -> Document:
        data = body if isinstance(body, bytes) else body.encode()
        return Document(url, self.moved.get(url, url), 200, {}, data)

    async def sitemaps(self, url: str) -> tuple[str, ...]:
        return self.maps

    async def found(self, count: int) -> None:
        self.counts.append(count)


@dataclass
class FakeMapper:
    """A mapper that gives `answer` after `seconds`: addresses, an answer, an error, or a function."""

    name: str
    answer: Sequence[SitePage] | MapAnswer | Exception | Callable[[MapQuery, Site], Any] = ()
    seconds: float = 0.0
    traits: dict[str, Any] = field(default_factory=dict)
    queries: list[MapQuery] = field(default_factory=list)
    cancelled: int = 0

    @property
    def facts(self) -> MapperFacts:
        return MapperFacts(self.name, **self.traits)

    async def map(self, query: MapQuery, site: Site, deadline: Deadline) -> MapAnswer:
        self.queries.append(query)
        try:
            await asyncio.sleep(self.seconds)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        if isinstance(self.answer, Exception):
            raise self.answer
        if callable(self.answer):
            return await self.answer(query, site)
        return self.answer if isinstance(self.answer, MapAnswer) else MapAnswer(tuple(self.answer))


class FakeRobots:
    """One rule for every address but those in `rules`."""

    def __init__(
        self,
        *,
        binding: bool = False,
        rules: Mapping[str, RobotsRule] | None = None,
        maps: Sequence[str] = (),
    ) -> None:
        self.binding = binding
        self.rules = dict(rules or {})
        self.maps = tuple(maps)

    async def rule(self, url: str) -> RobotsRule:
        return self.rules.get(url, RobotsRule.ALLOWED)

    async def sitemaps(self, url: str) -> tuple[str, ...]:
        return self.maps


class FakeFinder:
    """Links as the workers find them, in this process."""

    async def links(self, document: Document, deadline: Deadline) -> Links:
        return find_links(document, 5.0)


class HostFetcher(FakeFetcher):
    """A fetcher that also refuses whole hosts when it resolves them."""

    def __init__(self, *args: Any, private_hosts: Sequence[str] = (), **more: Any) -> None:
        super().__init__(*args, **more)
        self.private_hosts = tuple(private_hosts)

    async def check(self, url: str, deadline: Deadline) -> None:
        await super().check(url, deadline)
        if any(host in url for host in self.private_hosts):
            raise NoContent("private", reason=Reason.DNS_FAILED)


class MapBench:
    """The map pipeline over fakes, in virtual time."""

    def __init__(
        self,
        *mappers: FakeMapper,
        fetcher: FakeFetcher | None = None,
        robots: FakeRobots | None = None,
        timeout: float = 45.0,
    ) -> None:
        self.clock = VirtualClock()
        self.fetcher = fetcher or FakeFetcher()
        self.robots = robots or FakeRobots()
        self.events: list[Event] = []
        self.parking = MemoryParking(self.clock)
        self.cache: MemoryCache[MapReport] = MemoryCache(self.clock, seconds=300)
        fetching: Any = self.fetcher
        self.pipeline = MapPipeline(
            mappers,
            fetcher=fetching,
            finder=FakeFinder(),
            robots=self.robots,
            turns=Turns(self.parking, MemoryPaces(self.clock), self.clock),
            clock=self.clock,
            cache=self.cache,
            limits=MapLimits(timeout),
            emit=self.events.append,
        )

    def map(self, url: str = HOME, **query: Any) -> MapReport:
        return run(self.pipeline.map(MapQuery(url, **query)))
