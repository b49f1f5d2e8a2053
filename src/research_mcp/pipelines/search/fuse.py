"""The merge: many lists in, one ranked list out. Pure and deterministic.

Reciprocal ranks with k = 60, one vote for each index family, engines weighted by how often others
confirm them, and the query's words as one more voter with half the engines' say. The order of the
engines changes nothing but ties, and whose copy of a page is shown.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from research_mcp.core.models import MergedHit
from research_mcp.core.url_key import url_key
from research_mcp.pipelines.search.coverage import coverage, positions
from research_mcp.pipelines.search.filters import NOBODY_PREFERRED, Preferred
from research_mcp.pipelines.search.hosts import NO_RULES, HostRule, HostRules, Wish
from research_mcp.pipelines.search.own_site import WITHIN, own_place
from research_mcp.pipelines.search.pool import Ballot, Entry
from research_mcp.pipelines.search.scripts import in_script_of
from research_mcp.pipelines.search.twins import join_twins
from research_mcp.pipelines.search.words import query_words

K = 60
_MOVED = {Wish.PIN: "pinned", Wish.RAISE: "raised", Wish.LOWER: "lowered", Wish.REMOVE: "removed"}
TEXT_SHARE = 0.5
"""The text vote's part of the engines' summed weight: a voter, never the judge."""

PREFERRED = 2.0
"""What the votes of a page count on a domain that the caller prefers: as if twice as many had found it."""

SNIPPET_CHARS = 600
_DIGITS = 12
"""Sums are rounded here, so that votes which differ only in the order of adding tie."""


@dataclass(frozen=True, slots=True)
class _Wishes:
    """The owner's rule about a page's host, and whether the caller prefers its domain."""

    rule: HostRule | None
    preferred: bool

    @property
    def factor(self) -> float:
        """What multiplies the page's votes."""
        return (self.rule.wish.value if self.rule else 1.0) * (PREFERRED if self.preferred else 1.0)


@dataclass(frozen=True, slots=True)
class Likes:
    """What decides between results beside votes: the asked language, newness, the owner's rules, and the
    domains that the caller prefers."""

    language: str = ""
    newer_first: bool = False
    rules: HostRules = NO_RULES
    preferred: Preferred = NOBODY_PREFERRED

    def wishes(self, key: str, url: str) -> _Wishes:
        """What the owner and the caller wish about a page."""
        return _Wishes(self.rules.rule(key), self.preferred.covers(key, url))

    def reordered(self, hits: Sequence[MergedHit]) -> list[MergedHit]:
        """`hits` as if their order were one more engine's: the wishes move pages in it too."""
        wishes = (self.wishes(url_key(hit.url), hit.url) for hit in hits)
        scored = [
            (wish.factor / (K + n), hit) for n, (wish, hit) in enumerate(zip(wishes, hits, strict=True), 1)
        ]
        return [hit for _, hit in sorted(scored, key=lambda pair: -pair[0])]


NO_LIKES = Likes()


@dataclass(frozen=True, slots=True)
class _Tally:
    """One entry with its votes."""

    entry: Entry
    votes: float
    text_place: int
    wishes: _Wishes
    own_site: bool = False

    @property
    def score(self) -> float:
        """The votes, as the wishes move them."""
        return self.votes * self.wishes.factor


def fuse(
    query: str, ballots: Sequence[Ballot], entries: Sequence[Entry], likes: Likes = NO_LIKES
) -> list[MergedHit]:
    """The whole list, best first. `entries` are those of `ballots` that may be shown."""
    joined = join_twins(entries, query)
    family_of = {ballot.engine: ballot.family for ballot in ballots}
    weight_of = {ballot.engine: ballot.weight for ballot in ballots}
    weights: dict[str, float] = {}
    for ballot in ballots:
        weights[ballot.family] = max(ballot.weight, weights.get(ballot.family, 0.0))
    text_weight = TEXT_SHARE * math.fsum(weights.values())
    places = _text_places(query, joined)
    tallies = []
    for entry, place in zip(joined, places, strict=True):
        said: dict[str, float] = {}
        for engine, rank in entry.ranks.items():
            family = family_of[engine]
            said[family] = max(weight_of[engine] / (K + rank), said.get(family, 0.0))
        text = text_weight / (K + place) if place else 0.0
        votes = round(math.fsum((*said.values(), text)), _DIGITS)
        tallies.append(_Tally(entry, votes, place, likes.wishes(entry.key, entry.url)))
    tallies.sort(key=_order(likes))
    return [_shown(tally) for tally in _own_site_up(query, tallies)]


def _own_site_up(query: str, tallies: list[_Tally]) -> list[_Tally]:
    """The own site of what the question names within the first places; the owner's rules come before."""
    own = own_place(query, [tally.entry for tally in tallies])
    pinned = sum((rule := tally.wishes.rule) is not None and rule.wish is Wish.PIN for tally in tallies)
    to = max(WITHIN - 1, pinned)
    if own is None or own <= to or tallies[own].wishes.rule:
        return tallies
    lifted = replace(tallies[own], own_site=True)
    return [*tallies[:to], lifted, *tallies[to:own], *tallies[own + 1 :]]


def _text_places(query: str, entries: Sequence[Entry]) -> list[int]:
    """The place of each entry by term coverage, all 0 when the query has no words to look for."""
    asked = query_words(query)
    if not asked:
        return [0] * len(entries)
    return positions([round(coverage(asked, e.title, e.snippet), _DIGITS) for e in entries])


def _order(likes: Likes) -> Callable[[_Tally], tuple[object, ...]]:
    """Votes, then language, newness (only when asked for), best single rank, pipeline order, key."""

    def key(tally: _Tally) -> tuple[object, ...]:
        entry = tally.entry
        foreign = not in_script_of(likes.language, f"{entry.title} {entry.snippet}")
        age = tuple(-ord(char) for char in entry.date) or (1,) if likes.newer_first else ()
        return (-tally.score, foreign, age, entry.best_rank, entry.best.place, entry.key)

    return key


def _shown(tally: _Tally) -> MergedHit:
    entry = tally.entry
    also = dict.fromkeys(twin.url for twin in entry.also)
    return MergedHit(
        title=entry.title,
        url=entry.url,
        snippet=_cut(entry.snippet),
        date=entry.date,
        engines=dict(entry.ranks),
        also_at=tuple(url for url in also if url != entry.url),
        moved=_moved(tally),
        why=_why(tally),
    )


def _why(tally: _Tally) -> str:
    ranks = ", ".join(f"{engine} #{rank}" for engine, rank in tally.entry.ranks.items())
    text = f"; text match #{tally.text_place}" if tally.text_place else ""
    moved = f"; {_moved(tally)}" if _moved(tally) else ""
    return f"votes {tally.votes:.4f}: {ranks}{text}{moved}"


def _moved(tally: _Tally) -> str:
    said = []
    if rule := tally.wishes.rule:
        said.append(f"{_MOVED[rule.wish]} by {rule.source or 'the owner'}")
    if tally.wishes.preferred:
        said.append("raised by prefer_domains")
    if tally.own_site:
        said.append("lifted as the own site of what is asked about")
    return "; ".join(said)


def _cut(text: str) -> str:
    if len(text) <= SNIPPET_CHARS:
        return text
    head = text[:SNIPPET_CHARS]
    return (head.rsplit(" ", 1)[0] if " " in head[SNIPPET_CHARS // 2 :] else head) + "\u2026"
