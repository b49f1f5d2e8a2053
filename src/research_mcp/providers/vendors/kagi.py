"""Kagi Search: an own index and several bought ones, without advertisements.

Docs:   https://kagi.com/api/docs
Sends:  POST /api/v1/search with `query`, `limit`, `workflow`, `filters` (`region`, `after`), `lens`
        (`sites_included`, `sites_excluded`); the key as Bearer.
Gets:   `{"meta": {...}, "data": {"search": [{"title", "url", "snippet", "time"}, ...]}}`; without
        results `search` is missing.
Quirks: spent credit is a 400 with error 101; blocks and boosts of the account's owner apply; no
        language.
"""

from __future__ import annotations

from research_mcp.core.models import Filter, SearchQuery
from research_mcp.core.wire import JsonValue, Request
from research_mcp.providers.kit.registry import register
from research_mcp.providers.kit.search import JsonSearch, Phrases
from research_mcp.providers.kit.shape import Shape

BASE = "https://kagi.com/api/v1"
PHRASES = Phrases(
    spent=("insufficient credit", "no billing information"),
    rejected=("unauthorized",),
)


@register("search.kagi", needs=("api_key",), metered=True)
class KagiSearch(JsonSearch):
    """Kagi's web results."""

    docs = "https://kagi.com/api/docs"
    price = "$12 per 1,000"
    usd = 0.012
    endpoint = f"{BASE}/search"
    index = "kagi"
    prior = 1.0
    max_count = 20
    applies = frozenset({Filter.COUNTRY, Filter.TIME_RANGE, Filter.INCLUDE_DOMAINS, Filter.EXCLUDE_DOMAINS})
    phrases = PHRASES
    shape = Shape("data.search", date=("time", "published"), may_lack=True, always=("data", "meta"))

    def request(self, query: SearchQuery) -> Request:
        """One POST."""
        filters: dict[str, JsonValue] = {}
        if query.country:
            filters["region"] = query.country.lower()
        if query.since:
            filters["after"] = query.since
        lens: dict[str, JsonValue] = {}
        if query.include_domains:
            lens["sites_included"] = list(query.include_domains)
        if query.exclude_domains:
            lens["sites_excluded"] = list(query.exclude_domains)
        body: dict[str, JsonValue] = {"query": query.text, "workflow": "search", "limit": query.limit}
        if filters:
            body["filters"] = filters
        if lens:
            body["lens"] = lens
        return Request("POST", self.endpoint, json=body)
