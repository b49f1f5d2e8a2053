"""A page's words line by line, in linear time and without a tree."""

from __future__ import annotations

from collections.abc import Iterator
from html import unescape

from research_mcp.extract.html.tags import BLOCK_TAGS
from research_mcp.extract.tokens import RAW_TEXT, tags, text_between

QUOTED = "“"
"""Stands before words that follow a quotation or code in the same line: they are not the page's own."""
_ASIDE = frozenset({"pre", "code", "blockquote", "q", "samp", "kbd", "textarea", "noscript"})
_HEADINGS = frozenset({"h1", "h2", "h3"})
_MOST = 3_000


def lines_of(html: str) -> Iterator[tuple[bool, str]]:
    """The lines of a page's body, and whether each is a heading; what is quoted or code is left out."""
    line, quiet, heading, end, count, before = "", 0, False, 0, 0, ""
    for name, start, stop, _ in tags(html):
        if not quiet and before not in RAW_TEXT:
            line += text_between(html, end, start)
        end, before = stop, name
        plain = name.lstrip("/")
        if plain in _ASIDE:
            quiet = max(0, quiet + (1 if plain == name else -1))
            line += QUOTED
        if plain in BLOCK_TAGS or plain == "br":
            words = " ".join(unescape(line).replace("’", "'").lower().split())
            if words:
                yield heading, words
                count += 1
                if count >= _MOST:
                    return
            line, heading = "", name in _HEADINGS
