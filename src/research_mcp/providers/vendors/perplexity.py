"""Perplexity Search: the index behind Perplexity's answers, as a plain list.

Docs:   https://docs.perplexity.ai/api-reference/search-post
Sends:  POST /search with `query`, `max_results` (1 to 20), `country`, `search_language_filter`,
        `search_recency_filter`, `search_domain_filter` (20 at most); the key as Bearer.
Gets:   `{"results": [{"title", "url", "snippet", "date"}, ...]}`.
Quirks: the domain list either allows or (`-`) denies, never both; spent credit comes as a 401 that
        speaks of the quota.
"""

from __future__ import annotations

from research_mcp.core.models import Filter, SearchQuery
from research_mcp.core.wire import JsonValue, Request
from research_mcp.providers.kit.registry import register
from research_mcp.providers.kit.search import JsonSearch, Phrases
from research_mcp.providers.kit.shape import Shape

BASE = "https://api.perplexity.ai"
PHRASES = Phrases(spent=("insufficient_quota", "exceeded your current quota", "insufficient credit"))

SNIPPET_TOKENS = 256
"""The least that Perplexity gives for a page; the price does not depend on it."""


@register("search.perplexity", needs=("api_key",), metered=True)
class PerplexitySearch(JsonSearch):
    """Perplexity's ranked list, without an answer."""

    docs = "https://docs.perplexity.ai/api-reference/search-post"
    price = "$5 per 1,000"
    usd = 0.005
    endpoint = f"{BASE}/search"
    index = "perplexity"
    prior = 1.0
    max_count = 20
    applies = frozenset(Filter)
    most_included = 20
    most_excluded = 20
    phrases = PHRASES
    shape = Shape(date="date")

    def request(self, query: SearchQuery) -> Request:
        """One POST. Of two domain lists only the allowed ones are sent."""
        body: dict[str, JsonValue] = {
            "query": query.text,
            "max_results": query.limit,
            "max_tokens_per_page": SNIPPET_TOKENS,
        }
        if query.country:
            body["country"] = query.country
        if query.language:
            body["search_language_filter"] = [query.language]
        if query.time_range:
            body["search_recency_filter"] = query.time_range.value
        if query.include_domains:
            body["search_domain_filter"] = list(query.include_domains[: self.most_included])
        elif query.exclude_domains:
            denied = query.exclude_domains[: self.most_excluded]
            body["search_domain_filter"] = [f"-{domain}" for domain in denied]
        return Request("POST", self.endpoint, json=body)

    def unapplied(self, query: SearchQuery) -> frozenset[Filter]:
        """Domains to leave out, too, when there are others to keep to."""
        both = query.include_domains and query.exclude_domains
        return super().unapplied(query) | ({Filter.EXCLUDE_DOMAINS} if both else set())
