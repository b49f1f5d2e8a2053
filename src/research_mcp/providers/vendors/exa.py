"""Exa: an own index that is searched by meaning.

Docs:   https://docs.exa.ai/reference/search
Sends:  POST /search with `query`, `numResults` (10 cost as much as one), `userLocation`,
        `startPublishedDate`, `includeDomains`, `excludeDomains`; the key in `x-api-key`.
Gets:   `{"results": [{"title", "url", "publishedDate", "score", "highlights": [...]}, ...]}`.
Quirks: no snippet unless `contents` asks for highlights; title, date and score may be null; a spent
        budget is a 402 with one of three tags; no language.
"""

from __future__ import annotations

from research_mcp.core.models import Filter, SearchQuery
from research_mcp.core.wire import JsonValue, Request
from research_mcp.providers.kit.auth import HeaderKey
from research_mcp.providers.kit.registry import register
from research_mcp.providers.kit.search import JsonSearch, Phrases
from research_mcp.providers.kit.shape import Shape

BASE = "https://api.exa.ai"
KEY = HeaderKey("x-api-key", prefix="")
PHRASES = Phrases(
    spent=("NO_MORE_CREDITS", "API_KEY_BUDGET_EXCEEDED", "TEAM_BUDGET_EXCEEDED"),
    rejected=("INVALID_API_KEY",),
)

SNIPPET = 500
"""Characters of highlights for each hit."""


@register("search.exa", needs=("api_key",), metered=True)
class ExaSearch(JsonSearch):
    """Exa's results with highlights."""

    docs = "https://docs.exa.ai/reference/search"
    price = "$7 per 1,000; $10 free a month"
    usd = 0.007
    endpoint = f"{BASE}/search"
    index = "exa"
    prior = 1.0
    max_count = 10
    applies = frozenset({Filter.COUNTRY, Filter.TIME_RANGE, Filter.INCLUDE_DOMAINS, Filter.EXCLUDE_DOMAINS})
    key_place = KEY
    phrases = PHRASES
    shape = Shape(snippet=("highlights", "summary", "text"), date="publishedDate", score="score")

    def request(self, query: SearchQuery) -> Request:
        """One POST."""
        body: dict[str, JsonValue] = {
            "query": query.text,
            "type": "auto",
            "numResults": query.limit,
            "contents": {"highlights": {"maxCharacters": SNIPPET}},
        }
        if query.country:
            body["userLocation"] = query.country
        if query.since:
            body["startPublishedDate"] = f"{query.since}T00:00:00.000Z"
        if query.include_domains:
            body["includeDomains"] = list(query.include_domains)
        if query.exclude_domains:
            body["excludeDomains"] = list(query.exclude_domains)
        return Request("POST", self.endpoint, json=body)
