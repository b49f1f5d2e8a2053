"""Parallel Search: an own web index for language models.

Docs:   https://docs.parallel.ai/search/search-quickstart
Sends:  POST /v1/search with `search_queries` (200 characters each), `mode`, `advanced_settings`
        (`max_results`, `location`, `source_policy` with domains and `after_date`); the key in `x-api-key`.
Gets:   `{"results": [{"url", "title", "publish_date", "excerpts": [...]}, ...]}`.
Quirks: more than 10 results cost more; the default mode is the slow one; 200 domains in all; no language.
"""

from __future__ import annotations

from research_mcp.core.models import Filter, SearchQuery
from research_mcp.core.wire import JsonValue, Request
from research_mcp.providers.kit.auth import HeaderKey
from research_mcp.providers.kit.registry import register
from research_mcp.providers.kit.search import JsonSearch
from research_mcp.providers.kit.shape import Shape

MOST_DOMAINS = 200
EXCERPT_CHARS = 1_000


@register("search.parallel", needs=("api_key",), metered=True)
class ParallelSearch(JsonSearch):
    """Parallel's basic mode: the price of the default one, within a search's time."""

    docs = "https://docs.parallel.ai/search/search-quickstart"
    price = "$5 per 1,000"
    usd = 0.005
    endpoint = "https://api.parallel.ai/v1/search"
    index = "parallel"
    prior = 1.0
    max_count = 10
    max_query = 200
    applies = frozenset({Filter.COUNTRY, Filter.TIME_RANGE, Filter.INCLUDE_DOMAINS, Filter.EXCLUDE_DOMAINS})
    key_place = HeaderKey("x-api-key", prefix="")
    shape = Shape(snippet="excerpts", date="publish_date")

    def request(self, query: SearchQuery) -> Request:
        """One POST with one search query."""
        included, excluded = _domains(query)
        policy: dict[str, JsonValue] = {}
        if included:
            policy["include_domains"] = [*included]
        if excluded:
            policy["exclude_domains"] = [*excluded]
        if query.since:
            policy["after_date"] = query.since
        settings: dict[str, JsonValue] = {
            "max_results": query.limit,
            "excerpt_settings": {"max_chars_per_result": EXCERPT_CHARS},
        }
        if query.country:
            settings["location"] = query.country.lower()
        if policy:
            settings["source_policy"] = policy
        body: JsonValue = {"search_queries": [query.text], "mode": "basic", "advanced_settings": settings}
        return Request("POST", self.endpoint, json=body)

    def unapplied(self, query: SearchQuery) -> frozenset[Filter]:
        """The language, and domains past the limit."""
        included, excluded = _domains(query)
        missing = set(query.filters() - self.applies)
        if len(included) < len(query.include_domains):
            missing.add(Filter.INCLUDE_DOMAINS)
        if len(excluded) < len(query.exclude_domains):
            missing.add(Filter.EXCLUDE_DOMAINS)
        return frozenset(missing)


def _domains(query: SearchQuery) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The domains that fit: those to keep to first."""
    included = query.include_domains[:MOST_DOMAINS]
    return included, query.exclude_domains[: MOST_DOMAINS - len(included)]
