"""Jupyter notebooks (nbformat 3 and 4): text, code in fences, what the code gave."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from research_mcp.extract.gates import shape_of, tame
from research_mcp.extract.html.page import convert_whole
from research_mcp.extract.jsondata import Json
from research_mcp.extract.plain import Plain, fenced

MOST_OUTPUT = 10_000
"""Characters that one output may have."""
_ANSI = re.compile(r"\x1b\[[0-9;?]{0,20}[A-Za-z]")
_DATA_URI = re.compile(r"\((?:data|attachment):[^()\s]*+\)")
_HEADING = re.compile(r"^#[ \t]+(\S.{0,299})$", re.MULTILINE)


def read_notebook(text: str) -> Plain:
    """A notebook as Markdown; empty when the text is none."""
    try:
        book = json.loads(text)
    except (ValueError, RecursionError):
        return Plain("")
    if not isinstance(book, dict) or "nbformat" not in book:
        return Plain("")
    metadata = _object(book.get("metadata"))
    language = _text(_object(metadata.get("language_info")).get("name"))
    language = language or _text(_object(metadata.get("kernelspec")).get("language")) or "python"
    blocks = [block for cell in _cells(book) for block in _cell(cell, language) if block.strip()]
    heading = next((found for block in blocks[:3] if (found := _HEADING.search(block))), None)
    title = _text(metadata.get("title")) or (heading[1].strip(" #") if heading else "")
    return Plain("\n\n".join(blocks), title)


def _cells(book: dict[str, Json]) -> Iterator[dict[str, Json]]:
    """The cells of a notebook; version 3 keeps them in sheets."""
    sheets = [sheet.get("cells") for sheet in map(_object, _list(book.get("worksheets")))]
    for cells in (book.get("cells"), *sheets):
        yield from map(_object, _list(cells))


def _cell(cell: dict[str, Json], language: str) -> Iterator[str]:
    kind = cell.get("cell_type")
    source = _text(cell.get("source") or cell.get("input")).strip("\n")
    if kind == "code":
        if source.strip():
            yield fenced(source, language if language.isalnum() else "")
        for output in _list(cell.get("outputs")):
            yield _output(_object(output))
    elif kind == "heading":
        level = cell.get("level")
        yield (
            "#" * (level if isinstance(level, int) and 1 <= level <= 6 else 1)
            + " "
            + " ".join(source.split())
        )
    elif kind == "markdown":
        yield _DATA_URI.sub("()", source)
    elif source.strip():
        yield fenced(source, "")


def _output(output: dict[str, Json]) -> str:
    """The richest text form of an output; pictures have none."""
    if output.get("output_type") in ("error", "pyerr"):
        return _shown(f"{_text(output.get('ename'))}: {_text(output.get('evalue'))}")
    data = _object(output.get("data")) or output
    for key in ("text/markdown", "text/latex", "latex"):
        if written := _text(data.get(key)).strip():
            return _cut(written)
    html = _text(data.get("text/html") or data.get("html"))
    if "<table" in html and len(html) <= 20 * MOST_OUTPUT and (grid := _table(html)):
        return _cut(grid)
    return _shown(_text(data.get("text/plain") or data.get("text")))


def _table(html: str) -> str:
    shape = shape_of(html)
    return "" if shape.hopeless else convert_whole(tame(f"<html><body>{html}</body></html>", shape))


def _shown(text: str) -> str:
    text = _ANSI.sub("", text).strip("\n")
    return fenced(_cut(text), "text") if text.strip() else ""


def _cut(text: str) -> str:
    if len(text) <= MOST_OUTPUT:
        return text
    return f"{text[:MOST_OUTPUT]}\n[{len(text) - MOST_OUTPUT:,} more characters of output]"


def _object(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def _text(value: Json) -> str:
    """A text, or its lines."""
    if isinstance(value, list):
        return "".join(line for line in value if isinstance(line, str))
    return value if isinstance(value, str) else ""
