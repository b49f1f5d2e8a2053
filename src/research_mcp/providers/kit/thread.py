"""Discussions as Markdown: who said what, when, how it was received, and in reply to whom.

A thread may hold thousands of posts nested hundreds deep: it is walked without recursion, cut to a
number of posts (whole levels from the top before replies to replies), and indented only so far.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from research_mcp.core.errors import ProviderError

T = TypeVar("T")

MOST_POSTS = 200
LONGEST_POST = 20_000
"""Characters of one post in a list; the mark at its end says how many more there are."""

MOST_INDENTED = 8
"""Levels; deeper replies stand at the last one, each with the level that it really has."""


@dataclass(frozen=True, slots=True)
class Post:
    """One post: Markdown `body`, its `author`, its `date` (ISO day), further facts in words."""

    body: str
    author: str = ""
    date: str = ""
    facts: tuple[str, ...] = ()

    @property
    def head(self) -> str:
        """`**ann** · 2026-08-01 · score 4`"""
        name = one_line(self.author)
        return dotted((f"**{name}**" if name else "", self.date, *self.facts))


@dataclass(frozen=True, slots=True)
class Chosen(Generic[T]):
    """The posts of a thread that are shown, each with its level, and how many there are in all."""

    rows: list[tuple[int, T]]
    total: int

    def note(self, what: str) -> tuple[str, ...]:
        """One sentence when not all are shown."""
        shown = len(self.rows)
        return (f"{shown} of {self.total} {what} are shown",) if shown < self.total else ()


def choose(roots: Sequence[T], replies: Callable[[T], Sequence[T]], most: int = MOST_POSTS) -> Chosen[T]:
    """The first `most` posts, level by level, in the order in which a reader meets them.

    `replies` must make a tree: nobody answers himself.
    """
    found = [(0, root) for root in roots]
    below: dict[int, list[int]] = {}
    for place, (level, post) in enumerate(found):  # grows as it is walked
        for reply in replies(post):
            if len(found) < most:
                below.setdefault(place, []).append(len(found))
            found.append((level + 1, reply))
    rows = []
    stack = list(range(min(most, len(roots))))[::-1]
    while stack:
        place = stack.pop()
        rows.append(found[place])
        stack.extend(reversed(below.get(place, ())))
    return Chosen(rows, len(found))


def listed(rows: Iterable[tuple[int, Post]]) -> str:
    """A nested list, one item a post."""
    return "\n\n".join(_item(level, post) for level, post in rows)


def _item(level: int, post: Post) -> str:
    indent = "  " * min(level, MOST_INDENTED)
    head = post.head or "(no author)"
    if level > MOST_INDENTED:
        head = f"{head} · level {level + 1}"
    body = post.body or "(no text)"
    if len(body) > LONGEST_POST:
        body = f"{body[:LONGEST_POST]}\n\n(cut: {len(body) - LONGEST_POST} characters more)"
    lines = [f"- {head}", "", *(f"  {line}" for line in body.split("\n"))]
    return "\n".join((indent + line).rstrip() for line in lines)


def dotted(parts: Iterable[str]) -> str:
    """The parts that are not empty, with a dot between them."""
    return " · ".join(part for part in parts if part)


def blocks(*parts: str) -> str:
    """The parts that are not empty, with a blank line between them."""
    return "\n\n".join(part for part in parts if part)


def one_line(text: str, most: int = 100) -> str:
    """A name or a title as it can stand in a line."""
    return " ".join(text[: most * 4].split())[:most]


def counted(number: float | None, one: str, many: str = "") -> str:
    """`1 point`, `3 points`; "" when the number is not known."""
    if number is None:
        return ""
    shown = f"{number:.0f}" if number == int(number) else f"{number:.1f}"
    return f"{shown} {one if number == 1 else many or one + 's'}"


def missing(what: str, error: ProviderError) -> str:
    """The note for a part of a page that could not be had, while the rest could."""
    return f"{what} could not be read ({error.reason.value}): {error}"
