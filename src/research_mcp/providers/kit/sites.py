"""Domain filters as words of the query, for engines that know `site:` and `-site:`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from research_mcp.core.models import Filter, SearchQuery
from research_mcp.providers.kit.shape import cut_words

MOST_FOR_SITES = 250
"""Characters of the query that these words may take; further domains are left to the merge."""


class SiteQuery(NamedTuple):
    """The query's text with its domains, and the filters that did not fit in full."""

    text: str
    missing: frozenset[Filter] = frozenset()


def with_sites(query: SearchQuery, most: int, most_words: int = 0) -> SiteQuery:
    """The query's text and a word for each domain, within `most` characters (and `most_words`).

    `moss (site:a.example OR site:b.example) -site:c.example`
    """
    include, all_in = _fitting((f"site:{domain}" for domain in query.include_domains), MOST_FOR_SITES, " OR ")
    words = [f"({' OR '.join(include)})"] if len(include) > 1 else include
    room = MOST_FOR_SITES - sum(len(word) + 1 for word in words)
    exclude, all_out = _fitting((f"-site:{domain}" for domain in query.exclude_domains), room, " ")
    sites = " ".join(words + exclude)
    missing = [(Filter.INCLUDE_DOMAINS, all_in), (Filter.EXCLUDE_DOMAINS, all_out)]
    lacking = frozenset(name for name, fits in missing if not fits)
    if not sites:
        return SiteQuery(query.text, lacking)
    words_left = max(1, most_words - len(sites.split())) if most_words else 0
    return SiteQuery(f"{cut_words(query.text, most - len(sites) - 1, words_left)} {sites}", lacking)


def _fitting(words: Iterable[str], room: int, between: str) -> tuple[list[str], bool]:
    """The first words that fit, and whether that is all of them."""
    kept: list[str] = []
    for word in words:
        room -= len(word) + len(between)
        if room < 0:
            return kept, False
        kept.append(word)
    return kept, True
