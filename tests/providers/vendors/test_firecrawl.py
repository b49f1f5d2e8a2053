"""Firecrawl: two versions of one API, told apart by the base url and by the answer."""

from __future__ import annotations

import json

import httpx
import pytest

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import BadReply
from research_mcp.core.models import Filter, SearchQuery, TimeRange
from research_mcp.core.wire import JsonValue, Reply
from research_mcp.providers.kit.search import Means
from research_mcp.providers.vendors.firecrawl import FirecrawlKeylessSearch, FirecrawlSearch, is_v1
from tests.kit.virtual_time import run
from tests.kit.wire import Wire, search_engine

ROW = {"title": "Tides", "url": "https://sea.example/a", "description": "How they turn"}
V1 = FirecrawlSearch(Means(base_url="http://crawler.test:3002/v1"))
V2 = FirecrawlSearch(Means(base_url="http://crawler.test:3002"))
ALL = SearchQuery(
    "tides",
    limit=10,
    language="de",
    country="DE",
    time_range=TimeRange.DAY,
    include_domains=("a.example",),
    exclude_domains=("b.example",),
)


def reply(value: object) -> Reply:
    return Reply(200, body=json.dumps(value).encode())


def test_a_plain_query_names_no_filter_and_scrapes_nothing() -> None:
    assert FirecrawlSearch().request(SearchQuery("tides", limit=10)).json == {"query": "tides", "limit": 10}


def test_of_two_domain_lists_the_second_travels_inside_the_query() -> None:
    assert V2.request(ALL).json == {
        "query": "tides -site:b.example",
        "limit": 10,
        "tbs": "qdr:d",
        "country": "DE",
        "includeDomains": ["a.example"],
    }
    assert V2.unapplied(ALL) == {Filter.LANGUAGE}


def test_the_older_version_gets_only_fields_that_it_knows() -> None:
    assert V1.request(ALL).json == {
        "query": "tides site:a.example -site:b.example",
        "limit": 10,
        "tbs": "qdr:d",
    }
    assert V1.unapplied(ALL) == {Filter.LANGUAGE, Filter.COUNTRY}


@pytest.mark.parametrize(
    ("base_url", "old"),
    [
        ("", False),
        ("https://api.firecrawl.dev", False),
        ("https://api.firecrawl.dev/v2/", False),
        ("http://crawler.test:3002/v1", True),
        ("http://crawler.test:3002/v1/", True),
        ("http://gateway.test/crawler/v1", True),
        ("http://v1", False),
    ],
)
def test_the_version_is_told_from_the_base_url(base_url: str, old: bool) -> None:
    assert is_v1(base_url) == old


@pytest.mark.parametrize(
    ("base_url", "asked"),
    [
        ("", "https://api.firecrawl.dev/v2/search"),
        ("http://crawler.test:3002", "http://crawler.test:3002/v2/search"),
        ("http://crawler.test:3002/v2/", "http://crawler.test:3002/v2/search"),
        ("http://crawler.test:3002/v1", "http://crawler.test:3002/v1/search"),
    ],
)
def test_a_base_url_is_understood_with_a_version_and_without(base_url: str, asked: str) -> None:
    wire = Wire(httpx.Response(200, json={"success": True, "data": []}))

    async def main() -> None:
        engine = search_engine(FirecrawlSearch, wire, keys=["k"], base_url=base_url)
        await engine.search(SearchQuery("x"), Deadline.after(5))

    run(main())
    assert str(wire.sent[0].url) == asked


@pytest.mark.parametrize("data", [{"web": [ROW]}, [ROW]])
def test_both_shapes_are_read(data: JsonValue) -> None:
    (hit,) = FirecrawlSearch().parse(reply({"success": True, "data": data}))
    assert (hit.title, hit.snippet) == ("Tides", "How they turn")


@pytest.mark.parametrize("data", [{}, {"web": []}, {"news": []}, []])
def test_nothing_found_is_empty_in_both_shapes(data: JsonValue) -> None:
    assert FirecrawlSearch().parse(reply({"success": True, "data": data})) == []


@pytest.mark.parametrize("value", [{"success": True}, {"success": False, "error": "no", "data": {}}, []])
def test_an_answer_without_data_is_not_empty(value: JsonValue) -> None:
    with pytest.raises(BadReply):
        FirecrawlSearch().parse(reply(value))


def test_without_a_key_no_authorization_is_sent() -> None:
    wire = Wire(httpx.Response(200, json={"success": True, "data": {}}))

    async def main() -> None:
        await search_engine(FirecrawlKeylessSearch, wire).search(SearchQuery("x"), Deadline.after(5))

    run(main())
    assert "authorization" not in wire.sent[0].headers
