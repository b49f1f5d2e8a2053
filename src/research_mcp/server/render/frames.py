"""Text from the web, made safe to stand beside our own: characters, one-line fields, frames.

A frame is a pair of marks with a fresh 128-bit nonce. Content cannot forge one: it does not know the
nonce, and anything in it that looks like a mark, in any spelling, is broken up.
"""

from __future__ import annotations

import re
import secrets

NAME = "web_content"

# Controls but tab and newline, soft hyphen, zero-width space, bidi controls, word joiners and
# invisible operators, byte order mark, tag characters. Joiners and variation selectors stay: scripts
# and emoji need them. The first branch keeps the flags that are spelt with tag characters.
_CONTROLS = "\x00-\x08\x0b-\x1f\x7f-\x9f"
_UNSEEN = (
    f"{_CONTROLS}\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\U000e0000-\U000e007f\U000e0100-\U000e01ef"
)
_INVISIBLE = re.compile(f"(\U0001f3f4[\U000e0030-\U000e007a]{{2,6}}\U000e007f)|[{_UNSEEN}]+")
_ANY_INVISIBLE = re.compile(f"[{_UNSEEN}]")
_NOT_IN_URLS = re.compile("[\"'<>`]")
_ODD_IN_URLS = re.compile("[ \"'<>`]")
_NO_CONTROLS = dict.fromkeys([*range(0x09), *range(0x0B, 0x20), 0x7F])
# Bounded and possessive: linear on hostile text.
_FILLER = "[\\s\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200c\u200d\u3164\ufe00-\ufe0f\uffa0]{0,16}+"
_OPENING = "[<\uff1c\ufe64\u2039\u3008\u27e8\u2329\u276c\u276e\u02c2\u1438]"
_SLASH = "[/\u2044\u2215\uff0f]?"
_UNDERSCORE = "[_\uff3f\u203f\u2040\u2010-\u2015\\-\u2212\ufe4d-\ufe4f]?"


# First letters of the Latin alphabets that read alike: ASCII, full width and the mathematical ones.
_ALPHABETS = (0x41, 0x61, 0xFF21, 0xFF41, *range(0x1D400, 0x1D6A4, 26))
_LOOKALIKES = {
    "b": "\u0412\u042c",
    "c": "\u0441\u0421",
    "e": "\u0435\u0415\u212f",
    "n": "\u0578",
    "o": "\u043e\u041e\u03bf\u039f0",
    "t": "\u0442\u0422\u03a4",
    "w": "\u0461\u051d\u051c",
}


def _any_spelling(word: str) -> str:
    """A pattern for `word` in letters that read alike, with fillers between them."""
    return _FILLER.join(_UNDERSCORE if letter == "_" else _alike(letter) for letter in word)


def _alike(letter: str) -> str:
    shapes = {chr(ord(letter) - ord("a") + start) for start in _ALPHABETS}
    return "[" + "".join(sorted(shapes | set(_LOOKALIKES.get(letter, "")))) + "]"


_MARK = re.compile(f"{_OPENING}(?={_FILLER}{_SLASH}{_FILLER}{_any_spelling(NAME)})", re.IGNORECASE)


def _visible(text: str) -> str:
    """`text` without what cannot be seen. Most pages have none: the cheap questions come first."""
    if text.isascii():
        return text if text.isprintable() else text.translate(_NO_CONTROLS)
    if not _ANY_INVISIBLE.search(text):
        return text
    return "".join(filter(None, _INVISIBLE.split(text)))  # several times faster than substitution


def clean(text: str) -> str:
    """`text` without invisible characters and with look-alike marks broken up."""
    return _MARK.sub("(", _visible(text))


def line(text: str, limit: int = 300) -> str:
    """`text` as one cleaned line of at most `limit` characters, so that it cannot pose as another."""
    flat = " ".join(clean(text).split())
    return flat if len(flat) <= limit else flat[: limit - 1].rstrip() + "…"


def url_in_text(url: str) -> str:
    """`url` as it may stand in our own lines: no blanks, quotes or angle brackets."""
    if url.isascii() and url.isprintable() and not _ODD_IN_URLS.search(url):
        return url[:2000]
    flat = "%20".join(_visible(url).split())  # so that it stays the address that was meant
    return _NOT_IN_URLS.sub(lambda found: f"%{ord(found[0]):02X}", flat)[:2000]


def new_nonce() -> str:
    """128 fresh bits as hex."""
    return secrets.token_hex(16)


def frame(text: str, nonce: str, source: str = "") -> str:
    """`text`, which must be cleaned, between marks that carry `nonce` and the source's url."""
    origin = f' source="{url_in_text(source)}"' if source else ""
    return f'<{NAME} id="{nonce}"{origin}>\n{text}\n</{NAME} id="{nonce}">'
