"""Where code stands in Markdown: what is quoted there is text and never markup."""

from __future__ import annotations

import bisect
import re

_FENCE = re.compile(r"(?m)^[ \t>]*(`{3,}|~{3,})([^\n]*)$")
_TICKS = re.compile(r"`+")
_SINGLE = re.compile(r"`[^`\n]*+`")


class Code:
    """The code of one text: fenced blocks (an open one lasts to the end) and spans within a line."""

    def __init__(self, text: str) -> None:
        blocks = _blocks(text) if "```" in text or "~~~" in text else []
        self._spans = sorted([*blocks, *_inline(text, blocks)])
        self._starts = [start for start, _ in self._spans]

    def __contains__(self, place: int) -> bool:
        """True when the character at `place` is code."""
        before = bisect.bisect_right(self._starts, place) - 1
        return before >= 0 and place < self._spans[before][1]


def _blocks(text: str) -> list[tuple[int, int]]:
    blocks: list[tuple[int, int]] = []
    opened: re.Match[str] | None = None
    for match in _FENCE.finditer(text):
        if opened is None:
            if match[1][0] == "~" or "`" not in match[2]:
                opened = match
        elif match[1].startswith(opened[1]) and not match[2].strip():
            blocks.append((opened.start(), match.end()))
            opened = None
    if opened is not None:
        blocks.append((opened.start(), len(text)))
    return blocks


def _inline(text: str, blocks: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans between runs of as many backticks, on one line and outside `blocks`."""
    if not blocks and "``" not in text:  # the common case, many times faster
        return [match.span() for match in _SINGLE.finditer(text)]
    spans: list[tuple[int, int]] = []
    place = 0
    for start, end in [*blocks, (len(text), len(text))]:
        while (tick := text.find("`", place, start)) >= 0:
            line_end = text.find("\n", tick, start)
            line_end = start if line_end < 0 else line_end
            spans += _on_line(text, tick, line_end)
            place = line_end
        place = end
    return spans


def _on_line(text: str, start: int, end: int) -> list[tuple[int, int]]:
    runs = [match.span() for match in _TICKS.finditer(text, start, end)]
    later: dict[int, list[int]] = {}
    for number in range(len(runs) - 1, -1, -1):
        later.setdefault(runs[number][1] - runs[number][0], []).append(number)
    spans = []
    number = 0
    while number < len(runs):
        first, past = runs[number]
        same = later[past - first]
        while same and same[-1] <= number:
            same.pop()
        if same:
            number = same.pop()
            spans.append((first, runs[number][1]))
        number += 1
    return spans
