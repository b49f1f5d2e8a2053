"""Documents that need no parser of pages: Markdown, text, JSON, tables of values."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import dataclass, field

from research_mcp.extract.hidden.unseen import visible

MOST_JSON = 2_000_000
"""Characters of JSON that are laid out anew; longer ones are shown as they came."""
MOST_ROWS = 5_000
MOST_COLUMNS = 100
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_TITLE = re.compile(r"^title[ \t]*:[ \t]*(.{1,300})$", re.MULTILINE | re.IGNORECASE)
_HEADING = re.compile(r"^#[ \t]+(.{1,300})$", re.MULTILINE)
_INDEX = re.compile(r"\A(?:[ \t]*\n)*(?:>[^\n]*\n?)+")
_BACKTICKS = re.compile("`{3,}")


@dataclass(frozen=True, slots=True)
class Plain:
    """Markdown of a plain document. `cut`: what was left out, "" when it is whole."""

    markdown: str = field(repr=False)
    title: str = ""
    cut: str = ""


def markdown(text: str) -> Plain:
    """Markdown as its readers see it; front matter gives the title and goes, so does a docs index note."""
    title = ""
    text = text.replace("\r\n", "\n")
    if front := _FRONT_MATTER.match(text[:20_000]):
        stated = _TITLE.search(front[1])
        title = stated[1].strip().strip("\"'") if stated else ""
        text = text[front.end() :]
    index = _INDEX.match(text[:5_000])
    if index and "documentation index" in index[0].lower() and index.end() < 5_000:
        text = text[index.end() :]
    text = visible(text)
    heading = _HEADING.search(text[:20_000])
    return Plain(text.strip(), title or (heading[1].strip(" #") if heading else ""))


def text(content: str) -> Plain:
    """Text as it came: its line ends may carry meaning."""
    return Plain(content.replace("\r\n", "\n").strip("\n"))


def json_text(content: str) -> Plain:
    """JSON in a fence, laid out when that is possible; whole even when it is not valid."""
    shown, cut = content.strip(), ""
    if not shown:
        return Plain("")
    if len(shown) <= MOST_JSON:
        try:
            shown = json.dumps(json.loads(shown), ensure_ascii=False, indent=1)
        except (ValueError, RecursionError):
            cut = "it is not valid JSON: shown as it came"
    return Plain(fenced(shown, "json"), cut=cut)


def table(content: str, tabs: bool) -> Plain:
    """Comma- or tab-separated values as a Markdown table. Raises nothing: odd rows are padded."""
    rows: list[list[str]] = []
    reader = csv.reader(io.StringIO(content), delimiter="\t" if tabs else _delimiter(content))
    cut = ""
    try:
        for row in reader:
            if len(rows) > MOST_ROWS:
                cut = f"only the first {MOST_ROWS} rows are shown"
                break
            rows.append(row[:MOST_COLUMNS])
    except csv.Error:
        return Plain(fenced(content.strip(), "csv"), cut="it is no regular table: shown as it came")
    rows = [row for row in rows if any(cell.strip() for cell in row)]
    if not rows:
        return Plain("")
    width = max(len(row) for row in rows)
    lines = ["| " + " | ".join([_cell(c) for c in row] + [""] * (width - len(row))) + " |" for row in rows]
    return Plain("\n".join([lines[0], "|" + " --- |" * width, *lines[1:]]), cut=cut)


def fenced(content: str, language: str) -> str:
    """A code fence longer than any inside."""
    longest = max((len(run) for run in _BACKTICKS.findall(content)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{content}\n{fence}"


def _delimiter(content: str) -> str:
    first = content[:4_096].partition("\n")[0]
    return max((",", ";", "\t", "|"), key=first.count)


def _cell(value: str) -> str:
    return " ".join(value.split()).replace("|", "\\|")
