"""Linkup: results that are texts, never images."""

from __future__ import annotations

import json

from research_mcp.core.models import Filter, SearchQuery, TimeRange
from research_mcp.core.wire import Reply
from research_mcp.providers.vendors.linkup import LinkupSearch


def reply(*rows: object) -> Reply:
    return Reply(200, body=json.dumps({"results": list(rows)}).encode())


def test_a_plain_query_names_no_filter() -> None:
    assert LinkupSearch().request(SearchQuery("tidal power", limit=10)).json == {
        "q": "tidal power",
        "depth": "standard",
        "outputType": "searchResults",
        "maxResults": 10,
    }


def test_the_time_range_becomes_its_first_day() -> None:
    query = SearchQuery("x", time_range=TimeRange.WEEK, since="2026-11-23")
    body = LinkupSearch().request(query).json
    assert isinstance(body, dict)
    assert body["fromDate"] == "2026-11-23"


def test_an_answer_of_images_alone_is_empty() -> None:
    image = {"type": "image", "name": "A barrage", "url": "https://sea.example/a.jpg"}
    assert LinkupSearch().parse(reply(image)) == []


def test_language_and_country_are_named_as_not_applied() -> None:
    query = SearchQuery("x", language="de", country="DE")
    assert LinkupSearch().unapplied(query) == {Filter.LANGUAGE, Filter.COUNTRY}
