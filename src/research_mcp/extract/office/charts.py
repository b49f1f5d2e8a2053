"""Charts of Office files: the values they were last drawn from, as tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from research_mcp.extract.escape import escape
from research_mcp.extract.office.xlsx_values import form_of, shown
from research_mcp.extract.office.xmltree import Element, every, kid, kids, number, text_of
from research_mcp.extract.rows import table

MOST_SERIES = 50
MOST_POINTS = 500
_LABELS = ("cat", "xVal")
_VALUES = ("val", "yVal")

Points = dict[int, str]
"""The place of each point in its series -> its text as Markdown."""


@dataclass(frozen=True, slots=True)
class _Series:
    title: str
    labels: Points
    values: Points


def chart_blocks(root: Element | None) -> list[str]:
    """The title and the tables of a chart part: a row for each category, a column for each series.

    Series over other categories than those before them get a table of their own.
    """
    chart = kid(root, "chart")
    title = escape(" ".join(filter(None, map(text_of, every(kid(chart, "title"), "p")))))
    groups: list[list[_Series]] = []
    for _, element in zip(range(MOST_SERIES), every(kid(chart, "plotArea"), "ser"), strict=False):
        series = _read(element)
        if groups and groups[-1][0].labels == series.labels:
            groups[-1].append(series)
        else:
            groups.append([series])
    blocks = [title and f"**{title}**", *map(_table, groups)]
    return [block for block in blocks if block]


def _read(series: Element) -> _Series:
    title = " ".join(_points(series, ("tx",)).values()) or escape(text_of(kid(series, "tx", "v")))
    return _Series(title, _points(series, _LABELS), _points(series, _VALUES))


def _points(series: Element, names: tuple[str, ...]) -> Points:
    """The points cached for a part of a series; of labels in several levels the nearest."""
    for holder in (kid(series, name) for name in names):
        for cache in every(holder, "strCache", "numCache", "lvl", "strLit", "numLit"):
            return dict(_cached(cache))
    return {}


def _cached(cache: Element) -> Iterator[tuple[int, str]]:
    code = text_of(kid(cache, "formatCode"))
    for _, point in zip(range(MOST_POINTS), kids(cache, "pt"), strict=False):
        form = form_of(text_of(kid(point, "formatCode")) or code)
        yield number(point, "idx", 0), escape(shown(text_of(kid(point, "v")), form))


def _table(group: list[_Series]) -> str:
    labels = group[0].labels
    places = sorted({place for series in group for place in series.values})
    if not places:
        return ""
    head = ["", *(series.title for series in group)]
    rows = [[labels.get(place, ""), *(series.values.get(place, "") for series in group)] for place in places]
    return table([head, *rows])
