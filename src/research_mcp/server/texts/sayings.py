"""Sentences that the layers below make, in the language of the model.

Those layers know no texts: they state what happened as one English sentence with values in it. A
language lists such sentences with named fields in place of the values, and its own words for each;
what it does not list, such as a vendor's own words, stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache, partial

from research_mcp.server.texts.sayings_ru import SAYINGS_RU

LONGEST = 500
"""Characters from which on a sentence is not looked up: it is mostly somebody else's words."""

_DEEPEST = 3
_FIELD = re.compile(r"\\\{(\w+)\\\}")
_NUMBERS = ("all", "count", "limit", "minutes", "most", "port", "seconds", "status", "undated", "used")
_WORDS = (
    "engine",
    "filter",
    "host",
    "instance",
    "kind",
    "mapper",
    "model",
    "option",
    "period",
    "range",
    "reason",
    "results",
)
_SHAPES: Mapping[str, str] = {
    **dict.fromkeys(_NUMBERS, r"[\d.,]+"),
    **dict.fromkeys(_WORDS, r"[\w.:\[\]-]+"),
    "host": r"[\w.:\[\]-]+|the site",
    "url": r"\S+",
    "name": r"[^.:;][^:;]{0,99}?",
}
"""What the value of a field looks like; that of any other is any text."""

_SAYINGS: Mapping[str, Mapping[str, str]] = {"ru": SAYINGS_RU}

Said = Callable[[str], str]


def sayings(language: str) -> Said:
    """What tells a sentence of the layers below in `language`."""
    return partial(_told, _patterns(language)) if language in _SAYINGS else str


@cache
def _patterns(language: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((_pattern(english), words) for english, words in _SAYINGS[language].items())


def _pattern(english: str) -> re.Pattern[str]:
    def shaped(field: re.Match[str]) -> str:
        return f"(?P<{field[1]}>{_SHAPES.get(field[1], '.+?')})"

    return re.compile(_FIELD.sub(shaped, re.escape(english)), re.DOTALL)


def _told(patterns: tuple[tuple[re.Pattern[str], str], ...], sentence: str, depth: int = 0) -> str:
    bare = sentence.removesuffix(".")
    if not bare or len(sentence) > LONGEST or depth > _DEEPEST:
        return sentence
    for pattern, words in patterns:
        if found := pattern.fullmatch(bare):
            values = {name: _told(patterns, value, depth + 1) for name, value in found.groupdict().items()}
            return words.format(**values) + ("." if sentence != bare else "")
    if bare[0].isupper():  # a note begins with a capital what else stands inside a sentence
        small = bare[0].lower() + bare[1:]
        told = _told(patterns, small, depth + 1)
        if told != small:
            return told[0].upper() + told[1:] + ("." if sentence != bare else "")
    return sentence
