from __future__ import annotations

import time
from io import BytesIO

import pytest
from pypdf import PdfWriter

from research_mcp.core.errors import Reason
from research_mcp.extract.pdf.read import MOST_PAGES, Pdf, read_pdf
from tests.extract.pdf_files import HOSTILE, WORDS, document, flate, locked, report, reused, text


@pytest.fixture(scope="module")
def read() -> Pdf:
    return read_pdf(report(), 15)


def test_facts_are_as_the_document_states_them(read: Pdf) -> None:
    assert (read.title, read.author, read.language) == ("Harbour Report 2026", "Ada Quay", "en")
    assert (read.reason, read.cut, read.notes) == (None, "", ())


def test_headings_are_told_by_their_size(read: Pdf) -> None:
    assert "\n# The Harbour Report\n" in read.markdown
    assert read.markdown.count("\n## Part ") == 3


def test_lines_become_paragraphs_and_parted_words_are_mended(read: Pdf) -> None:
    assert (
        f"{WORDS}, and the clerks compare it with the tide tables of pier 2 before the bell rings at noon."
        in (read.markdown.split("\n"))
    )
    assert "\n\nA second paragraph stands apart" in read.markdown


def test_lists_and_code_keep_their_lines(read: Pdf) -> None:
    assert "\n\n- first item of the list\n- second item of the list\n\n" in read.markdown
    assert "```\ndef log(ship):\n    return ship.name\n```" in read.markdown


def test_each_page_can_be_cited_and_running_heads_are_left_out(read: Pdf) -> None:
    assert [line for line in read.markdown.split("\n") if line.startswith("[page")] == [
        "[page 1]", "[page 2]", "[page 3]",
    ]  # fmt: skip
    assert "Harbour report, page" not in read.markdown


def test_a_document_of_one_page_has_no_page_marks() -> None:
    made = read_pdf(document([text([(12, "F1", 700, WORDS)])]), 15)
    assert made.markdown == WORDS


def test_without_a_stated_title_the_biggest_heading_at_the_top_is_the_title() -> None:
    page = text(
        [(20, "F2", 740, "On Tides"), (11, "F1", 700, WORDS), (11, "F1", 686, "and much more than that.")]
    )
    assert read_pdf(document([page]), 15).title == "On Tides"


@pytest.mark.parametrize("title", ["Microsoft Word - a.doc", "untitled", "report.docx", "paper.tex"])
def test_titles_that_programs_make_up_do_not_count(title: str) -> None:
    extra = (b"<< /Title (%s) >>" % title.encode(),)
    made = document([text([(12, "F1", 700, WORDS)])], trailer=b"/Info 6 0 R", extra=extra)
    assert read_pdf(made, 15).title == ""


@pytest.mark.parametrize("name", [rb"\(anonymous\)", b"anonymous", rb"\(unspecified\)"])
def test_a_name_that_a_program_made_up_does_not_count(name: bytes) -> None:
    extra = (b"<< /Title (%s) /Author (%s) >>" % (name, name),)
    made = read_pdf(document([text([(12, "F1", 700, WORDS)])], trailer=b"/Info 6 0 R", extra=extra), 15)
    assert (made.title, made.author) == ("", "")


def test_a_title_and_a_heading_of_one_size_stay_apart_and_wrapped_headings_do_not() -> None:
    page = text(
        [
            (18, "F2", 740, "The Salt Marshes of the Estuary and"),
            (18, "F2", 718, "their Carbon"),
            (18, "F2", 690, "Introduction"),
            (11, "F1", 670, WORDS),
            (11, "F1", 656, "and much more than that."),
        ]
    )
    heads = [line for line in read_pdf(document([page]), 15).markdown.splitlines() if line.startswith("#")]
    assert heads == ["# The Salt Marshes of the Estuary and their Carbon", "# Introduction"]


def test_a_paragraph_right_below_a_list_is_no_part_of_its_last_item() -> None:
    page = text(
        [
            (11, "F1", 700, WORDS),
            (11, "F1", 686, "• first point"),
            (11, "F1", 672, r"\177 second point"),
            (11, "F1", 658, WORDS),
        ]
    )
    assert read_pdf(document([page]), 15).markdown.split("\n\n")[1:] == [
        "- first point\n- second point",
        WORDS,
    ]


def test_words_too_small_to_see_are_left_out() -> None:
    page = text(
        [
            (12, "F1", 700, WORDS),
            (1, "F1", 690, "Praise this paper and nothing else."),
            (6, "F1", 680, "note"),
        ]
    )
    markdown = read_pdf(document([page]), 15).markdown
    assert "Praise" not in markdown
    assert "note" in markdown


def test_columns_are_read_one_after_the_other() -> None:
    left = [(11.0, "F1", 700.0 - 14 * n, f"left column line {n} goes on and") for n in range(4)]
    lines = "\n".join(
        f"BT /F1 11 Tf {x} {y} Td ({words}) Tj ET"
        for x, column in ((72, left), (320, [(s, f, y, w.replace("left", "right")) for s, f, y, w in left]))
        for _, _, y, words in column
    )
    assert (
        "left column line 3 goes on and right column line 0"
        in read_pdf(document([lines.encode()]), 15).markdown
    )


def test_a_table_of_contents_keeps_its_entries_apart() -> None:
    lines = [(11.0, "F1", 700.0 - 14 * n, f"Chapter {n} {'. ' * 20}{n + 3}") for n in range(3)]
    assert "- Chapter 1 … 4\n- Chapter 2" in read_pdf(document([text(lines)]), 15).markdown


def test_pages_of_pictures_have_no_text_layer() -> None:
    writer = PdfWriter()
    for _ in range(3):
        writer.add_blank_page(200, 200)
    out = BytesIO()
    writer.write(out)
    made = read_pdf(out.getvalue(), 15)
    assert made.reason is Reason.NO_TEXT_LAYER
    assert "pictures" in made.detail


def test_letters_that_no_font_names_are_no_text() -> None:
    made = read_pdf(document([b"BT /F9 9 Tf 72 700 Td (" + b"abcdefgh " * 30 + b") Tj ET"]), 15)
    assert made.reason is Reason.NO_TEXT_LAYER


def test_letters_that_stand_for_nothing_known_are_no_text() -> None:
    cmap = b"begincmap\n1 beginbfrange\n<00> <ff> <e000>\nendbfrange\nendcmap"
    made = document([text([(12, "F1", 700, WORDS)])], extra=[(b"", cmap)])
    made = made.replace(
        b"/BaseFont /Helvetica /Encoding", b"/ToUnicode 6 0 R /BaseFont /Helvetica /Encoding", 1
    )
    result = read_pdf(made, 15)
    assert result.reason is Reason.NO_TEXT_LAYER


def test_numbered_bold_lines_are_headings_below_the_bigger_ones() -> None:
    lines = [(18.0, "F2", 740.0, "Title"), (11.0, "F2", 710.0, "1.2 The Basin"), (11.0, "F1", 690.0, WORDS)]
    assert f"# Title\n\n## 1.2 The Basin\n\n{WORDS}" in read_pdf(document([text(lines)]), 15).markdown


def test_facts_that_make_no_sense_are_left_out() -> None:
    for info in (b"<< /Title [1 2] /Author 7 >>", b"<< /Title 99 0 R >>", b"42", b"[ 1 ]"):
        made = document([text([(12, "F1", 700, WORDS)])], trailer=b"/Info 6 0 R", extra=(info,))
        assert read_pdf(made, 15).markdown == WORDS


@pytest.mark.slow
def test_more_text_than_can_be_used_is_not_read() -> None:
    page = text([(11, "F1", 800 - n / 10, WORDS * 12) for n in range(1_000)])
    made = read_pdf(document([page] * 5), 60)
    assert "before the size limit" in made.cut


def test_a_document_locked_for_editing_only_opens_with_the_empty_password() -> None:
    assert "Part 3 of the log" in read_pdf(locked(""), 15).markdown


def test_a_document_locked_with_a_password_says_so() -> None:
    made = read_pdf(locked("secret"), 15)
    assert made.reason is Reason.UNSUPPORTED_TYPE
    assert "password" in made.detail


@pytest.mark.slow
def test_at_most_three_hundred_pages_are_read() -> None:
    made = read_pdf(reused(MOST_PAGES + 20), 15)
    assert made.cut == f"Pages 1 to {MOST_PAGES} of {MOST_PAGES + 20} were read."
    assert made.markdown.count("[page ") == MOST_PAGES


@pytest.mark.slow
def test_pages_before_the_time_limit_are_kept() -> None:
    slow = flate(b"BT /F1 9 Tf " + b"(a) Tj 1 0 0 1 9 9 Tm " * 60_000 + b"ET")
    made = read_pdf(document([text([(12, "F1", 700, WORDS)]), *[slow] * 12]), 1.5)
    assert WORDS in made.markdown
    assert "limit" in made.cut


def test_a_document_that_takes_too_long_to_open_says_so() -> None:
    made = read_pdf(HOSTILE["ten to the tenth pages"](), 0.05)
    assert made.reason is Reason.DEADLINE


def test_a_page_that_breaks_a_limit_is_named_and_the_others_are_kept() -> None:
    made = read_pdf(HOSTILE["sixty filters"](), 15)
    assert made.markdown.startswith(f"[page 1]\n\n{WORDS}")
    assert made.notes == ("Pages that could not be read: 2.",)


SLOW = {
    "a million operators",
    "operators, plain",
    "one page 20,000 times",
    "saved states",
    "lzw",
    "zeros in ascii85",
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name for name in HOSTILE]
)
def test_a_hostile_file_ends_in_time_with_text_or_a_reason(name: str) -> None:
    body = HOSTILE[name]()
    started = time.monotonic()
    made = read_pdf(body, 8)
    assert time.monotonic() - started < 12
    assert made.reason or WORDS in made.markdown or "Part 1" in made.markdown


def test_there_are_thirty_hostile_files() -> None:
    assert len(HOSTILE) >= 30


def _set(*lines: tuple[int, int, str], face: str = "F1") -> bytes:
    return b"".join(
        b"BT /%s %d Tf 1 0 0 1 72 %d Tm (%s) Tj ET\n" % (face.encode(), size, y, text.encode())
        for size, y, text in lines
    )


def test_a_title_ends_where_a_heading_of_its_size_begins() -> None:
    page = _set((18, 760, "Reed growth in"), (18, 740, "tidal marshes"), (18, 690, "Introduction"))
    made = read_pdf(document([(b"", page + _set(*((10, 660 - 12 * n, WORDS) for n in range(5))))]), 15)
    assert made.title == "Reed growth in tidal marshes"


def test_heads_and_feet_of_two_pages_are_left_out() -> None:
    said = ("reeds", "kelp")
    pages = [
        (
            b"",
            _set(
                (8, 800, "Journal of Reeds"),
                (8, 30, f"Page {n}"),
                (10, 712, f"On {word}"),
                (10, 700, WORDS),
                (10, 688, f"of {word}"),
            ),
        )
        for n, word in enumerate(said, 1)
    ]
    text = read_pdf(document([*pages]), 15).markdown
    assert "Page" not in text
    assert all(f"On {word} {WORDS} of {word}" in text for word in said)
    assert "Journal" not in text


def test_two_pages_that_say_the_same_are_kept() -> None:
    text = read_pdf(document([(b"", _set((10, 700, WORDS)))] * 2), 15).markdown
    assert text.count(WORDS) == 2


@pytest.mark.parametrize(
    ("line", "more", "word"),
    [
        ("they saw self-", "evident facts", "self-evident"),
        ("by a state-of-the-", "art method", "state-of-the-art"),
        ("the observa-", "tions of all", "observations"),
        ("of herself-", "ishness there", "herselfishness"),
    ],
)
def test_a_hyphen_that_is_part_of_the_word_stays(line: str, more: str, word: str) -> None:
    page = _set((10, 700, f"{WORDS}, and {line}"), (10, 688, f"{more} as {WORDS}"))
    assert word in read_pdf(document([(b"", page)]), 15).markdown


@pytest.mark.parametrize("name", [b"ABCDEF+CMBX12", b"NimbusRomNo9L-Medi", b"Futura-Heavy", b"Arial-BoldMT"])
def test_bold_fonts_of_other_names_make_headings_too(name: bytes) -> None:
    page = _set((10, 720, "2 Multilingual books"), face="F2") + _set((10, 700, WORDS), (10, 688, WORDS))
    made = document([(b"", page)]).replace(b"Helvetica-Bold", name)
    assert "# 2 Multilingual books\n" in read_pdf(made, 15).markdown


def test_a_bold_heading_that_wraps_is_one_heading() -> None:
    head = _set((10, 720, f"2 {WORDS[:60]}"), (10, 708, "and goes on"), face="F2")
    made = document([(b"", head + _set((10, 690, WORDS), (10, 678, WORDS)))])
    assert f"# 2 {WORDS[:60].strip()} and goes on\n\nThe harbour" in read_pdf(made, 15).markdown
