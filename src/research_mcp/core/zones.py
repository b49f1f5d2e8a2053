"""Time zones as callers state them."""

from __future__ import annotations

import datetime as dt
import re
import zoneinfo

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_+-]{0,30}(?:/[A-Za-z0-9_+-]{1,30}){0,2}")
_OFFSET = re.compile(r"(?:UTC|GMT)?([+-])(\d{1,2})(?::?(\d{2}))?", re.IGNORECASE)


def zone_of(stated: str) -> dt.tzinfo | None:
    """The zone behind `Europe/Berlin`, `UTC+2` or `+05:30`; None for anything else."""
    if found := _OFFSET.fullmatch(stated):
        sign = -1 if found[1] == "-" else 1
        minutes = int(found[2]) * 60 + int(found[3] or 0)
        return dt.timezone(sign * dt.timedelta(minutes=minutes)) if minutes <= 14 * 60 else None
    if not _NAME.fullmatch(stated):
        return None
    try:
        return zoneinfo.ZoneInfo(stated)
    except (KeyError, ValueError, OSError):  # OSError: the name of a whole region, which is a folder
        return None
