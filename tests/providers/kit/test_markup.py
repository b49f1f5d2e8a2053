"""A result page as a tree, bounded in size and depth."""

from __future__ import annotations

import time

import pytest

from research_mcp.core.errors import BadReply
from research_mcp.core.wire import Reply
from research_mcp.providers.kit.markup import MAX_BYTES, MAX_DEPTH, page


def test_elements_are_picked_by_selector_and_read() -> None:
    root = page(
        Reply(200, body=b'<ul><li class="a b" hidden title="x &amp; y">One\n <b>two</b></li><li>3</li></ul>')
    )
    first, second = root.all("li")
    assert (first.text, second.text) == ("One two", "3")
    assert first.classes == {"a", "b"}
    assert (first.attribute("title"), first.attribute("href")) == ("x & y", "")
    assert (first.has("hidden"), second.has("hidden")) == (True, False)
    inner = first.first("b")
    assert inner is not None
    assert inner.text == "two"
    assert second.first("b") is None


def test_an_empty_body_is_a_page_without_elements() -> None:
    assert page(Reply(200)).first("a") is None


def test_broken_bytes_are_replaced() -> None:
    assert page(Reply(200, body=b"<p>\xff\xfea</p>")).text == "\ufffd\ufffda"


@pytest.mark.parametrize(
    "body",
    [
        b"x" * (MAX_BYTES + 1),
        b"<div>" * (MAX_DEPTH + 1),
        b"<div></b>" * 50_000,
        b"<b>" * 100_000,
        b"<DIV><p>" * 50_000,
    ],
    ids=["large", "deep", "deep with wrong ends", "deep inline", "deep in capitals"],
)
def test_a_page_that_would_stall_the_parser_is_refused_at_once(body: bytes) -> None:
    started = time.perf_counter()
    with pytest.raises(BadReply):
        page(Reply(200, body=body))
    assert time.perf_counter() - started < 1.0


def test_a_long_flat_page_is_no_deep_one() -> None:
    body = b"<ul>" + b"<li>one<p>two<br><img>" * 3_000 + b"</ul>" + b"<div><a>x</a></div>" * 3_000
    assert len(page(Reply(200, body=body)).all("a")) == 3_000
