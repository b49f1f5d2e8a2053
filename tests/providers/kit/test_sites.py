"""Domain filters as words of the query."""

from __future__ import annotations

from research_mcp.core.models import Filter, SearchQuery
from research_mcp.providers.kit.sites import MOST_FOR_SITES, with_sites

MANY = tuple(f"site-number-{number}.example" for number in range(20))


def test_without_domains_the_text_stays() -> None:
    assert with_sites(SearchQuery("moss  walls"), 400) == ("moss  walls", frozenset())


def test_allowed_domains_are_alternatives_and_excluded_ones_are_not() -> None:
    query = SearchQuery("moss", include_domains=("a.org", "b.org"), exclude_domains=("c.org", "d.org"))
    assert with_sites(query, 400).text == "moss (site:a.org OR site:b.org) -site:c.org -site:d.org"


def test_a_single_domain_needs_no_brackets() -> None:
    assert with_sites(SearchQuery("moss", include_domains=("a.org",)), 400).text == "moss site:a.org"


def test_the_text_makes_room_for_the_domains() -> None:
    text = with_sites(SearchQuery("moss " * 100, include_domains=("a.org",)), 60).text
    assert text == "moss " * 10 + "site:a.org"
    assert len(text) <= 60


def test_the_words_are_counted_where_the_engine_counts_them() -> None:
    query = SearchQuery("moss " * 100, exclude_domains=("a.org", "b.org"))
    assert with_sites(query, 400, 10).text == "moss " * 8 + "-site:a.org -site:b.org"


def test_domains_without_room_are_named() -> None:
    fitted = with_sites(SearchQuery("moss", include_domains=MANY), 400)
    assert fitted.missing == {Filter.INCLUDE_DOMAINS}
    assert len(fitted.text) <= len("moss ") + MOST_FOR_SITES + len("()")
    both = with_sites(SearchQuery("moss", include_domains=MANY, exclude_domains=MANY), 400)
    assert both.missing == {Filter.INCLUDE_DOMAINS, Filter.EXCLUDE_DOMAINS}
    assert with_sites(SearchQuery("moss", exclude_domains=MANY), 400).missing == {Filter.EXCLUDE_DOMAINS}
