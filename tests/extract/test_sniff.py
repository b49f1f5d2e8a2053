from __future__ import annotations

import io
import zipfile

import pytest

from research_mcp.core.models import Kind
from research_mcp.core.wire import Document
from research_mcp.extract.charset import decode
from research_mcp.extract.sniff import Sniffed, sniff_bytes, sniff_text


def sniff(body: bytes, content_type: str = "", path: str = "/page") -> Sniffed:
    headers = {"content-type": content_type} if content_type else {}
    document = Document("https://a.example" + path, "https://a.example" + path, 200, headers, body)
    return sniff_bytes(document) or sniff_text(decode(body, content_type).text, document)


def zipped(*names: str, mimetype: str = "") -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        if mimetype:
            archive.writestr("mimetype", mimetype)
        for name in names:
            archive.writestr(name, "x")
    return out.getvalue()


@pytest.mark.parametrize(
    ("body", "kind", "media_type"),
    [
        (b"%PDF-1.7\n", Kind.PDF, "application/pdf"),
        (b"junk\n%PDF-1.4\n", Kind.PDF, "application/pdf"),
        (b"\x89PNG\r\n\x1a\n\0\0", Kind.IMAGE, "image/png"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF", Kind.IMAGE, "image/jpeg"),
        (b"GIF89a\1\0", Kind.IMAGE, "image/gif"),
        (b"RIFF\0\0\0\0WEBPVP8 ", Kind.IMAGE, "image/webp"),
        (b"\0\0\0\x20ftypavif", Kind.IMAGE, "image/avif"),
        (b"BM\x36\0\0\0\0\0", Kind.IMAGE, "image/bmp"),
        (b"\0\0\0\x20ftypisom", Kind.BINARY, "video/mp4"),
        (b"ID3\4\0\0\0", Kind.BINARY, "audio/mpeg"),
        (b"OggS\0\2", Kind.BINARY, "application/ogg"),
        (b"\x1a\x45\xdf\xa3\1", Kind.BINARY, "video/webm"),
        (b"\x1f\x8b\x08\0", Kind.BINARY, "application/gzip"),
        (b"7z\xbc\xaf\x27\x1c", Kind.BINARY, "application/x-7z-compressed"),
        (b"\x7fELF\2\1", Kind.BINARY, "application/x-executable"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", Kind.BINARY, "application/x-ole-storage"),
        (zipped("a.txt"), Kind.BINARY, "application/zip"),
        (zipped("word/document.xml"), Kind.OFFICE, "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
        (zipped("xl/workbook.xml"), Kind.OFFICE, "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
        (zipped("ppt/presentation.xml"), Kind.OFFICE, "application/vnd.openxmlformats-officedocument.presentationml.presentation"),
        (zipped("content.xml", mimetype="application/vnd.oasis.opendocument.text"), Kind.OFFICE, "application/vnd.oasis.opendocument.text"),
        (zipped("a.xhtml", mimetype="application/epub+zip"), Kind.EPUB, "application/epub+zip"),
        (b"PK\x03\x04 cut off", Kind.BINARY, "application/zip"),
        (bytes(range(256)) * 4, Kind.BINARY, "application/octet-stream"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("label", ["", "text/html; charset=utf-8"])
def test_bytes_beat_labels(body: bytes, kind: Kind, media_type: str, label: str) -> None:
    sniffed = sniff(body, label)
    assert sniffed.kind is kind
    assert sniffed.media_type == media_type or (kind is Kind.BINARY and sniffed.media_type == "text/html")


@pytest.mark.parametrize(
    ("text", "label", "path", "kind"),
    [
        ("<!doctype html><p>x", "text/html", "/", Kind.HTML),
        ("  <!-- note -->\n<html><body>x", "", "/", Kind.HTML),
        ("<?xml version='1.0'?><!DOCTYPE html><html xmlns='x'>", "application/xhtml+xml", "/", Kind.HTML),
        ("<div>x</div>", "text/html", "/", Kind.HTML),
        ("Just words.", "text/html", "/", Kind.HTML),
        ("<p>x", "", "/", Kind.HTML),
        ("<!doctype html><title>Not Markdown", "text/markdown", "/readme.md", Kind.HTML),
        ("<html><body>x", "text/plain", "/readme.md", Kind.HTML),
        ("# Title\n\nwords", "text/markdown", "/", Kind.MARKDOWN),
        ("# Title\n\nwords", "text/plain", "/readme.md", Kind.MARKDOWN),
        ("# Title\n\nwords", "text/plain", "/readme", Kind.TEXT),
        ("# Docs\n\n> All of it", "text/plain", "/llms.txt", Kind.MARKDOWN),
        ("words", "text/plain", "/a.txt", Kind.TEXT),
        ("words", "", "/a", Kind.TEXT),
        ("a,b\n1,2", "text/csv", "/a.csv", Kind.TEXT),
        ('{"a": 1}', "application/json", "/", Kind.JSON),
        ('{"a": 1}', "application/ld+json", "/", Kind.JSON),
        ('[{"a": 1}]', "", "/", Kind.JSON),
        ("{not json", "text/plain", "/", Kind.TEXT),
        ("<?xml version='1.0'?><rss version='2.0'>", "application/xml", "/", Kind.FEED),
        ("<rss version='2.0'>", "text/html", "/", Kind.FEED),
        ("<?xml version='1.0'?>\n<!-- x -->\n<feed xmlns='a'>", "text/xml", "/", Kind.FEED),
        ("<rdf:RDF xmlns='a'>", "application/rdf+xml", "/", Kind.FEED),
        ("<?xml version='1.0'?><urlset>", "application/xml", "/sitemap.xml", Kind.TEXT),
        ("<svg xmlns='a'><text>x</text></svg>", "image/svg+xml", "/", Kind.IMAGE),
    ],
)
def test_text_is_told_by_its_start_then_by_its_label(text: str, label: str, path: str, kind: Kind) -> None:
    assert sniff(text.encode(), label, path).kind is kind


def test_a_page_that_speaks_of_pdf_files_is_a_page() -> None:
    assert sniff(b"<!doctype html><p>A PDF starts with %PDF-1.7", "text/html").kind is Kind.HTML


def test_wide_text_is_text() -> None:
    for codec in ("utf-16-le", "utf-16-be", "utf-16"):
        assert sniff("<!doctype html><html><body><p>words".encode(codec)).kind is Kind.HTML


def test_a_zip_of_very_many_members_is_told_in_time() -> None:
    assert sniff(zipped(*(f"{n}.txt" for n in range(3_000)), "word/document.xml")).kind in (
        Kind.OFFICE,
        Kind.BINARY,
    )
