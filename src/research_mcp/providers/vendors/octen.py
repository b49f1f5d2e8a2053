"""Octen: an own web index for language models.

Docs:   https://docs.octen.ai/api-reference/search
Sends:  POST /search with `query` (500 characters), `count` (1 to 100), `language` (17 codes),
        `time_range`, `include_domains`, `exclude_domains` (1200 each); the key in `x-api-key`.
Gets:   `{"code": 0, "data": {"results": [{"title", "url", "highlight", "time_published"}, ...]}}`.
Quirks: a `code` other than 0 is an error, also under 200; spent money is a 403; no country.
"""

from __future__ import annotations

from research_mcp.core.errors import ProviderError
from research_mcp.core.models import Filter, SearchQuery
from research_mcp.core.wire import JsonValue, Reply, Request
from research_mcp.providers.kit.auth import HeaderKey
from research_mcp.providers.kit.registry import register
from research_mcp.providers.kit.search import JsonSearch, Phrases, as_if
from research_mcp.providers.kit.shape import Shape, dig

HIGHLIGHT_TOKENS = 200

_LANGUAGES = frozenset("ar de en es fr hi id it ja ko nl pl pt ru th tr vi zh".split())  # noqa: SIM905


@register("search.octen", needs=("api_key",), metered=True)
class OctenSearch(JsonSearch):
    """Octen's web results with their best passage."""

    docs = "https://docs.octen.ai/api-reference/search"
    price = "$1 to $5 per 1,000"
    usd = 0.005
    endpoint = "https://api.octen.ai/search"
    index = "octen"
    prior = 1.0
    max_count = 100
    max_query = 500
    applies = frozenset(Filter) - {Filter.COUNTRY}
    most_included = 1_200
    most_excluded = 1_200
    key_place = HeaderKey("x-api-key", prefix="")
    phrases = Phrases(spent=("insufficient balance",))
    shape = Shape("data.results", snippet="highlight", date="time_published")

    def request(self, query: SearchQuery) -> Request:
        """One POST."""
        body: dict[str, JsonValue] = {
            "query": query.text,
            "count": query.limit,
            "format": "text",
            "highlight": {"enable": True, "max_tokens": HIGHLIGHT_TOKENS},
        }
        if language := self.language(query):
            body["language"] = [language]
        if query.time_range:
            body["time_range"] = query.time_range.value
        if query.include_domains:
            body["include_domains"] = list(query.include_domains[: self.most_included])
        if query.exclude_domains:
            body["exclude_domains"] = list(query.exclude_domains[: self.most_excluded])
        return Request("POST", self.endpoint, json=body)

    def language(self, query: SearchQuery) -> str:
        """One of Octen's list."""
        return query.language if query.language in _LANGUAGES else ""

    def refusal(self, reply: Reply) -> ProviderError | None:
        """An error code inside an answer that claims success."""
        if reply.status != 200:
            return None
        code = dig(reply.json(), "code")
        if isinstance(code, str) and code.isdecimal():
            code = int(code[:9])
        if code in (0, None):
            return None
        return as_if(reply, code if isinstance(code, int) else 0, self.phrases)
