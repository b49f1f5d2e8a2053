"""The base of every map type: declared facts, and how it finds the addresses of a site.

A vendor with one call states a pure request and a pure parse (`HttpMap`); a mapper that looks at the site
itself asks through `site`, around which guard, robots.txt and workers already stand.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import BadReply, ProviderError
from research_mcp.core.ports import Http, Site
from research_mcp.core.sitemaps import MapAnswer, MapOption, MapQuery, SitePage
from research_mcp.core.wire import JsonValue, Reply, Request
from research_mcp.providers.kit.base import ProviderType
from research_mcp.providers.kit.fields import text_at, web_address
from research_mcp.providers.kit.shape import iso_day, plain


class MapType(ProviderType):
    """A way to find the addresses of a site.

    `price` is what the vendor's page said when this was written. `applies` are the options that it really
    honours; `from_here` and `cap` are explained at `core.ports.MapperFacts`. `passes` and `site` mean what
    they do for readers: a vendor's 404 is never about the site.
    """

    price: ClassVar[str] = "free"
    applies: ClassVar[frozenset[MapOption]] = frozenset()
    from_here: ClassVar[bool] = False
    cap: ClassVar[float] = 25.0
    site: ClassVar[bool] = False
    passes: ClassVar[frozenset[int]] = frozenset()

    @abstractmethod
    async def map(self, query: MapQuery, site: Site, http: Http, deadline: Deadline) -> MapAnswer:
        """The addresses. Raises `ProviderError`."""

    def refusal(self, reply: Reply) -> ProviderError | None:
        """The error that only this vendor's answers show (a failure inside a 200); None otherwise."""
        return None


class HttpMap(MapType):
    """A vendor that maps a site in one call: two pure methods."""

    @abstractmethod
    def request(self, query: MapQuery) -> Request:
        """The call for `query`."""

    @abstractmethod
    def parse(self, reply: Reply) -> tuple[SitePage, ...]:
        """The addresses in a good answer. Raises `BadReply` or another error it states."""

    async def map(self, query: MapQuery, site: Site, http: Http, deadline: Deadline) -> MapAnswer:
        """Ask once."""
        reply = await http.send(self.request(query), deadline)
        return MapAnswer(self.parse(reply), query.options() - self.applies)


def site_pages(rows: JsonValue) -> tuple[SitePage, ...]:
    """The addresses in a vendor's list of texts, or of objects with `url`, `title` and perhaps a date.

    Raises `BadReply` when there is no list, or when no row of a list that has some can be used.
    """
    if not isinstance(rows, list):
        raise BadReply(f"expected a list of addresses, got {type(rows).__name__}")
    pages = tuple(page for row in rows if (page := _page(row)))
    if rows and not pages:
        raise BadReply(f"none of the {len(rows)} rows has a web address")
    return pages


def _page(row: JsonValue) -> SitePage | None:
    if isinstance(row, str):
        row = {"url": row}
    if not isinstance(row, dict):
        return None
    url = web_address(text_at(row, "url").strip())
    return SitePage(url, plain(text_at(row, "title"), 300), iso_day(text_at(row, "lastmod"))) if url else None
