"""Characters that nobody sees: removed from page text, titles and snippets, and counted.

Invisible characters carry instructions past a reader's eye (tag characters, variation selectors,
zero-width runs) or change what is seen (bidi overrides). What a script or an emoji needs stays:
joiners in Persian or Hindi, direction marks beside right-to-left letters, flags of regions.
Every pattern starts with one character class and looks one character around it, so the time is
linear whatever the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

MANY = 100
"""From so many removed characters on, a page deserves a flag."""

_JOINING = (
    "\u0600-\u061b\u061d-\u08ff\ufb50-\ufdff\ufe70-\ufefc"  # Arabic, Syriac, N'Ko, Mandaic
    "\u0900-\u0dff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\u1800-\u18af"  # Indic, Tibetan, Khmer, Mongolian
    "\u1b00-\u1bff\ua840-\ua87f\ua8e0-\ua8ff\U00011000-\U000116ff"
)
_RIGHT_TO_LEFT = "\u0590-\u061b\u061d-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff"
_PICTURES = "\u203c-\u3299\U0001f000-\U0001faff"
_EMOJI = _PICTURES + "\ufe0f\U000e007f"
_EMOJI_BASE = "0-9#*\u00a9\u00ae" + _PICTURES

_LINE_END = re.compile("[\r\x0b\x0c\x85\u2028\u2029]")
_ASCII_TABLE = dict.fromkeys((*range(9), *range(14, 32), 127)) | dict.fromkeys(b"\r\x0b\x0c", "\n")
_SOFT_HYPHEN = "\u00ad"
_ALWAYS = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f"
    "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b\u202a-\u202e\u2060-\u206f"
    "\u3164\ud800-\udfff\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\U0001d173-\U0001d17a\U000e0080-\U000e0fff]"
)
_SOMETIMES = re.compile("[\u061c\u200c-\u200f\ufe0e\ufe0f\U000e0000-\U000e007f]")
_RULES = (
    re.compile(f"\u200c(?<![{_JOINING}]\u200c)"),
    re.compile(f"\u200d(?<![{_JOINING}{_EMOJI}]\u200d)"),
    re.compile(f"[\u061c\u200e\u200f](?<![{_RIGHT_TO_LEFT}].)(?![{_RIGHT_TO_LEFT}])", re.DOTALL),
    re.compile(f"[\ufe0e\ufe0f](?<![{_EMOJI_BASE}].)", re.DOTALL),
)
_TAGS = re.compile(
    "(\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f)|[\U000e0000-\U000e007f]++"
)


@dataclass(frozen=True, slots=True)
class Cleaned:
    """Text without invisible characters, and how many were taken out.

    Soft hyphens and odd line ends go too, but are not counted: honest pages are full of them.
    """

    text: str
    removed: int = 0


def clean(text: str) -> Cleaned:
    """Drop what cannot be seen; line ends become newlines, tabs stay."""
    text = text.replace("\r\n", "\n")
    if text.isascii():
        return _count(text, text.translate(_ASCII_TABLE))
    plain = _LINE_END.sub("\n", text.replace(_SOFT_HYPHEN, ""))
    cleaned = _ALWAYS.sub("", plain)
    if _SOMETIMES.search(cleaned):
        cleaned = _TAGS.sub(r"\1", cleaned)
        for rule in _RULES:
            cleaned = rule.sub("", cleaned)
    return _count(plain, cleaned)


def clean_line(text: str, limit: int = 300) -> str:
    """One visible line of at most `limit` characters: for titles, names and snippets."""
    start = text[: limit * 4]
    if not (start.isascii() and start.isprintable()):
        start = clean(start).text
    return " ".join(start.split())[:limit].rstrip()


def _count(before: str, after: str) -> Cleaned:
    return Cleaned(after, len(before) - len(after))
