"""Perplexity: one domain list that either allows or denies."""

from __future__ import annotations

from research_mcp.core.models import Filter, SearchQuery, TimeRange
from research_mcp.core.wire import JsonValue
from research_mcp.providers.vendors.perplexity import PerplexitySearch

MANY = tuple(f"{number}.example" for number in range(21))


def body(query: SearchQuery) -> dict[str, JsonValue]:
    value = PerplexitySearch().request(query).json
    assert isinstance(value, dict)
    return value


def test_a_plain_query_asks_for_short_snippets() -> None:
    assert body(SearchQuery("tidal power", limit=20)) == {
        "query": "tidal power",
        "max_results": 20,
        "max_tokens_per_page": 256,
    }


def test_language_country_and_age_have_their_fields() -> None:
    sent = body(SearchQuery("x", language="de", country="AT", time_range=TimeRange.DAY))
    assert sent["search_language_filter"] == ["de"]
    assert sent["country"] == "AT"
    assert sent["search_recency_filter"] == "day"


def test_denied_domains_have_a_minus() -> None:
    query = SearchQuery("x", exclude_domains=("a.example", "b.example"))
    assert body(query)["search_domain_filter"] == ["-a.example", "-b.example"]
    assert PerplexitySearch().unapplied(query) == frozenset()


def test_of_two_lists_only_the_allowed_is_sent_and_the_other_named() -> None:
    query = SearchQuery("x", include_domains=("a.example",), exclude_domains=("b.example",))
    assert body(query)["search_domain_filter"] == ["a.example"]
    assert PerplexitySearch().unapplied(query) == {Filter.EXCLUDE_DOMAINS}


def test_domains_past_the_limit_are_left_to_the_merge() -> None:
    assert body(SearchQuery("x", include_domains=MANY))["search_domain_filter"] == list(MANY[:20])
    assert PerplexitySearch().unapplied(SearchQuery("x", include_domains=MANY)) == {Filter.INCLUDE_DOMAINS}
    assert PerplexitySearch().unapplied(SearchQuery("x", exclude_domains=MANY)) == {Filter.EXCLUDE_DOMAINS}
