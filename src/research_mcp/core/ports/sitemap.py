"""Mappers of sites, what one map shares among them, and the pipeline over them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from research_mcp.core.deadline import Deadline
from research_mcp.core.ports.calls import Progress
from research_mcp.core.sitemaps import Links, MapAnswer, MapQuery, MapReport
from research_mcp.core.wire import Document


class LinkFinder(Protocol):
    """Links of documents, read in killable processes. Raises as `Extractor.extract` does."""

    async def links(self, document: Document, deadline: Deadline) -> Links: ...


@dataclass(frozen=True, slots=True)
class Opened:
    """A document of the site with its links. `url` is where redirects ended."""

    url: str
    status: int
    links: Links


class Site(Protocol):
    """One map's way to the site, with the guard, the site's robots.txt and the workers around it.

    `open` is one guarded GET. It raises `NoContent` as `PageFetcher.fetch` and `LinkFinder.links` do, and
    with `robots_disallowed`; `UrlRefused`; `Overloaded`. `linked`: the address was only found on a page, so
    that it is not read where robots.txt asks automated readers to stay away.
    `sitemaps` are those that robots.txt of the site at `url` names; never raises. `found` tells the caller
    how many addresses there are so far.
    """

    async def open(self, url: str, deadline: Deadline, *, linked: bool = False) -> Opened: ...

    async def sitemaps(self, url: str) -> tuple[str, ...]: ...

    async def found(self, count: int) -> None: ...


@dataclass(frozen=True, slots=True)
class MapperFacts:
    """What the map pipeline may know of a mapper.

    `from_here`: it asks the site itself, so it may be told of private urls that the operator opened, as
    nobody else may. `cap`: seconds.
    """

    name: str
    metered: bool = False
    from_here: bool = False
    cap: float = 25.0


class SiteMapper(Protocol):
    """One map instance. `map` raises `ProviderError` for every failure."""

    @property
    def facts(self) -> MapperFacts: ...

    async def map(self, query: MapQuery, site: Site, deadline: Deadline) -> MapAnswer: ...


class Mapper(Protocol):
    """The map pipeline as the server sees it; it ends in time.

    `url` is as people paste it; the rest of the query stands in `limit`, `depth`, `instructions`. Raises
    `UrlRefused`; why no mapper found anything stands in the report.
    """

    async def map(self, query: MapQuery, progress: Progress = ...) -> MapReport: ...
