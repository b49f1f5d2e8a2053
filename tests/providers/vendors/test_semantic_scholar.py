"""Semantic Scholar: hyphens, open date ranges, answers without a list."""

from __future__ import annotations

import json

import pytest

from research_mcp.core.errors import BadReply
from research_mcp.core.models import SearchQuery, TimeRange, Topic
from research_mcp.core.wire import JsonValue, Reply
from research_mcp.providers.vendors.semantic_scholar import SemanticScholarSearch


def reply(value: object) -> Reply:
    return Reply(200, body=json.dumps(value).encode())


def test_it_joins_for_scholarly_questions_alone_at_a_request_a_second() -> None:
    assert SemanticScholarSearch.topics == {Topic.SCHOLARLY}
    assert SemanticScholarSearch.pace > 1


@pytest.mark.parametrize(
    ("text", "sent"), [("in-stream  tidal-power", "in stream tidal power"), ("-", "-"), ("tidal", "tidal")]
)
def test_hyphens_become_spaces(text: str, sent: str) -> None:
    assert SemanticScholarSearch().request(SearchQuery(text)).params["query"] == sent


def test_a_time_range_is_open_at_its_end() -> None:
    query = SearchQuery("x", time_range=TimeRange.MONTH, since="2026-10-30")
    assert SemanticScholarSearch().request(query).params["publicationDateOrYear"] == "2026-10-30:"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        (None, "https://www.semanticscholar.org/paper/ab%2F12"),
        ("https://www.semanticscholar.org/paper/own", "https://www.semanticscholar.org/paper/own"),
    ],
)
def test_a_paper_without_an_address_is_shown_by_its_id(url: str | None, shown: str) -> None:
    row: JsonValue = {"paperId": "ab/12", "title": "Tides", "url": url, "abstract": None, "tldr": None}
    assert [hit.url for hit in SemanticScholarSearch().parse(reply({"total": 1, "data": [row]}))] == [shown]


def test_a_missing_list_is_empty_only_where_the_total_is_zero() -> None:
    assert SemanticScholarSearch().parse(reply({"total": 0, "offset": 0})) == []
    for value in ({"total": 3, "offset": 0}, {"offset": 0}, {"message": "odd"}):
        with pytest.raises(BadReply):
            SemanticScholarSearch().parse(reply(value))
