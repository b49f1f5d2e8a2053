"""From a vendor's JSON to hits: a declared path to the list and the names of its keys."""

from __future__ import annotations

import datetime as dt
import html
import re
from dataclasses import dataclass

from research_mcp.core.errors import BadReply
from research_mcp.core.models import Hit
from research_mcp.core.wire import JsonValue

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_RUSSIAN = ("янв", "фев", "мар", "апр", "мая", "июн", "июл", "авг", "сен", "окт", "ноя", "дек")
_NUMBERS = {month: n for names in (_MONTHS, _RUSSIAN) for n, month in enumerate(names, start=1)}
_MONTH = rf"(?P<month>(?:{'|'.join(_NUMBERS)})[a-zа-я]*)\.?"
_DATES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})(?!\d)",
        rf"{_MONTH} (?P<day>\d{{1,2}}),? (?P<year>\d{{4}})(?!\d)",
        rf"(?:[a-z]{{3,9}}, )?(?P<day>\d{{1,2}}) {_MONTH},? (?P<year>\d{{4}})(?!\d)",
        r"(?P<day>\d{2})\.(?P<month>\d{2})\.(?P<year>\d{4})(?!\d)",
    )
)
_EPOCHS = range(500_000_000, 5_000_000_000)
_DIGITS = re.compile(r"[0-9]{9,10}")
_DECIMAL = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{1,20})?")
_TAG = re.compile(
    r"</?(?:b|strong|em|i|u|mark|hlword|span|small|sub|sup|code|a|p|jats:[a-z-]{1,20})\b[^<>]{0,200}>",
    re.IGNORECASE,
)
_HUGE = 1e300
_BREAK = re.compile(r"<br\s*/?>|</p>", re.IGNORECASE)


def plain(text: object, limit: int = 2_000) -> str:
    """One line of text from a vendor's field: entities decoded, inline tags and runs of space gone."""
    if not isinstance(text, str):
        return ""
    text = text[: limit * 2]
    if "<" in text:
        text = _TAG.sub("", _BREAK.sub(" ", text))
    return " ".join(html.unescape(text).split())[:limit]


def cut_words(text: str, most: int, words: int = 0) -> str:
    """The whole words within the first `most` characters; the characters when one word fills them.

    With `words`, no more than that many of them.
    """
    if words and len(parts := text.split()) > words:
        text = " ".join(parts[:words])
    if len(text) <= most:
        return text
    head, gap, _ = text[: most + 1].rpartition(" ")
    return head.rstrip() if gap and head.strip() else text[:most]


def iso_day(value: object) -> str:
    """`2026-03-04` from a date that is stated in full, "" for anything else. Never guesses.

    Understood: ISO dates and date-times, `Mar 4, 2026`, `4 March 2026`, `Wed, 04 Mar 2026 08:00:00 GMT`,
    `04.03.2026` (day first), `4 марта 2026` and epoch seconds. Relative ages ("3 days ago") are not: they
    depend on who says it, when, and how.
    """
    if isinstance(value, str) and _DIGITS.fullmatch(value):
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool) and value in _EPOCHS:
        return dt.datetime.fromtimestamp(value, dt.UTC).date().isoformat()
    if not isinstance(value, str):
        return ""
    text = value.strip()
    for pattern in _DATES:
        if found := pattern.match(text):
            return _day(found["year"], found["month"], found["day"])
    return ""


def _day(year: str, month: str, day: str) -> str:
    number = int(month) if month.isdigit() else _NUMBERS[month[:3].lower()]
    try:
        return dt.date(int(year), number, int(day)).isoformat()
    except ValueError:
        return ""


def dig(value: JsonValue, path: str) -> JsonValue:
    """Follow `a.b.c` through objects; None where a step is missing. Raises `BadReply` off an object."""
    for step in path.split(".") if path else ():
        if value is None:
            return None
        if not isinstance(value, dict):
            raise BadReply(f"expected an object around {step!r}, got {type(value).__name__}")
        value = value.get(step)
    return value


Paths = str | tuple[str, ...]
"""Where a value stands: one path, or several of which the first that holds something counts."""


@dataclass(frozen=True, slots=True)
class Shape:
    """Where the hits are and what their fields are called. Defaults are the usual names.

    `rows` may name several lists, which are read one after the other. `may_lack`: the vendor documents
    that it leaves the list out when nothing was found; `always` then names what its answers hold all the
    same (one of several), so that an answer of another shape is not taken for an empty one. A snippet
    may be a list of passages.
    """

    rows: Paths = "results"
    title: Paths = "title"
    url: Paths = "url"
    snippet: Paths = "snippet"
    date: Paths = ()
    score: Paths = ()
    may_lack: bool = False
    always: Paths = ()

    def hits(self, value: JsonValue) -> list[Hit]:
        """The hits in `value`; rows without a web address are left out.

        Raises `BadReply` when the list is missing (unless it `may_lack`) or none, and when no row of a
        list that has some can be used: that is a stale adapter, not an empty answer.
        """
        if not isinstance(value, dict):
            raise BadReply(f"expected a JSON object, got {type(value).__name__}")
        rows = self._rows(value)
        hits = [hit for row in rows if isinstance(row, dict) and (hit := self._hit(row))]
        if rows and not hits:
            raise BadReply(f"none of the {len(rows)} rows at {self.rows!r} has a web address")
        return hits

    def _rows(self, value: dict[str, JsonValue]) -> list[JsonValue]:
        found = [rows for path in _each(self.rows) if (rows := dig(value, path)) is not None]
        if not found and not self._is_empty(value):
            raise BadReply(f"no list at {self.rows!r}")
        merged: list[JsonValue] = []
        for rows in found:
            if not isinstance(rows, list):
                raise BadReply(f"expected a list at {self.rows!r}, got {type(rows).__name__}")
            merged.extend(rows)
        return merged

    def _is_empty(self, value: dict[str, JsonValue]) -> bool:
        """Whether an answer without the list is the vendor's way to say that nothing was found."""
        if not self.may_lack or value.get("error"):
            return False
        return not self.always or any(dig(value, path) is not None for path in _each(self.always))

    def _hit(self, row: dict[str, JsonValue]) -> Hit | None:
        url = _first(row, self.url)
        if not isinstance(url, str) or not url.strip().lower().startswith(("http://", "https://")):
            return None
        return Hit(
            title=plain(_first(row, self.title), 300),
            url=url.strip(),
            snippet=plain(_passages(_first(row, self.snippet))),
            date=iso_day(_first(row, self.date)),
            score=_number(_first(row, self.score)),
        )


def _each(paths: Paths) -> tuple[str, ...]:
    return (paths,) if isinstance(paths, str) else paths


def _first(row: dict[str, JsonValue], paths: Paths) -> JsonValue:
    """The first value that is there and not blank. A path that leads off an object holds nothing."""
    for path in _each(paths):
        try:
            value = dig(row, path) if "." in path else row.get(path)
        except BadReply:
            continue
        if value not in (None, "", []):
            return value
    return None


def _passages(value: JsonValue) -> JsonValue:
    if isinstance(value, list):
        return " \u2026 ".join(part.strip() for part in value if isinstance(part, str) and part.strip())
    return value


def _number(value: JsonValue) -> float | None:
    """A finite number, also one that is written as text; None for anything else, a boolean too."""
    if isinstance(value, str) and _DECIMAL.fullmatch(value):
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) < _HUGE else None
