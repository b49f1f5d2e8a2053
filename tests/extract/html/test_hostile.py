"""Pages made to hang or crash an extractor end quickly, with their text."""

from __future__ import annotations

import time

import pytest

from tests.extract.html_pages import FIRST, LAST, result

SECONDS = 5.0


def timed(html: str) -> str:
    started = time.process_time()
    markdown = result(html).markdown
    assert time.process_time() - started < SECONDS
    return markdown


def body(inside: str) -> str:
    return f"<html><body><main><article>{FIRST}{inside}{LAST}</article></main></body></html>"


def test_deep_nesting_keeps_its_text() -> None:
    assert "deepest words" in timed(
        body("<div>" * 150 + "<p>the deepest words of the whole page</p>" + "</div>" * 150)
    )


def test_deep_quotations_and_lists_end() -> None:
    for tag in ("blockquote", "ul><li", "b", "span"):
        assert "wind at six" in timed(body(f"<{tag}>" * 180 + "deep words"))


@pytest.mark.slow
@pytest.mark.parametrize(
    "inside",
    [
        "<p>" + "".join(f'<a href="/{n}">link {n}</a> ' for n in range(8_000)) + "</p>",
        "<table><tr>" + "".join(f"<td>{n}</td>" for n in range(8_000)) + "</tr></table>",
        "<p>" + "*a* _b_ [c](d) <" * 4_000 + "</p>",
        "<ul>" * 4 + "<li>x</li>" * 8_000,
        "<p>word</p>" * 8_000,
        "<table>" + "<tr><td rowspan=9999 colspan=9999>x</td><td>y</td></tr>" * 500 + "</table>",
        "<pre>" + "<span>a</span>\n" * 10_000 + "</pre>",
        "<p>" + "<i></i>a word " * 10_000,
        "<p>" + "<time>nine</time> or later " * 8_000,
        "<div><i></i></div>" * 12_000,
        "<table><th>a</th></table><table>" + "<tr><td><img alt=yes>" * 8_000 + "</table>",
        "<p>" + "a&#x0;b\ufffe \U000f0001 c" * 500 + "</p>",
    ],
    ids=[
        "links",
        "cells",
        "markup",
        "items",
        "paragraphs",
        "spans",
        "code",
        "tails",
        "times",
        "hollow",
        "icons",
        "characters",
    ],
)
def test_wide_pages_end_in_time(inside: str) -> None:
    assert "patient ones" in timed(body(inside))


def test_marks_of_the_page_itself_are_not_mistaken() -> None:
    markdown = timed(
        body("<p>An icon font draws \U000f0003\U000f0004 here, between the words of a sentence.</p>")
    )
    assert "\U000f0003" not in markdown
    assert "An icon font draws" in markdown


@pytest.mark.parametrize("sign", ["\x02", "\x0b", "\x0c", "&#12;", "&#31;", "&#xfffe;", "\ufffe"])
@pytest.mark.parametrize(
    "inside",
    [
        "<p>one{}\ntwo</p>",
        "<h2>one<button>{}</button>{}\ntwo</h2>",
        "<p>one <math><mi>x</mi></math>{}\ntwo</p>",
    ],
    ids=["text", "button", "formula"],
)
def test_signs_that_no_tree_takes_cost_a_page_nothing_else(inside: str, sign: str) -> None:
    markdown = result(body(inside.replace("{}", sign))).markdown
    assert "two" in markdown
    assert FIRST[3:40] in markdown


def test_a_form_feed_parts_words_and_lines() -> None:
    assert "one two" in result(body("<p>one\ftwo</p>")).markdown
    assert "one\ntwo" in result(body("<pre>one\ftwo</pre>")).markdown
