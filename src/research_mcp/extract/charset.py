"""From bytes to text: what the bytes prove, then what was declared, then what is likely."""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections import Counter
from dataclasses import dataclass, field

from resiliparse.parse.encoding import detect_encoding

_LOOKED_AT = 8_192
_DETECTED_ON = 262_144
_FEW = 0.02
"""Broken places for each byte beyond ASCII up to which a charset is believed all the same."""
_CLEARLY = 0.15
_SENSED = 20_000

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# The labels of the Encoding standard that pages use, as Python's codec of the superset that
# browsers really decode. Only these are ever looked up: a page may not name any codec it likes.
_CODECS = {
    "utf-8": "utf-8 utf8 unicode-1-1-utf-8",
    "cp1252": "iso-8859-1 iso8859-1 latin1 latin-1 l1 ascii us-ascii windows-1252 cp1252 x-cp1252 cp819",
    "cp1250": "windows-1250 cp1250 x-cp1250",
    "cp1251": "windows-1251 cp1251 x-cp1251 win-1251 win1251",
    "cp1253": "windows-1253 cp1253 x-cp1253",
    "cp1254": "windows-1254 cp1254 iso-8859-9 iso8859-9 latin5 l5",
    "cp1255": "windows-1255 cp1255",
    "cp1256": "windows-1256 cp1256 x-cp1256",
    "cp1257": "windows-1257 cp1257",
    "cp1258": "windows-1258 cp1258",
    "iso8859-2": "iso-8859-2 iso8859-2 latin2 l2",
    "iso8859-3": "iso-8859-3 latin3",
    "iso8859-4": "iso-8859-4 latin4",
    "iso8859-5": "iso-8859-5 iso8859-5 cyrillic",
    "iso8859-6": "iso-8859-6 arabic asmo-708",
    "iso8859-7": "iso-8859-7 iso8859-7 greek ecma-118",
    "iso8859-8": "iso-8859-8 iso-8859-8-i hebrew",
    "iso8859-10": "iso-8859-10 latin6",
    "iso8859-13": "iso-8859-13",
    "iso8859-14": "iso-8859-14",
    "iso8859-15": "iso-8859-15 iso8859-15 latin-9 latin9",
    "iso8859-16": "iso-8859-16",
    "cp874": "windows-874 tis-620 iso-8859-11 dos-874",
    "cp866": "ibm866 cp866 866",
    "koi8-r": "koi8-r koi8 koi koi8_r",
    "koi8-u": "koi8-u koi8-ru",
    "mac-roman": "macintosh mac x-mac-roman",
    "mac-cyrillic": "x-mac-cyrillic x-mac-ukrainian",
    "gb18030": "gb2312 gbk gb18030 x-gbk gb_2312-80 chinese csgb2312 cp936 euc-cn",
    "big5hkscs": "big5 big5-hkscs cn-big5 x-x-big5 cp950",
    "cp932": "shift_jis shift-jis sjis x-sjis windows-31j ms_kanji cp932 ms932",
    "euc_jp": "euc-jp x-euc-jp eucjp",
    "iso2022_jp_ext": "iso-2022-jp csiso2022jp",
    "cp949": "euc-kr ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 korean windows-949 cp949 uhc",
    "utf-16-le": "utf-16 utf-16le ucs-2 unicode",
    "utf-16-be": "utf-16be",
}
_BY_LABEL = {label: codec for codec, labels in _CODECS.items() for label in labels.split()}
_META = re.compile(rb"""<meta\b[^>]{0,600}?\bcharset\s*=\s*["']?\s*([\w.:-]{2,30})""", re.IGNORECASE)
_XML = re.compile(rb"""\s*<\?xml\b[^>]{0,200}?\bencoding\s*=\s*["']([\w.:-]{2,30})""", re.IGNORECASE)
_HEADER = re.compile(r"""charset\s*=\s*["']?\s*([\w.:-]{2,30})""", re.IGNORECASE)
_TAGS = re.compile(rb"<[^<>]{0,500}>")
_JIS_ESCAPE = re.compile(rb"\x1b(?:\$[@B]|\([BJI])")
_PLAIN_RUNS = re.compile(r"[\x00-\x7f]+(?=[\x00-\x7f])")
_NO_CP1252 = b"\x81\x8d\x8f\x90\x9d"


@dataclass(frozen=True, slots=True)
class Decoded:
    """The text, the codec that made it, and a note when a declared charset was not the true one."""

    text: str = field(repr=False)
    encoding: str
    note: str = ""


def decode(body: bytes, content_type: str = "", *, cut: bool = False) -> Decoded:
    """The text of a page. `content_type` is the header's value; `cut`: the body's end is missing.

    Never raises: at the end of the ladder broken bytes become U+FFFD.
    """
    declared = [codec for codec in (header_charset(content_type), meta_charset(body)) if codec]
    proven = _proven(body, cut=cut)
    text, codec = proven or _likeliest(body, declared, cut=cut) or _nearest(body, declared)
    note = ""
    if declared and declared[0] != codec and not text.isascii():
        note = f"The page says that it is in {declared[0]}, but its bytes are {codec}."
    return Decoded(text, codec, note)


def header_charset(content_type: str) -> str:
    """The codec that a Content-Type header names, "" for none or an unknown one."""
    found = _HEADER.search(content_type[:500])
    return _BY_LABEL.get(found[1].lower(), "") if found else ""


def meta_charset(body: bytes) -> str:
    """The codec that the page itself names in a meta tag or an XML declaration."""
    head = body[:_LOOKED_AT]
    found = _XML.match(head) or _META.search(head)
    codec = _BY_LABEL.get(found[1].decode("ascii", "replace").lower(), "") if found else ""
    # whoever could read the label as ASCII has no UTF-16 before him
    return "utf-8" if codec.startswith("utf-16") else codec


def _proven(body: bytes, *, cut: bool) -> tuple[str, str] | None:
    """What the bytes leave no doubt about: a byte order mark, UTF-16 by its zeros, UTF-8."""
    for mark, codec in _BOMS:
        if body.startswith(mark):
            return body[len(mark) :].decode(codec, "replace"), codec
    zeros = _zeros(body)
    if zeros and (text := _strict(body, zeros, cut=cut)) is not None:
        return text, zeros
    if body.isascii() and _JIS_ESCAPE.search(body):
        text = _strict(body, "iso2022_jp_ext", cut=cut)
        if text is not None:
            return text, "iso2022_jp_ext"
    text = _strict(body, "utf-8", cut=cut)
    return None if text is None else (text, "utf-8")


def _zeros(body: bytes) -> str:
    """UTF-16 without a mark: markup has a zero in every other byte."""
    head = body[:1_024]
    even, odd = head[::2].count(0), head[1::2].count(0)
    if max(even, odd) < 4 or min(even, odd) > max(even, odd) // 8:
        return ""
    return "utf-16-be" if even > odd else "utf-16-le"


def _likeliest(body: bytes, declared: list[str], *, cut: bool) -> tuple[str, str] | None:
    """The declared charset, unless the detector's reading makes clearly more sense."""
    sample = _TAGS.sub(b" ", body[:_DETECTED_ON])
    detected = detect_encoding(sample, html5_compatible=False) or ""
    names = [*declared, _BY_LABEL.get(detected.lower().replace("_", "-"), "")]
    readings = {}
    for codec in dict.fromkeys(names):
        text = _strict(body, codec, cut=cut) if codec else None
        if text is not None:
            readings[codec] = text
    if not readings:
        return None
    first = next(iter(readings))
    sense = {codec: _sense(text) for codec, text in readings.items()}
    best = max(sense, key=lambda codec: sense[codec])
    chosen = best if sense[best] > sense[first] + _CLEARLY else first
    return readings[chosen], chosen


def _nearest(body: bytes, declared: list[str]) -> tuple[str, str]:
    """Nothing fits without a gap: the charset with the fewest broken places."""
    readings = {codec: body.decode(codec, "replace") for codec in dict.fromkeys([*declared, "utf-8"])}
    broken = {codec: text.count("\ufffd") for codec, text in readings.items()}
    codec = min(broken, key=lambda codec: broken[codec])
    high = sum(count for byte, count in Counter(body).items() if byte > 0x7F)
    if broken[codec] > _FEW * high:
        return body.translate(None, _NO_CP1252).decode("cp1252"), "cp1252"
    return readings[codec], codec


def _strict(body: bytes, codec: str, *, cut: bool) -> str | None:
    """The text if every byte fits; a character that the cut went through is let go."""
    if codec == "cp1252":  # browsers read its five holes as controls
        body = body.translate(None, _NO_CP1252)
    try:
        return codecs.getincrementaldecoder(codec)("strict").decode(body, final=not cut)
    except UnicodeDecodeError:
        return None


def _sense(text: str) -> float:
    """How much the characters beyond ASCII look like writing, from 1 down.

    Text read in a wrong charset shows signs inside words, capitals after small letters, or accented
    letters side by side.
    """
    seen = odd = 0
    before = " "
    for letter in _PLAIN_RUNS.sub("", text[:_SENSED]):
        if letter > "\x7f" and not _is_punctuation(letter):
            seen += 1
            odd += _is_odd(before, letter)
        elif "\u0370" <= before <= "\u05ff" and letter.isalpha():
            odd += 1
        before = letter
    return 1 - odd / seen if seen else 1.0


def _is_punctuation(letter: str) -> bool:
    return letter in "\xa0«»°§·×©®" or "\u2000" <= letter <= "\u206f" or "\u3000" <= letter <= "\u303f"


def _is_odd(before: str, letter: str) -> bool:
    if unicodedata.category(letter)[0] not in "LM":
        return not "\uff00" <= letter <= "\uffef"
    if letter <= "\u024f":
        return "\x7f" < before <= "\u024f"
    if letter <= "\u05ff" and before.isascii() and before.isalpha():
        return True
    return letter.isupper() and before.isalpha()
