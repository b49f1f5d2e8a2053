"""Excel workbooks: each visible sheet as tables of what its cells show, formulas by their last value."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby

from lxml import etree

from research_mcp.extract.escape import escape
from research_mcp.extract.html.links import Links
from research_mcp.extract.office.archive import Archive
from research_mcp.extract.office.draft import Draft
from research_mcp.extract.office.facts import state
from research_mcp.extract.office.xlsx_values import Formats, shown
from research_mcp.extract.office.xmltree import (
    Element,
    Relations,
    attr,
    every,
    kid,
    kids,
    main_part,
    name,
    number,
    parse,
    reference,
    text_of,
)
from research_mcp.extract.rows import table

MOST_ROWS = 5_000
MOST_COLUMNS = 100
MOST_SHEETS = 100
_CELL = re.compile(r"([A-Z]{1,3})([0-9]{1,7})$")
_NOWHERE = Links("")


def read_xlsx(archive: Archive, draft: Draft) -> None:
    """Add the sheets of a workbook to `draft`. Raises what the archive and the draft raise."""
    state(draft, parse(archive.read("docProps/core.xml")))
    book, relations = main_part(archive, "xl/workbook.xml", "workbook")
    formats = Formats(
        parse(archive.read(relations.of_kind("styles"))),
        from_1904=is_on_attribute(kid(book, "workbookPr"), "date1904"),
    )
    texts = _shared(archive.read(relations.of_kind("sharedStrings")))
    sheets = list(kids(kid(book, "sheets"), "sheet"))
    visible = [sheet for sheet in sheets if attr(sheet, "state") not in ("hidden", "veryHidden")]
    if hidden := len(sheets) - len(visible):
        draft.notes.append(f"{hidden} hidden {'sheet is' if hidden == 1 else 'sheets are'} left out.")
    if len(visible) > MOST_SHEETS:
        draft.cut = f"only the first {MOST_SHEETS} of {len(visible)} sheets are shown"
    for sheet in visible[:MOST_SHEETS]:
        part = relations[reference(sheet)]
        _add(draft, attr(sheet, "name"), _Sheet(archive, part, texts, formats).read())


def is_on_attribute(element: Element | None, wanted: str) -> bool:
    """A boolean attribute as XML Schema writes it."""
    return attr(element, wanted) in ("1", "true")


def _shared(data: bytes) -> list[str]:
    """The texts that cells refer to by number, without the readings of East Asian signs."""
    return ["".join(_pieces(item)) for item in _streamed(data, "si")]


def _pieces(item: Element) -> Iterator[str]:
    for element in every(item, "t"):
        parent = element.getparent()
        if parent is None or name(parent) != "rPh":
            yield str(element.text or "")


def _streamed(data: bytes, *wanted: str) -> Iterator[Element]:
    """The elements of these names one by one; each is emptied after its use."""
    if not data:
        return
    tags = ["{*}" + each for each in wanted]
    stream = etree.iterparse(
        io.BytesIO(data), tag=tags, recover=True, resolve_entities=False, no_network=True, load_dtd=False
    )
    try:
        for _, element in stream:
            yield element
            element.clear()
            while element.getprevious() is not None:
                del element.getparent()[0]
    except etree.XMLSyntaxError:
        return


@dataclass(slots=True)
class _Grid:
    """What a sheet shows: cells by place, and why it is not whole."""

    cells: dict[int, dict[int, str]] = field(default_factory=dict)
    cut: str = ""
    hidden_rows: int = 0
    hidden_columns: int = 0


class _Sheet:
    """Reads one sheet from its start until a limit hits."""

    def __init__(self, archive: Archive, part: str, texts: list[str], formats: Formats) -> None:
        self._data = archive.read(part)
        self._relations = Relations(archive, part)
        self._texts = texts
        self._formats = formats
        self._grid = _Grid()
        self._hidden: set[int] = set()

    def read(self) -> _Grid:
        place = 0
        for element in _streamed(self._data, "col", "row", "hyperlink"):
            kind = name(element)
            if kind == "col":
                self._column(element)
            elif kind == "hyperlink":
                self._link(element)
            elif is_on_attribute(element, "hidden"):
                self._grid.hidden_rows += 1
            else:
                place = number(element, "r", place + 1)
                if len(self._grid.cells) >= MOST_ROWS:
                    self._grid.cut = f"only the first {MOST_ROWS:,} rows"
                    break
                self._row(element, place)
        return self._grid

    def _column(self, element: Element) -> None:
        if is_on_attribute(element, "hidden"):
            first, last = number(element, "min", 1), number(element, "max", 1)
            columns = range(first, min(last, MOST_COLUMNS) + 1)
            self._hidden.update(columns)
            self._grid.hidden_columns += len(columns)

    def _row(self, row: Element, place: int) -> None:
        cells: dict[int, str] = {}
        column = 0
        for cell in kids(row, "c"):
            found = _CELL.match(attr(cell, "r"))
            column = _column(found[1]) if found else column + 1
            if column in self._hidden:
                continue
            text = self._value(cell)
            if text and column > MOST_COLUMNS:
                self._grid.cut = self._grid.cut or f"only the first {MOST_COLUMNS} columns"
                break
            if text:
                cells[column] = escape(text)
        if cells:
            self._grid.cells[place] = cells

    def _value(self, cell: Element) -> str:
        kind = attr(cell, "t")
        if kind == "inlineStr":
            return "".join(_pieces(cell)).strip()
        value = text_of(kid(cell, "v"))
        if not value:  # a formula that no program has worked out yet
            formula = text_of(kid(cell, "f"))
            return f"={formula}" if formula else ""
        if kind == "s":
            index = int(value) if value.isdigit() and len(value) < 10 else -1
            return self._texts[index].strip() if 0 <= index < len(self._texts) else ""
        if kind == "b":
            return {"1": "TRUE", "0": "FALSE"}.get(value, value)
        return shown(value, self._formats.of(number(cell, "s", 0))) if kind in ("", "n") else value

    def _link(self, element: Element) -> None:
        """Links come after all rows."""
        found = _CELL.match(attr(element, "ref").partition(":")[0])
        target = self._relations[reference(element)]
        cells = self._grid.cells.get(int(found[2]), {}) if found else {}
        column = _column(found[1]) if found else 0
        if target and column in cells:
            cells[column] = _NOWHERE.render(cells[column].replace("\n", " "), target)


def _column(letters: str) -> int:
    place = 0
    for letter in letters:
        place = place * 26 + ord(letter) - ord("A") + 1
    return place


def _add(draft: Draft, title: str, grid: _Grid) -> None:
    """A sheet under its name; empty rows part its tables."""
    draft.add(f"## {escape(' '.join(title.split()))}", frame=True)
    if grid.cut:
        draft.cut = draft.cut or f"of the sheet “{title[:80]}” {grid.cut} are shown"
    for count, what in ((grid.hidden_rows, "row"), (grid.hidden_columns, "column")):
        if count:
            plural = f"{what} is" if count == 1 else f"{what}s are"
            draft.notes.append(f"{count:,} hidden {plural} left out of the sheet “{title[:80]}”.")
    rows = enumerate(sorted(grid.cells))
    for _, run in groupby(rows, lambda place: place[1] - place[0]):
        _add_run(draft, [grid.cells[row] for _, row in run])


def _add_run(draft: Draft, rows: list[dict[int, str]]) -> None:
    """Rows without a gap. Lines of one cell above a table are its caption."""
    while rows and len(rows[0]) == 1:
        draft.add("  \n".join(next(iter(rows.pop(0).values())).split("\n")))
    if rows:
        width = max(max(row) for row in rows)
        draft.add(table([[row.get(column, "") for column in range(1, width + 1)] for row in rows]))
