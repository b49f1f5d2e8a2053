"""PowerPoint presentations: each slide under its title with the values of its charts, its notes behind it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from research_mcp.extract.escape import escape
from research_mcp.extract.office.archive import Archive
from research_mcp.extract.office.charts import chart_blocks
from research_mcp.extract.office.draft import Draft, Run, write
from research_mcp.extract.office.facts import state
from research_mcp.extract.office.omml import tex
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

_TITLES = frozenset({"title", "ctrTitle"})
_FURNITURE = frozenset({"dt", "ftr", "hdr", "sldNum", "sldImg"})
_BODIES = frozenset({"body", "obj", ""})
_MOST_COLUMNS = 100
_FILE_NAME = re.compile(r"\S+\.\w{2,4}$")


def read_pptx(archive: Archive, draft: Draft) -> None:
    """Add the slides of a presentation to `draft`. Raises what the archive and the draft raise."""
    state(draft, parse(archive.read("docProps/core.xml")))
    presentation, relations = main_part(archive, "ppt/presentation.xml", "presentation")
    hidden = 0
    for count, slide in enumerate(kids(kid(presentation, "sldIdLst"), "sldId"), 1):
        part = relations[reference(slide)]
        root = parse(archive.read(part))
        if root is None:
            continue
        if attr(root, "show") in ("0", "false"):
            hidden += 1
        else:
            _Slide(archive, part, draft).add(root, count)
    if hidden:
        draft.notes.append(f"{hidden} hidden {'slide is' if hidden == 1 else 'slides are'} left out.")


class _Slide:
    """Writes one slide."""

    def __init__(self, archive: Archive, part: str, draft: Draft) -> None:
        self._archive = archive
        self._relations = Relations(archive, part)
        self._draft = draft

    def add(self, root: Element, count: int) -> None:
        """Write the slide with this root, the `count`-th one."""
        shapes = list(_shapes(kid(root, "cSld", "spTree")))
        titles = [shape for shape in shapes if _place(shape) in _TITLES]
        title = " ".join(filter(None, (" ".join(self._lines(shape)) for shape in titles)))
        if count == 1:
            self._draft.title = self._draft.title or title[:300]
        self._draft.add(f"## Slide {count}: {title}" if title else f"## Slide {count}", frame=not title)
        for shape in shapes:
            if shape not in titles:
                self._shape(shape)
        self._notes()

    def _shape(self, shape: Element) -> None:
        kind = name(shape)
        if kind == "graphicFrame":
            for grid in every(shape, "tbl"):
                self._draft.add(table([self._cells(row) for row in kids(grid, "tr")]))
            for chart in every(shape, "chart"):
                self._chart(self._relations[reference(chart)])
        elif kind == "pic":
            self._picture(shape)
        elif _place(shape) not in _FURNITURE:
            self._text(shape)

    def _chart(self, part: str) -> None:
        root = parse(self._archive.read(part)) if part else None
        for block in chart_blocks(root):
            self._draft.add(block)

    def _text(self, shape: Element) -> None:
        paragraphs = list(kids(kid(shape, "txBody"), "p"))
        filled = sum(bool(text_of(paragraph)) for paragraph in paragraphs)
        listed = _place(shape) in _BODIES and filled > 1
        for paragraph in paragraphs:
            properties = kid(paragraph, "pPr")
            text = self._paragraph(paragraph)
            level = min(number(properties, "lvl", 0), 8)
            signed = kid(properties, "buChar") is not None or kid(properties, "buAutoNum") is not None
            if text and (signed or (listed and kid(properties, "buNone") is None)):
                indent = "  " * level
                self._draft.add(f"{indent}- " + text.replace("\n", f"\n{indent}  "), item=True)
            else:
                self._draft.add(text)

    def _picture(self, shape: Element) -> None:
        stated = " ".join(attr(kid(shape, "nvPicPr", "cNvPr"), "descr").split())[:300]
        if stated and not _FILE_NAME.match(stated):
            self._draft.add(f"(picture: {escape(stated)})")

    def _cells(self, row: Element) -> list[str]:
        cells = ("\n".join(self._lines(cell)) for cell in kids(row, "tc"))
        return [cell for cell, _ in zip(cells, range(_MOST_COLUMNS), strict=False)]

    def _lines(self, shape: Element) -> list[str]:
        return [self._paragraph(paragraph, plain=True) for paragraph in kids(kid(shape, "txBody"), "p")]

    def _paragraph(self, paragraph: Element, *, plain: bool = False) -> str:
        return write(self._runs(paragraph), plain=plain)

    def _runs(self, paragraph: Element) -> Iterator[Run]:
        for element in kids(paragraph):
            kind = name(element)
            if kind == "br":
                yield Run("\n")
            elif kind in ("r", "fld"):
                look = kid(element, "rPr")
                text = kid(element, "t")
                yield Run(
                    str(text.text or "") if text is not None else "",
                    bold=attr(look, "b") in ("1", "true"),
                    italic=attr(look, "i") in ("1", "true"),
                    struck=attr(look, "strike") in ("sngStrike", "dblStrike"),
                    href=self._relations[reference(kid(look, "hlinkClick"))],
                )
            else:
                yield from (Run(f"${tex(formula)}$", raw=True) for formula in every(element, "oMath"))

    def _notes(self) -> None:
        part = self._relations.of_kind("notesSlide")
        root = parse(self._archive.read(part)) if part else None
        self._relations = Relations(self._archive, part)
        lines = [
            line
            for shape in _shapes(kid(root, "cSld", "spTree"))
            if _place(shape) == "body"
            for line in self._lines(shape)
            if line
        ]
        if lines:
            self._draft.add("Notes: " + "\n\n".join(lines))


def _shapes(tree: Element | None) -> Iterator[Element]:
    """The shapes of a slide, those of groups too; of two versions of one the newer."""
    for element in kids(tree):
        kind = name(element)
        if kind in ("sp", "graphicFrame", "pic"):
            yield element
        elif kind in ("grpSp", "AlternateContent", "Choice"):
            yield from _shapes(element)


def _place(shape: Element) -> str:
    """What a shape stands for on its slide: "title", "body" ..., "none" for one of its own."""
    for properties in ("nvSpPr", "nvPicPr", "nvGraphicFramePr"):
        place = kid(shape, properties, "nvPr", "ph")
        if place is not None:
            return attr(place, "type")
    return "none"
