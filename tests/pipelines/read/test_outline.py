"""Cuts make up the page exactly, and the outline leads to its headings."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from research_mcp.pipelines.read.outline import MOST_HEADINGS, Cut, cut, headings

LINES = st.lists(
    st.sampled_from(
        [
            "# One",
            "## Two",
            "```python",
            "```",
            "~~~",
            "````",
            "x" * 30,
            "word " * 9,
            "",
            "文字" * 20,
            "Under",
            "---",
        ]
    ),
    max_size=40,
)


def slices(markdown: str, max_chars: int) -> list[Cut]:
    cuts = [cut(markdown, 0, max_chars)]
    while (start := cuts[-1].next_start) is not None:
        cuts.append(cut(markdown, start, max_chars))
    return cuts


@given(LINES, st.integers(1, 200))
@settings(max_examples=200, deadline=None)
def test_slices_have_no_gap_no_overlap_and_keep_to_the_limit(lines: list[str], max_chars: int) -> None:
    markdown = "\n".join(lines)
    cuts = slices(markdown, max_chars)
    assert "".join(part.text for part in cuts) == markdown
    assert all(0 < len(part.text) <= max_chars for part in cuts if markdown)
    assert {part.total for part in cuts} == {len(markdown)}


@given(LINES, st.integers(1, 200))
@settings(max_examples=100, deadline=None)
def test_each_heading_is_where_the_outline_says(lines: list[str], max_chars: int) -> None:
    markdown = "\n".join(lines)
    for heading in cut(markdown, 0, max_chars).outline:
        assert cut(markdown, heading.start, 0).text.lstrip("# ").startswith(heading.title)


def test_a_whole_page_is_one_slice_without_an_outline() -> None:
    assert cut("# One\n\nText") == Cut("# One\n\nText", 0, None, 11)


@pytest.mark.parametrize(("start", "expected"), [(-5, 0), (11, 11), (99, 11)])
def test_a_start_outside_the_page_is_moved_to_its_edge(start: int, expected: int) -> None:
    part = cut("# One\n\nText", start, 100)
    assert (part.start, part.next_start) == (expected, None)


def test_a_slice_ends_after_a_paragraph_that_is_near() -> None:
    assert cut("a" * 85 + "\n\n" + "b" * 50, 0, 100).text == "a" * 85 + "\n\n"


def test_a_slice_ends_after_a_line_when_no_paragraph_is_near() -> None:
    assert cut("a" * 90 + "\n" + "b" * 50, 0, 100).text == "a" * 90 + "\n"


def test_a_slice_ends_after_a_word_when_no_line_is_near() -> None:
    assert cut("a" * 95 + " " + "b" * 50, 0, 100).text == "a" * 95 + " "


def test_text_without_any_boundary_is_cut_at_the_limit() -> None:
    assert len(cut("文" * 300, 0, 100).text) == 100


def test_a_slice_ends_before_a_code_block_that_would_be_torn() -> None:
    before = "a" * 88 + "\n"
    part = cut(before + "```\nx\n\ny\n\nz\n```\n", 0, 100)
    assert part.text == before


def test_a_long_code_block_is_cut_at_a_line() -> None:
    code = "```python\n" + "print('mill')\n" * 50 + "```\n"
    parts = slices(code, 100)
    assert parts[0].text.endswith("\n")
    assert "".join(part.text for part in parts) == code


def test_the_outline_knows_both_spellings_of_headings_and_no_code() -> None:
    markdown = "Title\n=====\n\n## [Part](https://mill.test/x) ##\n\n```\n# no heading\n```\n\nSmall\n-----\n\ntext\n"
    assert [(h.level, h.title) for h in headings(markdown)] == [(1, "Title"), (2, "Part"), (2, "Small")]


def test_a_long_outline_loses_its_deepest_levels_first() -> None:
    markdown = "\n".join(f"# Chapter {n}\n\n" + "### Part\n\n" * 20 for n in range(10))
    outline = headings(markdown)
    assert [heading.title for heading in outline] == [f"Chapter {n}" for n in range(10)]
    assert len(headings("# Same\n" * 500)) == MOST_HEADINGS


@pytest.mark.parametrize(
    "hostile",
    [
        "#" * 1_000_000,
        "# \t" * 300_000,
        "```\n" * 250_000,
        "a\n--\n" * 200_000,
        "# [\n" * 250_000,
        "-" * 1_000_000,
    ],
)
def test_a_hostile_megabyte_is_cut_at_once(hostile: str) -> None:
    began = time.process_time()
    cut(hostile, 0, 20_000)
    assert time.process_time() - began < 2.0
