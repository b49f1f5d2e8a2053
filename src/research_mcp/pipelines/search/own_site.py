"""The own site of what a question names: `fastapi` for fastapi.tiangolo.com, `scikit learn` for its domain.

Told from names alone, so it is careful. The question must be short or ask for what makers tell (manuals,
prices, releases), and compare nothing; the page must show half of its words, of a short question most; on
hosts where anybody may publish only the host's own manuals count.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

from research_mcp.pipelines.search.coverage import coverage
from research_mcp.pipelines.search.pool import Entry
from research_mcp.pipelines.search.words import STOP_WORDS, query_words, raw_words

WITHIN = 3
"""The place that an own site has at least."""

SHOWN = 0.5
SHOWN_OF_SHORT = 0.75
"""The part of the question's words that its page must show (by coverage: a word counts 0.6 in a snippet)."""

SHORT = 3
"""Words, without stop words, of a question that is likely to be little more than a name."""

_SHORTEST_NAME = 3
_ASKS_THE_MAKER = re.compile(
    r"\b(?:official|homepage|website|docs?|documentation|manual|reference|api|sdk|cli|install\w*|setup"
    r"|config\w*|tutorial|quickstart|getting started|changelog|release notes?|releases?|versions?|migrat\w*"
    r"|upgrade|pricing|prices?|plans?|log ?in|sign ?(?:in|up)|download|status|support|contact|licen[cs]e"
    r"|plugin|library|framework|package|function|class|method|option|parameter|error|exception)\b"
    r"|\b(?:официальн|документаци|справочник|установ|настро|скачать|цен[аы]\b|тариф|вход\b|поддержк)",
    re.IGNORECASE,
)
_COMPARES = re.compile(
    r"\b(?:vs|versus|compared?|comparison|alternatives?|instead of|better than|difference|best|top)\b"
    r"|\b(?:сравнени|против|альтернатив|лучши|вместо)",
    re.IGNORECASE,
)
_OPEN_TO_ALL = frozenset(
    "amazon bsky facebook fandom github gitlab google instagram linkedin medium pinterest quora reddit"  # noqa: SIM905
    " stackexchange stackoverflow substack telegram tiktok tumblr twitter vimeo vk whatsapp wikipedia"
    " wordpress x youtube".split()
)
_MANUALS = frozenset(("docs", "developer", "developers", "help", "support", "learn"))


def names_in(query: str) -> frozenset[str]:
    """What may be names in `query`: its words, and each two neighbours as one."""
    words = raw_words(query)
    single = {word for word in words if len(word) >= _SHORTEST_NAME and word not in STOP_WORDS}
    pairs = {first + second for first, second in pairwise(words)}
    return frozenset(name for name in single | pairs if not name.isdigit())


def own_place(query: str, entries: Sequence[Entry]) -> int | None:
    """The place (from 0) of the first page on an own site; None when there is none."""
    is_own = own_check(query)
    return next((n for n, e in enumerate(entries) if is_own(e.key, e.title, e.snippet)), None)


def own_check(query: str) -> Callable[[str, str, str], bool]:
    """Tells of a page (url key, title, snippet) whether it is on an own site of what `query` names."""
    asked = query_words(query)
    least = SHOWN if _ASKS_THE_MAKER.search(query) else SHOWN_OF_SHORT
    vague = _COMPARES.search(query) or (least == SHOWN_OF_SHORT and len(asked) > SHORT)
    names = frozenset() if vague else names_in(query)
    return lambda key, title, snippet: _bears(key, names) and coverage(asked, title, snippet) >= least


def _bears(key: str, names: frozenset[str]) -> bool:
    host = key.partition("/")[0].partition(":")[0]
    labels = [label.replace("-", "") for label in host.split(".")[:-1]]
    if not _OPEN_TO_ALL.isdisjoint(labels) and _MANUALS.isdisjoint(labels):
        return False
    return not names.isdisjoint(labels)
