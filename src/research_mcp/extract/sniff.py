"""What a document is: its first bytes decide, its label only between kinds of text."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from research_mcp.core.models import Kind
from research_mcp.core.wire import Document
from research_mcp.extract.office.archive import FAULTS, Damaged, opened

_HEAD = 1_024
_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"BM", "image/bmp"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
    (b"\x00\x00\x01\x00", "image/x-icon"),
    (b"OggS", "application/ogg"),
    (b"fLaC", "audio/flac"),
    (b"ID3", "audio/mpeg"),
    (b"\xff\xfb", "audio/mpeg"),
    (b"\x1a\x45\xdf\xa3", "video/webm"),
    (b"\x1f\x8b", "application/gzip"),
    (b"BZh", "application/x-bzip2"),
    (b"\xfd7zXZ\x00", "application/x-xz"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (b"Rar!\x1a\x07", "application/vnd.rar"),
    (b"\x28\xb5\x2f\xfd", "application/zstd"),
    (b"\x7fELF", "application/x-executable"),
    (b"MZ", "application/x-msdownload"),
    (b"\x00asm", "application/wasm"),
    (b"wOFF", "font/woff"),
    (b"wOF2", "font/woff2"),
    (b"SQLite format 3\x00", "application/vnd.sqlite3"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/x-ole-storage"),
    (b"{\\rtf", "application/rtf"),
)
_RIFF = {b"WEBP": "image/webp", b"WAVE": "audio/wav", b"AVI ": "video/x-msvideo"}
_BRANDS = ((b"avif", "image/avif"), (b"hei", "image/heic"), (b"M4A", "audio/mp4"))
_OFFICE = {
    "word/": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "xl/": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "ppt/": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
}
OLE = "application/x-ole-storage"
"""The compound files of old Office programs."""
ZIP = "application/zip"
NOTEBOOK = "application/x-ipynb+json"
_MOST_MEMBERS = 2_000
_MARKDOWN_TYPES = frozenset({"text/markdown", "text/x-markdown"})
_MARKDOWN_NAMES = (".md", ".markdown", ".mdx", "/llms.txt", "/llms-full.txt")
_MARKUP = re.compile(
    r"\s*+(?:<!--.*?-->\s*+|<\?xml[^>]*+>\s*+)*+<(!doctype html|[a-z!/])", re.IGNORECASE | re.DOTALL
)
_FEED = re.compile(r"<(?:[a-z]+:)?(?:rss|feed|RDF)[\s>]", re.IGNORECASE)
_XML = re.compile(r"<\?xml\s", re.IGNORECASE)
_HTML_ROOT = re.compile(r"<(?:!doctype )?html\b", re.IGNORECASE)
_JSON_STARTS = ("{", "[")
_SVG = re.compile(r"\s*+(?:<\?xml[^>]*+>\s*+)?(?:<!doctype svg[^>]*+>\s*+)?<svg[\s>]", re.IGNORECASE)
_HTML_TAG = re.compile(
    r"<(?:!doctype html|html|head|body|title|meta|div|p|script|table|h1)[\s>/]", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Sniffed:
    """The kind that decides who reads it, and the media type for people."""

    kind: Kind
    media_type: str


def sniff_bytes(document: Document) -> Sniffed | None:
    """What the bytes alone tell: documents, images, archives. None for what seems to be text."""
    head = document.body[:_HEAD]
    before, mark, _ = head.partition(b"%PDF-")
    if mark and b"<" not in before:
        return Sniffed(Kind.PDF, "application/pdf")
    if head.startswith(b"PK\x03\x04"):
        return _zipped(document.body)
    if head.startswith(b"RIFF"):
        return _binary(_RIFF.get(head[8:12], "application/x-riff"))
    if head[4:8] == b"ftyp":
        brand = head[8:12]
        return _binary(next((name for mark, name in _BRANDS if brand.startswith(mark)), "video/mp4"))
    for mark, media_type in _MAGIC:
        if head.startswith(mark) and (len(mark) > 2 or not _is_texty(head)):
            return _binary(media_type)
    return None if _is_texty(head) else _binary(document.media_type or "application/octet-stream")


def sniff_text(text: str, document: Document) -> Sniffed:
    """The kind of decoded text: markup by its start, JSON by its frame, Markdown only where stated."""
    stated = document.media_type
    start = text[:4_096].lstrip("\ufeff \t\r\n")
    if _SVG.match(start):
        return Sniffed(Kind.IMAGE, "image/svg+xml")
    if start.startswith("<") and _FEED.search(start[:1_024]):
        return Sniffed(Kind.FEED, stated if "xml" in stated else "application/xml")
    if _XML.match(start) and not _HTML_ROOT.search(start):
        return Sniffed(Kind.TEXT, stated if "xml" in stated else "application/xml")
    if "html" in stated and start[:1] in _JSON_STARTS and _is_json(text):
        stated = "application/json"
    markup = _MARKUP.match(start) is not None
    says_text = stated in ("text/plain", *_MARKDOWN_TYPES)
    if "html" in stated or (markup and (not says_text or _HTML_TAG.match(start))):
        return Sniffed(Kind.HTML, "text/html")
    if start[:1] in _JSON_STARTS and _is_notebook(text, document):
        return Sniffed(Kind.MARKDOWN, NOTEBOOK)
    if "json" in stated or (stated != "text/plain" and _has_json_frame(text, start)):
        return Sniffed(Kind.JSON, stated or "application/json")
    if stated in _MARKDOWN_TYPES or _is_named_markdown(document, stated):
        return Sniffed(Kind.MARKDOWN, "text/markdown")
    if not stated and _HTML_TAG.search(start):
        return Sniffed(Kind.HTML, "text/html")
    return Sniffed(Kind.TEXT, stated or "text/plain")


def _is_notebook(text: str, document: Document) -> bool:
    """True when the version of the notebook format is stated, at an end of the text or under its name."""
    if urlsplit(document.final_url).path.lower().endswith(".ipynb"):
        return '"nbformat"' in text
    return '"nbformat"' in text[-_HEAD:] or '"nbformat"' in text[:_HEAD]


def _has_json_frame(text: str, start: str) -> bool:
    return start[:1] in _JSON_STARTS and text.rstrip()[-1:] in "}]"


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def is_table(document: Document) -> bool:
    """True for comma- or tab-separated values, by label or name."""
    path = urlsplit(document.final_url).path.lower()
    return document.media_type in ("text/csv", "text/tab-separated-values") or path.endswith((".csv", ".tsv"))


def _is_named_markdown(document: Document, stated: str) -> bool:
    path = urlsplit(document.final_url).path.lower()
    return stated in ("text/plain", "") and path.endswith(_MARKDOWN_NAMES)


def _binary(media_type: str) -> Sniffed:
    return Sniffed(Kind.IMAGE if media_type.startswith("image/") else Kind.BINARY, media_type)


def _is_texty(head: bytes) -> bool:
    """NUL bytes are no text, except in UTF-16, where about every second one is NUL."""
    zeros = head.count(0)
    if not zeros or head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return True
    return max(head[0::2].count(0), head[1::2].count(0)) > len(head) * 0.35 and zeros < len(head) * 0.6


def _zipped(body: bytes) -> Sniffed:
    """Office files and e-books are told from other archives by their members' names."""
    try:
        with opened(body) as archive:
            names = archive.namelist()[:_MOST_MEMBERS]
            if "mimetype" in names and archive.getinfo("mimetype").file_size < 100:
                stated = archive.read("mimetype").decode("ascii", "replace").strip()
                if "epub" in stated:
                    return Sniffed(Kind.EPUB, "application/epub+zip")
                if "opendocument" in stated:
                    return Sniffed(Kind.OFFICE, stated)
    except (Damaged, *FAULTS):
        return Sniffed(Kind.BINARY, ZIP)
    for folder, media_type in _OFFICE.items():
        if any(name.startswith(folder) for name in names):
            return Sniffed(Kind.OFFICE, media_type)
    return Sniffed(Kind.BINARY, ZIP)
