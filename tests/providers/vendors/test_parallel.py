"""Parallel: its limits on text and domains."""

from __future__ import annotations

from research_mcp.core.models import Filter, SearchQuery
from research_mcp.core.wire import JsonValue
from research_mcp.providers.kit.shape import dig
from research_mcp.providers.vendors.parallel import ParallelSearch


def policy(query: SearchQuery) -> JsonValue:
    return dig(ParallelSearch().request(query).json, "advanced_settings.source_policy")


def test_a_plain_query_names_no_policy_and_no_place() -> None:
    request = ParallelSearch().request(SearchQuery("tidal power", limit=10))
    assert request.json == {
        "search_queries": ["tidal power"],
        "mode": "basic",
        "advanced_settings": {"max_results": 10, "excerpt_settings": {"max_chars_per_result": 1000}},
    }


def test_more_than_ten_results_would_cost_more_and_are_never_asked_for() -> None:
    assert ParallelSearch.max_count == 10


def test_two_hundred_domains_in_all_are_sent_and_what_is_over_is_named() -> None:
    included = tuple(f"in{n}.example" for n in range(150))
    excluded = tuple(f"out{n}.example" for n in range(100))
    query = SearchQuery("x", include_domains=included, exclude_domains=excluded)
    assert policy(query) == {"include_domains": [*included], "exclude_domains": [*excluded[:50]]}
    assert ParallelSearch().unapplied(query) == {Filter.EXCLUDE_DOMAINS}


def test_too_many_domains_to_keep_to_are_named_too() -> None:
    query = SearchQuery("x", include_domains=tuple(f"in{n}.example" for n in range(201)), language="de")
    assert ParallelSearch().unapplied(query) == {Filter.INCLUDE_DOMAINS, Filter.LANGUAGE}
