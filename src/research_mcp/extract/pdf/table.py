"""Tables of PDF pages: lines that stand side by side, row under row, in the same columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby

from research_mcp.extract.rows import table

_LONGEST_CELL = 35
"""Characters of a table's average cell; longer ones are columns of prose."""
_WIDTH = 0.5
"""Of an average letter, in sizes of its font."""
_SAME_LINE = 0.3
_GAP = 1.2
"""Sizes of the font from which on a gap parts cells, as far as the widths of letters are known."""
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


@dataclass(frozen=True, slots=True)
class _Row:
    """What stands at one height: lines as they came, and the cells in them."""

    lines: list[Line]
    cells: list[Line]


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
    rows = groupby(_rows(lines), lambda row: len(row.cells) > 1 and all(map(may_be_cell, row.cells)))
    for is_row, run in rows:
        group = list(run)
        grid = _grid([row.cells for row in group]) if is_row else ""
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
    """Lines that follow each other to the right at one height."""
    rows: list[_Row] = []
    for line in lines:
        cells = [replace(line, text=text, x=x, cells=()) for text, x in line.cells] or [line]
        before = rows[-1].cells[-1] if rows else None
        level = before is not None and abs(before.y - line.y) <= _SAME_LINE * max(line.size, 1.0)
        if before is not None and level and line.x > before.x:
            rows[-1].lines.append(line)
            rows[-1].cells.extend(cells)
        else:
            rows.append(_Row([line], cells))
    return rows


def _grid(rows: list[list[Line]]) -> str:
    """The table that rows of several cells make, "" when they make none."""
    widest = max(rows, key=len)
    cells = [line for row in rows for line in row]
    if len(rows) < 2 or (len(rows) == 2 and len(widest) == 2):
        return ""
    if sum(len(line.text) for line in cells) > _LONGEST_CELL * len(cells):
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
