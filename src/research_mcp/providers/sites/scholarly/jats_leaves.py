"""The parts of JATS that hold no further blocks: tables, figures, formulas, code."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from research_mcp.providers.kit.markup import XmlElement
from research_mcp.providers.sites.scholarly.jats_text import first, formula, inline, verbatim


def _definitions(element: XmlElement) -> Iterator[str]:
    rows = element.all("def-item")
    yield "\n".join(f"- **{first(row, 'term')}**: {first(row, 'def')}" for row in rows)


def _formula(element: XmlElement) -> Iterator[str]:
    yield f"$$\n{formula(element)}\n$$"


def _code(element: XmlElement) -> Iterator[str]:
    yield f"```\n{verbatim(element).strip()}\n```"


def _figure(element: XmlElement) -> Iterator[str]:
    """What is written under a figure."""
    label = first(element, "label").rstrip(".")
    words = " ".join(first(element, f"caption/{name}") for name in ("title", "p")).strip()
    yield f"**{label}.** {words}".strip() if label else words


def _table(element: XmlElement) -> Iterator[str]:
    yield from _figure(element)
    for table in element.all(".//table"):
        rows = [list(_cells(row)) for row in table.all(".//tr")]
        width = max((len(row) for row in rows), default=0)
        if not width:
            continue
        filled = [row + [""] * (width - len(row)) for row in rows]
        lines = [filled[0], ["---"] * width, *filled[1:]]
        yield "\n".join(f"| {' | '.join(line)} |" for line in lines)
    yield "\n".join(inline(note) for note in element.all("table-wrap-foot//p"))


def _cells(row: XmlElement) -> Iterator[str]:
    for piece in row.pieces:
        if not isinstance(piece, str) and piece.name in ("th", "td"):
            yield inline(piece).replace("|", "\\|")


LEAVES: Final[Mapping[str, Callable[[XmlElement], Iterator[str]]]] = {
    "def-list": _definitions,
    "disp-formula": _formula,
    "preformat": _code,
    "fig": _figure,
    "table-wrap": _table,
}
"""How each is written."""
