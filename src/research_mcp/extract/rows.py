"""Rows of cells as a Markdown table."""

from __future__ import annotations


def table(rows: list[list[str]]) -> str:
    """Rows of Markdown cells as a table with its first row as the head; "" when all cells are empty."""
    width = max((len(row) for row in rows), default=0)
    used = [place for place in range(width) if any(len(row) > place and row[place] for row in rows)]
    if not used:
        return ""
    lines = [
        "| " + " | ".join(_cell(row[place]) if place < len(row) else "" for place in used) + " |"
        for row in rows
    ]
    return "\n".join([lines[0], "|" + " --- |" * len(used), *lines[1:]])


def _cell(text: str) -> str:
    lines = (line.strip() for line in text.split("\n"))
    return "<br>".join(line for line in lines if line).replace("|", "\\|")
