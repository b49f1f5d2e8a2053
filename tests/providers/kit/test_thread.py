"""Discussions as Markdown: which posts are shown, in what order, and how."""

from __future__ import annotations

from research_mcp.core.errors import RateLimited
from research_mcp.providers.kit.thread import (
    LONGEST_POST,
    MOST_INDENTED,
    Post,
    blocks,
    choose,
    counted,
    dotted,
    listed,
    missing,
    one_line,
)

TREE = {"a": ["b", "c"], "b": ["d"], "d": ["e"], "f": ["g"]}


def replies(name: str) -> list[str]:
    return TREE.get(name, [])


def test_posts_come_in_the_order_of_reading() -> None:
    chosen = choose(["a", "f"], replies)
    assert chosen.rows == [(0, "a"), (1, "b"), (2, "d"), (3, "e"), (1, "c"), (0, "f"), (1, "g")]
    assert (chosen.total, chosen.note("posts")) == (7, ())


def test_what_is_cut_is_the_deepest_first() -> None:
    chosen = choose(["a", "f"], replies, 4)
    assert chosen.rows == [(0, "a"), (1, "b"), (1, "c"), (0, "f")]
    assert chosen.note("posts") == ("4 of 7 posts are shown",)
    assert choose(["a", "f"], replies, 1).rows == [(0, "a")]


def test_a_thread_nested_very_deep_is_walked_without_recursion() -> None:
    chosen = choose([0], lambda n: [n + 1] if n < 5_000 else [], 10_000)
    assert chosen.rows[-1] == (5_000, 5_000)


def test_a_list_shows_who_when_and_how_deep() -> None:
    rows = [
        (0, Post("Look:\n\n```\nx\n```", "ann\nb", "2026-08-01", ("score 4",))),
        (1, Post("", "")),
        (MOST_INDENTED + 2, Post("deep", "cal")),
    ]
    inner = "  " * MOST_INDENTED
    assert listed(rows) == (
        "- **ann b** · 2026-08-01 · score 4\n\n  Look:\n\n  ```\n  x\n  ```\n\n"
        "  - (no author)\n\n    (no text)\n\n"
        f"{inner}- **cal** · level {MOST_INDENTED + 3}\n\n{inner}  deep"
    )


def test_a_very_long_post_is_cut_and_says_so() -> None:
    text = listed([(0, Post("x" * (LONGEST_POST + 7), "ann"))])
    assert text.endswith("x\n\n  (cut: 7 characters more)")


def test_words_of_a_head() -> None:
    assert dotted(("a", "", "b")) == "a · b"
    assert blocks("a", "", "b") == "a\n\nb"
    assert [counted(n, "reply", "replies") for n in (None, 1, 3, 1_200_000, 2.5)] == [
        "",
        "1 reply",
        "3 replies",
        "1200000 replies",
        "2.5 replies",
    ]
    assert one_line(" a\n b ", 3) == "a b"
    said = missing("comments", RateLimited("slow down"))
    assert said == "comments could not be read (rate_limited): slow down"
