"""The text inside a Word paragraph: looks, links, fields, notes, formulas, boxes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from research_mcp.extract.office.draft import Run
from research_mcp.extract.office.omml import tex
from research_mcp.extract.office.xmltree import (
    Element,
    Relations,
    attr,
    every,
    is_on,
    kid,
    kids,
    name,
    reference,
)

_SIGNS = {"tab": " ", "br": "\n", "cr": "\n", "noBreakHyphen": "-", "ptab": " "}
_SKIPPED = frozenset(
    {"del", "moveFrom", "pPr", "rPr", "Fallback", "instrText", "delText", "sdtPr", "rt", "commentReference"}
)
_NOTES = {"footnoteReference": "footnotes", "endnoteReference": "endnotes"}
_HYPERLINK = re.compile(r'\s*HYPERLINK\s+"([^"]{1,2000})"')


class TextReader:
    """Reads paragraphs; `note` gives the number of a foot- or endnote that the text refers to."""

    def __init__(self, relations: Relations, note: Callable[[str, str], int]) -> None:
        self._relations = relations
        self._note = note
        self._runs: list[Run] = []
        self._boxes: list[Element] = []
        self._fields: list[str] = []
        self._asking = 0

    def read(self, paragraph: Element) -> tuple[list[Run], list[Element]]:
        """The runs of a paragraph, and the text boxes that are anchored in it."""
        self._runs, self._boxes, self._fields, self._asking = [], [], [], 0
        self._inside(paragraph, "")
        return self._runs, self._boxes

    def _inside(self, parent: Element, href: str) -> None:
        for element in kids(parent):
            kind = name(element)
            if kind == "r":
                self._run(element, href)
            elif kind == "hyperlink":
                self._inside(element, self._relations[reference(element)] or href)
            elif kind == "fldSimple":
                self._inside(element, _target(attr(element, "instr")) or href)
            elif kind in ("oMath", "oMathPara"):
                self._formula(element, display=kind == "oMathPara")
            elif kind not in _SKIPPED:
                self._inside(element, href)

    def _formula(self, element: Element, *, display: bool) -> None:
        written = tex(element)
        if written:
            sign = "$$" if display else "$"
            self._runs.append(Run(f"{sign}{written}{sign}", raw=True))

    def _run(self, run: Element, href: str) -> None:
        look = kid(run, "rPr")
        if is_on(kid(look, "vanish")) or is_on(kid(look, "webHidden")):
            return
        bold, italic = is_on(kid(look, "b")), is_on(kid(look, "i"))
        struck = is_on(kid(look, "strike")) or is_on(kid(look, "dstrike"))
        for element in kids(run):
            kind = name(element)
            if kind == "fldChar":
                self._field(attr(element, "fldCharType"))
            elif kind == "instrText" and self._fields:
                self._fields[-1] += str(element.text or "")
            elif self._asking:
                continue
            elif kind in _NOTES:
                self._runs.append(Run(f"[^{self._note(_NOTES[kind], attr(element, 'id'))}]", raw=True))
            elif text := self._text(element, kind):
                target = href or next(filter(None, map(_target, self._fields)), "")
                self._runs.append(Run(text, bold, italic, struck, target))

    def _text(self, element: Element, kind: str) -> str:
        if kind == "t":
            return str(element.text or "")
        if kind == "br" and attr(element, "type") in ("page", "column"):
            return " "
        if kind == "sym":
            code = attr(element, "char")
            return chr(int(code, 16)) if re.fullmatch("[0-9A-Fa-f]{4}", code) else ""
        if kind in ("drawing", "pict", "AlternateContent", "object"):
            return self._drawing(element)
        if kind == "ruby":
            return "".join(str(text.text or "") for text in every(kid(element, "rubyBase"), "t"))
        return _SIGNS.get(kind, "")

    def _drawing(self, element: Element) -> str:
        """Boxes are kept for later; a picture is worth its description."""
        boxes = list(_boxes(element))
        self._boxes += boxes
        stated = attr(next(every(element, "docPr"), None), "descr")
        alt = " ".join(stated.split())[:300]
        return f" (picture: {alt}) " if alt and not boxes else ""

    def _field(self, kind: str) -> None:
        """Between "begin" and "separate" stand instructions, up to "end" what they gave."""
        if kind == "begin":
            self._fields.append("")
            self._asking += 1
        elif kind == "separate":
            self._asking = max(0, self._asking - 1)
        elif kind == "end" and self._fields:
            self._fields.pop()
            self._asking = min(self._asking, len(self._fields))


def _target(instructions: str) -> str:
    found = _HYPERLINK.match(instructions)
    return found[1] if found else ""


def _boxes(element: Element) -> Iterator[Element]:
    """The outermost boxes, without the second copies that are meant for old programs."""
    for inner in kids(element):
        if name(inner) == "txbxContent":
            yield inner
        elif name(inner) != "Fallback":
            yield from _boxes(inner)
