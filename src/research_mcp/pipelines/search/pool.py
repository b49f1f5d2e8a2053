"""All engines' hits as entries, one for each page: who found it, at which rank, in which words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter

from research_mcp.core.models import Hit
from research_mcp.core.url_key import url_key

TITLE_CHARS = 200
_CUT_OFF = ("...", "\u2026")


@dataclass(frozen=True, slots=True)
class Ballot:
    """One engine's list. Engines of one `family` resell one index and share its best vote."""

    engine: str
    hits: tuple[Hit, ...]
    keys: tuple[str, ...]
    family: str
    weight: float = 1.0

    @classmethod
    def of(cls, engine: str, hits: Iterable[Hit], *, family: str = "", weight: float = 1.0) -> Ballot:
        """A ballot with the identity of each hit worked out, once."""
        kept = tuple(hits)
        return cls(engine, kept, tuple(url_key(hit.url) for hit in kept), family or engine, weight)


@dataclass(slots=True)
class Copy:
    """One engine's copy of a page."""

    engine: str
    place: int
    rank: int
    hit: Hit


_PLACE = attrgetter("place")
_RANK = attrgetter("rank", "place")


@dataclass(eq=False)
class Entry:
    """One page and all copies of it. Complete before its texts are asked for.

    After twins were joined `own` are the copies of the shown url and `also` the other entries.
    """

    key: str
    copies: list[Copy] = field(default_factory=list)
    own: tuple[Copy, ...] = ()
    also: list[Entry] = field(default_factory=list)

    @cached_property
    def ranks(self) -> dict[str, int]:
        """Each engine's best rank, from 1, in pipeline order."""
        found: dict[str, int] = {}
        for copy in sorted(self.copies, key=_PLACE) if len(self.copies) > 1 else self.copies:
            found[copy.engine] = min(copy.rank, found.get(copy.engine, copy.rank))
        return found

    @property
    def best_rank(self) -> int:
        """The best rank that any engine gave."""
        return self.best.rank

    @cached_property
    def best(self) -> Copy:
        """The copy that is shown: best rank, then pipeline order."""
        return min(self.copies, key=_RANK) if len(self.copies) > 1 else self.copies[0]

    @cached_property
    def url(self) -> str:
        """The shown address, as an engine gave it; a secure one where any engine had it."""
        ordered = sorted(self.own or self.copies, key=_RANK)
        return next((c.hit.url for c in ordered if c.hit.url.startswith("https:")), ordered[0].hit.url)

    @cached_property
    def title(self) -> str:
        """The longest title that is not cut off, else the longest."""
        titles = {copy.hit.title for copy in self.copies}
        if len(titles) == 1:
            return titles.pop()
        whole = {title for title in titles if title and not title.endswith(_CUT_OFF)}
        fitting = {title for title in whole if len(title) <= TITLE_CHARS}
        return max(fitting or whole or titles, key=lambda title: (len(title), title))

    @cached_property
    def snippet(self) -> str:
        """The longest snippet."""
        snippets = {copy.hit.snippet for copy in self.copies}
        return max(snippets, key=lambda text: (len(text), text)) if len(snippets) > 1 else snippets.pop()

    @cached_property
    def date(self) -> str:
        """The earliest stated date, "" when no engine stated one."""
        return min((copy.hit.date for copy in self.copies if copy.hit.date), default="")


def pool(ballots: Sequence[Ballot]) -> dict[str, Entry]:
    """Entries by key. A page that one engine lists twice counts once, at its first rank."""
    entries: dict[str, Entry] = {}
    for place, ballot in enumerate(ballots):
        seen: set[str] = set()
        for key, hit in zip(ballot.keys, ballot.hits, strict=True):
            if key in seen:
                continue
            seen.add(key)
            entry = entries.get(key)
            if entry is None:
                entry = entries[key] = Entry(key)
            entry.copies.append(Copy(ballot.engine, place, len(seen), hit))
    return entries


def agreement(ballots: Sequence[Ballot], entries: Mapping[str, Entry]) -> dict[str, float]:
    """Per engine the share of its pages that another index family found too.

    Empty unless two families answered with something: one alone has nobody to agree with.
    """
    family = {ballot.engine: ballot.family for ballot in ballots}
    voting = [ballot for ballot in ballots if ballot.hits]
    if len({ballot.family for ballot in voting}) < 2:
        return {}
    shares = {}
    for ballot in voting:
        keys = set(ballot.keys)
        shared = sum(any(family[c.engine] != ballot.family for c in entries[key].copies) for key in keys)
        shares[ballot.engine] = shared / len(keys)
    return shares
