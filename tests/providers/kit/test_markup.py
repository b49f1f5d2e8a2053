"""A result page as a tree, bounded in size and depth."""

from __future__ import annotations

import time

import pytest

from research_mcp.core.errors import BadReply
from research_mcp.core.wire import Reply
from research_mcp.providers.kit.markup import MAX_BYTES, MAX_DEPTH, page, xml


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
    started = time.process_time()
    with pytest.raises(BadReply):
        page(Reply(200, body=body))
    assert time.process_time() - started < 1.0


def test_a_long_flat_page_is_no_deep_one() -> None:
    body = b"<ul>" + b"<li>one<p>two<br><img>" * 3_000 + b"</ul>" + b"<div><a>x</a></div>" * 3_000
    assert len(page(Reply(200, body=body)).all("a")) == 3_000


class TestXml:
    def test_elements_are_found_by_path_and_read_with_all_that_is_in_them(self) -> None:
        root = xml(Reply(200, body=b'<a><b n="1">x <i>y</i>\n z &amp; w<!-- no --></b><b/></a>'), "a")
        first, second = root.all("b")
        assert (first.text, second.text) == ("x y z & w", "")
        assert (first.attribute("n"), second.attribute("n")) == ("1", "")
        inner = root.first("b/i")
        assert inner is not None
        assert inner.text == "y"
        assert root.first("c") is None

    def test_the_stated_encoding_is_read(self) -> None:
        body = '<?xml version="1.0" encoding="windows-1251"?><a>\u043c\u043e\u0440\u0435</a>'.encode("cp1251")
        assert xml(Reply(200, body=body), "a").text == "\u043c\u043e\u0440\u0435"

    @pytest.mark.parametrize(
        "body",
        [
            b"",
            b"text",
            b"<a>",
            b"<b/>",
            b"<html><p>x</html>",
            b"<a>" + b"x" * MAX_BYTES + b"</a>",
            b"<a>" * 400 + b"</a>" * 400,
            b"<!DOCTYPE a><a/>",
            b'<!DOCTYPE a [<!ENTITY e "x">]><a>&e;</a>',
            b'<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/hostname">]><a>&e;</a>',
            b'<!DOCTYPE a SYSTEM "http://127.0.0.1:9/a.dtd"><a/>',
            '<?xml version="1.0" encoding="utf-16"?><!DOCTYPE a [<!ENTITY e "x">]><a>&e;</a>'.encode(
                "utf-16"
            ),
            b"<a>&undeclared;</a>",
            b'<?xml version="1.0" encoding="no-such"?><a/>',
            b"\xff\xfe\x00",
        ],
        ids=range(15),
    )
    def test_anything_else_is_a_bad_reply(self, body: bytes) -> None:
        with pytest.raises(BadReply):
            xml(Reply(200, body=body), "a")

    def test_a_page_of_entities_costs_nothing(self) -> None:
        rows = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 30))
        body = f'<!DOCTYPE a [<!ENTITY e0 "x">{rows}]><a b="&e29;">&e29;</a>'.encode()
        started = time.process_time()
        for form in (body, body.decode().encode("utf-16")):
            with pytest.raises(BadReply):
                xml(Reply(200, body=form), "a")
        assert time.process_time() - started < 1


def test_text_and_elements_come_in_the_order_in_which_they_stand() -> None:
    root = xml(Reply(200, body=b'<p xmlns:m="urn:m">a <b>bold</b> of <m:i href="x">it</m:i></p>'), "p")
    assert [each if isinstance(each, str) else each.name for each in root.pieces] == ["a ", "b", " of ", "i"]
    assert [each.text for each in root.all("{*}i")] == ["it"]


def test_a_root_may_have_any_namespace_when_that_is_said() -> None:
    body = b'<MPD xmlns="urn:mpeg"><a/></MPD>'
    assert xml(Reply(200, body=body), "{*}MPD").name == "MPD"
    with pytest.raises(BadReply):
        xml(Reply(200, body=body), "MPD")
    with pytest.raises(BadReply):
        xml(Reply(200, body=body), "{*}feed")


def test_a_document_type_that_only_names_itself_is_dropped_where_it_is_expected() -> None:
    plain = Reply(200, body=b'<?xml version="1.0"?>\n<!DOCTYPE a PUBLIC "-//N//DTD J//EN" "j.dtd">\n<a>x</a>')
    assert xml(plain, "a", typed=True).text == "x"
    with pytest.raises(BadReply):
        xml(plain, "a")


@pytest.mark.parametrize(
    "body",
    [
        b'<!DOCTYPE a [<!ENTITY b "boom">]><a>&b;</a>',
        b'<!DOCTYPE a SYSTEM "file:///etc/passwd" [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
        b"<!DOCTYPE a><!DOCTYPE a><a/>",
        b"<a>&nbsp;</a>",
        b"<a>" * 300 + b"</a>" * 300,
    ],
    ids=["entity", "external", "twice", "unknown entity", "deep"],
)
def test_a_document_type_with_something_in_it_is_refused(body: bytes) -> None:
    with pytest.raises(BadReply):
        xml(Reply(200, body=body), "a", typed=True)


def test_the_most_bytes_of_an_xml_answer_are_the_callers_to_say() -> None:
    body = b"<a>" + b"x" * MAX_BYTES + b"</a>"
    with pytest.raises(BadReply):
        xml(Reply(200, body=body), "a")
    assert xml(Reply(200, body=body), "a", most=2 * MAX_BYTES).name == "a"
