"""What a Markdown document says only to those who read its source.

Rendered, a comment is invisible and an image is a picture. So comments go, images become their
alternative text, and links that run code become their words. Code is left as it is.
"""

from __future__ import annotations

import re

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_NOTE = re.compile(r" {0,3}\[(?://|comment|_)\]:", re.IGNORECASE)
_CODE_OR_COMMENT = re.compile(r"(`{1,8}+)[^`]++\1(?!`)|<!--")
_IMAGE = re.compile(r"!\[([^\[\]]{0,500})\](?:\([^()]{0,3000}\)|\[[^\[\]]{0,200}\])")
_IMAGE_TAG = re.compile(r"<img\b([^<>]{0,3000})>", re.IGNORECASE)
_ALT = re.compile(r"""\balt\s*=\s*["']([^"']{0,500})""", re.IGNORECASE)
_RUNS_CODE = re.compile(
    r"\[([^\[\]]{0,500})\]\(\s{0,9}(?:javascript|data|vbscript):[^()]{0,3000}\)", re.IGNORECASE
)
_END = "-->"


def visible(text: str) -> str:
    """The document as its readers see it, in linear time."""
    shown: list[str] = []
    fence, comment = "", False
    for line in text.split("\n"):
        rest = line
        if comment:
            _, ended, rest = line.partition(_END)
            comment = not ended
            if comment or not rest.strip():
                continue
        mark = _FENCE.match(rest)
        if fence or mark:
            shown.append(rest)
            fence = _fence_after(fence, mark[1] if mark else "", rest)
            continue
        if not _NOTE.match(rest):
            rest, comment = _seen_of(rest)
            if rest.strip() or not line.strip():
                shown.append(rest)
    return "\n".join(shown)


def _fence_after(fence: str, mark: str, line: str) -> str:
    """The fence that is open after a line: opened by it, closed by it, or as before."""
    if not fence:
        return mark
    closed = mark.startswith(fence) and not line.strip().strip(mark[:1])
    return "" if closed else fence


def _seen_of(line: str) -> tuple[str, bool]:
    """What is seen of a line, and whether a comment goes on after it."""
    pieces, at = [], 0
    while found := _CODE_OR_COMMENT.search(line, at):
        pieces.append(_words(line[at : found.start()]))
        if found[1]:
            pieces.append(found[0])
            at = found.end()
            continue
        end = line.find(_END, found.start() + 2)
        if end < 0:
            return "".join(pieces), True
        at = end + len(_END)
    return "".join((*pieces, _words(line[at:]))), False


def _words(text: str) -> str:
    if "[" not in text and "<" not in text:
        return text
    text = _IMAGE_TAG.sub(
        lambda tag: found[1] if (found := _ALT.search(tag[1])) else "", _IMAGE.sub(r"\1", text)
    )
    return _RUNS_CODE.sub(r"\1", text)
