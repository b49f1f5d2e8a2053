"""Picking from JSON of which nothing is certain: a missing step is None, "" or an empty list."""

from __future__ import annotations

import math
from collections.abc import Iterator

from research_mcp.core.wire import JsonValue

Step = str | int
MOST_NODES = 200_000
"""How many objects and lists `find` looks into."""


def at(value: JsonValue, *path: Step) -> JsonValue:
    """What stands at `path`: names lead through objects, numbers through lists; None where it ends."""
    for step in path:
        if isinstance(step, str):
            value = value.get(step) if isinstance(value, dict) else None
        else:
            value = value[step] if isinstance(value, list) and -len(value) <= step < len(value) else None
    return value


def text(value: JsonValue, *path: Step) -> str:
    """The text at `path` without space around it; "" for anything else."""
    found = at(value, *path)
    return found.strip() if isinstance(found, str) else ""


def rows(value: JsonValue, *path: Step) -> list[dict[str, JsonValue]]:
    """The objects of the list at `path`; others are left out."""
    found = at(value, *path)
    return [row for row in found if isinstance(row, dict)] if isinstance(found, list) else []


def number(value: JsonValue, *path: Step) -> float | None:
    """The number at `path`, be it written as text; None for anything else, a boolean too."""
    found = at(value, *path)
    if isinstance(found, bool) or not isinstance(found, int | float | str):
        return None
    try:
        parsed = float(found)
    except (ValueError, OverflowError):
        return None
    return parsed if math.isfinite(parsed) else None


def find(value: JsonValue, name: str) -> Iterator[JsonValue]:
    """Whatever stands under `name` at any depth, the outer before the inner."""
    level: list[JsonValue] = [value]
    seen = 0
    while level and seen < MOST_NODES:
        seen += len(level)
        below: list[JsonValue] = []
        for node in level:
            if isinstance(node, dict):
                if name in node:
                    yield node[name]
                below.extend(node.values())
            elif isinstance(node, list):
                below.extend(node)
        level = [node for node in below if isinstance(node, dict | list)]
