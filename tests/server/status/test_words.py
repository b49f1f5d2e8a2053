"""Figures as people read them."""

from __future__ import annotations

import pytest

from research_mcp.observe.overview import Record
from research_mcp.server.status import words

NOW = 1_800_000_000.0


def test_times_are_utc_and_have_a_date_where_one_is_needed() -> None:
    assert words.clock(NOW) == "08:00"
    assert words.second(NOW + 9) == "2027-01-15 08:00:09"
    assert words.iso(NOW) == "2027-01-15T08:00:00Z"
    assert words.when(NOW - 3_600, NOW) == "07:00"
    assert words.when(NOW + 30 * 3_600, NOW) == "2027-01-16 14:00"


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0, "0 s"), (-5, "0 s"), (59.4, "59 s"), (60, "1 min"), (3_725, "1 h 2 min"), (90_061, "1 d 1 h")],
)
def test_a_span_names_its_two_largest_parts(seconds: float, shown: str) -> None:
    assert words.span(seconds) == shown


@pytest.mark.parametrize(
    ("milliseconds", "shown"),
    [
        (0, "0 ms"),
        (12.3, "12 ms"),
        (994, "994 ms"),
        (996, "1.0 s"),
        (1_240, "1.2 s"),
        (9_960, "10 s"),
        (61_000, "61 s"),
    ],
)
def test_milliseconds_become_seconds_when_they_are_many(milliseconds: float, shown: str) -> None:
    assert words.ms(milliseconds) == shown


def test_what_was_not_measured_is_a_dash() -> None:
    assert (words.ms(0, 0), words.share(Record()), words.dollars(None)) == ("–", "–", "–")


def test_a_share_is_whole_only_when_every_call_was_good() -> None:
    assert words.share(Record(calls=200, good=199)) == "99 %"
    assert words.share(Record(calls=200, good=200)) == "100 %"


@pytest.mark.parametrize(
    ("amount", "shown"), [(0.0, "$0.00"), (0.007, "$0.0070"), (0.1, "$0.10"), (1_234.5, "$1,234.50")]
)
def test_small_amounts_keep_their_figures(amount: float, shown: str) -> None:
    assert words.dollars(amount) == shown


def test_numbers_have_marks_and_nouns_their_number() -> None:
    assert words.count(12_345) == "12,345"
    assert [words.plural(number, "call") for number in (0, 1, 2_000)] == ["0 calls", "1 call", "2,000 calls"]
