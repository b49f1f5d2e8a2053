"""The Markdown of a document as it grows: what was added before a limit hit stays."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import groupby

from research_mcp.extract.escape import escape, escape_line
from research_mcp.extract.html.inline import wrap
from research_mcp.extract.html.links import Links

MOST_TEXT = 2_000_000
"""Characters after which reading stops."""
_SPACES = re.compile(r"[ \t]+")
_NOWHERE = Links("")
"""Documents hold no addresses that are relative to their own."""


class Full(Exception):
    """The draft holds as much text as a worker may send."""


@dataclass(slots=True)
class Draft:
    """Blocks of Markdown and the facts that the document states. Notes are whole sentences."""

    title: str = ""
    author: str = ""
    date: str = ""
    language: str = ""
    cut: str = ""
    notes: list[str] = field(default_factory=list)
    empty: bool = True
    _blocks: list[tuple[str, bool]] = field(default_factory=list)
    _size: int = 0

    def add(self, block: str, *, item: bool = False, frame: bool = False) -> None:
        """One more block; items of a list stand close together. Raises `Full`.

        A frame is a heading of ours, such as a slide's number: alone it is no text.
        """
        if not block.strip():
            return
        self.empty = self.empty and frame
        self._blocks.append((block, item))
        self._size += len(block)
        if self._size > MOST_TEXT:
            raise Full

    def markdown(self) -> str:
        """All blocks so far."""
        parts: list[str] = []
        before = False
        for block, item in self._blocks:
            if parts:
                parts.append("\n" if item and before else "\n\n")
            parts.append(block)
            before = item
        return "".join(parts)


@dataclass(frozen=True, slots=True)
class Run:
    """A piece of text of one look. `raw` text is Markdown already."""

    text: str
    bold: bool = False
    italic: bool = False
    struck: bool = False
    href: str = ""
    raw: bool = False

    @property
    def look(self) -> tuple[bool, bool, bool, bool]:
        """What runs share that are written as one."""
        return self.bold, self.italic, self.struck, self.raw


def write(runs: Iterable[Run], *, plain: bool = False) -> str:
    """Runs as one paragraph of Markdown. `plain` leaves emphasis out, as in a heading."""
    pieces = []
    for href, linked in groupby(runs, lambda run: run.href):
        text = "".join(_emphasised(look, list(same), plain) for look, same in groupby(linked, _look))
        pieces.append(_linked(text, href) if href else text)
    text = _SPACES.sub(" ", "".join(pieces).replace("\u00a0", " "))
    lines = [escape_line(line.strip()) for line in text.split("\n") if line.strip()]
    return " ".join(lines) if plain else "  \n".join(lines)


def _look(run: Run) -> tuple[bool, bool, bool, bool]:
    return run.look


def _emphasised(look: tuple[bool, bool, bool, bool], runs: list[Run], plain: bool) -> str:
    bold, italic, struck, raw = look
    text = "".join(run.text for run in runs)
    text = text if raw else escape(text)
    for sign, shown in (("*", italic), ("**", bold), ("~~", struck)):
        if shown and (not plain or sign == "~~"):
            text = wrap(text, sign, sign)
    return text


def _linked(text: str, href: str) -> str:
    core = text.strip()
    if not core:
        return text
    shown = _NOWHERE.render(core.replace("\n", " "), href)
    return text[: len(text) - len(text.lstrip())] + shown + text[len(text.rstrip()) :]
