"""Timed pieces of speech become paragraphs that begin with their time."""

from __future__ import annotations

import pytest

from research_mcp.providers.kit.transcript import Cue, paragraphs, stamp


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0, "0:00"), (65.9, "1:05"), (3_665, "1:01:05"), (-1, "0:00"), (36_000, "10:00:00")],
)
def test_a_time_is_written_as_players_write_it(seconds: float, shown: str) -> None:
    assert stamp(seconds) == shown


def test_pieces_without_a_pause_are_one_paragraph() -> None:
    cues = [Cue(0, "salt\nmarsh ", 2), Cue(2, "", 1), Cue(2.5, "at  dawn", 2)]
    assert paragraphs(cues) == "[0:00] salt marsh at dawn"


def test_a_pause_begins_a_new_paragraph() -> None:
    assert paragraphs([Cue(0, "one", 2), Cue(9, "two", 1)]) == "[0:00] one\n\n[0:09] two"


def test_a_sentence_that_ends_after_half_a_minute_ends_the_paragraph() -> None:
    cues = [Cue(n * 10, f"Sentence {n}." if n % 2 == 0 else f"and {n}", 10) for n in range(6)]
    assert paragraphs(cues).split("\n\n") == [
        "[0:00] Sentence 0. and 1 Sentence 2. and 3 Sentence 4.",
        "[0:50] and 5",
    ]


def test_speech_without_full_stops_is_cut_each_minute() -> None:
    cues = [Cue(n * 10, f"word {n}", 12) for n in range(15)]
    starts = [block.partition("]")[0] for block in paragraphs(cues).split("\n\n")]
    assert starts == ["[0:00", "[1:10", "[2:20"]


def test_a_paragraph_never_grows_without_end() -> None:
    cues = [Cue(0, "x" * 500, 1) for _ in range(3)] + [Cue(0, "y" * 500, 1) for _ in range(2)]
    assert len(paragraphs([Cue(0, f"{n} " + "x" * 500, 1) for n in range(9)]).split("\n\n")) == 3
    assert paragraphs(cues).count("x" * 500) == 1


def test_no_speech_is_no_text() -> None:
    assert paragraphs([Cue(1, " \n")]) == ""
