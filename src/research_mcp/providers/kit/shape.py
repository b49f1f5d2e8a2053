"""From a vendor's JSON to hits: a declared path to the list and the names of its keys."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass

from research_mcp.core.errors import BadReply
from research_mcp.core.models import Hit
from research_mcp.core.wire import JsonValue

_ISO_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_TAG = re.compile(r"</?(?:b|strong|em|i|mark|hlword|span|br)\b[^<>]{0,80}>", re.IGNORECASE)


def plain(text: object, limit: int = 2_000) -> str:
    """One line of text from a vendor's field: entities decoded, highlight tags and runs of space gone."""
    if not isinstance(text, str):
        return ""
    return " ".join(html.unescape(_TAG.sub("", text[: limit * 2])).split())[:limit]


def iso_day(text: object) -> str:
    """`2026-03-04` from any ISO date-time; "" for anything else. Never guesses."""
    if not isinstance(text, str):
        return ""
    found = _ISO_DAY.match(text.strip())
    return found.group() if found else ""


def dig(value: JsonValue, path: str) -> JsonValue:
    """Follow `a.b.c` through objects; None where a step is missing. Raises `BadReply` off an object."""
    for step in path.split(".") if path else ():
        if value is None:
            return None
        if not isinstance(value, dict):
            raise BadReply(f"expected an object around {step!r}, got {type(value).__name__}")
        value = value.get(step)
    return value


@dataclass(frozen=True, slots=True)
class Shape:
    """Where the list is and what its items call things. Defaults are the usual names."""

    rows: str = "results"
    title: str = "title"
    url: str = "url"
    snippet: str = "snippet"
    date: str = ""
    score: str = ""

    def hits(self, value: JsonValue) -> list[Hit]:
        """The hits in `value`. A missing list is empty; a wrong type is `BadReply`."""
        if not isinstance(value, dict):
            raise BadReply(f"expected a JSON object, got {type(value).__name__}")
        rows = dig(value, self.rows)
        if rows is None:
            return []
        if not isinstance(rows, list):
            raise BadReply(f"expected a list at {self.rows!r}, got {type(rows).__name__}")
        return list(self._each(rows))

    def _each(self, rows: list[JsonValue]) -> Iterator[Hit]:
        for row in rows:
            if not isinstance(row, dict):
                raise BadReply(f"expected objects in {self.rows!r}, got {type(row).__name__}")
            url = dig(row, self.url)
            if not isinstance(url, str) or not url.startswith(("http://", "https://")):
                continue
            score = dig(row, self.score) if self.score else None
            yield Hit(
                title=plain(dig(row, self.title), 300),
                url=url.strip(),
                snippet=plain(dig(row, self.snippet)),
                date=iso_day(dig(row, self.date)) if self.date else "",
                score=float(score) if isinstance(score, int | float) else None,
            )
