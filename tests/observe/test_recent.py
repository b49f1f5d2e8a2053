"""The last hour in memory: bounded, honest about who failed, and free of secrets."""

from __future__ import annotations

import pytest

from research_mcp.observe.events import Charge, ProviderCall, ToolCall
from research_mcp.observe.overview import Failure, Record
from research_mcp.observe.recent import Recent
from research_mcp.observe.redact import Redactor

NOON = 1_800_000_000.0 - 1_800_000_000.0 % 60
SECRET = "tvly-canary-0001"


class Hand:
    """A clock that the test moves."""

    def __init__(self) -> None:
        self.time = NOON

    def now(self) -> float:
        return self.time


@pytest.fixture
def clock() -> Hand:
    return Hand()


@pytest.fixture
def recent(clock: Hand) -> Recent:
    return Recent(clock, ["exa", "brave"], Redactor([SECRET]))


def tool(outcome: str = "ok", **facts: object) -> ToolCall:
    return ToolCall("web_search", "tidal energy", outcome, **facts)  # type: ignore[arg-type]


def test_there_are_always_sixty_minutes_and_the_last_one_is_running(recent: Recent, clock: Hand) -> None:
    recent.emit(tool())
    recent.emit(tool("timeout"))
    recent.emit(tool("cancelled"))
    minutes = recent.minutes()
    assert len(minutes) == 60
    assert [minute.start - clock.time for minute in minutes] == [60.0 * n for n in range(-59, 1)]
    assert (minutes[-1].good, minutes[-1].failed) == (1, 1), "a client that left is neither"
    clock.time += 60 * 59
    assert (recent.minutes()[0].good, recent.minutes()[-1].good) == (1, 0)
    clock.time += 60
    assert sum(minute.good for minute in recent.minutes()) == 0


def test_weeks_of_calls_take_no_more_room_than_an_hour(recent: Recent, clock: Hand) -> None:
    for n in range(5_000):
        clock.time += 60
        recent.emit(ToolCall(f"made-up-{n}", f"target {n}", "invalid_argument", detail="x" * 10_000))
        recent.emit(ProviderCall("exa", "search", "failed", n, reason="timeout"))
    assert len(recent.failures()) == 20
    assert recent.record("exa").calls == 200
    assert sum(minute.failed for minute in recent.minutes()) == 60
    assert max(len(failure.detail) for failure in recent.failures()) <= 300


def test_an_instance_s_record_counts_answers_and_the_time_of_all(recent: Recent) -> None:
    for ms in range(1, 101):
        recent.emit(ProviderCall("exa", "search", "failed" if ms > 90 else "ok", ms))
    recent.emit(ProviderCall("exa", "search", "empty", 101))
    assert recent.record("exa") == Record(101, 91, 51, 96)
    assert recent.record("brave") == Record()


def test_what_was_stopped_or_rested_is_nobody_s_fault(recent: Recent) -> None:
    for outcome in ("not_waited_for", "cancelled", "resting"):
        recent.emit(ProviderCall("exa", "search", outcome, 9_000, "the list was full"))
    recent.emit(Charge("exa", 1))
    assert recent.record("exa") == Record()
    assert recent.failures() == ()


def test_equal_failures_are_one_line_with_the_last_words(recent: Recent, clock: Hand) -> None:
    recent.emit(ProviderCall("exa", "search", "failed", 5, "first", "timeout"))
    recent.emit(ProviderCall("brave", "search", "blocked", 5, "a captcha", "blocked"))
    clock.time += 30
    recent.emit(ProviderCall("exa", "search", "failed", 5, "second", "timeout"))
    assert recent.failures() == (
        Failure(NOON + 30, "exa", "timeout", "second", 2),
        Failure(NOON, "brave", "blocked", "a captcha", 1),
    )


def test_a_failed_tool_call_names_what_it_was_about(recent: Recent) -> None:
    recent.emit(tool("timeout", detail="no engine answered"))
    recent.emit(ToolCall("read_page", "https://e.org/", "crashed"))
    assert [(f.where, f.reason, f.detail) for f in recent.failures()] == [
        ("read_page", "", "https://e.org/"),
        ("web_search", "timeout", "tidal energy: no engine answered"),
    ]


def test_secrets_and_control_characters_stay_out_of_failures(recent: Recent) -> None:
    recent.emit(ProviderCall("exa", "search", "failed", 1, f"key {SECRET}\x1b[2J\n\u202eevil", "bad_key"))
    recent.emit(ToolCall("a\nb", f"https://u:{SECRET}@e.org", "timeout"))
    shown = repr(recent.failures())
    assert "canary" not in shown
    assert not any(mark in shown for mark in ("\\x1b", "\\n", "\\u202e"))
