"""Semantic Scholar: hyphens, open date ranges, answers without a list."""

from __future__ import annotations

import json

import pytest

from research_mcp.core.errors import BadReply
from research_mcp.core.models import SearchQuery, TimeRange, Topic
from research_mcp.core.wire import Reply
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


def test_a_missing_list_is_empty_only_where_the_total_is_zero() -> None:
    assert SemanticScholarSearch().parse(reply({"total": 0, "offset": 0})) == []
    for value in ({"total": 3, "offset": 0}, {"offset": 0}, {"message": "odd"}):
        with pytest.raises(BadReply):
            SemanticScholarSearch().parse(reply(value))
