"""Exa: snippets only on request, nulls in many places."""

from __future__ import annotations

import json

from research_mcp.core.models import Filter, Hit, SearchQuery, TimeRange
from research_mcp.core.wire import Reply
from research_mcp.providers.vendors.exa import ExaSearch

PLAIN = {
    "query": "tidal power",
    "type": "auto",
    "numResults": 10,
    "contents": {"highlights": {"maxCharacters": 500}},
}


def test_a_plain_query_asks_for_highlights() -> None:
    assert ExaSearch().request(SearchQuery("tidal power", limit=10)).json == PLAIN


def test_all_filters_but_the_language_are_sent() -> None:
    query = SearchQuery(
        "tidal power",
        limit=10,
        language="de",
        country="DE",
        time_range=TimeRange.WEEK,
        since="2026-11-23",
        include_domains=("a.example",),
        exclude_domains=("b.example",),
    )
    assert ExaSearch().request(query).json == PLAIN | {
        "userLocation": "DE",
        "startPublishedDate": "2026-11-23T00:00:00.000Z",
        "includeDomains": ["a.example"],
        "excludeDomains": ["b.example"],
    }
    assert ExaSearch().unapplied(query) == {Filter.LANGUAGE}


def test_a_row_of_nulls_is_still_a_hit() -> None:
    row = {"title": None, "url": "https://sea.example/a", "publishedDate": None, "score": None}
    reply = Reply(200, body=json.dumps({"results": [row]}).encode())
    assert ExaSearch().parse(reply) == [Hit("", "https://sea.example/a")]
