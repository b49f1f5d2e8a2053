"""A step that overruns is left, whatever it catches and wherever the alarm finds it."""

from __future__ import annotations

import signal
import time

import pytest

from research_mcp.extract.processes.stopwatch import OutOfTime, within


def idle(seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass


def test_a_step_that_overruns_is_left() -> None:
    with pytest.raises(OutOfTime), within(0.02):
        idle(5)


def test_a_step_that_loses_the_alarm_gets_another() -> None:
    lost = []
    started = time.monotonic()

    def stubborn() -> None:
        try:
            idle(5)
        except OutOfTime:
            lost.append(1)
        idle(5)

    with pytest.raises(OutOfTime), within(0.02):
        stubborn()
    assert lost == [1]
    assert time.monotonic() - started < 2


def test_nothing_is_raised_after_the_step() -> None:
    with within(0.02):
        pass
    idle(0.2)
    assert signal.getitimer(signal.ITIMER_REAL)[1] == 0.0  # none repeats; the test's own limit may run


def test_a_step_within_a_step_gives_the_outer_limit_back() -> None:
    started = time.monotonic()

    def outer() -> None:
        with pytest.raises(OutOfTime), within(0.02):
            idle(5)
        idle(5)

    with pytest.raises(OutOfTime), within(0.1):
        outer()
    assert 0.09 < time.monotonic() - started < 2
