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

MOST_DOMAINS = 20
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
        domains = query.include_domains or tuple(f"-{domain}" for domain in query.exclude_domains)
        if domains:
            body["search_domain_filter"] = list(domains[:MOST_DOMAINS])
        return Request("POST", self.endpoint, json=body)

    def unapplied(self, query: SearchQuery) -> frozenset[Filter]:
        """A second domain list, and domains past the limit."""
        missing = set()
        if len(query.include_domains) > MOST_DOMAINS:
            missing.add(Filter.INCLUDE_DOMAINS)
        if query.exclude_domains and (query.include_domains or len(query.exclude_domains) > MOST_DOMAINS):
            missing.add(Filter.EXCLUDE_DOMAINS)
        return frozenset(missing)
