"""From a vendor's JSON to hits."""

from __future__ import annotations

import pytest

from research_mcp.core.errors import BadReply
from research_mcp.core.models import Hit
from research_mcp.core.wire import JsonValue
from research_mcp.providers.kit.shape import Shape, cut_words, dig, iso_day, plain

URL = "https://sea.test/a"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("How <b>tidal</b>\n power", "How tidal power"),
        ("<span class='x'>Tide</span> &amp; <em>wave</em>", "Tide & wave"),
        ("one<br/>two</p>three", "one two three"),
        ("<jats:p>Abstract</jats:p>", "Abstract"),
        ("use &lt;div&gt; for 3 < 4 > 2", "use <div> for 3 < 4 > 2"),
        ("<hlword>Tide</hlword>&nbsp;mill", "Tide mill"),
        (None, ""),
        (12, ""),
        (["a"], ""),
    ],
)
def test_a_field_becomes_one_line_without_inline_tags(text: object, line: str) -> None:
    assert plain(text) == line


def test_long_fields_are_cut() -> None:
    assert len(plain("x" * 10_000, 300)) == 300


@pytest.mark.parametrize(
    ("stated", "day"),
    [
        ("2026-03-04", "2026-03-04"),
        ("2026-03-04T08:00:00.000Z", "2026-03-04"),
        ("\u00a0 2026-09-01T00:00:00.0000000", "2026-09-01"),
        ("Mar 4, 2026", "2026-03-04"),
        ("September 14, 2026", "2026-09-14"),
        ("4 Mar. 2026", "2026-03-04"),
        ("Wed, 04 Mar 2026 08:00:00 GMT", "2026-03-04"),
        ("04.03.2026", "2026-03-04"),
        (1_772_600_000, "2026-03-04"),
        ("1772600000", "2026-03-04"),
        ("4 марта 2026", "2026-03-04"),
        ("14 мая 2026 г.", "2026-05-14"),
        ("4 мар. 2026 г.", "2026-03-04"),
        ("3 days ago", ""),
        ("2026", ""),
        ("03/04/2026", ""),
        ("2026-13-45", ""),
        ("31.02.2026", ""),
        (20260304, ""),
        (True, ""),
        (None, ""),
    ],
)
def test_only_a_date_that_is_stated_in_full_is_a_date(stated: object, day: str) -> None:
    assert iso_day(stated) == day


def test_paths_lead_through_objects() -> None:
    assert dig({"a": {"b": 1}}, "a.b") == 1
    assert dig({"a": None}, "a.b") is None
    assert dig({"a": 1}, "") == {"a": 1}
    with pytest.raises(BadReply, match="around 'b'"):
        dig({"a": [1]}, "a.b")


def test_fields_are_read_where_the_shape_says() -> None:
    shape = Shape(
        "data.items",
        title=("name", "label"),
        url=("link", "doi"),
        snippet="parts",
        date="when",
        score="points",
    )
    reply: JsonValue = {
        "data": {
            "items": [
                {
                    "name": "A",
                    "link": URL,
                    "parts": ["one", " ", 2, "two"],
                    "when": "2026-03-04T1",
                    "points": 3,
                },
                {"name": None, "label": "B", "link": "", "doi": "HTTPS://doi.test/1", "points": True},
                {"name": "no address", "link": "ftp://x"},
                "junk",
            ]
        }
    }
    assert shape.hits(reply) == [
        Hit("A", URL, "one \u2026 two", "2026-03-04", 3.0),
        Hit("B", "HTTPS://doi.test/1"),
    ]


def test_several_lists_are_read_one_after_the_other_and_either_may_be_missing() -> None:
    shape = Shape(("web", "news"), may_lack=True)
    assert shape.hits({"news": [{"title": "N", "url": URL}]}) == [Hit("N", URL)]
    assert shape.hits({"web": [], "news": None}) == []


@pytest.mark.parametrize(
    "reply",
    [
        [],
        "text",
        None,
        {},
        {"results": None},
        {"results": "none"},
        {"results": {"a": 1}},
        {"results": [1, 2]},
        {"results": [{"title": "no address"}]},
        {"error": "credits"},
    ],
)
def test_what_does_not_look_as_documented_is_never_an_empty_answer(reply: JsonValue) -> None:
    with pytest.raises(BadReply):
        Shape().hits(reply)


def test_a_documented_lack_of_the_list_is_empty_unless_an_error_is_stated() -> None:
    assert Shape(may_lack=True).hits({}) == []
    with pytest.raises(BadReply):
        Shape(may_lack=True).hits({"error": "credits"})


def test_an_empty_list_is_an_empty_answer() -> None:
    assert Shape().hits({"results": []}) == []


@pytest.mark.parametrize(("stated", "score"), [("0.71", 0.71), ("-2", -2.0), ("high", None), ("", None)])
def test_a_score_may_be_written_as_text(stated: str, score: float | None) -> None:
    row: JsonValue = {"title": "A", "url": URL, "score": stated}
    assert Shape(score="score").hits({"results": [row]})[0].score == score


def test_an_endless_score_is_none() -> None:
    row: JsonValue = {"title": "A", "url": URL, "score": float("inf")}
    assert Shape(score="score").hits({"results": [row]})[0].score is None


@pytest.mark.parametrize(
    ("text", "most", "cut"),
    [
        ("tide mill", 20, "tide mill"),
        ("tide mill", 9, "tide mill"),
        ("tide mill", 8, "tide"),
        ("tide mill", 4, "tide"),
        ("tidemill", 4, "tide"),
        ("tide  mill", 6, "tide"),
    ],
)
def test_a_query_is_cut_between_words(text: str, most: int, cut: str) -> None:
    assert cut_words(text, most) == cut
