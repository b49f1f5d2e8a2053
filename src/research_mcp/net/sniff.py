"""What a body is by its first octets: how much of it is worth fetching. Labels only break ties."""

from __future__ import annotations

from enum import StrEnum

HEAD = 1_024
"""Octets that decide."""


class Family(StrEnum):
    """Text is read even when cut, a document only whole, a binary is merely named."""

    TEXT = "text"
    DOCUMENT = "document"
    BINARY = "binary"


_BINARY_STARTS = (
    b"\x89PNG\r\n\x1a\n",
    b"\xff\xd8\xff",
    b"GIF87a",
    b"GIF89a",
    b"RIFF",
    b"II*\x00",
    b"MM\x00*",
    b"\x00\x00\x01\x00",
    b"OggS",
    b"fLaC",
    b"ID3",
    b"\x1a\x45\xdf\xa3",
    b"\x1f\x8b",
    b"BZh",
    b"\xfd7zXZ\x00",
    b"7z\xbc\xaf\x27\x1c",
    b"Rar!\x1a\x07",
    b"\x28\xb5\x2f\xfd",
    b"PK\x03\x04",
    b"\x7fELF",
    b"MZ\x90\x00",
    b"\xca\xfe\xba\xbe",
    b"\xfe\xed\xfa",
    b"\xcf\xfa\xed\xfe",
    b"\x00asm",
    b"wOFF",
    b"wOF2",
    b"SQLite format 3\x00",
)
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_OFFICE_NAMES = (b"[Content_Types].xml", b"_rels/", b"docProps/", b"word/", b"xl/", b"ppt/", b"mimetype")
_OFFICE_TYPES = ("officedocument", "opendocument", "epub", "msword", "ms-excel", "ms-powerpoint", "oasis")
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def family_of(head: bytes, media_type: str) -> Family:
    """The family of a body that starts with `head` (`HEAD` octets, or all there is)."""
    if b"%PDF-" in head[:HEAD] or head.startswith(_OLE) or _is_office(head, media_type):
        return Family.DOCUMENT
    if head.startswith(_BINARY_STARTS) or head[4:8] == b"ftyp":
        return Family.BINARY
    return Family.TEXT if _looks_like_text(head) else Family.BINARY


def _is_office(head: bytes, media_type: str) -> bool:
    if not head.startswith(b"PK\x03\x04"):
        return False
    return any(word in media_type for word in _OFFICE_TYPES) or any(name in head for name in _OFFICE_NAMES)


def _looks_like_text(head: bytes) -> bool:
    """NUL octets are no text, except in UTF-16, where every second one is NUL."""
    zeros = head.count(0)
    if not zeros or head.startswith(_UTF16_MARKS):
        return True
    half = len(head) // 2
    return max(head[0::2].count(0), head[1::2].count(0)) > half * 0.7 and zeros < half * 1.2
