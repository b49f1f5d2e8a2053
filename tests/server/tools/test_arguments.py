"""Lenient arguments: what models really send is understood, real mistakes get one sentence."""

from __future__ import annotations

from typing import Any

import pytest

from research_mcp.core.errors import InvalidArgument, Reason
from research_mcp.server.texts.languages import load
from research_mcp.server.texts.shape import ToolText
from research_mcp.server.tools.arguments import (
    Arguments,
    Field,
    Flag,
    Integer,
    Reading,
    Text,
    TextList,
    input_schema,
    read_arguments,
)

WORDS = load("en").arguments
NAMES = ("query", "count", "size", "deep", "urls", "domains", "period")
TOOL = ToolText("T", "D.", {name: f"About {name}." for name in NAMES})
FIELDS: tuple[Field, ...] = (
    Text(name="query", required=True, limit=20),
    Integer(name="count", default=8, minimum=1, maximum=50, clamp=True),
    Integer(name="size", default=0, minimum=0),
    Flag(name="deep"),
    TextList(name="urls", limit=3),
    TextList(name="domains", limit=9, commas=True),
    Text(name="period", limit=20, choices=("day", "week", "month", "year")),
)
LIST: tuple[Field, ...] = (TextList(name="urls", required=True, limit=3),)


def read(fields: tuple[Field, ...] = FIELDS, **raw: Any) -> Arguments:
    return read_arguments(fields, raw, Reading("tool", TOOL, WORDS))


def refused(fields: tuple[Field, ...] = FIELDS, **raw: Any) -> str:
    with pytest.raises(InvalidArgument) as caught:
        read(fields, **raw)
    assert caught.value.reason is Reason.INVALID_ARGUMENT
    return str(caught.value)


def test_what_is_left_out_takes_its_default() -> None:
    arguments = read(query=" x ")
    assert arguments.text("query") == "x"
    assert arguments.values == {
        "query": "x",
        "count": 8,
        "size": 0,
        "deep": False,
        "urls": (),
        "domains": (),
        "period": "",
    }


@pytest.mark.parametrize("nothing", [None, "", "null", "None", "undefined", " NULL "])
def test_every_spelling_of_nothing_stands_for_the_default(nothing: Any) -> None:
    names = ("count", "size", "deep", "urls", "domains", "period")
    assert read(query="x", **dict.fromkeys(names, nothing)) == read(query="x")


def test_a_required_word_null_is_a_word() -> None:
    assert read(query="null").text("query") == "null"


@pytest.mark.parametrize("value", [5, "5", 5.0, " 5 ", "5.0"])
def test_numbers_come_as_numbers_or_texts(value: Any) -> None:
    assert read(query="x", count=value).integer("count") == 5


@pytest.mark.parametrize("value", ["five", 2.5, True, [5], {}, "1e999", "nan", float("inf")])
def test_what_is_no_whole_number_is_refused(value: Any) -> None:
    assert refused(query="x", count=value).startswith("'count' must be a whole number, not '")


@pytest.mark.parametrize(("value", "meant"), [("true", True), ("False", False), (1, True), ("no", False)])
def test_flags_come_in_many_words(value: Any, meant: bool) -> None:
    assert read(query="x", deep=value).values["deep"] is meant


@pytest.mark.parametrize("value", ["maybe", 2, [True], {}])
def test_what_is_no_flag_is_refused(value: Any) -> None:
    assert refused(query="x", deep=value).startswith("'deep' must be true or false, not ")


@pytest.mark.parametrize(
    ("value", "meant"),
    [
        (["a", " b "], ("a", "b")),
        ("a", ("a",)),
        ('["a", "b"]', ("a", "b")),
        ("a\nb\n", ("a", "b")),
        (["a", ""], ("a",)),
        ("[::1]/x", ("[::1]/x",)),
        ("https://e.org/a,b", ("https://e.org/a,b",)),
        ([], ()),
    ],
)
def test_lists_come_as_lists_texts_or_json(value: Any, meant: tuple[str, ...]) -> None:
    assert read(query="x", urls=value).texts("urls") == meant


def test_domains_may_be_separated_by_commas() -> None:
    assert read(query="x", domains="a.org, b.org").texts("domains") == ("a.org", "b.org")


@pytest.mark.parametrize("value", [[1], 7, {"url": "a"}, [["a"]], "[1, 2]"])
def test_lists_of_other_things_are_refused(value: Any) -> None:
    assert refused(query="x", urls=value).startswith("'urls' must be a list of texts, not ")


@pytest.mark.parametrize(
    ("value", "meant"), [("week", "week"), ("Past_Week", "week"), ("w", "week"), ("any", "")]
)
def test_choices_are_recognised_in_other_words(value: str, meant: str) -> None:
    assert read(query="x", period=value).text("period") == meant


def test_another_choice_is_refused_with_the_choices() -> None:
    expected = "'period' is 'decade'; use one of day, week, month, year, or leave it empty."
    assert refused(query="x", period="decade") == expected


@pytest.mark.parametrize(("value", "used"), [(80, 50), (0, 1), ("-3", 1)])
def test_a_clamped_number_leaves_a_note(value: Any, used: int) -> None:
    arguments = read(query="x", count=value)
    assert arguments.integer("count") == used
    assert arguments.notes == (f"count {int(value)} became {used}: it must lie between 1 and 50.",)


def test_a_number_out_of_range_is_refused_where_it_is_not_clamped() -> None:
    assert refused(query="x", size=-1) == "'size' is -1; it must be at least 0."
    fields = (Integer(name="count", default=1, minimum=1, maximum=5),)
    assert refused(fields, count=9) == "'count' is 9; it must lie between 1 and 5."


@pytest.mark.parametrize("value", ["", "  ", None, []])
def test_a_blank_required_text_is_refused(value: Any) -> None:
    assert "'query'" in refused(query=value)


@pytest.mark.parametrize("value", ["\x00", "\u200b ", "\ufeff"])
def test_a_required_text_of_nothing_that_can_be_seen_is_blank(value: str) -> None:
    assert refused(query=value).startswith("'query' is blank.")


@pytest.mark.parametrize("value", [None, "", []])
def test_a_required_list_of_nothing_asks_for_an_entry(value: Any) -> None:
    assert refused(LIST, urls=value) == "'urls' is empty. Give it at least one entry: about urls."


@pytest.mark.parametrize("between", [" ", ", ", "; ", ",\n", "  "])
def test_addresses_in_a_row_are_several(between: str) -> None:
    assert read(LIST, urls=f"http://a.org/x,y{between}https://b.org/").texts("urls") == (
        "http://a.org/x,y",
        "https://b.org/",
    )


@pytest.mark.parametrize("one", ["https://e.org/?u=a,http://b.org", "https://e.org/save/http://b.org", "a b"])
def test_an_address_that_holds_another_is_one(one: str) -> None:
    assert read(LIST, urls=one).texts("urls") == (one,)


@pytest.mark.parametrize(
    ("sent", "meant"), [("q", "query"), ("recency", "time_range"), ("limit", "num_results")]
)
def test_what_other_tools_call_an_argument_is_told_by_its_name_here(sent: str, meant: str) -> None:
    told = str(Reading("tool", TOOL, WORDS).unknown(sent, ["query", "num_results", "time_range", "country"]))
    assert told.startswith(f"tool has no argument {sent!r}; did you mean {meant!r}?")


def test_an_argument_that_is_close_to_none_gets_no_guess() -> None:
    assert "did you mean" not in refused(query="x", verbose="yes")


def test_missing_and_blank_arguments_are_told_apart() -> None:
    assert refused() == "tool needs 'query', which was not sent. Call it again with 'query': about query."
    assert refused(query="") == "'query' is blank. Give it a text: about query."


@pytest.mark.parametrize(("value", "meant"), [(42, "42"), (1.5, "1.5"), (["x"], "x")])
def test_texts_come_as_numbers_too(value: Any, meant: str) -> None:
    assert read(query=value).text("query") == meant


@pytest.mark.parametrize("value", [True, {"a": 1}, ["a", "b"]])
def test_what_is_no_text_is_refused(value: Any) -> None:
    assert refused(query=value).startswith("'query' must be a text, not ")


def test_a_long_text_is_refused_with_both_lengths() -> None:
    assert refused(query="x" * 21).startswith("'query' has 21 characters; at most 20 are accepted.")


def test_a_long_list_is_refused_with_the_rule() -> None:
    assert refused(LIST, urls=["a"] * 4) == (
        "'urls' has 4 entries; at most 3 fit in one call. Split them over several calls."
    )


@pytest.mark.parametrize("value", [[], "", [" "], "[]"])
def test_an_empty_required_list_is_refused(value: Any) -> None:
    assert "about urls." in refused(LIST, urls=value)


def test_an_unknown_argument_is_named_with_the_closest_one() -> None:
    assert refused(query="x", counts=3).startswith("tool has no argument 'counts'; did you mean 'count'?")
    assert refused(query="x", zzz=3).startswith("tool has no argument 'zzz'. Its arguments are: query, ")


def test_a_rejected_value_is_shown_short_and_on_one_line() -> None:
    sentence = refused(query="x", count="a\nb" * 100)
    assert "\n" not in sentence
    assert len(sentence) < 140


def test_the_schema_is_flat_and_complete() -> None:
    assert input_schema(FIELDS[:2], TOOL) == {
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "About query."},
            "count": {
                "type": "integer",
                "default": 8,
                "minimum": 1,
                "maximum": 50,
                "description": "About count.",
            },
        },
        "required": ["query"],
    }
    assert "required" not in input_schema(FIELDS[1:], TOOL)
    flag = input_schema(FIELDS, TOOL)["properties"]["deep"]
    assert flag == {"type": "boolean", "default": False, "description": "About deep."}


def test_asking_for_another_type_than_declared_is_a_fault_of_the_tool() -> None:
    with pytest.raises(TypeError, match="argument 'count' was declared as int"):
        read(query="x").text("count")
