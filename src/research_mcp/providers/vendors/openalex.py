"""OpenAlex: scholarly works, with abstracts.

Docs:   https://developers.openalex.org/api-reference/works
Sends:  GET /works with `search`, `per_page` (100 at most), `filter` (`language`,
        `from_publication_date`), `select`; the key, which is optional, as `api_key` in the query string.
Gets:   `{"meta": {...}, "results": [{"id", "doi", "display_name", "publication_date",
        "abstract_inverted_index", "primary_location", ...}, ...]}`.
Quirks: abstracts are words with their places; a location may be null; a 429 is the day's budget, a 403
        the rate; about 100 searches a day without a key, 1,000 with a free one.
"""

from __future__ import annotations

from research_mcp.core.errors import ProviderError, QuotaSpent
from research_mcp.core.models import Filter, Hit, SearchQuery, Topic
from research_mcp.core.wire import JsonValue, Reply, Request
from research_mcp.providers.kit.auth import ParamKey
from research_mcp.providers.kit.registry import register
from research_mcp.providers.kit.search import JsonSearch, Phrases
from research_mcp.providers.kit.shape import Shape, dig

MOST_WORDS = 300
"""Of an abstract: more than a snippet shows."""

BUDGET_REST = 3_600.0
"""Seconds of rest once the day's budget is used up: it renews at midnight UTC, which may be soon."""

_FIELDS = "id,doi,display_name,publication_date,relevance_score,abstract_inverted_index,primary_location"


@register("search.openalex")
class OpenAlexSearch(JsonSearch):
    """OpenAlex works, by relevance."""

    docs = "https://developers.openalex.org/api-reference/works"
    price = "free; 1,000 a day with a free key"
    endpoint = "https://api.openalex.org/works"
    index = "openalex"
    prior = 0.3
    topics = frozenset({Topic.SCHOLARLY})
    max_count = 100
    max_query = 500
    applies = frozenset({Filter.LANGUAGE, Filter.TIME_RANGE})
    key_place = ParamKey("api_key")
    phrases = Phrases(limited=("rate limit",))
    shape = Shape(
        title="display_name",
        url=("primary_location.landing_page_url", "doi", "id"),
        snippet="abstract",
        date="publication_date",
        score="relevance_score",
    )

    def request(self, query: SearchQuery) -> Request:
        """One GET."""
        params: dict[str, str | int] = {"search": query.text, "per_page": query.limit, "select": _FIELDS}
        filters = []
        if query.language:
            filters.append(f"language:{query.language}")
        if query.since:
            filters.append(f"from_publication_date:{query.since}")
        if filters:
            params["filter"] = ",".join(filters)
        return Request("GET", self.endpoint, params=params)

    def refusal(self, reply: Reply) -> ProviderError | None:
        """The day's budget, which shares its status with the rate."""
        says = reply.body[:4_096].lower()
        if reply.status != 429 or not (b"daily" in says or b"budget" in says):
            return None
        return QuotaSpent("OpenAlex's budget for today is used up (status 429)", rest_for=BUDGET_REST)

    def parse(self, reply: Reply) -> list[Hit]:
        """The works, their abstracts put together again."""
        value = reply.json()
        rows = dig(value, "results")
        for row in rows if isinstance(rows, list) else ():
            if isinstance(row, dict):
                row["abstract"] = _abstract(row.get("abstract_inverted_index"))
        return self.shape.hits(value)


def _abstract(index: JsonValue) -> str:
    """The text behind `{"word": [places]}`."""
    if not isinstance(index, dict):
        return ""
    placed = [
        (place, word)
        for word, places in index.items()
        if isinstance(places, list)
        for place in places
        if isinstance(place, int)
    ]
    return " ".join(word for _, word in sorted(placed)[:MOST_WORDS])
