"""JATS in its odder forms, beside the whole paper of `test_scholarly.py`."""

from __future__ import annotations

import time

import pytest

from research_mcp.core.errors import NoContent
from research_mcp.core.wire import Reply
from research_mcp.providers.kit.markup import xml
from research_mcp.providers.sites.scholarly.jats import MOST, Article, article_of


def article(body: str, front: str = "", back: str = "") -> Article:
    text = f"<article>{front}<body>{body}</body>{back}</article>"
    return article_of(xml(Reply(200, body=text.encode()), "article", most=MOST, typed=True))


def meta(inner: str) -> str:
    return f"<front><article-meta>{inner}</article-meta></front>"


@pytest.mark.parametrize(
    ("inner", "date"),
    [
        ('<pub-date date-type="pub"><year>2026</year><month>3</month></pub-date>', "2026-03"),
        ("<pub-date><year>2026</year><month>March</month><day>4</day></pub-date>", "2026"),
        ("<pub-date><year>soon</year></pub-date>", ""),
        ("<pub-date><month>3</month></pub-date>", ""),
        ("", ""),
    ],
)
def test_a_date_is_given_as_far_as_it_is_stated(inner: str, date: str) -> None:
    assert article("<p>x</p>", meta(inner)).date == date


def test_authors_without_a_split_name_are_given_as_written_and_nameless_ones_left_out() -> None:
    inner = "<contrib-group><contrib><string-name>Ada I.</string-name></contrib><contrib/></contrib-group>"
    assert article("<p>x</p>", meta(inner)).authors == "Ada I."


def test_a_paper_without_a_front_is_its_body() -> None:
    assert article("loose words<p>and a paragraph</p>") == Article(
        "", "", "", "", "loose words\n\nand a paragraph"
    )


@pytest.mark.parametrize("text", ["<article/>", "<article><body> </body></article>"])
def test_a_paper_without_a_body_is_no_copy(text: str) -> None:
    with pytest.raises(NoContent):
        article_of(xml(Reply(200, body=text.encode()), "article"))


@pytest.mark.parametrize(
    ("body", "markdown"),
    [
        ("<p>a <sup>2</sup> b</p>", "a ^2 b"),
        ("<p>a<sup>a long raised remark</sup></p>", "aa long raised remark"),
        ("<p>a <italic> b </italic>c <bold> </bold>d</p>", "a *b* c d"),
        ("<p>see [<xref>3</xref>]<xref><sup>4</sup></xref></p>", "see [3]"),
        ('<p><uri x="1">reeds.example</uri></p>', "reeds.example"),
        ('<p><ext-link xmlns:l="http://www.w3.org/1999/xlink" l:href="ftp://x">x</ext-link></p>', "x"),
        ("<p>a<break/>b</p>", "a b"),
        ("<p>a<fn><p>a note</p></fn></p>", "a"),
        ("<p><named-content>kept</named-content></p>", "kept"),
        ("<p><inline-formula>x+1</inline-formula></p>", "$x+1$"),
        ("<fig><caption><p>No label.</p></caption></fig>", "No label."),
        ("<table-wrap><table/></table-wrap><p>x</p>", "x"),
        ("<table-wrap><table><tr><td>1</td><!-- c --> </tr></table></table-wrap>", "| 1 |\n| --- |"),
        ("<sec><p>no title</p></sec>", "no title"),
        ("<unknown><p>inside</p></unknown>", "inside"),
        ("<list><list-item><p>a</p></list-item></list>", "- a"),
    ],
)
def test_an_element_becomes_markdown(body: str, markdown: str) -> None:
    assert article(body).markdown == markdown


def test_references_without_a_number_are_marked_or_counted() -> None:
    refs = (
        "<ref><label>Salt01</label><mixed-citation>Salt.</mixed-citation></ref>"
        "<ref><mixed-citation>Reed.</mixed-citation></ref>"
    )
    assert article("<p>x</p>", back=f"<back><ref-list>{refs}</ref-list></back>").markdown.endswith(
        "## References\n\n- Salt01 Salt.\n2. Reed."
    )


@pytest.mark.parametrize("tag", ["sec", "list", "disp-quote", "unknown", "italic"])
def test_what_is_nested_deeply_is_flattened(tag: str) -> None:
    inside = "<list-item>" if tag == "list" else ""
    depth = 100
    opened, closed = f"<{tag}>{inside}", f"{inside.replace('<', '</')}</{tag}>"
    text = opened * depth + "<p>deep words</p>" + closed * depth
    assert "deep words" in article(f"<p>{text}</p>").markdown


def test_the_largest_paper_is_written_in_a_moment() -> None:
    paragraph = "<p>Reeds<sup><xref>1</xref></sup> <italic>grow</italic> in salt marshes all year.</p>"
    body = f"<sec><title>S</title>{paragraph * 60}</sec>" * 500
    assert len(body) < MOST
    started = time.process_time()
    assert len(article(body).markdown) > 1_000_000
    assert time.process_time() - started < 5
