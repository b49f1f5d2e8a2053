"""What a client says of its user beside the arguments: the time zone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

META = "timezone"
LOCATION = "openai/userLocation"
HEADER = "x-timezone"
_LONGEST = 64


def stated_zone(meta: Mapping[str, Any] | None, headers: Mapping[str, str] | None) -> str:
    """The zone as the client wrote it, "" for none: `_meta` of the call first, then the HTTP header.

    In `_meta` it is `timezone`, or the `timezone` inside `openai/userLocation`, which ChatGPT sends.
    """
    meta = meta or {}
    location = meta.get(LOCATION)
    inside = location.get(META) if isinstance(location, Mapping) else None
    for stated in (meta.get(META), inside, (headers or {}).get(HEADER)):
        if isinstance(stated, str) and stated.strip():
            return stated.strip()[:_LONGEST]
    return ""
