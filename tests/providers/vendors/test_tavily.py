"""Tavily: country names, two list limits, a keyless mode of its own, failures inside good answers."""

from __future__ import annotations

import json

import httpx
import pytest

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import BadReply, NoContent, RateLimited, Reason
from research_mcp.core.models import Filter, SearchQuery, TimeRange
from research_mcp.core.wire import JsonValue, Reply
from research_mcp.providers.kit.base import Means
from research_mcp.providers.vendors.tavily import (
    TavilyKeylessSearch,
    TavilyRead,
    TavilySearch,
    keyless_limit,
)
from tests.kit.reading import LONG, URL
from tests.kit.sites import Desk
from tests.kit.virtual_time import run
from tests.kit.wire import Wire, search_engine

PLAIN = {"query": "tidal power", "max_results": 20, "search_depth": "basic", "topic": "general"}


def body(query: SearchQuery) -> dict[str, JsonValue]:
    value = TavilySearch().request(query).json
    assert isinstance(value, dict)
    return value


def test_a_plain_query_states_the_cheap_depth_and_nothing_automatic() -> None:
    assert body(SearchQuery("tidal power", limit=20)) == PLAIN


def test_all_filters_but_the_language_are_sent() -> None:
    query = SearchQuery(
        "tidal power",
        limit=20,
        language="de",
        country="DE",
        time_range=TimeRange.MONTH,
        include_domains=("a.example",),
        exclude_domains=("b.example",),
    )
    assert body(query) == PLAIN | {
        "country": "germany",
        "time_range": "month",
        "include_domains": ["a.example"],
        "exclude_domains": ["b.example"],
    }
    assert TavilySearch().unapplied(query) == {Filter.LANGUAGE}


def test_a_country_without_a_name_is_not_sent_and_is_named() -> None:
    query = SearchQuery("x", country="AQ")
    assert "country" not in body(query)
    assert TavilySearch().unapplied(query) == {Filter.COUNTRY}


def test_domains_past_the_limits_are_left_to_the_merge() -> None:
    domains = tuple(f"{number}.example" for number in range(301))
    query = SearchQuery("x", include_domains=domains, exclude_domains=domains[:151])
    assert body(query)["include_domains"] == list(domains[:300])
    assert body(query)["exclude_domains"] == list(domains[:150])
    assert TavilySearch().unapplied(query) == {Filter.INCLUDE_DOMAINS, Filter.EXCLUDE_DOMAINS}


def test_pictures_in_the_passages_go() -> None:
    row = {"url": "https://sea.example/a", "content": "Tides ![a logo](https://sea.example/l.png) turn"}
    (hit,) = TavilySearch().parse(Reply(200, body=json.dumps({"results": [row]}).encode()))
    assert hit.snippet == "Tides turn"


def test_without_a_key_the_mode_is_stated_and_no_authorization_sent() -> None:
    wire = Wire(httpx.Response(200, json={"results": []}))

    async def main() -> None:
        await search_engine(TavilyKeylessSearch, wire).search(SearchQuery("x"), Deadline.after(5))

    run(main())
    assert wire.sent[0].headers["x-tavily-access-mode"] == "keyless"
    assert "authorization" not in wire.sent[0].headers


@pytest.mark.parametrize(("stated", "seconds"), [(90, 90), ("90", 90), (1.5, 1.5), (10**9, 86_400)])
def test_the_keyless_limit_lasts_as_long_as_its_envelope_says(stated: object, seconds: float) -> None:
    error = keyless_limit(Reply(200, body=json.dumps({"error": {"retry_after_seconds": stated}}).encode()))
    assert isinstance(error, RateLimited)
    assert error.rest_for == seconds


@pytest.mark.parametrize(
    "value",
    [
        {"results": []},
        {"results": [{"content": 'says "retry_after_seconds": 5'}]},
        {"error": "text", "retry_after_seconds": 5},
        {"error": {"retry_after_seconds": "soon"}},
        {"error": {"retry_after_seconds": True}},
        {"error": {"retry_after_seconds": -1}},
        ["retry_after_seconds"],
    ],
)
def test_other_answers_are_no_keyless_limit(value: JsonValue) -> None:
    assert keyless_limit(Reply(429, body=json.dumps(value).encode())) is None


def reader(value: JsonValue, **more: str) -> Desk:
    answer = httpx.Response(200, json=value, headers=more)
    return Desk(TavilyRead, {"POST https://api.tavily.com/extract": answer}, keys=["k"])


def row(url: str, text: str = LONG) -> dict[str, JsonValue]:
    return {"url": url, "raw_content": text}


def test_the_row_about_the_page_counts_however_its_url_is_written() -> None:
    others = [row("https://sea.test/", "Another page."), row("http://www.mill.test/moss/?utm_source=x")]
    assert reader({"results": others}).page(URL).markdown == LONG.strip()
    assert reader({"results": [row("https://mill.test/somewhere-else")]}).page(URL).markdown == LONG.strip()


def test_a_page_that_failed_among_others_is_found_and_one_that_is_missing_is_odd() -> None:
    failed = [{"url": "https://sea.test/", "error": "x"}, {"url": f"{URL}/", "error": "<b>x</b>"}]
    error = reader({"results": [], "failed_results": failed}).error(URL)
    assert isinstance(error, NoContent)
    assert error.reason is Reason.EMPTY
    two = [row("https://sea.test/a"), row("https://sea.test/b")]
    assert isinstance(reader({"results": two}).error(URL), BadReply)


def test_a_refusal_of_the_page_costs_no_key_but_one_of_the_edge_rests() -> None:
    def refused(media: str) -> Desk:
        answer = httpx.Response(403, headers={"content-type": media}, content=b"<p>no")
        return Desk(TavilyRead, {"POST https://api.tavily.com/extract": answer}, keys=["k"])

    assert refused("application/json").error(URL).rest_for == 0
    assert isinstance(refused("text/html").error(URL), RateLimited)


def scored(*scores: float | None, **options: str) -> list[str]:
    rows = [{"title": "T", "url": f"https://{n}.example", "score": score} for n, score in enumerate(scores)]
    reply = Reply(200, {}, json.dumps({"results": rows}).encode())
    return [hit.url[8:9] for hit in TavilySearch(Means(options)).parse(reply)]


def test_results_that_only_fill_up_a_list_are_dropped() -> None:
    assert scored(0.9, 0.05, 0.1, None) == ["0", "2", "3"]
    assert scored(0.9, 0.05, 0.1, min_score="0.5") == ["0"]
    assert scored(0.9, 0.05, min_score="0") == ["0", "1"]
    assert scored(0.01) == []
