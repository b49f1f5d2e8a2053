"""A model's text parted into prose and sources. Pure, and linear in the length of the text.

Source lists in any of the usual forms go (under a heading, in `<details>`, as a call, as lines at the
end), citation cards and `[[1]](url)` become `[n]`, the n-th of the sources. Prose is never deleted: what
is not certain to be a list of addresses stays, as does anything inside code. Parting the result again
changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from research_mcp.core.answers import Citation
from research_mcp.providers.kit.answer.code import Code
from research_mcp.providers.kit.answer.links import MARK, PLAIN_MARK, Sources, links
from research_mcp.providers.kit.answer.lists import call_lists, cards, details, listed_lines

UNTERMINATED = "unterminated_reasoning: a reasoning block that never ended was found"

_MOST_ROUNDS = 8
"""One form may hide another; two or three rounds end every text that was not made to last longer."""

_MOST_THOUGHTS = 20
_BLANK_LINES = re.compile(r"(?:[ \t\r]*+\n)*+")
_THINK = re.compile(r"<(/?)think(?:ing)?>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Parted:
    """Prose, and the sources that its `[n]` count from 1. `marked`: the text named sources as sources
    (a list, cards, numbered links), not just by linking words; `numbered`: by the latter two. `cut_off`: it
    ended inside reasoning."""

    content: str
    sources: tuple[Citation, ...] = ()
    marked: bool = False
    numbered: bool = False
    cut_off: bool = False
    warnings: tuple[str, ...] = ()


def part(text: str) -> Parted:
    """Part `text` into prose and sources."""
    return _Parting().run(text)


class _Parting:
    def __init__(self) -> None:
        self._sources = Sources()
        self._cut_off = False
        self._stray = False
        self._marked = False
        self._counted = False

    def run(self, text: str) -> Parted:
        text = text.replace("\r\n", "\n")
        for _ in range(_MOST_ROUNDS):
            before, text = text, self._round(text)
            if text == before:
                break
        found = list(links(text))
        code = Code(text if found else "")
        for link in found:
            if link.start not in code:
                self._sources.add(link.url, link.title)
        warnings = (UNTERMINATED,) if self._cut_off or self._stray else ()
        return Parted(
            text, self._sources.all(), self._marked, self._counted, self._cut_off, warnings=warnings
        )

    def _round(self, text: str) -> str:
        text = _tidied(self._without_thoughts(text))
        listed: list[Citation] = []
        text = call_lists(text, listed)
        shorter = _tidied(listed_lines(details(text, listed), listed))
        if shorter or not text:
            text = shorter
        self._marked = self._marked or bool(listed)
        first = PLAIN_MARK.search(text) is not None  # numbers in the text count the list that came with it
        if first:
            self._add(listed)
        text = self._numbered(text)
        if not first:
            self._add(listed)
        return text

    def _add(self, listed: Sequence[Citation]) -> None:
        for entry in listed:
            self._sources.add(entry.url, entry.title, entry.snippet)

    def _numbered(self, text: str) -> str:
        """Cards and numbered links as `[n]`, in one walk through the text."""
        found = cards(text)
        if "[[" in text:
            found += [(match.start(), match.end(), match[2], "") for match in MARK.finditer(text)]
        if not found:
            return text
        code = Code(text)
        pieces, place = [], 0
        for start, end, url, title in sorted(found):
            if start < place or start in code:
                continue
            number = self._sources.add(url, title)
            if not number:
                continue
            self._marked = self._counted = True
            pieces += [text[place:start], f"[{number}]"]
            place = end
        return "".join([*pieces, text[place:]])

    def _without_thoughts(self, text: str) -> str:
        """`text` without `<think>` blocks; one that never ends counts only at the very start."""
        tags = list(_THINK.finditer(text)) if "<" in text else []
        if not tags:
            return text
        closings = [tag for tag in tags if tag[1]]
        code, origin = Code(text), 0
        pieces, place, thoughts = [], 0, 0
        for tag in tags:
            if tag[1] or tag.start() < place or tag.start() - origin in code:
                continue
            closings = [one for one in closings if one.start() >= tag.end()]
            if not closings:
                if not text[: tag.start()].strip():
                    self._cut_off = True
                    return ""
                self._stray = True
                break
            pieces += [text[place : tag.start()], _gap(text, tag.start(), closings[0].end())]
            thought = text[tag.start() : closings[0].end()]
            place = closings[0].end()
            thoughts += 1
            if thoughts == _MOST_THOUGHTS:
                break
            if "`" in thought or "~~~" in thought:
                code, origin = Code(text[place:]), place
        return "".join([*pieces, text[place:]])


def _gap(text: str, start: int, end: int) -> str:
    """What keeps the words around a removed block apart, without joining two lines into one."""
    if start == 0 or text[start - 1] == "\n" or text[end : end + 1].isspace():
        return ""
    return "\n" if "\n" in text[start:end] else " "


def _tidied(text: str) -> str:
    """Without blank lines before and blanks after."""
    blank = _BLANK_LINES.match(text)
    return text[blank.end() if blank else 0 :].rstrip()
