"""Brave: closed lists of codes, two limits of the query, one status for two kinds of 429."""

from __future__ import annotations

import json

import httpx
import pytest

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import ProviderError, QuotaSpent, RateLimited
from research_mcp.core.models import EngineAnswer, Filter, SearchQuery, TimeRange
from research_mcp.core.wire import Reply
from research_mcp.providers.vendors.brave import BraveSearch
from tests.kit.virtual_time import run
from tests.kit.wire import Wire, search_engine

NOTHING = httpx.Response(200, json={"type": "search", "query": {"original": "x"}})


def params(query: SearchQuery) -> dict[str, str | int]:
    return dict(BraveSearch().request(query).params)


def test_a_plain_query_asks_the_web_of_all_countries() -> None:
    assert params(SearchQuery("tidal power", limit=20)) == {
        "q": "tidal power",
        "count": 20,
        "country": "ALL",
        "result_filter": "web",
        "text_decorations": "false",
    }


@pytest.mark.parametrize(
    ("language", "country", "code"),
    [
        ("de", "", "de"),
        ("ja", "JP", "jp"),
        ("no", "", "nb"),
        ("nn", "NO", "nb"),
        ("zh", "", "zh-hans"),
        ("zh", "TW", "zh-hant"),
        ("zh", "HK", "zh-hant"),
        ("pt", "", "pt-br"),
        ("pt", "PT", "pt-pt"),
        ("en", "GB", "en-gb"),
        ("en", "US", "en"),
    ],
)
def test_languages_have_braves_own_codes(language: str, country: str, code: str) -> None:
    query = SearchQuery("x", language=language, country=country)
    assert params(query)["search_lang"] == code
    assert BraveSearch().unapplied(query) == frozenset()


@pytest.mark.parametrize(
    ("language", "region", "country", "code"),
    [
        ("zh", "TW", "", "zh-hant"),
        ("zh", "HK", "", "zh-hant"),
        ("zh", "CN", "", "zh-hans"),
        ("zh", "TW", "US", "zh-hant"),
        ("pt", "PT", "", "pt-pt"),
        ("pt", "BR", "PT", "pt-br"),
        ("en", "GB", "", "en-gb"),
        ("de", "AT", "", "de"),
    ],
)
def test_the_region_of_the_language_chooses_the_variant_and_no_country(
    language: str, region: str, country: str, code: str
) -> None:
    asked = params(SearchQuery("x", language=language, region=region, country=country))
    assert (asked["search_lang"], asked["country"]) == (code, country or "ALL")


def test_codes_that_brave_refuses_are_not_sent_and_are_named() -> None:
    query = SearchQuery("x", language="eo", country="IS")
    assert "search_lang" not in params(query)
    assert params(query)["country"] == "ALL"
    assert BraveSearch().unapplied(query) == {Filter.LANGUAGE, Filter.COUNTRY}


@pytest.mark.parametrize(
    ("age", "code"),
    [(TimeRange.DAY, "pd"), (TimeRange.WEEK, "pw"), (TimeRange.MONTH, "pm"), (TimeRange.YEAR, "py")],
)
def test_each_age_has_its_code(age: TimeRange, code: str) -> None:
    assert params(SearchQuery("x", time_range=age))["freshness"] == code


def asked(query: SearchQuery, reply: httpx.Response = NOTHING) -> tuple[EngineAnswer, str]:
    wire = Wire(reply)
    engine = search_engine(BraveSearch, wire, keys=["k"])

    async def main() -> EngineAnswer:
        return await engine.search(query, Deadline.after(5))

    return run(main()), wire.sent[0].url.params["q"]


def test_more_than_fifty_words_are_cut_and_noted() -> None:
    answer, text = asked(SearchQuery("tide " * 60))
    assert len(text.split()) == 50
    assert answer.notes == (f"query cut to {len(text)} characters",)


def test_domains_take_their_room_from_both_limits() -> None:
    domains = tuple(f"site-{number}.example" for number in range(40))
    answer, text = asked(SearchQuery("tide " * 60, exclude_domains=domains))
    assert len(text) <= 400
    assert len(text.split()) <= 50
    assert text.startswith("tide tide")
    assert "-site:site-0.example" in text
    assert answer.unapplied == {Filter.EXCLUDE_DOMAINS}


@pytest.mark.parametrize(
    ("code", "resets", "kind", "rest"),
    [
        ("QUOTA_LIMITED", "1, 1419704", QuotaSpent, 1_419_704),
        ("QUOTA_LIMITED", "1", QuotaSpent, 86_400),
        ("QUOTA_LIMITED", "1, 1780000000", QuotaSpent, 86_400),
        ("RATE_LIMITED", "1, 1419704", RateLimited, 1),
        ("RATE_LIMITED", "0,0", RateLimited, 1),
        ("RATE_LIMITED", "1780000000, 1", RateLimited, 60),
        ("RATE_LIMITED", "", RateLimited, 60),
        ("OTHER", "1, 2", RateLimited, 60),
    ],
)
def test_a_limit_rests_until_the_reset_that_its_header_states(
    code: str, resets: str, kind: type[ProviderError], rest: float
) -> None:
    answer = httpx.Response(429, json={"error": {"code": code}}, headers={"x-ratelimit-reset": resets})
    with pytest.raises(kind) as caught:
        asked(SearchQuery("x"), answer)
    assert caught.value.rest_for == rest


def test_a_stated_wait_comes_before_the_reset() -> None:
    headers = {"x-ratelimit-reset": "1, 1419704", "retry-after": "7"}
    with pytest.raises(RateLimited) as caught:
        asked(SearchQuery("x"), httpx.Response(429, json={"code": "RATE_LIMITED"}, headers=headers))
    assert caught.value.rest_for == 7


def test_an_answer_without_web_results_is_empty() -> None:
    assert asked(SearchQuery("x"))[0].hits == ()


def test_further_passages_stand_in_for_a_missing_description() -> None:
    row = {"url": "https://sea.example/a", "description": "", "extra_snippets": ["One", "Two"]}
    (hit,) = BraveSearch().parse(Reply(200, body=json.dumps({"web": {"results": [row]}}).encode()))
    assert hit.snippet == "One … Two"
