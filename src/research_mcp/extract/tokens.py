"""HTML as a flat run of tags and text, in linear time and without a tree.

A tree builder may need minutes for a small page made for it, so what guards the builder cannot be
one. Follows the tokenizer of the HTML standard where it matters for linear time: an unfinished tag
or comment runs to the end, and raw text (scripts, styles) ends at its own end tag only.
"""

from __future__ import annotations

import html as entities
import re
from collections.abc import Iterator

RAW_TEXT = frozenset(["script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"])
VOID = frozenset({"area", "base", "br", "col", "embed", "hr", "img", "input"}) | frozenset(
    {"link", "meta", "param", "source", "track", "wbr"}
)

_COMMENT = r"!--(?:>|->|(?:[^-]++|-(?!-!?>))*+(?:--!?>)?+)"
_ATTRIBUTES = r"""((?:[^>=]++|=\s*+(?:"[^"]*+"|'[^']*+')?+)*+)"""
# Every alternative takes an unfinished piece to the end of the page, so none is tried twice.
# Trackers leave the <iframe> in their <noscript> open: it ends with the <noscript> too.
_MARKUP = re.compile(
    rf"""
    <(?:
      (?=[sStTxXnN])(script|style|textarea|title|xmp|noembed|noframes)(?=[\s/>]){_ATTRIBUTES}>
        (?:[^<]++|<(?!/\1[\s/>]))*+
    | (?=[iI])(iframe)(?=[\s/>]){_ATTRIBUTES}>(?:[^<]++|<(?!/(?:iframe|noscript)[\s/>]))*+
    | (/?+[a-zA-Z][^\s/>]*+){_ATTRIBUTES}(?:>|\Z)
    | {_COMMENT}
    | [!?/][^>]*+>?
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_NO_TEXT = re.compile(rf"<(?:{_COMMENT}|[!?/][^>]*+>?|[a-zA-Z].*+)", re.DOTALL)
_ATTRIBUTE = re.compile(r"""([^\s=/>]++)(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s>]*+)))?+""")

Token = tuple[str, int, int, str]
"""Name (`p`, `/p`), where the tag starts and ends, its attributes as written."""


def tags(html: str) -> Iterator[Token]:
    """The tags of a page in order; those inside comments and raw text are not tags."""
    for found in _MARKUP.finditer(html):
        last = found.lastindex
        if last is not None and html[found.end(last) : found.end(last) + 1] == ">":
            yield found[last - 1].lower(), found.start(), found.end(last) + 1, found[last]


def names_and_attributes(html: str) -> tuple[list[str], list[str]]:
    """The names of all tags in order, and what is written after each name: `tags` without places."""
    found = _MARKUP.findall(html)
    names = [(plain or raw or frame).lower() for raw, _, frame, _, plain, _ in found]
    return names, [plain or raw or frame for _, raw, _, frame, _, plain in found]


def text_between(html: str, start: int, end: int) -> str:
    """The text between two tags, comments and other odd markup left out."""
    text = html[start:end]
    return _NO_TEXT.sub("", text) if "<" in text else text


def markup_of(html: str) -> str:
    """Tags and scripts without the words between them, comments, meta tags and links to hosts."""
    return " ".join(
        piece
        for found in _MARKUP.finditer(html)
        if not (piece := found[0])[:6].lower().startswith(("<!--", "<meta ", "<link "))
    )


def words_of(html: str) -> str:
    """The words between tags on one line, whoever may see them; scripts and the title left out."""
    return " ".join(entities.unescape(_MARKUP.sub(" ", html)).split())


def attributes(written: str, limit: int = 64) -> dict[str, str]:
    """The first `limit` attributes of a tag, names in lower case; the first of a name counts."""
    result: dict[str, str] = {}
    for found in _ATTRIBUTE.finditer(written):
        if len(result) == limit:
            break
        name, double, single, bare = found.groups()
        result.setdefault(name.lower(), double or single or bare or "")
    return result
