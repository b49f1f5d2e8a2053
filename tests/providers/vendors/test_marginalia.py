"""Marginalia: a reserve under a key that all share, unless there is an own one."""

from __future__ import annotations

from research_mcp.core.instance import Secret
from research_mcp.core.models import SearchQuery
from research_mcp.core.wire import Request
from research_mcp.providers.vendors.marginalia import MarginaliaSearch


def test_it_is_a_reserve_and_says_that_it_applies_no_filter() -> None:
    query = SearchQuery("x", language="de", include_domains=("a.example",))
    assert MarginaliaSearch.reserve
    assert MarginaliaSearch().unapplied(query) == query.filters()


def test_the_shared_key_gives_way_to_an_own_one() -> None:
    request = MarginaliaSearch().request(SearchQuery("x", limit=10))
    assert request.params == {"query": "x", "count": 10}
    shared = Request("GET", headers=MarginaliaSearch.headers)
    own = MarginaliaSearch.key_place.apply(shared, Secret("own-key"))
    assert (shared.headers, own.headers) == ({"API-Key": "public"}, {"API-Key": "own-key"})
