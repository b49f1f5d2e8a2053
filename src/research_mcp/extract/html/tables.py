"""Tables: which hold data, and their rows as a grid of cells."""

from __future__ import annotations

from collections.abc import Callable

from lxml.html import HtmlElement

from research_mcp.extract.html.keep import Keep
from research_mcp.extract.html.tags import HEADINGS
from research_mcp.extract.locate.textmap import TextMap

MAX_COLUMNS = 60
MAX_ROWSPAN = 1000
COLUMNS = "columns-covered"
ROWS = "rows-covered"
MAX_CELL = 1200  # characters; longer cells are a layout, not data
_PARTS = frozenset({"thead", "tbody", "tfoot"})
_LAYOUT_ROLES = frozenset({"presentation", "none"})
_PROSE = frozenset({"pre", "table", "form", "article", "section", *(HEADINGS - {"h5", "h6"})})


def rows_of(table: HtmlElement) -> list[HtmlElement]:
    """The rows of this table, not of tables inside it."""
    rows: list[HtmlElement] = []
    for part in table:
        if part.tag == "tr":
            rows.append(part)
        elif part.tag in _PARTS:
            rows.extend(row for row in part if row.tag == "tr")
    return rows


def cells_of(row: HtmlElement) -> list[HtmlElement]:
    """The cells of a row."""
    return [cell for cell in row if cell.tag in ("td", "th")]


def is_data(table: HtmlElement, page: TextMap) -> bool:
    """True for a grid of short cells, at least two rows and two columns; else it is a layout."""
    if table.get("role") in _LAYOUT_ROLES:
        return False
    filled = 0
    headed = any(cell.tag == "th" for row in rows_of(table) for cell in cells_of(row))
    for row in rows_of(table):
        cells = cells_of(row)
        with_text = 0
        for cell in cells:
            start, stop = page.spans[cell]
            if page.length(start, stop) > MAX_CELL or (start < stop and _holds_prose(cell, headed)):
                return False
            with_text += start < stop
        filled += with_text >= 2
    return filled >= 2 or (filled == 1 and table.find(".//th") is not None)


def _holds_prose(cell: HtmlElement, headed: bool) -> bool:
    """Whether a cell is a part of a page. Under headings of columns a small table in it is data too."""
    unwanted = _PROSE - {"table"} if headed else _PROSE
    return any(element.tag in unwanted for element in cell.iterdescendants())


def grid(table: HtmlElement, keep: Keep, write: Callable[[HtmlElement], str]) -> list[str]:
    """The kept rows as Markdown lines, with one separator; spans are padded with empty cells."""
    rows: list[list[str]] = []
    headers: list[bool] = []
    open_spans: dict[int, int] = {}
    for row in rows_of(table):
        line, open_spans = _fill(row, open_spans, write)
        if keep.count(row):
            rows.append(line)
            headers.append(_is_header(row))
    if not rows:
        return []
    width = min(MAX_COLUMNS, max(len(line) for line in rows))
    padded = [[*line[:width], *[""] * (width - len(line))] for line in rows]
    padded = _without_empty_columns(padded)
    if not headers[0] and any(cell.tag == "th" for row in rows_of(table) for cell in cells_of(row)):
        padded.insert(0, [""] * len(padded[0]))
    lines = [f"| {' | '.join(line)} |" for line in padded]
    lines.insert(1, "|" + " --- |" * len(padded[0]))
    return lines


def _fill(
    row: HtmlElement, open_spans: dict[int, int], write: Callable[[HtmlElement], str]
) -> tuple[list[str], dict[int, int]]:
    line: list[str] = []
    below: dict[int, int] = {column: left - 1 for column, left in open_spans.items() if left > 1}
    for cell in cells_of(row):
        while len(line) in open_spans and len(line) < MAX_COLUMNS:
            line.append("")
        width, height = int(cell.get(COLUMNS, "1")), int(cell.get(ROWS, "1"))
        if height > 1:
            below.update(dict.fromkeys(range(len(line), len(line) + width), height - 1))
        line.extend([write(cell), *[""] * (width - 1)])
        if len(line) >= MAX_COLUMNS:
            break
    return line, below


def set_spans(cell: HtmlElement) -> None:
    """Move bounded spans to attributes of our own: extractors fill in all that a cell claims to cover."""
    for name, own, most in (("colspan", COLUMNS, MAX_COLUMNS), ("rowspan", ROWS, MAX_ROWSPAN)):
        cell.attrib.pop(own, None)
        stated = cell.attrib.pop(name, "").strip()
        if stated.isascii() and stated.isdigit() and len(stated) < 6:
            cell.set(own, str(min(most, max(1, int(stated)))))


def _is_header(row: HtmlElement) -> bool:
    parent = row.getparent()
    if parent is not None and parent.tag == "thead":
        return True
    cells = cells_of(row)
    corner = len(cells) > 2 and cells[0].tag == "td"
    return len(cells) > 1 and all(cell.tag == "th" for cell in (cells[1:] if corner else cells))


def _without_empty_columns(rows: list[list[str]]) -> list[list[str]]:
    used = [column for column in range(len(rows[0])) if any(line[column] for line in rows)]
    if len(used) < 2:
        return rows
    spare = [column for column in range(len(rows[0])) if column not in used]
    return rows if len(spare) < len(rows[0]) // 2 else [[line[column] for column in used] for line in rows]
