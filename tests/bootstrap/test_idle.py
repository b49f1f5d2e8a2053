"""What is set and changes nothing is warned about, once, by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from research_mcp.bootstrap import configure, read_environment


@pytest.mark.parametrize(
    ("name", "value", "warning"),
    [
        (
            "SEARCH_RERANK_ENABLED",
            "true",
            "SEARCH_RERANK_ENABLED has no effect without a reranker: set JINA_API_KEY or JINA_RERANK_API_URL",
        ),
        (
            "DUCKDUCKGO_BUDGET",
            "10/day",
            "DUCKDUCKGO_BUDGET limits nothing, since calls of duckduckgo cost nothing",
        ),
        (
            "EXXA_WEIGHT",
            "2",
            "EXXA_WEIGHT weighs nothing, since no search engine has this name: did you mean EXA_WEIGHT?",
        ),
        (
            "TAVILY_WEIGHT",
            "2",
            "TAVILY_WEIGHT weighs nothing, since no search engine has this name: did you mean TAVILY_SEARCH_",
        ),
        (
            "BRAVES_PACE",
            "0",
            "BRAVES_PACE slows nothing, since no search engine has this name: did you mean BRAVE_PACE?",
        ),
    ],
)
def test_a_variable_without_effect_is_named(name: str, value: str, warning: str) -> None:
    (told,) = configure(read_environment(Path("no.env"), {name: value})).warnings
    assert told.startswith(warning)


@pytest.mark.parametrize(
    "variables",
    [
        {"SEARCH_RERANK_ENABLED": "true", "JINA_RERANK_API_URL": "http://127.0.0.1:9"},
        {"EXA_WEIGHT": "2"},
        {"FONT_WEIGHT": "700"},
        {"BRAVE_PACE": "0.05"},
    ],
)
def test_what_has_an_effect_or_belongs_to_others_is_no_matter(variables: dict[str, str]) -> None:
    assert configure(read_environment(Path("no.env"), variables)).warnings == ()
