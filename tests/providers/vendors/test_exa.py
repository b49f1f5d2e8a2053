"""Exa: snippets only on request, nulls in many places."""

from __future__ import annotations

import json

import pytest

from research_mcp.core.errors import BadReply, RateLimited
from research_mcp.core.models import Filter, Hit, SearchQuery, TimeRange
from research_mcp.core.wire import Reply
from research_mcp.providers.vendors.exa import ExaKeylessSearch, ExaSearch

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


def told(text: str, **result: object) -> Reply:
    value = {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": text}], **result}}
    return Reply(200, body=f"event: message\r\ndata: {json.dumps(value)}\r\n\r\n".encode())


def test_without_a_key_the_results_are_blocks_of_an_event() -> None:
    first = "Title: Tides\nURL: https://sea.example/a\nPublished: 2026-03-04T00:00:00Z\nHighlights:\nURL: no\nTwo\n"
    second = "Title: Waves\nURL: https://sea.example/b\nText: Long text"
    assert ExaKeylessSearch().parse(told(f"{first}\n---\n\n{second}")) == [
        Hit("Tides", "https://sea.example/a", "URL: no Two", "2026-03-04"),
        Hit("Waves", "https://sea.example/b", "Long text"),
    ]


def test_without_a_key_a_text_of_another_form_is_not_taken_for_an_empty_answer() -> None:
    assert ExaKeylessSearch().parse(told("No search results found. Please try a different query.")) == []
    with pytest.raises(BadReply):
        ExaKeylessSearch().parse(told("1. Tides - https://sea.example/a"))


def test_without_a_key_the_public_limit_is_told_inside_a_good_answer() -> None:
    assert ExaKeylessSearch().refusal(told("fine")) is None
    limit = ExaKeylessSearch().refusal(told("You've hit Exa's free MCP rate limit.", isError=True))
    assert isinstance(limit, RateLimited)
