"""JSON inside pages, read with bounds: scripts and attributes are as large and deep as a page likes."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from typing import TypeAlias

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

MAX_CHARS = 4_000_000
MAX_NODES = 60_000
MAX_DEPTH = 60
_WRAPPED = re.compile(r"^\s*(?:<!--|//\s*<!\[CDATA\[|<!\[CDATA\[)|(?:-->|//\s*\]\]>|\]\]>)\s*+;?+\s*+$")
_CONTROL = re.compile(r"[\x00-\x1f]")


def read(text: str) -> Json:
    """The value of a JSON text, `None` when it is broken, too large or too deep."""
    if len(text) > MAX_CHARS:
        return None
    text = _WRAPPED.sub("", text).strip().rstrip(";")
    for candidate in (text, _CONTROL.sub(" ", text)):
        try:
            value: Json = json.loads(candidate)
        except (ValueError, RecursionError):
            continue
        return value
    return None


def read_first(text: str) -> Json:
    """The first JSON object in a script such as `window.state = {...};`, `None` when there is none."""
    start = text.find("{")
    if start < 0 or len(text) > MAX_CHARS:
        return None
    try:
        value: Json = json.JSONDecoder().raw_decode(text, start)[0]
    except (ValueError, RecursionError):
        return None
    return value


def walk(value: Json) -> Iterator[tuple[str, Json]]:
    """Each value with the name it has in its object, in document order, up to `MAX_NODES`."""
    stack: list[tuple[str, Json, int]] = [("", value, 0)]
    for _ in range(MAX_NODES):
        if not stack:
            return
        name, current, depth = stack.pop()
        yield name, current
        if depth >= MAX_DEPTH:
            continue
        if isinstance(current, dict):
            stack.extend((key, inner, depth + 1) for key, inner in reversed(current.items()))
        elif isinstance(current, list):
            stack.extend((name, inner, depth + 1) for inner in reversed(current))


def objects(value: Json) -> Iterator[dict[str, Json]]:
    """Each object in a value."""
    for _, current in walk(value):
        if isinstance(current, dict):
            yield current


def types_of(item: dict[str, Json]) -> set[str]:
    """The schema.org types of an object, without their namespace."""
    stated = item.get("@type")
    names = stated if isinstance(stated, list) else [stated]
    return {name.rpartition("/")[2] for name in names if isinstance(name, str)}


def text_at(item: dict[str, Json], *names: str) -> str:
    """The first of these members that is a text (or the first text of a list), entities decoded."""
    for name in names:
        value = item.get(name)
        if isinstance(value, list) and value:
            value = value[0]
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            value = str(value)
        if isinstance(value, str) and value.strip():
            return " ".join(html.unescape(value).split())
    return ""
