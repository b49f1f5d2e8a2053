"""From positioned pieces of text to paragraphs, headings and lists, as far as the page shows them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise, takewhile
from statistics import median

from research_mcp.extract.pdf.table import BULLETS, Line, cells_of, parted

Matrix = Sequence[float]
_Look = tuple[float, bool, bool]
"""Size, bold, of one width."""

_READABLE = 5.0
_SPECK = 1.5
_HEADING_SCALE = 1.15
_LONGEST_HEADING = 150
_FULL_HEADING = 36
"""Characters from which on a heading may go on in the next line."""
_GAP = 1.45
"""Line distances from which on a gap parts paragraphs."""
_HEADING_GAP = 1.5
"""Sizes of the font from which on a gap parts headings."""
_EDGE_LINES = 2
_TOP = 6
_MONO_WIDTH = 0.6
_LIGATURES = str.maketrans(
    {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st", "\u00a0": " "}
)
_BOLD = re.compile(r"bold|[+/](?:cm|ec|sf|la)bx|-(?:medi|demi|black|heavy)")
"""Parts of the names of bold fonts, those of TeX and of its Times too."""
_MONO = re.compile(r"courier|mono|consol|typewriter|cmtt|menlo")
_BULLET = re.compile(f"^[{re.escape(BULLETS)}]\\s+")
_NUMBERED = re.compile(r"^\(?\d{1,3}[.)]\s+\S")
_SECTION = re.compile(r"^(?:\d{1,2}(?:\.\d{1,2}){0,3}\.?|[A-Z]\.|[IVX]{1,4}\.)\s+[A-ZÀ-ÞА-Я]")
_ENDS = (".", "!", "?", ":", ";", "。", "”", '."', ".)")
_LEADERS = re.compile(r"(?:\s?[.·…]){4,}\s*")
_DIGITS = re.compile(r"\d+")
_UNSPACED = re.compile("[\u3001-\u30ff\u3400-\u9fff\uf900-\ufaff\uff01-\uff9f\U00020000-\U0003ffff]")
"""Chinese and Japanese signs, between which a line's end is no space."""
_HYPHENATED = re.compile(r"[^\W\d_]{2}[-\u00ad\u2010]$")
_COMPOUND = re.compile(r"(?:\w-\w+|\b(?:self|well|non|half|cross|quasi))-$", re.IGNORECASE)
"""Ends of lines whose hyphen is part of the word."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """Markdown of all pages, and the biggest heading of the first page."""

    markdown: str = field(repr=False)
    title: str = ""


class LineReader:
    """Collects what pypdf's text visitor reports into lines."""

    def __init__(self) -> None:
        self._lines: list[Line] = []
        self._parts: list[tuple[str, _Look, float]] = []
        self._place = (0.0, 0.0)

    def take(self, text: str, cm: Matrix, tm: Matrix, font: dict[str, object] | None, size: float) -> None:
        """One piece of text under its matrices (pypdf's `visitor_text`)."""
        if not text:
            return
        scale = abs(tm[3] * cm[3] + tm[2] * cm[1]) or abs(tm[1] * cm[2] + tm[0] * cm[0]) or 1.0
        place = (tm[4] * cm[0] + tm[5] * cm[2] + cm[4], tm[4] * cm[1] + tm[5] * cm[3] + cm[5])
        name = str((font or {}).get("/BaseFont", "")).lower()
        look = (round(abs(size) * scale, 1), _BOLD.search(name) is not None, _MONO.search(name) is not None)
        for number, piece in enumerate(text.split("\n")):
            if number:
                self._end_line()
            if piece.strip() and not self._parts:
                self._place = place
            if piece:
                self._parts.append((piece, look, place[0]))

    def done(self) -> list[Line]:
        """The lines of the page, in the order in which they were drawn."""
        self._end_line()
        lines, self._lines = self._lines, []
        return lines

    def _end_line(self) -> None:
        parts, self._parts = self._parts, []
        text = "".join(piece for piece, _, _ in parts).translate(_LIGATURES)
        if not text.strip():
            return
        weights: Counter[_Look] = Counter()
        for piece, look, _ in parts:
            weights[look] += len(piece.strip())
        (size, bold, mono), _ = weights.most_common(1)[0]
        text = text.rstrip() if mono else " ".join(text.split())
        x, y = self._place
        pieces = [(piece.translate(_LIGATURES), x) for piece, _, x in parts if piece.strip()]
        self._lines.append(Line(text, size, y, x, bold, mono, cells_of(pieces, size)))


def to_markdown(pages: list[list[Line]]) -> Rendered:
    """All pages as one text; `[page n]` stands before each page of a document of several."""
    pages = _without_furniture(pages)
    sizes: Counter[float] = Counter()
    for line in (line for page in pages for line in page):
        sizes[line.size] += len(line.text)
    body = sizes.most_common(1)[0][0] if sizes else 0.0
    if body >= _READABLE:  # nobody reads specks; who writes them hides something
        pages = [[line for line in page if line.size >= _SPECK] for page in pages]
    levels = _levels(pages, body)
    parts = []
    for number, page in enumerate(pages, 1):
        if len(pages) > 1:
            parts.append(f"[page {number}]")
        parts += _blocks(page, body, levels)
    return Rendered("\n\n".join(parts), _title(pages[0], levels) if pages else "")


def _without_furniture(pages: list[list[Line]]) -> list[list[Line]]:
    """Pages without the running heads and feet that most of them repeat."""
    if len(pages) == 2:
        return _without_twins(*pages)
    if len(pages) < 3:
        return pages
    seen: Counter[str] = Counter()
    for page in pages:
        edges = page[:_EDGE_LINES] + page[_EDGE_LINES:][-_EDGE_LINES:]
        seen.update({_DIGITS.sub("#", line.text) for line in edges})
    often = {text for text, count in seen.items() if count >= max(3, len(pages) // 3)}
    kept = []
    for page in pages:
        last = len(page) - _EDGE_LINES
        kept.append(
            [
                line
                for place, line in enumerate(page)
                if _EDGE_LINES <= place < last or _DIGITS.sub("#", line.text) not in often
            ]
        )
    lines, kept_lines = sum(map(len, pages)), sum(map(len, kept))
    return kept if 2 * kept_lines > lines else pages


def _without_twins(page: list[Line], other: list[Line]) -> list[list[Line]]:
    """Two pages without the head and foot that stand on both, at one place and above or below all else."""

    def mark(line: Line) -> tuple[str, int]:
        return _DIGITS.sub("#", line.text), round(line.y)

    twins = set(map(mark, page)) & set(map(mark, other))
    heights = [line.y for line in (*page, *other) if mark(line) not in twins]
    if not heights:
        return [page, other]
    low, high = min(heights), max(heights)
    return [
        [line for line in each if mark(line) not in twins or low <= line.y <= high] for each in (page, other)
    ]


def _levels(pages: list[list[Line]], body: float) -> dict[float, int]:
    """Heading level for each size that is used for headings, the biggest first."""
    sizes = {line.size for page in pages for line in page if _may_head(line, body)}
    return {size: min(level, 4) for level, size in enumerate(sorted(sizes, reverse=True), 1)}


def _may_head(line: Line, body: float) -> bool:
    big = line.size >= body * _HEADING_SCALE and not _LEADERS.search(line.text)
    return big and len(line.text) <= _LONGEST_HEADING and any(map(str.isalpha, line.text))


def _title(page: list[Line], levels: dict[float, int]) -> str:
    """The biggest heading, if it stands at the top."""
    heads = [line for line in page if line.size in levels]
    biggest = max((line.size for line in heads), default=0.0)
    top = [line.size == biggest for line in page[:_TOP]]
    if True not in top:
        return ""
    first = top.index(True)
    run = takewhile(lambda line: line.size == biggest, page[first:])
    title = next(run)
    words = [title.text]
    for line in run:
        if not 0 <= title.y - line.y <= _HEADING_GAP * biggest:  # the first heading under it
            break
        words.append(line.text)
        title = line
    return " ".join(words)[:300]


def _blocks(page: list[Line], body: float, levels: dict[float, int]) -> list[str]:
    """Paragraphs, headings, list items and code of a page."""
    blocks: list[str] = []
    for is_code, run in groupby(page, lambda line: line.mono and line.size not in levels):
        lines = list(run)
        if is_code and len(lines) > 1:
            blocks.append(_code(lines))
            continue
        for grid, rest in parted(
            lines, lambda line: line.size not in levels and not _LEADERS.search(line.text)
        ):
            blocks += [grid] if grid else _prose(rest, body, levels)
    return blocks


def _code(lines: list[Line]) -> str:
    left = min(line.x for line in lines)
    width = max(lines[0].size * _MONO_WIDTH, 1.0)
    shown = [" " * min(round((line.x - left) / width), 60) + line.text for line in lines]
    return "\n".join(("```", *shown, "```"))


def _prose(page: list[Line], body: float, levels: dict[float, int]) -> list[str]:
    gap = _usual_gap(page) * _GAP
    widest = max((len(line.text) for line in page), default=0)
    blocks: list[tuple[str, str]] = []  # prefix, text
    before: Line | None = None
    for line in page:
        prefix, text = _kind(line, body, levels)
        if before is not None and _goes_on(before, line, blocks[-1][0], prefix, gap, widest):
            blocks[-1] = (blocks[-1][0], _joined(blocks[-1][1], text))
        else:
            blocks.append((prefix, text))
        before = line
    runs = groupby(blocks, lambda block: block[0] == "- ")
    return [
        shown
        for is_list, run in runs
        for shown in _shown([prefix + text for prefix, text in run], is_list=is_list)
    ]


def _shown(blocks: list[str], *, is_list: bool) -> list[str]:
    """The items of a list stand close together."""
    return ["\n".join(blocks)] if is_list else blocks


def _kind(line: Line, body: float, levels: dict[float, int]) -> tuple[str, str]:
    """The Markdown prefix of a line and its text without its own sign."""
    if _LEADERS.search(line.text):  # an entry of a table of contents
        return "- ", _LEADERS.sub(" … ", line.text).strip()
    if line.size in levels and _may_head(line, body):
        return "#" * levels[line.size] + " ", line.text
    if line.bold and _SECTION.match(line.text) and len(line.text) <= _LONGEST_HEADING // 2:
        return "#" * min(len(levels) + 1, 4) + " ", line.text
    if found := _BULLET.match(line.text):
        return "- ", line.text[found.end() :]
    return "", line.text


def _goes_on(before: Line, line: Line, last: str, prefix: str, gap: float, widest: int) -> bool:
    """Whether a line belongs to the block before it."""
    if last.startswith("#") and not prefix and before.bold and line.bold and before.size == line.size:
        return (
            len(before.text) >= min(widest * 0.6, _FULL_HEADING)
            and 0 <= before.y - line.y <= _HEADING_GAP * line.size
        )
    if last.startswith("#") or prefix.startswith("#"):
        near = min(2 * gap, _HEADING_GAP * line.size)
        return last == prefix and before.size == line.size and 0 <= before.y - line.y <= near
    if prefix or _NUMBERED.match(line.text):
        return False
    down = before.y - line.y
    if down > gap:
        return False
    if down < 0:  # the top of the next column
        return not before.text.endswith(_ENDS)
    short = len(before.text) < widest * 0.6
    if short and last == "- " and line.x < before.x + before.size / 2:  # not under the item's words
        return False
    return not (short and before.text.endswith(_ENDS)) and abs(before.size - line.size) < 2


def _joined(text: str, more: str) -> str:
    """Two lines of a paragraph as one; a word parted at the line's end is mended."""
    if _HYPHENATED.search(text[-4:]) and more[:1].islower():
        return (text if _COMPOUND.search(text[-40:]) else text[:-1]) + more
    if _UNSPACED.match(text[-1:]) and _UNSPACED.match(more[:1]):
        return text + more
    return f"{text} {more}"


def _usual_gap(page: list[Line]) -> float:
    steps = [one.y - other.y for one, other in pairwise(page) if one.y > other.y]
    return median(steps) if steps else 12.0
