"""Moments as the model reads them: the clock and the wait, `14:05 UTC (in 38 s)`."""

from __future__ import annotations

import math
from datetime import UTC, datetime

from research_mcp.server.texts.shape import Texts

MINUTE, HOUR, DAY = 60, 3600, 86_400


def moment(at: float, now: float, texts: Texts) -> str:
    """Epoch second `at`, seen from `now`; with the date when it is not today."""
    then, today = datetime.fromtimestamp(at, UTC), datetime.fromtimestamp(now, UTC).date()
    clock = then.strftime("%H:%M" if then.date() == today else "%Y-%m-%d %H:%M")
    return texts.at_time.format(clock=clock, wait=wait(at - now, texts))


def day(at: float) -> str:
    """The UTC day of epoch second `at`: `2026-03-04`."""
    return datetime.fromtimestamp(at, UTC).date().isoformat()


def wait(seconds: float, texts: Texts) -> str:
    """A wait in its largest fitting unit, rounded up; never negative."""
    left = max(0, math.ceil(seconds))
    for size, template in ((DAY, texts.days), (HOUR, texts.hours), (MINUTE, texts.minutes)):
        if left >= 2 * size:
            return template.format(count=math.ceil(left / size))
    return texts.seconds.format(count=left)
