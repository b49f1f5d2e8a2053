"""Jina: a search without pages, and an error that means nothing was found."""

from __future__ import annotations

from research_mcp.core.models import Filter, SearchQuery, TimeRange
from research_mcp.providers.vendors.jina import JinaSearch


def test_a_plain_query_asks_for_no_pages() -> None:
    request = JinaSearch().request(SearchQuery("tidal power", limit=10))
    assert request.params == {"q": "tidal power", "num": 10}
    assert JinaSearch.headers == {"Accept": "application/json", "X-Respond-With": "no-content"}


def test_language_and_country_have_googles_codes() -> None:
    params = JinaSearch().request(SearchQuery("x", language="de", country="AT")).params
    assert (params["hl"], params["gl"]) == ("de", "at")


def test_one_domain_has_its_field() -> None:
    query = SearchQuery("x", include_domains=("a.example",), exclude_domains=("b.a.example",))
    params = JinaSearch().request(query).params
    assert params["site"] == "a.example"
    assert params["q"] == "x -site:b.a.example"


def test_several_domains_travel_inside_the_query() -> None:
    params = JinaSearch().request(SearchQuery("x", include_domains=("a.example", "b.example"))).params
    assert "site" not in params
    assert params["q"] == "x (site:a.example OR site:b.example)"


def test_the_age_and_domains_without_room_are_named_as_not_applied() -> None:
    domains = tuple(f"a-rather-long-name-{number}.example" for number in range(20))
    query = SearchQuery("x", time_range=TimeRange.DAY, exclude_domains=domains)
    assert JinaSearch().unapplied(query) == {Filter.TIME_RANGE, Filter.EXCLUDE_DOMAINS}
