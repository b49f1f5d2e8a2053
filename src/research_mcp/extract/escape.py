"""Text to Markdown text: a backslash only where the text would otherwise turn into markup."""

from __future__ import annotations

import re

# An opener and a closer that Markdown would pair: `*so*`, `_so_`, `~~so~~`.
_PAIRED = re.compile(
    r"(?<![\\*])(\*{1,3})(?=[^\s*])(?=[^*]*[^\s*]\1)"
    r"|(?<![\w\\])_{1,3}(?=[^\s_])(?=(?:[^_]|(?<=\w)_(?=\w))*[^\s]_{1,3}(?!\w))"
    r"|~~(?=\S[^~]*~~)"
)
_CLOSERS = re.compile(r"(?<=[^\s\\*])\*{1,3}|(?<=[^\s\\])_{1,3}(?!\w)|~~")
_TAG = re.compile(r"<(?=[A-Za-z/!?][^<>]*>)")
_LINK = re.compile(r"\[(?=[^\[\]]*\]\()")
_ENTITY = re.compile(r"&(?=#?\w{2,8};)")
_BACKSLASH = re.compile(r"\\(?=[!-/:-@\[-`{-~])")
_LINE_START = re.compile(r"(?=(?:#{1,6}|[-+*]|>+)(?:\s|$)|(?:=+|-{3,}|\*{3,}|_{3,})\s*$|```|~~~)")
_NUMBER_START = re.compile(r"\d{1,9}(?=[.)](?:\s|$))")
_SPECIAL = re.compile(r"[*_~<\[&\\]")


def escape(text: str) -> str:
    """Escape what would be read as emphasis, a tag, a link or an entity."""
    if not _SPECIAL.search(text):
        return text
    text = _BACKSLASH.sub(r"\\\\", text)
    if _PAIRED.search(text):
        text = _escape_pairs(text)
    text = _TAG.sub(r"\\<", text)
    text = _LINK.sub(r"\\[", text)
    return _ENTITY.sub("&amp;", text)


def _escape_pairs(text: str) -> str:
    def backslashed(match: re.Match[str]) -> str:
        return "".join("\\" + sign for sign in match.group())

    first = _PAIRED.search(text)
    cut = first.start() if first else 0
    return text[:cut] + _CLOSERS.sub(backslashed, _PAIRED.sub(backslashed, text[cut:]))


def escape_line(line: str) -> str:
    """Escape a start of line that would be a heading, list item, quote, rule or fence."""
    if _LINE_START.match(line):
        return "\\" + line
    if number := _NUMBER_START.match(line):
        return f"{number[0]}\\{line[number.end() :]}"
    return line
