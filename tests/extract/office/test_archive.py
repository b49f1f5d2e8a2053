from __future__ import annotations

import io
import random
import re
import struct
import time
import zipfile

import pytest

from research_mcp.core.errors import Reason
from research_mcp.core.models import Flag, Kind
from tests.extract.office.files import (
    docx,
    docx_parts,
    epub_parts,
    odf,
    para,
    read,
    text_cell,
    xlsx_parts,
    zipped,
)

WORDS = "".join(para(f"Paragraph {n} of the log, {n * 7919 % 10007} words.") for n in range(40))


def test_a_small_file_that_unpacks_to_very_much_gives_the_text_before_the_limit() -> None:
    result = read(docx(WORDS + "<w:p/>" + " " * 60_000_000))
    assert "Paragraph 39 of the log" in result.markdown
    assert Flag.TRUNCATED in result.flags
    assert result.notes == ("The document is not whole: the file unpacks to more than 100 times its size.",)


def test_more_text_than_any_document_needs_is_left_unread() -> None:
    parts = docx_parts(WORDS + "<w:p/>")
    document = str(parts["word/document.xml"])
    middle = document.index("<w:p/>")
    parts["word/document.xml"] = document[:middle] + " " * 21_000_000 + document[middle:]
    result = read(zipped(parts, stored=("word/document.xml",)))
    assert "Paragraph 39 of the log" in result.markdown
    assert "more than 20 MB" in result.notes[0]


def test_a_bomb_without_text_before_it_is_too_large() -> None:
    result = read(docx(" " * 30_000_000 + WORDS))
    assert (result.kind, result.reason, result.markdown) == (Kind.OFFICE, Reason.TOO_LARGE, "")
    assert "100 times" in result.detail


def test_many_parts_share_one_budget() -> None:
    chapters = {
        f"{n}.xhtml": f"<p>Chapter {n}</p><!-- {random.randbytes(1_000_000).hex()} -->" for n in range(14)
    }
    result = read(zipped(epub_parts(chapters), stored=tuple(f"OEBPS/{name}" for name in chapters)))
    assert "Chapter 8" in result.markdown
    assert "Chapter 12" not in result.markdown
    assert "more than 20 MB" in result.notes[0]


@pytest.mark.parametrize("stated", [0, 100, 0xFFFFFFF0])
def test_sizes_that_lie_are_not_believed(stated: int) -> None:
    body = bytearray(docx(WORDS))
    at = body.index(b"PK\x01\x02", body.rindex(b"word/document.xml") - 60)
    struct.pack_into("<I", body, at + 24, stated)
    result = read(bytes(body))
    assert result.reason in (None, Reason.EMPTY, Reason.UNSUPPORTED_TYPE)
    assert result.reason or "Paragraph 39" in result.markdown


def test_ten_thousand_entries_are_not_looked_at_and_the_text_is_read() -> None:
    parts = docx_parts(WORDS) | {f"word/media/{n}.png": b"" for n in range(10_000)}
    result = read(zipped(parts))
    assert "Paragraph 39" in result.markdown
    assert "only 2,000 of the 10,003 files in the archive were looked at" in result.notes[0]


def test_a_directory_of_very_many_entries_is_not_read() -> None:
    entry = zipped({"word/document.xml": b""})
    listed = entry[entry.index(b"PK\x01\x02") : entry.index(b"PK\x05\x06")]
    body = entry[: entry.index(b"PK\x01\x02")] + listed * 200_000 + entry[entry.index(b"PK\x05\x06") :]
    started = time.process_time()
    assert read(body).reason is Reason.UNSUPPORTED_TYPE
    assert time.process_time() - started < 1


def test_an_encrypted_member_is_refused() -> None:
    body = bytearray(docx(WORDS))
    for found in re.finditer(b"PK\x01\x02", bytes(body)):
        body[found.start() + 8] |= 1
    for found in re.finditer(b"PK\x03\x04", bytes(body)):
        body[found.start() + 6] |= 1
    result = read(bytes(body))
    assert (result.kind, result.reason) == (Kind.OFFICE, Reason.UNSUPPORTED_TYPE)
    assert "locked with a password" in result.detail


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_packing_that_cannot_be_undone_in_steps_is_refused(method: int) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, content in docx_parts(WORDS).items():
            archive.writestr(name, content)
    assert read(out.getvalue()).reason is Reason.UNSUPPORTED_TYPE


def test_a_member_with_broken_bytes_gives_what_comes_before_or_a_refusal() -> None:
    def broken(content: str) -> bytes:
        body = bytearray(zipped(docx_parts(content), stored=("word/document.xml",)))
        body[body.index(b"Paragraph 30")] ^= 0xFF
        return bytes(body)

    result = read(broken(WORDS * 20))
    assert "Paragraph 20" in result.markdown
    assert "word/document.xml of the file is damaged" in result.notes[0]
    assert read(broken(WORDS)).reason is Reason.UNSUPPORTED_TYPE


def test_archives_inside_are_never_opened() -> None:
    inner = docx(para("inner words"))
    assert "inner" not in read(zipped(docx_parts(para("outer")) | {"word/embeddings/1.docx": inner})).markdown


ENTITIES = (
    '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">'
    '<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;"><!ENTITY d "&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;">'
    '<!ENTITY e "&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;"><!ENTITY f SYSTEM "file:///etc/passwd">'
    '<!ENTITY g SYSTEM "http://127.0.0.1:9/x">]>'
)


def test_entities_neither_multiply_nor_fetch() -> None:
    parts = docx_parts(para("before") + para("&e;&e;&f;&g;") + para("after"))
    parts["word/document.xml"] = ENTITIES + str(parts["word/document.xml"])
    result = read(zipped(parts))
    assert result.markdown == "before\n\nafter"
    sheets = xlsx_parts({"S": f"<sheetData><row>{text_cell('A1', '&e;&f;x')}</row></sheetData>"})
    sheets["xl/worksheets/sheet1.xml"] = ENTITIES + str(sheets["xl/worksheets/sheet1.xml"])
    assert "root:" not in read(zipped(sheets)).markdown


BOX = "<w:p><w:r><w:drawing><w:txbxContent>"
END = "</w:txbxContent></w:drawing></w:r></w:p>"


def test_boxes_in_boxes_do_not_multiply() -> None:
    assert read(docx(BOX * 40 + para("inner") + END * 40), seconds=2).markdown == "inner"
    frame, end = "<text:p><draw:text-box>", "</draw:text-box></text:p>"
    assert read(odf(frame * 60 + "<text:p>inner</text:p>" + end * 60), seconds=2).markdown == "inner"


def test_relations_that_leave_the_archive_find_nothing() -> None:
    parts = docx_parts(para("words"), ("r9", "styles", "../../../../etc/passwd"))
    assert read(zipped(parts)).markdown == "words"


@pytest.mark.parametrize("deep", ["w:sdt", "w:ins", "w:tbl", "w:smartTag"])
def test_deep_nesting_ends_with_what_comes_before(deep: str) -> None:
    body = para("before") + f"<{deep}>" * 5_000 + f"</{deep}>" * 5_000
    assert "before" in read(docx(body)).markdown


@pytest.mark.parametrize("cut", [10, 200, 600, 1_000])
def test_bytes_that_are_cut_off_are_a_typed_refusal(cut: int) -> None:
    assert read(docx(WORDS)[:cut]).reason is Reason.UNSUPPORTED_TYPE
