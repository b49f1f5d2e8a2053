"""Bytes to text by evidence, best first: BOM, NUL pattern, valid UTF-8, header, meta, detection.

A label counts only if the bytes decode under it. Labels mean what browsers take them for (WHATWG):
`gb2312` is GB18030, `shift_jis` is CP932, `iso-8859-1` is CP1252, `euc-kr` is CP949.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from charset_normalizer import from_bytes
from resiliparse.parse.encoding import detect_encoding, map_encoding_to_html5

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_AS_BROWSERS_DO = {
    "gbk": "gb18030",
    "gb2312": "gb18030",
    "hz": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "big5": "big5hkscs",
    "big5-tw": "big5hkscs",
}
_META_REACH = 4_096
_DETECT_REACH = 64_000
_META = re.compile(rb"""<meta\s[^>]{0,500}?charset\s*=\s*["']?\s*([a-zA-Z0-9_:.\-]{2,40})""", re.IGNORECASE)
_XML = re.compile(rb"""<\?xml\s[^>]{0,200}?encoding\s*=\s*["']([a-zA-Z0-9_:.\-]{2,40})["']""", re.IGNORECASE)
_PARAMETER = re.compile(r"""charset\s*=\s*["']?\s*([a-zA-Z0-9_:.\-]{2,40})""", re.IGNORECASE)
_TOLERATED = 0.001
"""Share of broken bytes up to which a label is believed: one torn character spoils no page."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """The text, the codec that gave it, and a note when the page's own label was wrong."""

    text: str = field(repr=False)
    encoding: str
    note: str = ""


def decode(body: bytes, content_type: str = "") -> Decoded:
    """The text of `body`, whose `Content-Type` header is `content_type`. Never raises."""
    for mark, encoding in _BOMS:
        if body.startswith(mark):
            return Decoded(body[len(mark) :].decode(encoding, "replace"), encoding)
    if encoding := _wide(body):
        return Decoded(body.decode(encoding, "replace"), encoding)
    labels = list(_labels(body, content_type))
    text = _strictly(body, "utf-8", torn_end=True)
    if text is not None and not _escapes(body, labels):
        return Decoded(text, "utf-8", _conflict(labels, "utf-8") if not body.isascii() else "")
    for encoding in labels:
        if encoding != "utf-8" and (text := _believable(body, encoding)) is not None:
            return Decoded(text, encoding, _conflict(labels, encoding))
    encoding = _detected(body)
    return Decoded(body.decode(encoding, "replace"), encoding, _conflict(labels, encoding))


def codec_of(label: str) -> str:
    """The codec that a browser uses for `label`; "" for one that nobody knows."""
    try:
        name = codecs.lookup(label.strip()).name
    except (LookupError, UnicodeError):
        try:
            name = codecs.lookup(map_encoding_to_html5(label.strip(), fallback_utf8=False) or "?").name
        except (LookupError, UnicodeError, ValueError):
            return ""
    if not codecs.lookup(name)._is_text_encoding:  # noqa: SLF001  the only way to tell `hex` from a charset
        return ""
    return _AS_BROWSERS_DO.get(name, name)


def _labels(body: bytes, content_type: str) -> Iterator[str]:
    """The stated codecs, the header's first, each once."""
    stated = [match[1] for match in (_PARAMETER.search(content_type[:500]),) if match]
    start = body[:_META_REACH]
    stated += [match[1].decode("ascii") for match in (_META.search(start), _XML.search(start)) if match]
    # UTF-16 inside bytes that could be read as ASCII is a mistake: such a page is UTF-8
    codecs_ = (codec_of(label) for label in stated)
    yield from dict.fromkeys(name for name in codecs_ if name and not name.startswith(("utf-16", "utf-32")))


def _wide(body: bytes) -> str:
    """UTF-16 without a BOM shows as a NUL in every second byte of what is mostly Latin markup."""
    start = body[:1_024]
    if len(start) < 4 or not 0.2 < start.count(0) / len(start) < 0.6:
        return ""
    even, odd = start[0::2].count(0), start[1::2].count(0)
    return "utf-16-le" if odd > even else "utf-16-be"


def _escapes(body: bytes, labels: list[str]) -> bool:
    """ISO-2022-JP is all ASCII bytes, so it is valid UTF-8 and is not."""
    return "iso2022_jp" in labels and b"\x1b$" in body


def _strictly(body: bytes, encoding: str, *, torn_end: bool = False) -> str | None:
    try:
        return body.decode(encoding)
    except UnicodeDecodeError as error:
        if torn_end and error.start >= len(body) - 4 and error.reason == "unexpected end of data":
            return body[: error.start].decode(encoding)
    return None


def _believable(body: bytes, encoding: str) -> str | None:
    """The text under a stated codec, unless the bytes contradict it."""
    if (text := _strictly(body, encoding)) is not None:
        return None if _looks_wrong(text, body) else text
    text = body.decode(encoding, "replace")
    return text if text.count("\ufffd") <= max(1, len(body) * _TOLERATED) else None


def _looks_wrong(text: str, body: bytes) -> bool:
    """C1 controls come from reading a multi-byte page as a single-byte one that has no such letters."""
    controls = sum(text.count(chr(code)) for code in range(0x80, 0xA0))
    return controls > max(2, len(body) * _TOLERATED)


def _detected(body: bytes) -> str:
    """A guess from the bytes alone, for pages that state nothing true. UTF-8 is ruled out by then."""
    sample = body[:_DETECT_REACH]
    encoding = codec_of(detect_encoding(sample) or "")
    if encoding and encoding != "utf-8" and _strictly(sample, encoding, torn_end=True) is not None:
        return encoding
    best = from_bytes(sample).best()
    guess = codec_of(best.encoding) if best else ""
    return guess if guess and guess != "utf-8" else encoding or "cp1252"


def _conflict(labels: list[str], used: str) -> str:
    if not labels or used in labels[:1]:
        return ""
    return f"the page calls itself {labels[0]} but its bytes are {used}: read as {used}"
