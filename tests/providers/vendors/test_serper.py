"""Serper: Google's fields, and a spent key under any status."""

from __future__ import annotations

import json

import pytest

from research_mcp.core.errors import BadReply, QuotaSpent
from research_mcp.core.models import Filter, SearchQuery, TimeRange
from research_mcp.core.wire import Reply
from research_mcp.providers.vendors.serper import SerperSearch


def reply(value: object) -> Reply:
    return Reply(200, body=json.dumps(value).encode())


def test_a_plain_query_names_no_filter() -> None:
    assert SerperSearch().request(SearchQuery("tidal power", limit=10)).json == {
        "q": "tidal power",
        "num": 10,
    }


def test_filters_have_googles_names() -> None:
    query = SearchQuery(
        "x",
        limit=10,
        language="de",
        country="AT",
        time_range=TimeRange.YEAR,
        include_domains=("a.example",),
        exclude_domains=("b.a.example",),
    )
    assert SerperSearch().request(query).json == {
        "q": "x site:a.example -site:b.a.example",
        "num": 10,
        "hl": "de",
        "gl": "at",
        "tbs": "qdr:y",
    }
    assert SerperSearch().unapplied(query) == frozenset()


def test_a_language_that_google_has_no_code_for_is_left_out_and_named() -> None:
    query = SearchQuery("x", limit=10, language="sc")
    assert SerperSearch().request(query).json == {"q": "x", "num": 10}
    assert SerperSearch().unapplied(query) == {Filter.LANGUAGE}


def test_domains_without_room_are_named_as_not_applied() -> None:
    domains = tuple(f"a-rather-long-name-{number}.example" for number in range(20))
    assert SerperSearch().unapplied(SearchQuery("x", include_domains=domains)) == {Filter.INCLUDE_DOMAINS}


def test_a_spent_key_under_a_good_status_is_told_from_a_result_that_says_so() -> None:
    spent = SerperSearch().refusal(reply({"message": "Not enough credits"}))
    assert isinstance(spent, QuotaSpent)
    row = {"title": "x", "link": "https://a.example/", "snippet": "Not enough credits"}
    assert SerperSearch().refusal(reply({"organic": [row]})) is None


def test_a_page_under_a_good_status_is_named_as_one() -> None:
    page = Reply(200, {"content-type": "text/html"}, b"<html>Checking your browser</html>")
    assert SerperSearch().refusal(page) is None
    with pytest.raises(BadReply, match="expected JSON"):
        SerperSearch().parse(page)


def test_any_other_message_in_place_of_results_is_no_empty_answer() -> None:
    assert isinstance(SerperSearch().refusal(reply({"message": "Maintenance"})), BadReply)


@pytest.mark.parametrize("stated", ["3 days ago", "vor 3 Tagen", ""])
def test_relative_dates_are_not_kept(stated: str) -> None:
    row = {"title": "x", "link": "https://a.example/", "date": stated}
    assert SerperSearch().parse(reply({"organic": [row]}))[0].date == ""
