"""React's flight data (`self.__next_f.push`): the elements of a page, sent as script, back to HTML.

Rows are `id:json` or `id:T<bytes in hex>,text`. An element is `["$", tag, key, props]`; `"$5"` and
`"$L5"` stand for row 5.
"""

from __future__ import annotations

import re
from html import escape

from research_mcp.extract.jsondata import MAX_CHARS, Json, read

_PUSH = re.compile(r"__next_f\.push\(\s*(\[.*\])\s*\)", re.DOTALL)
_ROW = re.compile(r"([0-9a-f]+):(T([0-9a-f]+),)?")
_REFERENCE = re.compile(r"^\$[LFB@]?([0-9a-f]+)$")
_TAG = re.compile(r"^[a-z][a-z0-9]{0,9}$")
_SKIPPED = frozenset(
    {"script", "style", "svg", "link", "meta", "head", "title", "nav", "footer", "button", "input", "form"}
)
_VOID = frozenset({"br", "hr", "img", "wbr"})
_MAX_DEPTH = 80
_MAX_STEPS = 60_000


def flight_html(scripts: list[str]) -> str:
    """The HTML that the flight data of a page stands for; "" when there is none."""
    data = "".join(_payload(script) for script in scripts if "__next_f" in script)
    if not data or len(data) > MAX_CHARS:
        return ""
    return _Renderer(_rows(data)).render()


def _payload(script: str) -> str:
    found = _PUSH.search(script)
    value = read(found.group(1)) if found else None
    return value[1] if isinstance(value, list) and len(value) > 1 and isinstance(value[1], str) else ""


def _rows(data: str) -> dict[str, Json]:
    rows: dict[str, Json] = {}
    place = 0
    while found := _ROW.match(data, place):
        name, is_text, size = found.groups()
        start = found.end()
        if is_text:
            length = int(size, 16) if len(size) < 7 else 0  # of its UTF-8
            text = data[start : start + length].encode()[:length].decode("utf-8", "ignore")
            rows[name], place = text, start + len(text)
            continue
        end = data.find("\n", start)
        end = len(data) if end < 0 else end
        rows[name], place = read(data[start:end]), end + 1
    return rows


class _Renderer:
    def __init__(self, rows: dict[str, Json]) -> None:
        self._rows = rows
        self._steps = 0
        self._used: set[str] = set()

    def render(self) -> str:
        return "".join(
            self._html(value, 0)
            for name, value in self._rows.items()
            if name not in self._used and isinstance(value, list)
        )

    def _html(self, value: Json, depth: int) -> str:
        self._steps += 1
        if self._steps > _MAX_STEPS or depth > _MAX_DEPTH:
            return ""
        if isinstance(value, str):
            return self._text(value, depth)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return str(value)
        if not isinstance(value, list):
            return ""
        if len(value) >= 4 and value[0] == "$" and isinstance(value[1], str):
            return self._element(value[1], value[3], depth)
        return "".join(self._html(inner, depth + 1) for inner in value if isinstance(inner, (list, str)))

    def _text(self, text: str, depth: int) -> str:
        reference = _REFERENCE.match(text)
        if reference is None:
            return (
                "" if text.startswith("$") and not text.startswith("$$") else escape(text.removeprefix("$"))
            )
        name = reference.group(1)
        if name in self._used or name not in self._rows:
            return ""
        self._used.add(name)
        row = self._rows[name]
        return escape(row) if isinstance(row, str) else self._html(row, depth + 1)

    def _element(self, tag: str, props: Json, depth: int) -> str:
        if tag in _SKIPPED or not isinstance(props, dict):
            return ""
        raw = props.get("dangerouslySetInnerHTML")
        inner = raw.get("__html") if isinstance(raw, dict) else None
        if isinstance(inner, str):
            reference = _REFERENCE.match(inner)
            stored = self._rows.get(reference.group(1)) if reference else inner
            body = stored if isinstance(stored, str) else ""
        else:
            body = self._html(props.get("children"), depth + 1)
        if not _TAG.match(tag):
            return body
        href = props.get("href")
        attributes = f' href="{escape(href)}"' if tag == "a" and isinstance(href, str) else ""
        return f"<{tag}{attributes}>" if tag in _VOID else f"<{tag}{attributes}>{body}</{tag}>"
