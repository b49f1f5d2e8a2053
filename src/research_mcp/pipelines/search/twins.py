"""Soft twins: two urls that show one page, told by their texts. Mirrors, syndicated and regional copies.

Certain twins were joined by their url key before. Words out of order prove nothing, so runs of five
words count; a headline identifies a story only if it says more than the query does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from research_mcp.pipelines.search.coverage import LOOKED_AT
from research_mcp.pipelines.search.pool import Entry
from research_mcp.pipelines.search.words import query_words, raw_words

RUN = 5
_HEADLINE = 7
_OWN_WORDS = 4
_LONG_SEGMENT = 12
_SITE_TAIL = re.compile(r"\s+[-|\u2013\u2014:\u00b7]\s+[^-|\u2013\u2014]{2,40}$")
_SEPARATORS = frozenset("-|\u2013\u2014:\u00b7")
_CUT_OFF = re.compile(r"\s*(?:\.\.\.|\u2026)\s*$")
_DOTS = ("...", "\u2026")
_AFTER_HOST = re.compile(r"[/?:#]")
_AFTER_PATH = re.compile(r"[?#]")
_EDITION = re.compile(r"[a-z]{2}(?:[-_][a-z]{2})?|.*\d.*")
"""A part of an address that tells languages, years, versions or numbers apart."""

_SECOND_LEVEL = frozenset(("co", "com", "org", "net", "gov", "ac", "edu"))


def site_of(key: str) -> str:
    """The registrable name of a url key, near enough to tell one publisher from another."""
    labels = _AFTER_HOST.split(key, maxsplit=1)[0].split(".")
    country_code = len(labels) >= 3 and len(labels[-1]) == 2 and labels[-2] in _SECOND_LEVEL
    return ".".join(labels[-3:] if country_code else labels[-2:])


@dataclass(frozen=True, slots=True)
class _Signs:
    """What an entry is compared by."""

    title: tuple[str, ...]
    runs: frozenset[int]
    """Hashes of five words each: as good as the words, and many times faster to compare."""
    site: str
    key: str
    segment: str
    steps: tuple[str, ...]
    """The labels of the host and the folders of the path."""
    query: str

    @classmethod
    def of(cls, entry: Entry) -> _Signs:
        title = entry.title.strip()
        if title.endswith(_DOTS):
            title = _CUT_OFF.sub("", title)
        if not _SEPARATORS.isdisjoint(title):
            title = _SITE_TAIL.sub("", title)
        text = raw_words(entry.snippet[:LOOKED_AT])
        runs = frozenset(map(hash, zip(*(text[at:] for at in range(RUN)), strict=False)))
        address = _AFTER_PATH.split(entry.url, maxsplit=1)[0]
        path = address.partition("://")[2].partition("/")[2]
        segment = path.rstrip("/").rpartition("/")[2].lower()
        key = entry.key.lower()
        place, _, query = key.partition("?")
        host, *folders = place.split("/")
        steps = (*host.split("."), *folders[:-1])
        return cls(tuple(raw_words(title)), runs, site_of(entry.key), key, segment, steps, query)


def join_twins(entries: Iterable[Entry], query: str) -> list[Entry]:
    """The entries with soft twins joined into the better ranked one, best rank first.

    The order of `entries` does not matter: they are taken by best rank, then by key.
    """
    asked = query_words(query)
    index = _Index()
    for entry in sorted(entries, key=lambda entry: (entry.best_rank, entry.key)):
        signs = _Signs.of(entry)
        twin = next((head for head in index.near(signs) if _same_page(signs, head.signs, asked)), None)
        if twin is None:
            index.add(_Head(signs, [entry]))
        else:
            twin.entries.append(entry)
    return [_joined(head.entries) for head in index.heads]


@dataclass(eq=False, slots=True)
class _Head:
    """A page by the signs of its best ranked entry, and all entries that show it."""

    signs: _Signs
    entries: list[Entry] = field(default_factory=list)


class _Index:
    """Heads by what they would have to share with a twin, so that not every pair is compared."""

    def __init__(self) -> None:
        self.heads: list[_Head] = []
        self._by_sign: dict[object, tuple[int, ...]] = {}

    def add(self, head: _Head) -> None:
        signs = _indexed(head.signs)
        place = (len(self.heads),)
        for sign in signs & self._by_sign.keys():
            signs.remove(sign)
            self._by_sign[sign] += place
        self._by_sign.update(dict.fromkeys(signs, place))
        self.heads.append(head)

    def near(self, signs: _Signs) -> list[_Head]:
        shared = _indexed(signs) & self._by_sign.keys()
        places = {place for sign in shared for place in self._by_sign[sign]}
        return [self.heads[place] for place in sorted(places)]


def _indexed(signs: _Signs) -> set[object]:
    indexed: set[object] = set(signs.runs)
    if signs.title:
        indexed.add(signs.title)
        indexed.add(signs.title[:_HEADLINE])
    return indexed


def _joined(entries: list[Entry]) -> Entry:
    if len(entries) == 1:
        return entries[0]
    shown, *others = sorted(entries, key=lambda entry: (entry.best.rank, entry.best.place))
    own = tuple(shown.copies)
    return Entry(shown.key, [copy for entry in (shown, *others) for copy in entry.copies], own, others)


def _same_page(a: _Signs, b: _Signs, asked: set[str]) -> bool:
    shorter = min(len(a.title), len(b.title))
    same_title = shorter >= 1 and (
        a.title == b.title or (shorter >= _HEADLINE and a.title[:shorter] == b.title[:shorter])
    )
    if same_title and a.site == b.site:
        segment = a.segment == b.segment and len(a.segment) >= _LONG_SEGMENT and not _editions(a, b)
        if a.key == b.key or (shorter >= RUN and segment):
            return True
    elif a.title == b.title and shorter >= _HEADLINE and _own_words(a.title, asked) >= _OWN_WORDS:
        return True
    fewer = min(len(a.runs), len(b.runs))
    shared = len(a.runs & b.runs) / fewer if fewer else 0.0
    return (same_title and shorter >= RUN and shared >= 0.3) or (
        a.site != b.site and fewer >= 8 and shared >= 0.6
    )


def _editions(a: _Signs, b: _Signs) -> bool:
    """True for two addresses that differ in a language, a year, a number or what their queries select."""
    if a.query and b.query and a.query != b.query:
        return True
    if len(a.steps) != len(b.steps):
        return False
    pairs = [pair for pair in zip(a.steps, b.steps, strict=True) if pair[0] != pair[1]]
    return bool(pairs) and all(_EDITION.fullmatch(step) for pair in pairs for step in pair)


def _own_words(title: tuple[str, ...], asked: set[str]) -> int:
    return len({word for word in query_words(" ".join(title)) if len(word) > 2} - asked)
