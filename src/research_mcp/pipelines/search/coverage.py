"""Term coverage: how many of the query's words a result shows. One voter of the merge, never the judge."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from urllib.parse import unquote

from research_mcp.core.models import Hit
from research_mcp.pipelines.search.words import query_words, raw_words, words

LOOKED_AT = 600
"""Characters of a snippet that count: longer ones would only measure how talkative an engine is."""

IN_TITLE = 1.0
IN_SNIPPET = 0.6
_ALIKE = 0.7
_MOST_WORDS_COMPARED = 500


def coverage(asked: set[str], title: str, snippet: str) -> float:
    """Per word of the query 1 in the title, 0.6 in the snippet; the mean of that, 0 without words."""
    if not asked:
        return 0.0
    in_title = asked & words(title)
    missing = asked - in_title
    in_snippet = missing & words(snippet[:LOOKED_AT]) if missing else set()
    return (IN_TITLE * len(in_title) + IN_SNIPPET * len(in_snippet)) / len(asked)


def positions(scores: Sequence[float]) -> list[int]:
    """The place of each score from 1, best first; equal scores share the best place."""
    first: dict[float, int] = {}
    for place, score in enumerate(sorted(scores, reverse=True), start=1):
        first.setdefault(score, place)
    return [first[score] for score in scores]


def off_topic(query: str, hits: Iterable[Hit]) -> bool:
    """True when a list shares nothing with the query: some engines answer nonsense with a stale page.

    A word of another script is no evidence (engines translate), nor is one that was only misspelt.
    """
    asked = query_words(query)
    texts = []
    found: set[str] = set()
    for hit in hits:
        texts.append(f"{hit.title} {hit.snippet[:LOOKED_AT]} {unquote(hit.url)}")
        found |= words(texts[-1])
        if asked & found:  # with most lists after the first hit
            return False
    if not asked or not found:
        return False
    shown = " ".join(texts)
    if any(word.isascii() for word in asked) != any(word.isascii() for word in found):
        return False
    plain = shown.lower()
    if any(word in plain for word in asked):
        return False
    seen = list(dict.fromkeys(raw_words(shown)))[:_MOST_WORDS_COMPARED]
    return not any(difflib.get_close_matches(word, seen, 1, _ALIKE) for word in asked)
