"""Marginalia: an index of the small, independent web. A reserve: asked when the list stays short.

Docs:   https://about.marginalia-search.com/article/api/
Sends:  GET /search with `query`, `count` (1 to 100); the key in `API-Key`; without one of its own the word
        `public`, which all share.
Gets:   `{"results": [{"url", "title", "description"}, ...]}`.
Quirks: the shared key mostly meets 503 or 429; English pages for the most part; results are licensed for
        non-commercial use.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from research_mcp.core.models import SearchQuery
from research_mcp.core.wire import Request
from research_mcp.providers.kit.auth import HeaderKey
from research_mcp.providers.kit.registry import register
from research_mcp.providers.kit.search import JsonSearch
from research_mcp.providers.kit.shape import Shape


@register("search.marginalia")
class MarginaliaSearch(JsonSearch):
    """Marginalia's results."""

    docs = "https://about.marginalia-search.com/article/api/"
    endpoint = "https://api2.marginalia-search.com/search"
    index = "marginalia"
    prior = 0.2
    reserve = True
    max_count = 100
    max_query = 300
    key_place = HeaderKey("API-Key", prefix="")
    headers: ClassVar[Mapping[str, str]] = {"API-Key": "public"}
    shape = Shape(snippet="description")

    def request(self, query: SearchQuery) -> Request:
        """One GET; no filter is known to it."""
        return Request("GET", self.endpoint, params={"query": query.text, "count": query.limit})
