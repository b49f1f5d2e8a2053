"""Formulas of Office documents (OMML) as TeX, as far as their structure is common."""

from __future__ import annotations

from research_mcp.extract.office.xmltree import Element, attr, kid, kids, name, text_of

_BIG = {"∑": r"\sum", "∏": r"\prod", "∫": r"\int", "": r"\int", "⋃": r"\bigcup", "⋂": r"\bigcap"}
_PROPERTIES = "Pr"


def tex(element: Element | None) -> str:
    """An `m:oMath` or a part of one as TeX."""
    return "".join(map(_part, kids(element))).strip()


def _part(element: Element) -> str:
    kind = name(element)
    if kind.endswith(_PROPERTIES):
        return ""
    if kind == "r":
        return "".join(text_of(text) or " " for text in kids(element, "t"))
    if kind == "f":
        return rf"\frac{{{tex(kid(element, 'num'))}}}{{{tex(kid(element, 'den'))}}}"
    if kind in ("sSup", "sSub", "sSubSup"):
        return _scripted(element)
    if kind == "rad":
        degree = tex(kid(element, "deg"))
        return rf"\sqrt{f'[{degree}]' if degree else ''}{{{tex(kid(element, 'e'))}}}"
    if kind == "nary":
        sign = attr(kid(element, "naryPr", "chr"), "val")
        return f"{_BIG.get(sign, sign)}{_limits(element)} {tex(kid(element, 'e'))}"
    if kind == "d":
        return _fenced(element)
    if kind == "m":
        rows = (" & ".join(tex(cell) for cell in kids(row, "e")) for row in kids(element, "mr"))
        return r"\begin{matrix} " + r" \\ ".join(rows) + r" \end{matrix}"
    return tex(element)


def _scripted(element: Element) -> str:
    return f"{tex(kid(element, 'e'))}{_limits(element)}"


def _limits(element: Element) -> str:
    low, high = tex(kid(element, "sub")), tex(kid(element, "sup"))
    return (f"_{{{low}}}" if low else "") + (f"^{{{high}}}" if high else "")


def _fenced(element: Element) -> str:
    properties = kid(element, "dPr")
    begin, end = kid(properties, "begChr"), kid(properties, "endChr")
    inner = ", ".join(tex(part) for part in kids(element, "e"))
    return f"{'(' if begin is None else attr(begin, 'val')}{inner}{')' if end is None else attr(end, 'val')}"
