"""Picking from JSON of which nothing is certain."""

from __future__ import annotations

import pytest

from research_mcp.core.wire import JsonValue
from research_mcp.providers.kit.tree import at, find, number, rows, text

TREE: JsonValue = {"a": [{"b": " x "}, 7, {"c": {"d": "12.5"}}], "e": True, "n": None}


def test_a_path_leads_through_objects_and_lists() -> None:
    assert at(TREE, "a", 0, "b") == " x "
    assert at(TREE, "a", -1, "c", "d") == "12.5"
    assert at(TREE) == TREE


@pytest.mark.parametrize("path", [("x",), ("a", 3), ("a", -4), ("a", "b"), (0,), ("n", "b"), ("a", 1, "b")])
def test_a_step_that_is_not_there_leads_to_nothing(path: tuple[str | int, ...]) -> None:
    assert at(TREE, *path) is None
    assert text(TREE, *path) == ""
    assert rows(TREE, *path) == []
    assert number(TREE, *path) is None


def test_text_is_stripped_and_only_text() -> None:
    assert text(TREE, "a", 0, "b") == "x"
    assert text(TREE, "a", 1) == ""


def test_rows_are_the_objects_of_a_list() -> None:
    assert rows(TREE, "a") == [{"b": " x "}, {"c": {"d": "12.5"}}]
    assert rows(TREE, "e") == []


@pytest.mark.parametrize(
    ("value", "expected"),
    [(7, 7.0), ("95", 95.0), (1.5, 1.5), (True, None), ("x", None), ("inf", None), (10**400, None)],
)
def test_a_number_may_be_written_as_text(value: JsonValue, expected: float | None) -> None:
    assert number(value) == expected


def test_a_name_is_found_at_any_depth_the_outer_first() -> None:
    tree: JsonValue = [{"x": [{"k": {"k": 2}}]}, {"k": 1}]
    assert list(find(tree, "k")) == [1, {"k": 2}, 2]


def test_a_huge_tree_is_not_searched_without_end() -> None:
    deep: JsonValue = []
    for _ in range(250_000):
        deep = [deep]
    assert list(find([deep, {"k": 1}], "k")) == [1]
