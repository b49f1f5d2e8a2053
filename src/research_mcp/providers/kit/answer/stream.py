"""Server-sent events as gateways really send them: odd line ends, comments, broken frames, no last blank."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from research_mcp.core.wire import JsonValue
from research_mcp.providers.kit.fields import Fields

_LINE = re.compile(r"\r\n|\r|\n")
_ENDINGS = frozenset(
    {
        "[DONE]",
        "done",
        "end",
        "complete",
        "completed",
        "response.completed",
        "response.done",
        "response.incomplete",
    }
)

LAST_EVENTS = (
    *(b"data: [DONE]", b"data:[DONE]"),
    *(
        f'"type":{gap}"response.{end}"'.encode()
        for gap in ("", " ")
        for end in ("completed", "done", "incomplete", "failed")
    ),
)
"""What the last event of a stream holds, for `Request.ends`."""


@dataclass(frozen=True, slots=True)
class Frames:
    """The JSON objects of a stream in order, how many frames were none, and whether it said its end."""

    objects: tuple[Fields, ...]
    broken: int = 0
    ended: bool = False


def frames(text: str) -> Frames | None:
    """The frames of `text`; None when it is no event stream."""
    objects: list[Fields] = []
    broken, ended, event = 0, False, ""
    data: list[str] = []
    seen = False
    for line in [*_LINE.split(text.removeprefix("\ufeff")), ""]:
        if line.startswith("data:"):
            seen = True
            data.append(line[5:].removeprefix(" "))
        elif line.startswith("event:"):
            event = line[6:].strip()
            ended = ended or event in _ENDINGS
        elif not line.strip() and data:
            whole = "\n".join(data).strip()
            data = []
            if whole in _ENDINGS:
                ended = True
            elif whole:
                found = parsed(whole)
                objects += found
                broken += not found
    return Frames(tuple(objects), broken, ended) if seen or event else None


def parsed(text: str) -> list[Fields]:
    """The JSON object that `text` is, or each line of it by itself; empty for anything else."""
    whole = _object(text)
    if whole is not None:
        return [whole]
    return [found for line in text.split("\n") if (found := _object(line)) is not None]


def without_comments(text: str) -> str:
    """`text` without heartbeat lines, for a JSON body that they were sent with."""
    return "\n".join(line for line in _LINE.split(text.removeprefix("\ufeff")) if not line.startswith(":"))


def _object(text: str) -> Fields | None:
    try:
        value: JsonValue = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
