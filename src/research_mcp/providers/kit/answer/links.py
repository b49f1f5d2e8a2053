"""Web addresses as models write them into prose: bare, in brackets, as cards and as calls.

Every pattern is possessive or stops at the next opening bracket, so the time is linear whatever the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from research_mcp.core.answers import Citation
from research_mcp.core.url_key import url_key

MOST_SOURCES = 500
"""What comes on top of these is left in the text as it stands."""

TITLE_CHARS = 300
SNIPPET_CHARS = 300
_MOST_NOTES = 2_000

_STOP = r"\s<>\"`\[\]{}|\\^，。、；：！？》）】」』"
_HTTP = "[hH][tT][tT][pP][sS]?://"  # spelt out, because that is found several times faster
URL = re.compile(rf"{_HTTP}[^{_STOP}]++")
_TARGET = rf"\(\s*<?({_HTTP}(?:[^{_STOP}()]++|\([^{_STOP}()]*+\))*+)>?(?:\s+\"[^\"\n]{{0,300}}\")?\s*\)"
LINK = re.compile(rf"(!?)\[((?:\[\^?[^\[\]]{{0,300}}\])|[^\[\]]{{0,300}})\]{_TARGET}")
# each begins with its bracket and looks back after it: found many times faster
MARK = re.compile(rf"\[\[(?<![\[!]\[\[)\^?(\d{{1,4}})\^?\]\]{_TARGET}")
PLAIN_MARK = re.compile(r"\[(?<![\w\]\[]\[)\d{1,3}\](?![(\[:])")
_TRAILING = ".,;:!?*_'~"
_QUOTED = re.compile(r"\"((?:[^\"\\\n]|\\.)*+)\"|'((?:[^'\\\n]|\\.)*+)'")


class Link(NamedTuple):
    """A web address and the words beside it, at `start` of the text."""

    start: int
    url: str
    title: str


def links(text: str) -> Iterator[Link]:
    """Every address in `text` in order, pictures left out. Titles that are only numbers are ""."""
    if "://" not in text:
        return iter(())
    found: list[Link] = []
    covered: list[tuple[int, int]] = []
    for match in LINK.finditer(text):
        covered.append(match.span())
        if not match[1]:
            found.append(Link(match.start(), match[3], plain_title(match[2])))
    spans = iter(covered)
    span = next(spans, None)
    for match in URL.finditer(text):
        while span and span[1] <= match.start():
            span = next(spans, None)
        if not (span and span[0] <= match.start()):
            found.append(Link(match.start(), trimmed(match[0]), ""))
    return iter(sorted(found))


def trimmed(url: str) -> str:
    """`url` without the sentence's own end: closing brackets that it did not open, full stops."""
    depth = 0
    for place, char in enumerate(url):
        if char == "(":
            depth += 1
        elif char == ")":
            depth -= 1
            if depth < 0:
                url = url[:place]
                break
    return url.rstrip(_TRAILING)


def plain_title(text: str) -> str:
    """A title worth showing: "" for numbers, single characters and addresses."""
    title = " ".join(text.strip().strip("[]^*_`\"' ").split())[:TITLE_CHARS]
    if len(title) < 2 or title.isdigit() or URL.match(title):
        return ""
    return title


def strings(text: str) -> list[str]:
    """The quoted strings in `text`."""
    return [first or second for first, second in _QUOTED.findall(text)]


def without_strings(text: str) -> str:
    """`text` with nothing in the place of its quoted strings."""
    return _QUOTED.sub(" ", text)


class Sources:
    """The addresses of one answer in order of appearance, each once; spelling twins count as one."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._by_key: dict[str, int] = {}
        self._kept: list[Citation] = []

    def add(self, url: str, title: str = "", snippet: str = "") -> int:
        """The number of `url` from 1; 0 when there is no room for another. Fills in what is missing;
        what several list lines say about one address is joined."""
        number = self._numbers.get(url)
        if number is None:
            if len(self._kept) == MOST_SOURCES:
                return 0
            number = self._by_key.setdefault(url_key(url), len(self._kept) + 1)
            self._numbers[url] = number
            if number > len(self._kept):
                self._kept.append(Citation(url))
        kept = self._kept[number - 1]
        best = kept.title or title
        if snippet == best or snippet in kept.snippet or len(kept.snippet) > _MOST_NOTES:
            snippet = ""
        notes = " · ".join(filter(None, (kept.snippet, snippet)))
        self._kept[number - 1] = Citation(kept.url, best, notes)
        return number

    def all(self) -> tuple[Citation, ...]:
        """All of them, in the order of their numbers."""
        return tuple(self._kept)
