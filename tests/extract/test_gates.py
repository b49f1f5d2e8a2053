from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from selectolax.lexbor import LexborHTMLParser

from research_mcp.extract.gates import DEEPEST, MOST_ATTRIBUTES, MOST_ELEMENTS, shape_of, tame
from research_mcp.extract.hidden.linear import plain_text
from research_mcp.extract.tokens import attributes, tags, words_of
from tests.extract.hidden_cases import HIDDEN, page

ARTICLE = "".join(
    f"<p>Paragraph {n} of the log about the <b>tide</b> at <a href='/{n}'>pier {n}</a>.</p>"
    for n in range(40)
)


def names(html: str) -> list[str]:
    return [name for name, _, _, _ in tags(html)]


def test_tags_in_comments_scripts_and_attributes_are_not_tags() -> None:
    html = (
        "<!doctype html><p title='<b>'>1 < 2 <!-- <i> --><script>if (a<b) '</p>'</script>"
        "<textarea><u></textarea><STYLE>a<b{}</STYLE><br/></p ><?php <s> ?></>"
    )
    expected = ["p", "script", "/script", "textarea", "/textarea", "style", "/style", "br", "/p"]
    assert names(html) == expected


def test_an_unfinished_tag_or_comment_runs_to_the_end() -> None:
    assert names("<p>a<b title='x") == ["p"]
    assert names("<p>a<!-- <b>") == ["p"]
    assert names("<p>a<script><b>") == ["p", "script"]


def test_quotes_matter_only_after_an_equals_sign() -> None:
    assert names("<p don't><b>") == ["p", "b"]
    assert attributes(""" A=1 b='2 3' c="4" d checked a=9 href=/x?y=1 """) == {
        "a": "1", "b": "2 3", "c": "4", "d": "", "checked": "", "href": "/x?y=1",
    }  # fmt: skip


def test_words_are_what_stands_between_tags() -> None:
    assert (
        words_of("<!doctype html><title>T</title><p>a&amp;b<script>x</script> <b>c</b><!-- d -->") == "a&b c"
    )


def test_an_ordinary_page_is_harmless_and_stays_as_it_is() -> None:
    html = page(ARTICLE)
    shape = shape_of(html)
    assert shape.harmless
    assert not shape.hopeless
    assert tame(html, shape) is html


def test_unclosed_paragraphs_and_items_are_not_taken_for_nesting() -> None:
    html = "<ul>" + "<li><p>x" * 5_000 + "</ul><table>" + "<tr><td>y" * 5_000 + "</table>"
    assert shape_of(html).harmless


@pytest.mark.parametrize("depth", [260, 300, 3_000])
@pytest.mark.parametrize(
    "tag", ["div", "span", "section", "blockquote", "ul><li", "table><tr><td", "b", "x-box"]
)
def test_a_deep_page_keeps_its_words_and_loses_its_depth(tag: str, depth: int) -> None:
    html = f"<body>{f'<{tag}>' * depth}{ARTICLE}"
    shape = shape_of(html)
    assert not shape.harmless
    tamed = tame(html, shape)
    assert shape_of(tamed).depth <= DEEPEST + 10
    words = LexborHTMLParser(tamed).body.text(separator=" ")  # type: ignore[union-attr]
    assert all(f"Paragraph {n} of" in words and f"pier {n}" in words for n in range(40))


def test_what_was_opened_and_closed_before_the_article_does_not_count_against_it() -> None:
    html = f"<body>{'<div>' * 300}{'</div>' * 300}<article>{ARTICLE}</article>"
    assert "<article>" in tame(html, shape_of(html))
    assert tame(html, shape_of(html)).count("<p>") == 40


def test_stray_end_tags_hide_no_depth() -> None:
    assert shape_of("</div>" * 5_000 + "<div>" * 1_000).depth >= 1_000


def test_a_tag_of_too_many_attributes_keeps_its_first_ones() -> None:
    many = " ".join(f'a{n}="&quot;{n}"' for n in range(MOST_ATTRIBUTES + 10))
    html = f"<p id='x' {many}>words</p>"
    tamed = tame(html, shape_of(html))
    assert len(tamed) < 2_000
    node = LexborHTMLParser(tamed).css_first("p")
    assert node is not None
    assert (node.text(), node.attributes["id"], node.attributes["a3"]) == ("words", "x", '"3')


def test_a_block_of_too_many_links_keeps_their_words() -> None:
    html = "<p>" + "".join(f"<a href='/{n}'>link {n}</a> " for n in range(3_100)) + "</p>"
    tamed = tame(html, shape_of(html))
    assert "<a" not in tamed
    assert "link 3099" in tamed


def test_many_links_in_many_blocks_stay() -> None:
    html = "".join(f"<p><a href='/{n}'>link {n}</a></p>" for n in range(5_000))
    assert shape_of(html).harmless


def test_formatting_that_stays_open_is_cut_off() -> None:
    html = "".join(f"<font size={n}><p>word {n}" for n in range(500))
    tamed = tame(html, shape_of(html))
    assert tamed.count("<font") <= 20
    assert "word 499" in tamed


def test_a_tracker_s_open_iframe_does_not_swallow_the_page() -> None:
    html = f"<noscript><iframe src='//t.example'></noscript>{ARTICLE}<iframe src='/map'></iframe>"
    words = LexborHTMLParser(tame(html, shape_of(html))).body.text()  # type: ignore[union-attr]
    assert "Paragraph 39" in words


def test_a_page_of_too_many_elements_is_hopeless() -> None:
    assert shape_of("<i></i>" * (MOST_ELEMENTS + 1)).hopeless
    assert shape_of("<" * 500_000).hopeless
    assert not shape_of("<i></i>" * 1_000).hopeless


def test_plain_text_has_a_line_for_each_block_and_the_title() -> None:
    plain = plain_text(
        "<title>A &amp; B</title><h1>Log</h1><p>one <b>two</b>\n three<p>four<br>five<ul><li>six</ul>"
    )
    assert plain.title == "A & B"
    assert [line for line in plain.text.split("\n") if line] == [
        "Log",
        "one two three",
        "four",
        "five",
        "six",
    ]
    assert not plain.cut


def test_plain_text_goes_on_after_the_end_of_what_is_hidden() -> None:
    nested = "<div hidden>a<div>b</div>c<p>d</div>e<p hidden>f<p>g<select><option>h</select>i"
    assert plain_text(nested).text.split() == ["e", "g", "i"]


@pytest.mark.slow
def test_plain_text_of_more_tags_than_can_be_read_is_cut_and_says_so() -> None:
    plain = plain_text("<p>" + "<i>x</i>" * 300_000)
    assert plain.cut
    assert plain.text.startswith("xxx")


@pytest.mark.parametrize(
    "name", sorted(set(HIDDEN) - {"black on a black parent", "tag of a style sheet"})
)  # a run of tags knows nothing of ancestors
def test_plain_text_leaves_hidden_text_out_too(name: str) -> None:
    text = plain_text(HIDDEN[name]).text
    assert "Zq7" not in text
    assert "Paragraph 5" in text


GENERATORS: dict[str, Callable[[int], str]] = {
    "attributes": lambda size: "<p " + " ".join(f"a{n}=1" for n in range(size // 8)) + ">x",
    "attributes with signs": lambda size: "<p " + " ".join(f'a{n}="<>"' for n in range(size // 12)) + ">x",
    "links in a paragraph": lambda size: (
        "<p>" + "".join(f"<a href=/{n}>l {n}</a> " for n in range(size // 26))
    ),
    "cells in a row": lambda size: "<table><tr>" + "<td>x</td>" * (size // 10),
    "unclosed links": lambda size: "<a href=x>" * (size // 10),
    "nested blocks": lambda size: "<div>" * (size // 5) + "text",
    "nested formatting": lambda size: "<b>" * (size // 3) + "text",
    "formatting over paragraphs": lambda size: (
        "".join(f"<font size={n}><p>" for n in range(size // 16)) + "text"
    ),
    "misnested ends": lambda size: "<b>" * (size // 8) + "x" + "</i>" * (size // 8),
    "options": lambda size: "<select>" + "<option>x" * (size // 9),
    "comments": lambda size: "<!-- x -->" * (size // 10),
    "unfinished comments": lambda size: "<!--" * (size // 4),
    "unfinished tags": lambda size: '<a ""' * (size // 5),
    "unfinished quotes": lambda size: '<a b="' * (size // 6),
    "unfinished scripts": lambda size: "<script></script" * (size // 16),
    "entities": lambda size: "&amp;" * (size // 5),
    "stray signs": lambda size: "<" * size,
    "ends": lambda size: "</p>" * (size // 4),
    "svg": lambda size: "<svg>" + "<g>" * (size // 3),
}


@pytest.mark.parametrize("name", GENERATORS)
def test_counting_taming_and_plain_text_are_linear(name: str) -> None:
    def seconds(size: int) -> float:
        html = GENERATORS[name](size)
        started = time.process_time()
        tame(html, shape_of(html))
        plain_text(html)
        return time.process_time() - started

    small = min(seconds(30_000) for _ in range(2))
    assert seconds(150_000) < max(10 * small, 1.0)


@pytest.mark.parametrize("name", GENERATORS)
def test_a_tree_of_the_tamed_page_is_built_quickly(name: str) -> None:
    html = GENERATORS[name](100_000)
    shape = shape_of(html)
    if not shape.hopeless:
        tamed = tame(html, shape)
        started = time.process_time()
        LexborHTMLParser(tamed)
        assert time.process_time() - started < 0.5


@pytest.mark.parametrize("piece", ["<link ", "<style ", "<link rel=", "<style>", "<link x>"])
def test_plain_text_takes_linear_time(piece: str) -> None:
    started = time.process_time()
    assert "word" in plain_text("<p>word</p>" + piece * (400_000 // len(piece))).text
    assert time.process_time() - started < 1.5
