"""Word documents: paragraphs, headings, lists, tables, notes, in the order of the text."""

from __future__ import annotations

from research_mcp.extract.office.archive import Archive
from research_mcp.extract.office.docx_styles import Numbering, Style, Styles
from research_mcp.extract.office.docx_text import TextReader
from research_mcp.extract.office.draft import Draft, Run, write
from research_mcp.extract.office.facts import state
from research_mcp.extract.office.xmltree import Element, Relations, attr, kid, kids, name, number, parse
from research_mcp.extract.plain import fenced
from research_mcp.extract.rows import table

_THROUGH = frozenset(
    {"sdt", "sdtContent", "customXml", "ins", "moveTo", "smartTag", "AlternateContent", "Choice"}
)
_MOST_COLUMNS = 100
_WIDEST = 6
"""Levels of headings that Markdown has."""


def read_docx(archive: Archive, draft: Draft) -> None:
    """Add the text of a Word document to `draft`. Raises what the archive and the draft raise."""
    state(draft, parse(archive.read("docProps/core.xml")))
    main = Relations(archive, "").of_kind("officeDocument", "word/document.xml")
    _Reader(archive, main, draft).read()


class _Reader:
    """One document: what it holds beside its text, and what of it the text has used."""

    def __init__(self, archive: Archive, main: str, draft: Draft) -> None:
        self._archive = archive
        self._main = main
        self._draft = draft
        self._relations = Relations(archive, main)
        self._styles = Styles(self._part("styles"))
        self._numbering = Numbering(self._part("numbering"))
        self._text = TextReader(self._relations, self._note)
        self._noted: dict[tuple[str, str], int] = {}
        self._code: list[str] = []

    def read(self) -> None:
        body = kid(parse(self._archive.read(self._main)), "body")
        if body is not None:
            self._blocks(body)
        self._end_code()
        self._write_notes()

    def _part(self, kind: str) -> Element | None:
        return parse(self._archive.read(self._relations.of_kind(kind)))

    def _blocks(self, parent: Element) -> None:
        for element in kids(parent):
            kind = name(element)
            if kind == "p":
                self._paragraph(element)
            elif kind == "tbl":
                self._end_code()
                self._table(element)
            elif kind in _THROUGH:
                self._blocks(element)

    def _paragraph(self, element: Element) -> None:
        style = self._styles.of(kid(element, "pPr"))
        runs, boxes = self._text.read(element)
        if style.is_code and not style.number:
            self._code.append("".join(run.text for run in runs))
        elif not style.is_contents:
            self._end_code()
            self._add(style, runs)
        for box in boxes:
            self._blocks(box)

    def _add(self, style: Style, runs: list[Run]) -> None:
        text = write(runs, plain=style.level > 0)
        if not text:
            return
        sign = self._numbering.next(style.number) if style.number else ""
        if style.level:
            label = f"{sign} " if sign not in ("", "-") else ""
            self._draft.title = self._draft.title or text[:300] * (style.level == 1)
            self._draft.add(f"{'#' * min(style.level, _WIDEST)} {label}{text}")
        elif style.number:
            self._draft.add(self._item(style, sign, text), item=True)
        elif style.is_quote:
            self._draft.add("> " + text.replace("\n", "\n> "))
        else:
            self._draft.add(text)

    def _item(self, style: Style, sign: str, text: str) -> str:
        """A list item under its depth; numbers that Markdown does not know stand in the text."""
        indent = "    " * style.depth
        if not (sign == "-" or (style.number and self._numbering.is_plain(style.number))):
            sign, text = "-", f"{sign} {text}".strip()
        return f"{indent}{sign} " + text.replace("\n", f"\n{indent}  ")

    def _end_code(self) -> None:
        code, self._code = "\n".join(self._code).strip("\n"), []
        if code:
            self._draft.add(fenced(code, ""))

    def _table(self, element: Element) -> None:
        rows = [list(kids(row, "tc")) for row in _rows(element)]
        if max(map(len, rows), default=0) < 2:  # a frame around text, not data
            for row in rows:
                for cell in row:
                    self._blocks(cell)
            self._end_code()
            return
        self._draft.add(table([self._cells(row) for row in rows]))

    def _cells(self, row: list[Element]) -> list[str]:
        cells: list[str] = []
        for cell in row:
            properties = kid(cell, "tcPr")
            merged = kid(properties, "vMerge")
            goes_on = merged is not None and attr(merged, "val") != "restart"
            cells.append("" if goes_on else "\n".join(self._cell(cell)))
            cells += [""] * (min(number(kid(properties, "gridSpan"), "val", 1), _MOST_COLUMNS) - 1)
        return cells[:_MOST_COLUMNS]

    def _cell(self, parent: Element) -> list[str]:
        """The paragraphs of a cell, those of tables inside it too."""
        lines: list[str] = []
        for element in kids(parent):
            if name(element) == "p":
                style = self._styles.of(kid(element, "pPr"))
                sign = f"{self._numbering.next(style.number)} " if style.number else ""
                runs, boxes = self._text.read(element)
                lines.append((sign + write(runs)).strip())
                for box in boxes:
                    lines += self._cell(box)
            else:
                lines += self._cell(element)
        return lines

    def _note(self, kind: str, key: str) -> int:
        return self._noted.setdefault((kind, key), len(self._noted) + 1)

    def _write_notes(self) -> None:
        """The notes that the text refers to, in that order. Each part of notes has its own links."""
        written: dict[int, str] = {}
        for kind in ("footnotes", "endnotes"):
            wanted = {key: count for (noted, key), count in self._noted.items() if noted == kind}
            if not wanted:
                continue
            part = self._relations.of_kind(kind)
            self._text = TextReader(Relations(self._archive, part), self._note)
            for note in kids(parse(self._archive.read(part))):
                if attr(note, "id") in wanted:
                    written[wanted[attr(note, "id")]] = " ".join(" ".join(self._cell(note)).split())
        for count, text in sorted(written.items()):
            self._draft.add(f"[^{count}]: {text}" if text else "")


def _rows(parent: Element) -> list[Element]:
    """The rows of a table, those in content controls too."""
    rows: list[Element] = []
    for element in kids(parent):
        if name(element) == "tr":
            rows.append(element)
        elif name(element) in _THROUGH:
            rows += _rows(element)
    return rows
