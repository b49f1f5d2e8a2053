from __future__ import annotations

import time

import pytest

from research_mcp.extract.charset import decode, header_charset, meta_charset
from tests.extract.charset_cases import PAIRS, SENTENCES, Case, cases, page

CASES = list(cases())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_page_reads_right_however_it_is_labelled(case: Case) -> None:
    text = decode(case.body, case.content_type).text
    assert all(sentence in text for sentence in case.expected)
    assert "\ufffd" not in text


def test_the_set_has_103_cases() -> None:
    assert len(CASES) == 103


@pytest.mark.parametrize("wrong", ["utf-8", "iso-8859-1", "windows-1251", "koi8-r", "iso-8859-9", "big5"])
def test_a_server_that_labels_everything_alike_spoils_few_pages(wrong: str) -> None:
    right = sum(
        SENTENCES[language][0] in decode(page(language, label), f"text/html; charset={wrong}").text
        for language, label in PAIRS
    )
    assert right >= len(PAIRS) - 2


def test_a_wrong_label_is_noted_and_a_right_one_is_not() -> None:
    body = page("zh", "gbk")
    assert decode(body, "text/html; charset=utf-8").note.endswith("its bytes are gb18030.")
    assert decode(body, "text/html; charset=gb2312").note == ""


def test_a_meta_tag_needs_no_media_type() -> None:
    body = '<meta http-equiv="Content-Type" content="charset=gbk"><p>渔民们满载而归'.encode("gbk")
    assert decode(body).text.endswith("渔民们满载而归")


def test_a_few_torn_characters_do_not_change_the_charset() -> None:
    body = ("<p>Смотритель маяка</p>" * 200).encode() + b"\xd0<p>" + "конец".encode()
    decoded = decode(body, "text/html; charset=utf-8")
    assert decoded.encoding == "utf-8"
    assert decoded.text.count("\ufffd") == 1
    assert "конец" in decoded.text


@pytest.mark.parametrize("words", ["señor", "für", "garçon où", "smørrebrød på ø", "È così"])
def test_a_few_western_words_need_no_label(words: str) -> None:
    assert words in decode(f"<html><body><p>{words}</p></body></html>".encode("cp1252")).text


def test_bytes_that_fit_nothing_are_read_as_western_text() -> None:
    assert decode(b"a\x80\x81\x82\x98\x99", "text/html; charset=utf-8").text == "a€‚˜™"


def test_an_escape_sequence_alone_makes_no_japanese() -> None:
    assert decode(b"terminal colours: \x1b(B \x1b$B!").text == "terminal colours: \x1b(B \x1b$B!"


@pytest.mark.parametrize("codec", ["utf-8", "gb18030", "cp932", "utf-16-le"])
def test_a_body_cut_inside_a_character_loses_that_character_only(codec: str) -> None:
    whole = "<html><body><p>" + "灯台守は毎朝、潮の高さを書く。" * 20
    body = whole.encode(codec)[:-1]
    assert (
        decode(body, f"text/html; charset={codec.replace('cp932', 'shift_jis')}", cut=True).text == whole[:-1]
    )


def test_labels_mean_what_browsers_take_them_for() -> None:
    assert header_charset("text/html; charset=ISO-8859-1") == "cp1252"
    assert header_charset('text/html;charset="GB2312"') == "gb18030"
    assert header_charset("text/html; charset=Shift_JIS") == "cp932"
    assert meta_charset(b"<meta charset=utf-16>") == "utf-8"


@pytest.mark.parametrize("label", ["hex", "rot13", "zip", "idna", "unicode_escape", "utf-7", "none"])
def test_a_page_may_not_name_any_codec_it_likes(label: str) -> None:
    assert header_charset(f"text/html; charset={label}") == ""
    assert decode(b"<p>caf\xe9 68656c6c6f", f"text/html; charset={label}").text == "<p>café 68656c6c6f"


def test_curly_quotes_of_a_page_that_calls_itself_latin_1_survive() -> None:
    assert decode(b"<p>\x93quoted\x94 \x81", "text/html; charset=iso-8859-1").text == "<p>“quoted” "


@pytest.mark.parametrize(
    "piece", [b"\xff\xfe", b"\x00a", b"\xd0", b"\x81\x30", b"\x1b$B", b"<meta charset", b"<"]
)
def test_a_megabyte_of_junk_is_read_in_time(piece: bytes) -> None:
    body = piece * (1_000_000 // len(piece))
    start = time.process_time()
    decode(body, "text/html; charset=gbk")
    assert time.process_time() - start < 2
