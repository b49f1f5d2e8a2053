"""Kagi: filters and lens, and a list that is missing when nothing was found."""

from __future__ import annotations

import json

import pytest

from research_mcp.core.errors import BadReply
from research_mcp.core.models import Filter, SearchQuery, TimeRange
from research_mcp.core.wire import JsonValue, Reply
from research_mcp.providers.vendors.kagi import KagiSearch


def test_a_plain_query_has_neither_filters_nor_lens() -> None:
    assert KagiSearch().request(SearchQuery("tidal power", limit=10)).json == {
        "query": "tidal power",
        "workflow": "search",
        "limit": 10,
    }


def test_country_and_age_are_filters_and_domains_a_lens() -> None:
    query = SearchQuery(
        "x",
        limit=10,
        language="de",
        country="AT",
        time_range=TimeRange.WEEK,
        since="2026-11-23",
        include_domains=("a.example",),
        exclude_domains=("b.example",),
    )
    assert KagiSearch().request(query).json == {
        "query": "x",
        "workflow": "search",
        "limit": 10,
        "filters": {"region": "at", "after": "2026-11-23"},
        "lens": {"sites_included": ["a.example"], "sites_excluded": ["b.example"]},
    }
    assert KagiSearch().unapplied(query) == {Filter.LANGUAGE}


@pytest.mark.parametrize("value", [{"data": {}}, {"data": {"search": []}}, {"meta": {"ms": 1}}])
def test_a_missing_list_is_empty(value: JsonValue) -> None:
    assert KagiSearch().parse(Reply(200, body=json.dumps(value).encode())) == []


@pytest.mark.parametrize("value", [{}, {"meta": {"ms": 1}, "data": None, "error": [{"code": 0, "msg": "x"}]}])
def test_an_answer_that_says_nothing_or_an_error_is_not_empty(value: JsonValue) -> None:
    with pytest.raises(BadReply):
        KagiSearch().parse(Reply(200, body=json.dumps(value).encode()))
