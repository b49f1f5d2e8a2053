"""The last resort for pages that no parser should touch: their plain text, in linear time."""

from __future__ import annotations

import html as entities
import re
from dataclasses import dataclass, field

from research_mcp.extract.hidden.sheets import Sheet
from research_mcp.extract.hidden.styles import (
    WHITE,
    Declarations,
    alike,
    colour_of,
    declarations,
    has_background,
    hiding,
)
from research_mcp.extract.html.tags import BLOCK_TAGS
from research_mcp.extract.tokens import RAW_TEXT, VOID, attributes, tags, text_between

MOST_TAGS = 400_000
MOST_TEXT = 4_000_000
_UNSEEN = frozenset({"template", "svg", "object", "noscript", "dialog", "select", "nav", "button"})
_ENDED_BY_ITSELF = frozenset({"p", "li", "td", "th", "tr", "dt", "dd", "option"})
_LINES = BLOCK_TAGS | {"br"}
_STYLE = re.compile(r"<style\b[^<>]*+>([^<]*+)", re.IGNORECASE)
_MAY_HIDE = re.compile(r"\b(?:style|hidden|class|id)\b", re.IGNORECASE)
_ONE_NAME = re.compile(r"[.#][\w-]+")
_NAME = re.compile(r"[.#]?[\w-]+")
_COMPOUND = re.compile(r"[\w-]*(?:[.#][\w-]+)*")
_EXTERNAL_SHEET = re.compile(r"<link\b[^<>]*\bstylesheet", re.IGNORECASE)
_CLASSES = frozenset({".sr-only", ".visually-hidden", ".visuallyhidden", ".screen-reader-text"})
_BLANK_LINES = re.compile(r"\n{3,}")


@dataclass(frozen=True, slots=True)
class PlainText:
    """Words in reading order, a line for each block. `cut` when the page was too big even for this."""

    text: str = field(repr=False)
    title: str = ""
    cut: bool = False


def plain_text(html: str) -> PlainText:
    """Text without a tree: hidden elements left out as far as their own tag tells."""
    return _Reader(html).read()


class _Reader:
    def __init__(self, html: str) -> None:
        self._html = html
        self._pieces: list[str] = []
        self._title = ""
        self._skipped = ""  # name of the unseen element the reader is in
        self._nested = 0
        sheet = Sheet(_STYLE.findall(html))
        used = frozenset(
            name[1:].lower() for rule in sheet.rules for name in _ONE_NAME.findall(rule.selectors)
        )
        self._unseen = [
            frozenset(_NAME.findall(selector))
            for selector, _ in sheet.hiding(used)
            if _COMPOUND.fullmatch(selector)
        ]
        self._white_paper = not _EXTERNAL_SHEET.search(html)

    def read(self) -> PlainText:
        at, size, cut, raw = 0, 0, False, ""
        for count, (name, start, end, written) in enumerate(tags(self._html)):
            if count >= MOST_TAGS or size >= MOST_TEXT:
                cut = True
                break
            if start > at:
                size += self._text(at, start, raw)
            at, raw = end, name if name in RAW_TEXT else ""
            self._step(name, written)
        if not cut:
            self._text(at, len(self._html), raw)
        lines = entities.unescape("".join(self._pieces)).split("\n")
        text = "\n".join(" ".join(line.split()) for line in lines)
        return PlainText(_BLANK_LINES.sub("\n\n", text).strip(), self._title, cut)

    def _text(self, start: int, end: int, raw: str) -> int:
        """Take the text of a place between tags; how much it was."""
        if raw == "title" and not self._title:
            self._title = " ".join(entities.unescape(self._html[start:end]).split())
        if raw or self._skipped:
            return 0
        self._pieces.append(text_between(self._html, start, end).replace("\n", " "))
        return end - start

    def _step(self, name: str, written: str) -> None:
        plain = name.removeprefix("/")
        if self._skipped:
            self._step_inside(name, plain)
        elif name == plain and name not in VOID and name not in RAW_TEXT and self._is_unseen(name, written):
            self._skipped, self._nested = name, 1
        if plain in _LINES:
            self._pieces.append("\n")

    def _step_inside(self, name: str, plain: str) -> None:
        if plain != self._skipped:
            return
        if name != plain or plain in _ENDED_BY_ITSELF:
            self._nested -= 1
        else:
            self._nested += 1
        if self._nested <= 0:
            self._skipped = ""

    def _is_unseen(self, name: str, written: str) -> bool:
        if name in _UNSEEN:
            return True
        if not written or not _MAY_HIDE.search(written):
            return False
        given = attributes(written[:4_000])
        names = {name, "#" + given.get("id", "")} | {f".{word}" for word in given.get("class", "").split()}
        if "hidden" in given or names & _CLASSES or any(unseen <= names for unseen in self._unseen):
            return True
        style = declarations(entities.unescape(given.get("style", "")))
        return hiding(style) is not None or (self._white_paper and _white_alone(style))


def _white_alone(style: Declarations) -> bool:
    colour = colour_of(style.get("color", ""))
    return colour is not None and alike(colour, WHITE) and not has_background(style)
