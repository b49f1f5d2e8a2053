"""What a body is by its first octets."""

from __future__ import annotations

import io
import zipfile

import pytest

from research_mcp.net.sniff import Family, family_of


def zipped(*names: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in names:
            archive.writestr(name, "x")
    return file.getvalue()


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"<!doctype html><title>x</title>",
        b"\xef\xbb\xbf<html>",
        b'{"a": 1}',
        "日本語".encode("shift_jis"),
        "текст".encode("windows-1251"),
        "text in UTF-16".encode("utf-16"),
        "text in UTF-16 without a mark".encode("utf-16-le"),
        "text in UTF-16 without a mark".encode("utf-16-be"),
        b"<svg xmlns='http://www.w3.org/2000/svg'/>",
    ],
)
def test_text_in_any_charset_is_text_whatever_its_label(head: bytes):
    assert family_of(head, "image/png") is Family.TEXT
    assert family_of(head, "text/html") is Family.TEXT


@pytest.mark.parametrize(
    ("head", "media_type"),
    [
        (b"%PDF-1.7\n", "application/octet-stream"),
        (b"\n\n  %PDF-1.4", "text/html"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(100), ""),
        (zipped("[Content_Types].xml", "word/document.xml"), ""),
        (zipped("mimetype", "META-INF/container.xml"), "application/zip"),
        (zipped("anything"), "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    ],
)
def test_pdf_and_office_files_are_documents(head: bytes, media_type: str):
    assert family_of(head, media_type) is Family.DOCUMENT


@pytest.mark.parametrize(
    "head",
    [
        b"\x89PNG\r\n\x1a\n",
        b"\xff\xd8\xff\xe0",
        b"GIF89a",
        b"RIFF\x00\x00\x00\x00WEBP",
        b"\x00\x00\x00\x20ftypavif",
        b"\x1f\x8b\x08",
        b"\x7fELF",
        zipped("app.exe"),
        bytes(100),
        b"text with a \x00 in it",
    ],
)
def test_the_rest_is_binary_even_when_labelled_as_text(head: bytes):
    assert family_of(head, "text/html") is Family.BINARY
