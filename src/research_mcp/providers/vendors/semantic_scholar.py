"""Semantic Scholar: scholarly papers, with abstracts or one-sentence summaries.

Docs:   https://api.semanticscholar.org/api-docs/graph
Sends:  GET /graph/v1/paper/search with `query`, `limit` (100 at most), `fields`,
        `publicationDateOrYear`; the key, which is optional, in `x-api-key`.
Gets:   `{"total", "data": [{"paperId", "title", "url", "abstract", "publicationDate", "tldr"}, ...]}`;
        without results `data` may be missing.
Quirks: a hyphen hurts the match, so it becomes a space; without a key everybody shares one limit and
        meets 429 often; with one it is a request a second.
"""

from __future__ import annotations

from urllib.parse import quote

from research_mcp.core.models import Filter, Hit, SearchQuery, Topic
from research_mcp.core.wire import Reply, Request
from research_mcp.providers.kit.auth import HeaderKey
from research_mcp.providers.kit.fields import text_at
from research_mcp.providers.kit.registry import register
from research_mcp.providers.kit.search import JsonSearch
from research_mcp.providers.kit.shape import Shape, dig

_PAGES = "https://www.semanticscholar.org/paper/"
"""Where a paper without an address of its own is shown, by its id."""

_FIELDS = "title,url,abstract,publicationDate,tldr"


@register("search.semantic_scholar")
class SemanticScholarSearch(JsonSearch):
    """Semantic Scholar papers, by relevance."""

    docs = "https://api.semanticscholar.org/api-docs/graph"
    price = "free"
    endpoint = "https://api.semanticscholar.org/graph/v1/paper/search"
    index = "semantic-scholar"
    prior = 0.3
    topics = frozenset({Topic.SCHOLARLY})
    pace = 1.1
    max_count = 100
    max_query = 300
    applies = frozenset({Filter.TIME_RANGE})
    key_place = HeaderKey("x-api-key", prefix="")
    shape = Shape("data", url=("url", "page"), snippet=("abstract", "tldr.text"), date="publicationDate")

    def request(self, query: SearchQuery) -> Request:
        """One GET; without `fields` only titles would come."""
        text = " ".join(query.text.replace("-", " ").split()) or query.text
        params: dict[str, str | int] = {"query": text, "limit": query.limit, "fields": _FIELDS}
        if query.since:
            params["publicationDateOrYear"] = f"{query.since}:"
        return Request("GET", self.endpoint, params=params)

    def parse(self, reply: Reply) -> list[Hit]:
        """The papers; none only where the total says so."""
        value = reply.json()
        if dig(value, "total") == 0:
            return []
        rows = dig(value, "data")
        for row in rows if isinstance(rows, list) else ():
            if isinstance(row, dict) and (paper := text_at(row, "paperId")):
                row["page"] = f"{_PAGES}{quote(paper, safe='')}"
        return self.shape.hits(value)
