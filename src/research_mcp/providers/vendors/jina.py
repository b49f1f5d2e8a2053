"""Jina: Google's results through Jina's API, and a reranker.

Docs:   https://jina.ai/reader/, https://jina.ai/reranker/
Sends:  GET https://s.jina.ai/ with `q`, `num`, `hl`, `gl`, `site`; the key as Bearer (mandatory);
        `X-Respond-With: no-content`, without which every hit's page is fetched (10 to 30 s).
Gets:   `{"code": 200, "data": [{"title", "url", "description", "date"}, ...]}`.
Quirks: nothing found is a 422 `AssertionFailureError`; billed by tokens, 10,000 for each 10 results; no
        filter by age. All that Jina sells shares one balance of tokens.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

from research_mcp.core.models import Filter, SearchQuery
from research_mcp.core.wire import Request
from research_mcp.providers.kit.registry import register
from research_mcp.providers.kit.rerank import RerankType
from research_mcp.providers.kit.search import JsonSearch, Phrases
from research_mcp.providers.kit.shape import Shape
from research_mcp.providers.kit.sites import SiteQuery, with_sites

SEARCH_BASE = "https://s.jina.ai/"
SPENT = ("InsufficientCreditsError", "InsufficientBalanceError")
LIMITED = ("RateLimitTriggeredError",)


@register("search.jina", needs=("api_key",), metered=True)
class JinaSearch(JsonSearch):
    """Titles and snippets of Google's first page."""

    docs = "https://jina.ai/reader/"
    endpoint = SEARCH_BASE
    index = "google"
    prior = 1.0
    max_count = 10
    applies = frozenset({Filter.LANGUAGE, Filter.COUNTRY, Filter.INCLUDE_DOMAINS, Filter.EXCLUDE_DOMAINS})
    phrases = Phrases(spent=SPENT, limited=LIMITED, empty=("AssertionFailureError",))
    headers: ClassVar[Mapping[str, str]] = {
        "Accept": "application/json",
        "X-Respond-With": "no-content",
    }
    shape = Shape("data", snippet=("description", "content"), date="date")

    def request(self, query: SearchQuery) -> Request:
        """One GET. A single domain has its field, several travel inside the query."""
        params: dict[str, str | int] = {"q": self._worded(query).text, "num": query.limit}
        if query.language:
            params["hl"] = query.language
        if query.country:
            params["gl"] = query.country.lower()
        if len(query.include_domains) == 1:
            params["site"] = query.include_domains[0]
        return Request("GET", self.endpoint, params=params)

    def unapplied(self, query: SearchQuery) -> frozenset[Filter]:
        """The age, and domains for which there was no room."""
        return (query.filters() - self.applies) | self._worded(query).missing

    def _worded(self, query: SearchQuery) -> SiteQuery:
        if len(query.include_domains) == 1:
            query = replace(query, include_domains=())
        return with_sites(query, self.max_query)


@register("rerank.jina", options=("model",), metered=True)
class JinaRerank(RerankType):
    """Jina's reranker; under another base url, any server that takes the common request, key or not."""

    docs = "https://jina.ai/reranker/"
    endpoint = "https://api.jina.ai/v1/rerank"
    model = "jina-reranker-v3.5"
    phrases = Phrases(spent=SPENT, limited=LIMITED)
