"""Moments: the clock, the wait, the date when it is another day."""

from __future__ import annotations

import pytest

from research_mcp.server.render.when import moment, wait
from research_mcp.server.texts.languages import load
from tests.server.fakes import NOW


@pytest.mark.parametrize(
    ("seconds", "told"),
    [
        (38, "08:00 UTC (in 38 s)"),
        (-5, "07:59 UTC (in 0 s)"),
        (119.2, "08:01 UTC (in 2 min)"),
        (3600, "09:00 UTC (in 60 min)"),
        (2 * 3600, "10:00 UTC (in 2 h)"),
        (16 * 3600, "2027-01-16 00:00 UTC (in 16 h)"),
        (30 * 86_400, "2027-02-14 08:00 UTC (in 30 d)"),
    ],
)
def test_a_moment_tells_the_clock_and_the_wait(seconds: float, told: str) -> None:
    assert moment(NOW + seconds, NOW, load("en")) == told


def test_waits_are_told_in_russian_too() -> None:
    assert wait(38, load("ru")) == "38 с"
    assert moment(NOW + 150, NOW, load("ru")) == "08:02 UTC (через 3 мин)"
