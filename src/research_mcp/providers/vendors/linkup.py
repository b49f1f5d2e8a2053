"""Linkup: a web index with licensed sources.

Docs:   https://docs.linkup.so/pages/documentation/api-reference/endpoint/post-search
Sends:  POST /v1/search with `q`, `depth`, `outputType`, `maxResults`, `includeDomains`,
        `excludeDomains`, `fromDate`; the key as Bearer.
Gets:   `{"results": [{"type": "text", "name", "url", "content"}, ...]}`; no dates.
Quirks: nothing found is a 400 `SEARCH_QUERY_NO_RESULT`; money and rate share the 429 and are told apart
        by its code; no language and no country.
"""

from __future__ import annotations

from research_mcp.core.models import Filter, Hit, SearchQuery
from research_mcp.core.wire import JsonValue, Reply, Request
from research_mcp.providers.kit.registry import register
from research_mcp.providers.kit.search import JsonSearch, Phrases
from research_mcp.providers.kit.shape import Shape, dig


@register("search.linkup", needs=("api_key",), metered=True)
class LinkupSearch(JsonSearch):
    """Linkup's standard depth: a tenth of the price of the deep one."""

    docs = "https://docs.linkup.so/pages/documentation/api-reference/endpoint/post-search"
    price = "$5 per 1,000"
    usd = 0.005
    endpoint = "https://api.linkup.so/v1/search"
    account = "https://api.linkup.so/v1/credits/balance"
    index = "linkup"
    prior = 1.0
    max_count = 50
    max_query = 1_000
    applies = frozenset({Filter.TIME_RANGE, Filter.INCLUDE_DOMAINS, Filter.EXCLUDE_DOMAINS})
    phrases = Phrases(
        spent=("INSUFFICIENT_FUNDS_CREDITS", "EXCEED_BUDGET_LIMIT"),
        limited=("TOO_MANY_REQUESTS", "TASKS_QUEUE_LIMIT_EXCEEDED"),
        empty=("SEARCH_QUERY_NO_RESULT",),
    )
    shape = Shape(title="name", snippet="content")

    def request(self, query: SearchQuery) -> Request:
        """One POST."""
        body: dict[str, JsonValue] = {
            "q": query.text,
            "depth": "standard",
            "outputType": "searchResults",
            "maxResults": query.limit,
        }
        if query.include_domains:
            body["includeDomains"] = list(query.include_domains)
        if query.exclude_domains:
            body["excludeDomains"] = list(query.exclude_domains)
        if query.since:
            body["fromDate"] = query.since
        return Request("POST", self.endpoint, json=body)

    def parse(self, reply: Reply) -> list[Hit]:
        """The results, without images."""
        value = reply.json()
        rows = dig(value, "results")
        if isinstance(value, dict) and isinstance(rows, list):
            value = {"results": [row for row in rows if not _is_image(row)]}
        return self.shape.hits(value)


def _is_image(row: JsonValue) -> bool:
    return isinstance(row, dict) and row.get("type") == "image"
