"""The price in words and the one in numbers say the same."""

from __future__ import annotations

import re

import pytest

from research_mcp.bootstrap.prices import prices
from research_mcp.pipeline_config import INSTANCES
from research_mcp.providers import load
from research_mcp.providers.kit.registry import REGISTRY
from research_mcp.providers.kit.search import SearchType

load()
PRICED = sorted(
    (name, cls) for name, cls in REGISTRY.items() if issubclass(cls, SearchType) and cls.spec.metered
)
BY_THE_THOUSAND = re.compile(r"\$([\d.]+)(?: to \$([\d.]+))? per 1,000")
BY_THE_CALL = re.compile(r"\((?:about )?\$([\d.]+)\)")


def stated(words: str) -> float | None:
    if found := BY_THE_THOUSAND.match(words):
        return max(map(float, filter(None, found.groups()))) / 1000
    found = BY_THE_CALL.search(words)
    return float(found[1]) if found else None


@pytest.mark.parametrize(("name", "cls"), PRICED, ids=lambda value: value if isinstance(value, str) else "")
def test_an_estimate_counts_the_dearest_call_that_the_price_in_words_allows(
    name: str, cls: type[SearchType]
) -> None:
    assert cls.usd == stated(cls.price)
    assert cls.price != "free", f"{name} is metered"


def test_only_what_costs_money_by_the_call_has_a_price() -> None:
    known = prices(INSTANCES)
    assert known["exa"] == 0.007
    assert known["brightdata"] == 0.0015
    assert not {"duckduckgo", "trafilatura", "tavily-keyless", "xmlriver", "firecrawl"} & set(known)
