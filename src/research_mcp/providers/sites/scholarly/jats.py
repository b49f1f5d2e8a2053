"""A paper in JATS, the XML of journals and archives, as Markdown.

Docs:   https://jats.nlm.nih.gov/archiving/tag-library/
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from research_mcp.core.errors import NoContent, Reason
from research_mcp.providers.kit.markup import XmlElement
from research_mcp.providers.sites.scholarly.jats_leaves import LEAVES
from research_mcp.providers.sites.scholarly.jats_text import first, flat, inline

MOST = 3_000_000
"""Octets of a paper's XML."""

_DEEPEST = 40
"""Sections, lists and boxes inside one another; what is deeper is one line of text."""

_MOST_REFERENCES = 500
_DATES = ("epub", "pub", "ppub", "collection")
_NOT_TEXT = frozenset(
    {
        "title",
        "label",
        "sec-meta",
        "object-id",
        "graphic",
        "media",
        "supplementary-material",
        "attrib",
        "permissions",
        "ref-list",
    }
)


@dataclass(frozen=True, slots=True)
class Article:
    """A paper with a body."""

    title: str
    authors: str
    date: str
    journal: str
    markdown: str


def article_of(root: XmlElement) -> Article:
    """The paper below an `article` element. Raises `NoContent` when only its front is there."""
    body = root.first("body")
    if body is None or not body.text:
        raise NoContent("Europe PMC holds only the paper's front", reason=Reason.EMPTY)
    meta = root.first("front/article-meta")
    title = first(meta, "title-group/article-title")
    blocks = [f"# {title}" if title else "", *_abstract(meta), *_blocks(body, 2)]
    for appendices in root.all("back/app-group"):
        blocks += _blocks(appendices, 2)
    blocks += _references(root)
    return Article(
        title=title,
        authors=", ".join(_authors(meta)),
        date=_date(meta),
        journal=first(root.first("front/journal-meta"), ".//journal-title"),
        markdown="\n\n".join(block for block in blocks if block.strip()),
    )


def _authors(meta: XmlElement | None) -> Iterator[str]:
    for person in [] if meta is None else meta.all("contrib-group/contrib"):
        if person.attribute("contrib-type") not in ("", "author"):
            continue
        name = " ".join(
            part for tag in ("given-names", "surname") if (part := first(person, f".//name/{tag}"))
        )
        if name := name or first(person, "collab") or first(person, ".//string-name"):
            yield name


def _date(meta: XmlElement | None) -> str:
    """The day of publication as far as it is stated: `2026-03-04`, `2026-03` or `2026`."""
    dates = [] if meta is None else meta.all("pub-date")
    kinds = {each.attribute("pub-type") or each.attribute("date-type"): each for each in reversed(dates)}
    best = next((kinds[kind] for kind in _DATES if kind in kinds), dates[0] if dates else None)
    year, month, day = (first(best, name) for name in ("year", "month", "day"))
    if not re.fullmatch(r"\d{4}", year):
        return ""
    parts = [year]
    for part in (month, day):
        if not re.fullmatch(r"\d{1,2}", part):
            break
        parts.append(part.zfill(2))
    return "-".join(parts)


def _abstract(meta: XmlElement | None) -> Iterator[str]:
    for abstract in [] if meta is None else meta.all("abstract"):
        if not abstract.attribute("abstract-type"):  # others are teasers, pictures, summaries for lay people
            yield "## Abstract"
            yield from _blocks(abstract, 3)


def _blocks(element: XmlElement, level: int, depth: int = 0) -> Iterator[str]:
    """What stands in a section, box or the like, headings from `level` on."""
    if depth > _DEEPEST:
        yield element.text
        return
    for piece in element.pieces:
        if isinstance(piece, str):
            if piece.strip():
                yield flat(piece)
        elif piece.name not in _NOT_TEXT:
            yield from _block(piece, level, depth + 1)


def _block(element: XmlElement, level: int, depth: int) -> Iterator[str]:
    if leaf := LEAVES.get(element.name):
        return leaf(element)
    return _BRANCHES.get(element.name, _blocks)(element, level, depth)


def _section(element: XmlElement, level: int, depth: int) -> Iterator[str]:
    if heading := _heading(element):
        yield f"{'#' * min(level, 6)} {heading}"
    yield from _blocks(element, level + 1, depth)


def _heading(element: XmlElement) -> str:
    title = first(element, "title") or first(element, "caption/title")
    return " ".join(part for part in (first(element, "label"), title) if part)


def _paragraph(element: XmlElement, level: int, depth: int) -> Iterator[str]:
    """Its text, cut where a list, a formula or a figure stands in it."""
    run: list[str] = []
    for piece in element.pieces:
        if isinstance(piece, str):
            run.append(piece)
        elif piece.name not in LEAVES and piece.name not in _BRANCHES:
            run.append(inline(piece, spaced=True))
        else:
            yield flat("".join(run))
            run = []
            yield from _block(piece, level, depth + 1)
    yield flat("".join(run))


def _list(element: XmlElement, level: int, depth: int) -> Iterator[str]:
    ordered = element.attribute("list-type").startswith(("order", "alpha", "roman"))
    items = []
    for place, item in enumerate(element.all("list-item"), start=1):
        mark = f"{place}. " if ordered else "- "
        blocks = [block for block in _blocks(item, level, depth) if block.strip()]
        indented = "\n\n".join(blocks).replace("\n", "\n" + " " * len(mark))
        items.append(mark + indented.replace("\n" + " " * len(mark) + "\n", "\n\n"))
    yield "\n".join(items)


def _quote(element: XmlElement, level: int, depth: int) -> Iterator[str]:
    lines = "\n\n".join(_blocks(element, level, depth)).split("\n")
    yield "\n".join(f"> {line}".rstrip() for line in lines)


def _references(root: XmlElement) -> Iterator[str]:
    lines = []
    for place, ref in enumerate(root.all("back//ref")[:_MOST_REFERENCES], start=1):
        label = first(ref, "label").strip("[].") or str(place)
        if words := _reference(ref):
            lines.append(f"{label}. {words}" if label.isdigit() else f"- {label} {words}")
    if lines:
        yield "## References"
        yield "\n".join(lines)


def _reference(ref: XmlElement) -> str:
    if mixed := ref.first(".//mixed-citation"):
        return inline(mixed)
    cited = ref.first(".//element-citation")
    if cited is None:
        return ""
    people = [
        " ".join(filter(None, (first(n, "surname"), first(n, "given-names")))) for n in cited.all(".//name")
    ]
    names = (
        "article-title",
        "chapter-title",
        "source",
        "publisher-name",
        "year",
        "volume",
        "fpage",
        "pub-id",
    )
    facts = [", ".join(people), *(first(cited, name) for name in names)]
    return ". ".join(fact.rstrip(".") for fact in facts if fact)


_Branch = Callable[[XmlElement, int, int], Iterator[str]]
_BRANCHES: Final[Mapping[str, _Branch]] = {
    "p": _paragraph,
    **dict.fromkeys(("sec", "boxed-text", "app", "ack", "notes", "fn-group"), _section),
    "list": _list,
    "disp-quote": _quote,
    **dict.fromkeys(("fig-group", "disp-formula-group", "verse-group"), _blocks),
}
"""How what holds other blocks is written; anything unknown is what stands in it."""
