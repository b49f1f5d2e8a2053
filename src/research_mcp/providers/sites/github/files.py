"""Files and directories as Markdown. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import unquote

from research_mcp.core.errors import BadReply
from research_mcp.core.models import Kind
from research_mcp.core.wire import JsonValue, Reply
from research_mcp.providers.kit.fields import Fields
from research_mcp.providers.kit.fragment import fenced, visible
from research_mcp.providers.kit.thread import blocks, one_line
from research_mcp.providers.kit.tree import at, number, rows, text

MOST_ENTRIES = 500
_MOST_OUTPUT = 2_000
"""Characters of what one cell of a notebook printed."""

_MARKDOWN = frozenset(("md", "markdown", "mdx", "mkd", "qmd", "rmd"))
_PROSE = frozenset(("txt", "rst", "adoc", "asciidoc", "org", "text", "tex"))
_PROSE_NAMES = frozenset(
    ("readme", "license", "licence", "copying", "notice", "authors", "changelog", "news")
)
_OTHERS = frozenset(("pdf", "docx", "xlsx", "pptx", "epub", "csv", "tsv"))
"""Files that extraction knows how to read, although some of them are text."""


@dataclass(frozen=True, slots=True)
class FileText:
    """A file that is text."""

    markdown: str
    kind: Kind


def file_text(path: str, body: bytes) -> FileText | None:
    """Prose as it is, code in a fence; None for what is not text, or is better extracted."""
    name = unquote(path).rpartition("/")[2].lower()
    stem, dot, extension = name.rpartition(".")
    if not dot:
        stem, extension = name, ""
    if extension in _OTHERS or b"\0" in body[:65_536]:
        return None
    if extension == "ipynb" and (cells := _notebook(body)):
        return FileText(cells, Kind.MARKDOWN)
    content = body.decode("utf-8", "replace").removeprefix("\ufeff")
    if extension in _MARKDOWN:
        return FileText(visible(content), Kind.MARKDOWN)
    if extension in _PROSE or (not extension and stem in _PROSE_NAMES):
        return FileText(content, Kind.TEXT)
    return FileText(
        fenced(content, extension if extension.isalnum() else "") if content.strip() else "", Kind.TEXT
    )


def listing(entries: list[Fields]) -> str:
    """Directories first, then files with their sizes."""
    ordered = sorted(entries, key=lambda entry: (text(entry, "type") != "dir", text(entry, "name").lower()))
    lines = [_line(entry) for entry in ordered[:MOST_ENTRIES]]
    if len(ordered) > MOST_ENTRIES:
        lines.append(f"- and {len(ordered) - MOST_ENTRIES} more")
    return "\n".join(lines)


def readme_in(entries: list[Fields]) -> str:
    """The name of the file that stands for the directory, "" for none."""
    names = [text(entry, "name") for entry in entries if text(entry, "type") == "file"]
    found = sorted(name for name in names if name.lower().partition(".")[0] == "readme")
    return next((name for name in found if name.lower().endswith(".md")), found[0] if found else "")


def _notebook(body: bytes) -> str:
    """The cells of a notebook and what they printed, without pictures; "" when it is none."""
    try:
        notebook: JsonValue = Reply(200, body=body).json()
    except BadReply:
        return ""
    language = text(notebook, "metadata", "kernelspec", "language") or "python"
    parts = []
    for cell in rows(notebook, "cells"):
        source = _lines(at(cell, "source"))
        if text(cell, "cell_type") == "code" and source.strip():
            parts.append(fenced(source, language))
        elif source.strip():
            parts.append(source.strip())
        for output in rows(cell, "outputs"):
            said = _lines(at(output, "text") or at(output, "data", "text/plain"))
            if said.strip():
                parts.append(fenced(said[:_MOST_OUTPUT]))
    return blocks(*parts)


def _lines(value: JsonValue) -> str:
    """Text that a notebook may keep as a list of lines."""
    pieces = value if isinstance(value, list) else [value]
    return "".join(piece for piece in pieces if isinstance(piece, str))


def _line(entry: Fields) -> str:
    name, kind, size = one_line(text(entry, "name"), 255), text(entry, "type"), number(entry, "size")
    if kind == "dir":
        return f"- {name}/"
    if kind == "file":
        return f"- {name}" + (f" ({size:,.0f} bytes)" if size is not None else "")
    return f"- {name} ({kind})"
