"""From arguments to one question to all engines."""

from __future__ import annotations

from typing import Any

import pytest

from research_mcp.core.errors import InvalidArgument
from research_mcp.core.models import SearchQuery, TimeRange
from research_mcp.server.texts.languages import load
from research_mcp.server.tools.arguments import Integer, Reading, read_arguments
from research_mcp.server.tools.queries import FILTERS, QUERY, search_query

TEXTS = load("en")
FIELDS = (QUERY, Integer(name="num_results", default=8, minimum=1, maximum=50), *FILTERS)


def query(**raw: Any) -> SearchQuery:
    reading = Reading("web_search", TEXTS.tools["web_search"], TEXTS.arguments)
    return search_query(read_arguments(FIELDS, {"query": "x", **raw}, reading), TEXTS.arguments)


def test_a_bare_query_asks_for_nothing_else() -> None:
    assert query() == SearchQuery("x")
    assert query().filters() == frozenset()


@pytest.mark.parametrize("stated", ["de", "DE", "de-AT", "de_CH"])
def test_languages_are_reduced_to_their_code(stated: str) -> None:
    assert query(language=stated).language == "de"


@pytest.mark.parametrize(
    ("stated", "region"),
    [
        ("de", ""),
        ("pt-PT", "PT"),
        ("PT_pt", "PT"),
        ("en-UK", "GB"),
        ("zh-Hant", "TW"),
        ("zh-Hans", "CN"),
        ("zh-Hant-HK", "HK"),
        ("sr-Latn", ""),
        ("es-419", ""),
        ("any-TW", ""),
        ("-TW", ""),
    ],
)
def test_the_region_of_a_language_tag_is_kept_and_is_no_country(stated: str, region: str) -> None:
    asked = query(language=stated)
    assert (asked.region, asked.country) == (region, "")


def test_countries_are_upper_case() -> None:
    assert query(country="at").country == "AT"
    assert query(country="uk").country == "GB"


@pytest.mark.parametrize("word", ["any", "All"])
def test_any_is_no_filter(word: str) -> None:
    assert query(language=word, country=word, time_range=word).filters() == frozenset()


def test_the_time_range_is_typed() -> None:
    assert query(time_range="month").time_range is TimeRange.MONTH


@pytest.mark.parametrize(
    "stated",
    [
        "example.org",
        "Example.ORG.",
        "https://example.org/path?q=1",
        "*.example.org",
        ".example.org",
        "site:example.org",
        "example.org:443",
        "http://user@example.org",
    ],
)
def test_domains_are_reduced_to_bare_hosts(stated: str) -> None:
    assert query(include_domains=[stated]).include_domains == ("example.org",)
    assert query(exclude_domains=stated).exclude_domains == ("example.org",)
    assert query(prefer_domains=stated).prefer_domains == ("example.org",)


def test_preferred_domains_are_no_filter() -> None:
    assert query(prefer_domains="docs.python.org").filters() == frozenset()


def test_domains_in_other_scripts_become_their_ascii_form_once() -> None:
    stated = ["пример.рф", "xn--e1afmkfd.xn--p1ai"]
    assert query(include_domains=stated).include_domains == ("xn--e1afmkfd.xn--p1ai",)


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        ({"language": "English"}, "'language' is 'English'; use a two-letter language code"),
        ({"country": "Germany"}, "'country' is 'Germany'; use a two-letter country code"),
        ({"include_domains": "no domain"}, "'include_domains' holds 'no domain', which is no domain"),
        ({"exclude_domains": ["https://["]}, "'exclude_domains' holds 'https://[', which is no domain"),
        ({"exclude_domains": ["x" * 70 + ".org"]}, "which is no domain"),
    ],
)
def test_what_is_no_code_or_domain_is_refused_with_its_name(raw: dict[str, Any], told: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        query(**raw)
    assert told in str(caught.value)
