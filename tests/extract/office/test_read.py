from __future__ import annotations

import time

import pytest

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import Reason
from research_mcp.core.models import Flag, Kind
from research_mcp.core.wire import Document
from research_mcp.extract.processes.pool import ExtractionPool
from research_mcp.extract.worker import extract_document
from tests.extract.office.files import URL, docx, epub, para, pptx, read, shape, text_cell, xlsx
from tests.extract.office.files import line as text_line
from tests.extract.processes.pools import running

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504)


@pytest.mark.parametrize(
    ("stream", "told"),
    [
        ("WordDocument", "old binary format (.doc), which is not read here: look for a copy as .docx"),
        ("Workbook", "old binary format (.xls)"),
        ("PowerPoint Document", "old binary format (.ppt)"),
        ("EncryptedPackage", "locked with a password"),
    ],
)
def test_files_of_old_programs_and_locked_ones_are_refused_by_name(stream: str, told: str) -> None:
    result = read(OLE + stream.encode("utf-16-le") + bytes(100), content_type="application/octet-stream")
    assert (result.kind, result.reason) == (Kind.OFFICE, Reason.UNSUPPORTED_TYPE)
    assert told in result.detail


@pytest.mark.parametrize(
    ("body", "named"), [(OLE, "x-ole-storage"), (b"{\\rtf1\\ansi words}", "application/rtf")]
)
def test_other_files_without_a_reader_are_named(body: bytes, named: str) -> None:
    result = read(body)
    assert (result.kind, result.reason) == (Kind.BINARY, Reason.UNSUPPORTED_TYPE)
    assert named in result.detail


def test_a_document_whose_download_was_cut_says_so() -> None:
    body = docx(para("words" * 1_000))[:-50]
    result = extract_document(Document(URL, URL, 200, {}, body, truncated="it is larger than 25 MB"), 10)
    assert result.reason is Reason.TOO_LARGE
    assert "it is larger than 25 MB" in result.detail


def test_more_text_than_may_be_sent_is_cut() -> None:
    result = read(
        docx("".join(para(" ".join(map(str, range(n, n + 2_000)))) for n in range(10_000, 12_000, 8)))
    )
    assert Flag.TRUNCATED in result.flags
    assert any("only the first 2,000,000 characters" in note for note in result.notes)


LONG = docx("".join(para(f"Entry {n}") for n in range(50_000)))


def test_a_document_that_takes_too_long_gives_what_was_read() -> None:
    for seconds in (1, 2, 4, 8):  # a busy machine may need the first of them to open it
        started = time.process_time()
        result = read(LONG, seconds=seconds)
        assert time.process_time() - started < seconds
        if result.reason is None:
            break
    assert "Entry 1\n" in result.markdown
    assert result.notes == ("The document is not whole: reading it whole takes too long.",)


def test_a_document_that_cannot_be_opened_in_time_is_a_deadline() -> None:
    result = read(LONG, seconds=0.01)
    assert (result.reason, result.markdown) == (Reason.DEADLINE, "")


@pytest.mark.slow
async def test_all_kinds_go_through_the_pool() -> None:
    bodies = {
        Kind.OFFICE: [
            docx(para("a Word text")),
            xlsx({"S": f"<sheetData><row>{text_cell('A1', 'a cell')}</row></sheetData>"}),
            pptx(shape(text_line("a slide"))),
        ],
        Kind.EPUB: [epub({"a.xhtml": "<p>a chapter</p>"})],
    }
    async with running(ExtractionPool(1)) as pool:
        for kind, files in bodies.items():
            for body in files:
                document = Document(URL, URL, 200, {"content-type": "application/octet-stream"}, body)
                result = await pool.extract(document, Deadline.after(20))
                assert (result.kind, result.reason) == (kind, None)
                assert result.markdown
        bomb = Document(URL, URL, 200, {}, docx(para("before") + " " * 200_000_000))
        result = await pool.extract(bomb, Deadline.after(20))
        assert (result.markdown, result.flags) == ("before", (Flag.TRUNCATED,))
