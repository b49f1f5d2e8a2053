"""Cutting a long page on purpose: slices without gap or overlap, and an outline to jump by. Pure."""

from __future__ import annotations

import bisect
import itertools
import re
from dataclasses import dataclass
from typing import NamedTuple

_NEAR = 0.2
"""A boundary in the last fifth of a slice is near enough to cut there."""

MOST_HEADINGS = 100
"""An outline with more entries loses its deepest levels first."""

_LOOKED_AT = 5_000
"""No honest page has more headings; the rest of a hostile one is not worth the time."""

_FENCE = re.compile(r"(?m)^ {0,3}(`{3,}|~{3,})([^\n]*)$")
_HEADING = re.compile(r"(?m)^ {0,3}(?:(#{1,6})[ \t]+(\S[^\n]*)|(\w[^\n]*)\n(?:(=)=*|--+)[ \t]*$)")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*\)")
_TITLE_LENGTH = 120


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading and the character offset of its line: `start` of a later read."""

    level: int
    title: str
    start: int


class _Block(NamedTuple):
    """A code block from its opening line to the end of its closing one."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Cut:
    """A slice of a page. `next_start` is None when it reaches the end; `total` are all characters.

    The slices that follow each other's `next_start` make up the page exactly.
    """

    text: str
    start: int
    next_start: int | None
    total: int
    outline: tuple[Heading, ...] = ()


def cut(markdown: str, start: int = 0, max_chars: int = 0) -> Cut:
    """At most `max_chars` characters from `start` on (0: all of them).

    Ends at a paragraph, a line or a word where one is near, outside code blocks if it can; the
    outline is given when something is left out. `start` beyond the end gives an empty last slice.
    """
    total = len(markdown)
    start = min(max(start, 0), total)
    if max_chars <= 0 or total - start <= max_chars:
        outline = headings(markdown) if start else ()
        return Cut(markdown[start:], start, None, total, outline)
    blocks = _code_blocks(markdown)
    end = _boundary(markdown, start, start + max_chars, blocks)
    outline = _headings(markdown, blocks)
    return Cut(markdown[start:end], start, end, total, outline)


def headings(markdown: str) -> tuple[Heading, ...]:
    """The headings outside code blocks, both spellings, at most `MOST_HEADINGS` of them."""
    return _headings(markdown, _code_blocks(markdown))


def _headings(markdown: str, blocks: list[_Block]) -> tuple[Heading, ...]:
    found = []
    for match in itertools.islice(_HEADING.finditer(markdown), _LOOKED_AT):
        marks, title, underlined, double = match.groups()
        if not _block_around(match.start() + 1, blocks):
            level = len(marks) if marks else 1 if double else 2
            found.append(Heading(level, _plain(title or underlined), match.start()))
    deepest = 6
    while deepest > 1 and len(found) > MOST_HEADINGS:
        deepest -= 1
        found = [heading for heading in found if heading.level <= deepest] or found
    return tuple(found[:MOST_HEADINGS])


def _plain(title: str) -> str:
    text = _LINK.sub(r"\1", title[: _TITLE_LENGTH * 4]).rstrip().rstrip("#").rstrip()
    return text[:_TITLE_LENGTH]


def _code_blocks(markdown: str) -> list[_Block]:
    """Fenced blocks in order; one that is never closed lasts to the end."""
    blocks: list[_Block] = []
    opening: re.Match[str] | None = None
    for match in _FENCE.finditer(markdown):
        if opening is None:
            opening = match
        elif match[1].startswith(opening[1]) and not match[2].strip():
            blocks.append(_Block(opening.start(), match.end()))
            opening = None
    if opening is not None:
        blocks.append(_Block(opening.start(), len(markdown) + 1))
    return blocks


def _block_around(at: int, blocks: list[_Block]) -> _Block | None:
    """The code block that a cut at `at` would tear."""
    place = bisect.bisect_left(blocks, at, key=lambda block: block.first) - 1
    return blocks[place] if place >= 0 and at < blocks[place].last else None


def _boundary(markdown: str, start: int, limit: int, blocks: list[_Block]) -> int:
    """The best place to end a slice in (start, limit]."""
    near = max(start + 1, limit - int((limit - start) * _NEAR))
    for mark in ("\n\n", "\n"):
        found = markdown.rfind(mark, max(0, near - len(mark)), limit)
        while found >= 0 and (end := found + len(mark)) >= near:
            block = _block_around(end, blocks)
            if block is None:
                return end
            if block.first >= near:
                return block.first
            found = markdown.rfind(mark, max(0, near - len(mark)), block.first)
    for mark in ("\n", " "):
        found = markdown.rfind(mark, near - 1, limit)
        if found >= 0:
            return found + 1
    return limit
