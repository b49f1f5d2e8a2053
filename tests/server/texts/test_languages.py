"""Both catalogues are whole, and say what they must."""

from __future__ import annotations

import dataclasses
import string
from collections.abc import Iterator, Mapping

import pytest

from research_mcp.core.errors import ConfigError, Reason
from research_mcp.core.models import EngineState, Flag, Kind
from research_mcp.server.texts.languages import CATALOGUES, load
from research_mcp.server.tools.pages import TOOLS

LANGUAGES = sorted(CATALOGUES)


def leaves(value: object, path: str = "") -> Iterator[tuple[str, str]]:
    """Every text of a catalogue with its place."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from leaves(inner, f"{path}.{key}")
    else:
        for field in dataclasses.fields(value):
            yield from leaves(getattr(value, field.name), f"{path}.{field.name}")


def fields(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


def test_both_languages_hold_the_same_texts_with_the_same_fields() -> None:
    english, russian = dict(leaves(load("en"))), dict(leaves(load("ru")))
    assert english.keys() == russian.keys()
    for place, text in english.items():
        assert text.strip() or place == ".language", place
        assert russian[place].strip(), place
        assert fields(russian[place]) <= fields(text), place


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_reason_state_flag_and_kind_has_words(language: str) -> None:
    texts = load(language)
    assert set(texts.remedies) == set(Reason)
    assert set(texts.search.states) == set(EngineState)
    assert set(texts.page.flags) == set(Flag)
    assert set(texts.page.kinds) == set(Kind)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_remedy_is_one_or_two_whole_sentences(language: str) -> None:
    for remedy in load(language).remedies.values():
        assert remedy[0].isupper()
        assert remedy.endswith(".")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_tool_and_argument_is_described(language: str) -> None:
    texts = load(language)
    assert set(texts.tools) == {tool.name for tool in TOOLS}
    for tool in TOOLS:
        described = texts.tools[tool.name]
        assert set(described.arguments) == {field.name for field in tool.fields}
        assert len(described.description) < 1500
        others = {other.name for other in TOOLS} - {tool.name}
        assert any(name in described.description for name in others), "descriptions route to each other"


def test_the_cut_marks_are_worded_as_promised() -> None:
    assert load("ru").page.cut.format(limit=20) == "[содержимое обрезано на 20 символах]"
    assert load("ru").page.cut_rest.format(limit=20) == "[содержимое обрезано на 20 символах]"
    assert load("en").page.cut.format(limit=20) == "[content truncated at 20 characters]"
    rest = load("en").page.cut_rest.format(limit=20)
    assert rest == "[content truncated at 20 characters; read_page with start=20 gives the rest]"


def test_an_unknown_language_stops_the_start_with_the_choices() -> None:
    with pytest.raises(ConfigError, match="TOOL_LANGUAGE='de' has no texts: set one of en, ru"):
        load("de")
