"""OpenDocument texts, sheets and presentations."""

from __future__ import annotations

from collections.abc import Iterator

from research_mcp.extract.office.archive import Archive, Damaged, Locked
from research_mcp.extract.office.draft import Draft, Run, write
from research_mcp.extract.office.facts import state
from research_mcp.extract.office.xmltree import Element, attr, every, kid, kids, name, number, parse
from research_mcp.extract.rows import table

MOST_ROWS = 5_000
MOST_COLUMNS = 100
_SKIPPED = frozenset(
    {"tracked-changes", "annotation", "sequence-decls", "forms", "table-of-content", "alphabetical-index",
     "illustration-index", "table-index", "user-index", "shapes", "ruby-text", "desc", "title"}
)  # fmt: skip
_SIGNS = {"tab": " ", "line-break": "\n"}
_MOST_SPACES = 200


def read_odf(archive: Archive, draft: Draft) -> None:
    """Add the text of an OpenDocument file to `draft`. Raises what the archive and the draft raise."""
    if b"encryption-data" in archive.read("META-INF/manifest.xml"):
        raise Locked
    state(draft, parse(archive.read("meta.xml")))
    root = parse(archive.read("content.xml"))
    content = next(kids(kid(root, "body")), None)
    if content is None:
        raise Damaged
    _Reader(draft).blocks(content)


class _Reader:
    """Walks the content; notes are written at its end."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._notes: list[Element] = []
        self._slide = 0

    def blocks(self, parent: Element) -> None:
        """All blocks of the document, then its notes."""
        self._blocks(parent)
        for count, note in enumerate(self._notes, 1):
            text = " ".join(self._lines(kid(note, "note-body")))
            self._draft.add(f"[^{count}]: {' '.join(text.split())}")

    def _blocks(self, parent: Element) -> None:
        for element in kids(parent):
            kind = name(element)
            if kind == "h":
                self._heading(element)
            elif kind == "p":
                self._paragraph(element)
            elif kind == "list":
                self._list(element, 0)
            elif kind == "table":
                self._table(element)
            elif kind == "page":
                self._page(element)
            elif kind == "notes":
                self._speaker(element)
            elif kind not in _SKIPPED:
                self._blocks(element)

    def _heading(self, element: Element) -> None:
        level = min(max(number(element, "outline-level", 1), 1), 6)
        text = write(self._runs(element), plain=True)
        if text:
            self._draft.title = self._draft.title or text[:300] * (level == 1)
            self._draft.add(f"{'#' * level} {text}")

    def _paragraph(self, element: Element) -> None:
        style = attr(element, "style-name").lower()
        runs = list(self._runs(element))
        text = write(runs)
        if style == "title" and text:
            text = f"# {write(runs, plain=True)}"
        elif "quot" in style and text:
            text = "> " + text.replace("\n", "\n> ")
        self._draft.add(text)
        for box in _boxes(element):
            self._blocks(box)

    def _list(self, element: Element, depth: int) -> None:
        indent = "  " * min(depth, 8)
        for item in kids(element):
            for part in kids(item):
                if name(part) == "list":
                    self._list(part, depth + 1)
                elif text := write(self._runs(part)):
                    self._draft.add(f"{indent}- " + text.replace("\n", f"\n{indent}  "), item=True)

    def _page(self, element: Element) -> None:
        self._slide += 1
        self._draft.add(f"## Slide {self._slide}", frame=True)
        self._blocks(element)

    def _speaker(self, element: Element) -> None:
        lines = [line for box in _boxes(element) for line in self._lines(box) if line]
        if lines:
            self._draft.add("Notes: " + "\n\n".join(lines))

    def _table(self, element: Element) -> None:
        """A table; of a sheet with its name. Repeated cells are one cell unless they hold something."""
        parent = element.getparent()
        if parent is not None and name(parent) == "spreadsheet":
            self._draft.add(f"## {attr(element, 'name')}", frame=True)
        rows: list[list[str]] = []
        for row in every(element, "table-row"):
            cells = self._cells(row)
            times = number(row, "number-rows-repeated", 1) if any(cells) else 1
            rows += [cells] * min(times, MOST_ROWS + 1 - len(rows))
            if len(rows) > MOST_ROWS:
                named = attr(element, "name")[:80]
                self._draft.cut = f"of the table “{named}” only the first {MOST_ROWS:,} rows are shown"
                break
        self._draft.add(table([row for row in rows[:MOST_ROWS] if any(row)]))

    def _cells(self, row: Element) -> list[str]:
        cells: list[str] = []
        for cell in kids(row):
            if name(cell) in ("table-cell", "covered-table-cell") and len(cells) < MOST_COLUMNS:
                times = number(cell, "number-columns-repeated", 1)
                cells += ["\n".join(self._lines(cell))] * min(times, MOST_COLUMNS - len(cells))
        return cells

    def _lines(self, parent: Element | None) -> list[str]:
        """The paragraphs below an element, those of lists and tables in it too."""
        lines: list[str] = []
        for element in kids(parent):
            if name(element) in ("p", "h"):
                lines.append(write(self._runs(element)))
            elif name(element) not in _SKIPPED:
                lines += self._lines(element)
        return lines

    def _runs(self, parent: Element, href: str = "") -> Iterator[Run]:
        if parent.text:
            yield Run(str(parent.text).replace("\n", " "), href=href)
        for element in parent:
            if isinstance(element.tag, str):
                yield from self._piece(element, href)
            if element.tail:
                yield Run(str(element.tail).replace("\n", " "), href=href)

    def _piece(self, element: Element, href: str) -> Iterator[Run]:
        kind = name(element)
        if kind == "note":
            self._notes.append(element)
            yield Run(f"[^{len(self._notes)}]", raw=True)
        elif kind == "s":
            yield Run(" " * min(number(element, "c", 1), _MOST_SPACES), href=href)
        elif kind in _SIGNS:
            yield Run(_SIGNS[kind], href=href)
        elif kind == "a":
            yield from self._runs(element, attr(element, "href") or href)
        elif kind not in _SKIPPED and kind not in ("frame", "text-box"):
            yield from self._runs(element, href)


def _boxes(element: Element) -> Iterator[Element]:
    """The outermost text boxes below an element."""
    for inner in kids(element):
        if name(inner) == "text-box":
            yield inner
        else:
            yield from _boxes(inner)
