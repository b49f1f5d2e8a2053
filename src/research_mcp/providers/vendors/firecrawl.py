"""Firecrawl search: a search engine's first page, from its own API or a self-hosted copy.

Docs:   https://docs.firecrawl.dev/api-reference/endpoint/search
Sends:  POST /v2/search with `query` (500 characters), `limit` (10 cost as much as one), `country`, `tbs`,
        `includeDomains` or `excludeDomains`; the key as Bearer.
Gets:   v2 `{"success": true, "data": {"web": [{"title", "url", "description"}, ...]}}`, where an empty
        section is missing; v1 `{"success": true, "data": [{"title", "url", "description"}, ...]}`.
Quirks: a base url that ends in `/v1` is asked in v1's terms, which refuse fields they do not know;
        more than 10 results cost double; not both domain lists at once.
"""

from __future__ import annotations

from dataclasses import replace

from research_mcp.core.models import Filter, Hit, SearchQuery
from research_mcp.core.wire import JsonValue, Reply, Request
from research_mcp.providers.kit.ages import QDR
from research_mcp.providers.kit.registry import register
from research_mcp.providers.kit.search import JsonSearch, Phrases
from research_mcp.providers.kit.shape import Shape
from research_mcp.providers.kit.sites import SiteQuery, with_sites

BASE = "https://api.firecrawl.dev/v2"
PHRASES = Phrases(spent=("insufficient credits", "payment required"))

_V1 = Shape("data", snippet="description")


def is_v1(base_url: str) -> bool:
    """Whether an operator's base url leads to the older API."""
    path = base_url.partition("://")[2].rstrip("/").split("/")[1:]
    return path[-1:] == ["v1"]


@register("search.firecrawl", needs=("api_key",), metered=True)
class FirecrawlSearch(JsonSearch):
    """Firecrawl's web results, without their pages."""

    docs = "https://docs.firecrawl.dev/api-reference/endpoint/search"
    endpoint = f"{BASE}/search"
    index = "google"
    prior = 1.0
    max_count = 10
    max_query = 500
    applies = frozenset({Filter.COUNTRY, Filter.TIME_RANGE, Filter.INCLUDE_DOMAINS, Filter.EXCLUDE_DOMAINS})
    phrases = PHRASES
    shape = Shape("data.web", snippet="description", may_lack=True, always="data")

    def request(self, query: SearchQuery) -> Request:
        """One POST. Of two domain lists the second one travels inside the query."""
        body: dict[str, JsonValue] = {"query": self._worded(query).text, "limit": query.limit}
        if query.time_range:
            body["tbs"] = QDR[query.time_range]
        if not self._is_v1:
            if query.country:
                body["country"] = query.country
            if query.include_domains:
                body["includeDomains"] = list(query.include_domains)
            elif query.exclude_domains:
                body["excludeDomains"] = list(query.exclude_domains)
        return Request("POST", self.endpoint, json=body)

    def unapplied(self, query: SearchQuery) -> frozenset[Filter]:
        """The language, in v1 the country too, and domains for which there was no room."""
        missing = (query.filters() - self.applies) | self._worded(query).missing
        return missing | {Filter.COUNTRY} if self._is_v1 and query.country else missing

    def parse(self, reply: Reply) -> list[Hit]:
        """The results in either version's shape."""
        value = reply.json()
        flat = isinstance(value, dict) and isinstance(value.get("data"), list)
        return (_V1 if flat else self.shape).hits(value)

    @property
    def _is_v1(self) -> bool:
        return is_v1(self.means.base_url)

    def _worded(self, query: SearchQuery) -> SiteQuery:
        """The query with those domains that have no field of their own."""
        if not self._is_v1:
            both = query.include_domains and query.exclude_domains
            query = replace(query, include_domains=(), exclude_domains=query.exclude_domains if both else ())
        return with_sites(query, self.max_query)


@register("search.firecrawl_keyless")
class FirecrawlKeylessSearch(FirecrawlSearch):
    """The same search without a key, limited by address and day."""
