"""Tables of PDF pages: lines that stand side by side, row under row, in the same columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby

from research_mcp.extract.rows import table

_LONGEST_CELL = 35
_LONGEST_OF_MANY = 60
"""Characters of the average cell, and of one of three or more columns; longer ones are columns of prose."""
_WIDTH = 0.5
"""Of an average letter, in sizes of its font."""
_SAME_LINE = 0.3
_GAP = 1.2
"""Sizes of the font from which on a gap parts cells, as far as the widths of letters are known."""
_LEADING = 1.6
_WIDE_LEADING = 2.1
"""Sizes of the font between two lines of one cell, at most: of a first one, and of others."""
_FLUSH = 0.5
"""Sizes of the font by which the lines of one cell may start apart."""
_RISE = 5.0
"""Sizes of the font by which a cell may start above a shorter one on its left, which stands lower."""
_MOST_LINES = 8
_MOST_FIRST_LINES = 4
"""Lines of a first cell: more of them are a column of prose."""
_FULL = 8
"""Characters of a line from which on it may go on below: shorter ones are values under each other."""
_FIT = 2.0
"""Sizes of the font by which a cell may miss the start, middle or end of its column."""
BULLETS = "•●▪■□◆►➢✓◦‣·*–-\uf0b7\uf0a7\uf0d8\uf0fc\x7f"
"""Signs before the items of a list, those of symbol fonts too; a code that a font leaves free draws one."""
_MARKS = frozenset(f"{BULLETS}—")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a page: where it stands, how big it is, and in what kind of font.

    `cells` are its parts with the places where they start, when wide gaps part them.
    """

    text: str
    size: float
    y: float
    x: float = 0.0
    bold: bool = False
    mono: bool = False
    cells: tuple[tuple[str, float], ...] = ()

    @property
    def places(self) -> tuple[float, float, float]:
        """About where it starts, ends and has its middle."""
        width = len(self.text) * self.size * _WIDTH
        return self.x, self.x + width, self.x + width / 2


@dataclass(slots=True)
class _Row:
    """What stands side by side: lines as they came, and the cells in them, the last one still open."""

    lines: list[Line]
    cells: list[Line]
    depth: int = 1
    """Lines in the last cell."""
    low: float = 0.0
    """Where the lowest line of the row stands, and where the last one of the last cell."""
    end: float = 0.0
    last: str = ""
    """The last line of the last cell."""
    hanging: bool = False
    """Whether a cell before the last one stands above the first one and never comes down to it."""

    @property
    def is_sound(self) -> bool:
        """True for several cells that stand side by side."""
        return len(self.cells) > 1 and not self.hanging and not self._hangs()

    def takes(self, line: Line, cells: list[Line]) -> bool:
        """Put the line into the row, if it is a further cell of it or goes on in the last one."""
        if self._goes_on(line, cells):
            last = self.cells[-1]
            self.cells[-1] = replace(last, text=f"{last.text} {cells[0].text}")
            self.depth += 1
            self.last, self.end, cells = cells[0].text, line.y, cells[1:]
        elif not self._is_beside(line):
            return False
        if cells:
            self.hanging = self.hanging or self._hangs()
            self.cells.extend(cells)
            self.depth, self.last = 1, cells[-1].text
        self.lines.append(line)
        self.end, self.low = line.y, min(self.low, line.y)
        return True

    def _hangs(self) -> bool:
        first = self.cells[0]
        return self.end > first.y + _SAME_LINE * max(first.size, 1.0)

    def _is_beside(self, line: Line) -> bool:
        first, last = self.cells[0], self.cells[-1]
        slack = _SAME_LINE * max(line.size, 1.0)
        if line.x <= last.x:
            return False
        if abs(last.y - line.y) <= slack or abs(first.y - line.y) <= slack:
            return True
        wrapped = len(self.lines) > 1 or line.y > first.y
        return wrapped and self.low - slack <= line.y <= first.y + _RISE * line.size

    def _goes_on(self, line: Line, cells: list[Line]) -> bool:
        last, alone = self.cells[-1], len(self.cells) == 1
        return (
            not (alone and line.cells)
            and self.depth < (_MOST_FIRST_LINES if alone else _MOST_LINES)
            and 0 < self.end - line.y <= (_LEADING if alone else _WIDE_LEADING) * line.size
            and abs(cells[0].x - last.x) <= _FLUSH * line.size
            and line.size == last.size
            and len(self.last) >= _FULL
            and not line.text.startswith(tuple(BULLETS))
        )


def cells_of(pieces: list[tuple[str, float]], size: float) -> tuple[tuple[str, float], ...]:
    """The cells that the pieces of a line make, none when no wide gap parts them."""
    cells: list[tuple[list[str], float]] = []
    end = 0.0
    for text, x in pieces:
        if not cells or x > end + _GAP * size:
            cells.append(([], x))
        cells[-1][0].append(text)
        end = x + len(text.strip()) * size * _WIDTH
    if len(cells) < 2:
        return ()
    return tuple((" ".join("".join(parts).split()), x) for parts, x in cells)


def parted(lines: list[Line], may_be_cell: Callable[[Line], bool]) -> Iterator[tuple[str, list[Line]]]:
    """The lines in order, as tables in Markdown and as runs of other lines."""
    rest: list[Line] = []
    rows = groupby(_rows(lines), lambda row: row.is_sound and all(map(may_be_cell, row.cells)))
    for is_row, run in rows:
        group = list(run)
        grid = _grid([row.cells for row in group]) if is_row else ""
        if is_row and not grid and len(group) > 2 and (grid := _grid([row.cells for row in group[1:]])):
            rest += group[0].lines  # heads so close together that they cannot be told apart
        if not grid:
            rest += [line for row in group for line in row.lines]
            continue
        if rest:
            yield "", rest
        yield grid, []
        rest = []
    if rest:
        yield "", rest


def _rows(lines: list[Line]) -> list[_Row]:
    """Lines that follow each other to the right at one height, each with what goes on below it."""
    rows: list[_Row] = []
    for line in lines:
        cells = [replace(line, text=text, x=x, cells=()) for text, x in line.cells] or [line]
        if not rows or not rows[-1].takes(line, cells):
            rows.append(_Row([line], cells, low=line.y, end=line.y, last=cells[-1].text))
    return rows


def _grid(rows: list[list[Line]]) -> str:
    """The table that rows of several cells make, "" when they make none."""
    widest = max(rows, key=len)
    cells = [line for row in rows for line in row]
    if len(rows) < 2 or (len(rows) == 2 and len(widest) == 2):
        return ""
    longest = _LONGEST_OF_MANY if len(widest) > 2 else _LONGEST_CELL
    if sum(len(line.text) for line in cells) > longest * len(cells):
        return ""
    if all(_is_mark(row[0].text) for row in rows):  # a list whose signs stand apart
        return ""
    placed = [_placed(row, widest) for row in rows]
    return "" if None in placed else table([row for row in placed if row is not None])


def _is_mark(text: str) -> bool:
    return text in _MARKS or (text.rstrip(".)").isdigit() and text[-1:] in ".)")


def _placed(row: list[Line], columns: list[Line]) -> list[str] | None:
    """The cells of a row under the columns that they stand nearest to; None when they fit none."""
    placed = [""] * len(columns)
    for line in row:
        nearest = min(range(len(columns)), key=lambda place: _apart(line, columns[place]))
        if placed[nearest] or _apart(line, columns[nearest]) > _FIT * line.size:
            return None
        placed[nearest] = line.text
    return placed


def _apart(line: Line, column: Line) -> float:
    return min(abs(one - other) for one, other in zip(line.places, column.places, strict=True))
