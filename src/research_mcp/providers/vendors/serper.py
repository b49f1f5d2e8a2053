"""Serper: Google's results.

Docs:   https://serper.dev/playground
Sends:  POST /search with `q`, `num` (10 cost as much as one), `hl`, `gl`, `tbs`; domains as words; the key
        in `X-API-KEY`.
Gets:   `{"organic": [{"title", "link", "snippet", "date"}, ...], "credits": 1}`.
Quirks: a wrong key is a 403, a spent one `Not enough credits` with status 400 or even 200; more than 10
        results cost two credits; dates are often words ("3 days ago"), which are not kept.
"""

from __future__ import annotations

from research_mcp.core.errors import ProviderError
from research_mcp.core.models import Filter, SearchQuery
from research_mcp.core.wire import JsonValue, Reply, Request
from research_mcp.providers.kit.ages import QDR
from research_mcp.providers.kit.auth import HeaderKey
from research_mcp.providers.kit.languages import google_language
from research_mcp.providers.kit.registry import register
from research_mcp.providers.kit.search import JsonSearch, Phrases, as_if
from research_mcp.providers.kit.shape import Shape

BASE = "https://google.serper.dev"
KEY = HeaderKey("X-API-KEY", prefix="")
PHRASES = Phrases(spent=("not enough credits",))


@register("search.serper", needs=("api_key",), metered=True)
class SerperSearch(JsonSearch):
    """Google's organic results."""

    docs = "https://serper.dev/playground"
    price = "$0.30 to $1 per 1,000; 2,500 free"
    usd = 0.001
    endpoint = f"{BASE}/search"
    index = "google"
    prior = 1.0
    max_count = 10
    applies = frozenset(Filter)
    site_words = True
    key_place = KEY
    phrases = PHRASES
    shape = Shape("organic", url="link", date="date")

    def request(self, query: SearchQuery) -> Request:
        """One POST."""
        body: dict[str, JsonValue] = {"q": self.worded(query).text, "num": query.limit}
        if language := self.language(query):
            body["hl"] = language
        if query.country:
            body["gl"] = query.country.lower()
        if query.time_range:
            body["tbs"] = QDR[query.time_range]
        return Request("POST", self.endpoint, json=body)

    def language(self, query: SearchQuery) -> str:
        """Google's code."""
        return google_language(query)

    def refusal(self, reply: Reply) -> ProviderError | None:
        """A spent key under a good status: the message stands where the results should."""
        if not 200 <= reply.status < 300 or b'"organic"' in reply.body or b'"message"' not in reply.body:
            return None
        return as_if(reply, 400, PHRASES)
