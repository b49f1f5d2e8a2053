"""Firecrawl: two versions of one API, told apart by the base url; a page's status inside a success."""

from __future__ import annotations

import json

import httpx
import pytest

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import BadReply, QuotaSpent
from research_mcp.core.models import Filter, Flag, Kind, SearchQuery, TimeRange
from research_mcp.core.sitemaps import MapAnswer, MapQuery
from research_mcp.core.wire import JsonValue, Reply
from research_mcp.providers.kit.base import Means
from research_mcp.providers.vendors.firecrawl import (
    FirecrawlKeylessRead,
    FirecrawlKeylessSearch,
    FirecrawlMap,
    FirecrawlRead,
    FirecrawlSearch,
    is_v1,
)
from tests.kit.mapping import MapDesk
from tests.kit.reading import LONG, URL
from tests.kit.sites import Desk
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


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ({"success": False, "error": "Insufficient credits to perform this request"}, QuotaSpent),
        ({"error": "it broke", "success": False}, BadReply),
    ],
)
def test_an_error_under_200_is_an_error(value: JsonValue, kind: type[Exception]) -> None:
    assert isinstance(FirecrawlSearch().refusal(reply(value)), kind)


def test_results_that_speak_of_failure_are_results() -> None:
    row = {**ROW, "description": 'It answers {"success": false}.'}
    assert FirecrawlSearch().refusal(reply({"success": True, "data": {"web": [row]}})) is None


def test_without_a_key_no_authorization_is_sent() -> None:
    wire = Wire(httpx.Response(200, json={"success": True, "data": {}}))

    async def main() -> None:
        await search_engine(FirecrawlKeylessSearch, wire).search(SearchQuery("x"), Deadline.after(5))

    run(main())
    assert "authorization" not in wire.sent[0].headers


def page_with(**metadata: JsonValue) -> Desk:
    value = {"success": True, "data": {"markdown": LONG, "metadata": {"statusCode": 200, **metadata}}}
    return Desk(
        FirecrawlRead,
        {"POST https://api.firecrawl.dev/v2/scrape": httpx.Response(200, json=value)},
        keys=["k"],
    )


def test_version_one_is_read_in_its_own_terms() -> None:
    base = "http://crawler.test:3002/v1"
    answer = httpx.Response(
        200, json={"success": True, "data": {"markdown": LONG, "metadata": {"statusCode": 200}}}
    )
    room = Desk(FirecrawlRead, {f"POST {base}/scrape": answer}, urls={"": base}, keys=["any"])
    assert room.page(URL).markdown == LONG.strip()
    assert json.loads(room.sent[0].content) == {
        "url": URL,
        "formats": ["markdown"],
        "onlyMainContent": True,
        "timeout": 20_000,
    }


def test_a_long_pdf_that_was_read_in_part_says_so() -> None:
    page = page_with(contentType="application/pdf", numPages=10, totalPages=40).page(URL)
    assert (page.kind, page.flags) == (Kind.PDF, (Flag.TRUNCATED,))
    assert page_with(contentType="application/pdf", numPages=10, totalPages=10).page(URL).flags == ()


def test_an_answer_without_facts_about_the_page_is_still_the_page() -> None:
    answer = httpx.Response(200, json={"success": True, "data": {"markdown": LONG}})
    room = Desk(FirecrawlRead, {"POST https://api.firecrawl.dev/v2/scrape": answer}, keys=["k"])
    assert room.page(URL).final_url == URL


@pytest.mark.parametrize(
    "url", ["https://x.com/a/status/1", "https://mobile.twitter.com/a", "https://www.x.com/"]
)
def test_pages_of_x_are_left_to_others_unless_the_operator_pays_for_them(url: str) -> None:
    assert not FirecrawlRead().accepts(url)
    assert not FirecrawlKeylessRead(Means({"x_urls": "false"})).accepts(url)
    assert FirecrawlRead(Means({"x_urls": " True "})).accepts(url)


@pytest.mark.parametrize("url", [URL, "https://box.com/", "https://mill.test/?u=https://x.com/a"])
def test_other_pages_are_accepted(url: str) -> None:
    assert FirecrawlRead().accepts(url)


class TestMap:
    QUERY = MapQuery("https://sea.example/", limit=30, depth=3)

    def test_the_older_version_gets_only_fields_that_it_knows(self) -> None:
        mapper = FirecrawlMap(Means(base_url="http://crawler.test:3002/v1"))
        assert mapper.request(self.QUERY).json == {
            "url": "https://sea.example/",
            "limit": 30,
            "includeSubdomains": True,
        }

    @pytest.mark.parametrize(
        ("base_url", "url"),
        [
            ("", "https://api.firecrawl.dev/v2/map"),
            ("http://crawler.test:3002", "http://crawler.test:3002/v2/map"),
            ("http://crawler.test:3002/v1", "http://crawler.test:3002/v1/map"),
            ("http://crawler.test:3002/v2/", "http://crawler.test:3002/v2/map"),
        ],
    )
    def test_the_base_url_may_name_a_version_or_none(self, base_url: str, url: str) -> None:
        answer = httpx.Response(200, json={"success": True, "links": ["https://sea.example/a"]})
        desk = MapDesk(FirecrawlMap, answer, base_url=base_url)
        found = desk.outcome(self.QUERY)
        assert isinstance(found, MapAnswer)
        assert [page.url for page in found.pages] == ["https://sea.example/a"]
        assert str(desk.wire.sent[0].url) == url
