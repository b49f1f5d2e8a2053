"""How long the vendor of a type may take for one request."""

from __future__ import annotations

import pytest

from research_mcp.bootstrap.providers import limits_of
from research_mcp.providers import load
from research_mcp.providers.kit.registry import REGISTRY
from research_mcp.settings import Settings

load()


def seconds(name: str, **knobs: float) -> float:
    return limits_of(REGISTRY[name], Settings(**knobs)).timeout


@pytest.mark.parametrize(
    "name", ["search.brave", "read.jina", "read.brightdata", "map.tavily", "rerank.jina"]
)
def test_a_request_timeout_below_the_default_holds_for_every_vendor(name: str) -> None:
    assert seconds(name, request_timeout=3) == 3


def test_a_slow_reader_has_the_time_that_it_declares_unless_the_operator_gives_less() -> None:
    assert seconds("read.brightdata") == 60
    assert seconds("read.brightdata", request_timeout=40) == 60
    assert seconds("read.brightdata", request_timeout=24) == 24


def test_other_vendors_have_what_the_operator_gives() -> None:
    assert (seconds("search.brave"), seconds("search.brave", request_timeout=40)) == (25, 40)


def test_a_model_may_take_as_long_as_its_answer() -> None:
    assert seconds("answer.grok", request_timeout=3, answer_timeout=45) == 45
