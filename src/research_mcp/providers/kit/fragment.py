"""Posts and comments that a site's API hands out, be it as bits of HTML or as written, as Markdown.

Bounded: a fragment is cut after `MOST` characters, one nested deeper than any post comes as bare text,
and between two of them everybody else gets a turn. Whole pages go to `Job.extract`.
"""

from __future__ import annotations

import asyncio
import html
import re
from collections.abc import Iterable
from urllib.parse import urljoin

from selectolax.lexbor import LexborHTMLParser, LexborNode

from research_mcp.providers.kit.markup import depth_of

MOST = 50_000
"""Characters of one fragment."""

MAX_DEPTH = 60

_ANY_TAG = re.compile(r"<[^<>]{0,2000}>")
_SPACE = re.compile(r"[ \t\r\n\f]+")
_SPACES = re.compile(r" {2,}")
_BREAK = re.compile(r" *\n *")
_UNSEEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_LANGUAGE = re.compile(r"\b(?:language|lang)-([\w+#-]{1,20})")
_FENCED = re.compile(r"(^ {0,3}(?:```|~~~).*?^ {0,3}(?:```|~~~)[^\n]*$)", re.MULTILINE | re.DOTALL)
_TICKS = re.compile(r"`+")
_TARGET = re.compile(r"`[^`\n]*`|(\]\(|^ {0,3}\[[^\[\]\n]{1,200}\]:[ \t]+)([^()\s<>]{1,2000})", re.MULTILINE)
"""Code in a line, which stays as it is, or where a link or a picture leads."""

_STAYS = re.compile(r"#|//|[a-zA-Z][a-zA-Z0-9+.-]*:")
"""Beginnings of targets that mean the same everywhere, or only inside the text."""
_DROPPED = frozenset(("script", "style", "svg", "template", "noscript", "head", "title", "-comment"))
_HEADINGS = {f"h{level}": "#" * level for level in range(1, 7)}
_PLAIN_BLOCKS = frozenset(
    "p div section article aside figure figcaption details summary form li dl dt dd body html center header"  # noqa: SIM905
    " footer main td th tr".split()
)
_MARKS = {"b": "**", "strong": "**", "i": "*", "em": "*", "del": "~~", "s": "~~", "strike": "~~"}


async def to_markdown(fragments: Iterable[str], base: str = "") -> list[str]:
    """Markdown for each fragment, links made absolute with `base`. Bears any markup."""
    done = []
    for fragment in fragments:
        done.append(_converted(fragment[:MOST], base))
        await asyncio.sleep(0)
    return done


def fenced(code: str, language: str = "") -> str:
    """A block of code in a fence that nothing in it closes."""
    code = code.replace("\r\n", "\n").strip("\n").rstrip()
    longest = max((len(run) for run in _TICKS.findall(code)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{code}\n{fence}"


def visible(markdown: str) -> str:
    """What people wrote as Markdown, as they see it: line ends made one, comments out of it gone.

    Comments in blocks of code stay: there they are shown.
    """
    parts = _FENCED.split(markdown.replace("\r\n", "\n"))
    parts[::2] = [_without_comments(part) for part in parts[::2]]
    return "".join(parts).strip()


def rebased(markdown: str, base: str, root: str) -> str:
    """Markdown whose relative links lead on from `base`, and those from the top (`/x`) from `root`."""

    def target(found: re.Match[str]) -> str:
        lead, written, whole = str(found[1] or ""), str(found[2]), str(found[0])
        if not lead or _STAYS.match(written):
            return whole
        try:
            return lead + (
                urljoin(root, written.lstrip("/")) if written[0] == "/" else urljoin(base, written)
            )
        except ValueError:
            return whole

    parts = _FENCED.split(markdown)
    parts[::2] = [_TARGET.sub(target, part) for part in parts[::2]]
    return "".join(parts)


def _without_comments(markdown: str) -> str:
    kept = []
    place = 0
    while (start := markdown.find("<!--", place)) >= 0 and (end := markdown.find("-->", start)) >= 0:
        kept.append(markdown[place:start])
        place = end + 3
    return "".join((*kept, markdown[place:]))


def _converted(fragment: str, base: str) -> str:
    if "<" not in fragment and "&" not in fragment:
        return fragment.strip()
    if depth_of(fragment.encode("utf-8", "replace")) > MAX_DEPTH:
        return html.unescape(_ANY_TAG.sub(" ", fragment)).strip()
    body = LexborHTMLParser(fragment).body
    return "\n\n".join(_Writer(base).blocks(body)) if body is not None else ""


class _Writer:
    """Recursion is safe: the depth is bounded before."""

    def __init__(self, base: str) -> None:
        self._base = base

    def blocks(self, node: LexborNode) -> list[str]:
        """The blocks of a container; what stands between its block elements becomes paragraphs."""
        found: list[str] = []
        run = ""
        for child in node.iter(include_text=True):
            if _dropped(child):
                continue
            block = self._block(child)
            if block is None:
                run += self._inline(child)
            else:
                found += [_paragraph(run), *block]
                run = ""
        return [block for block in (*found, _paragraph(run)) if block]

    def _block(self, node: LexborNode) -> list[str] | None:
        """The blocks that an element is, None for one that stands within a line."""
        tag = node.tag or ""
        if tag in _PLAIN_BLOCKS:
            return self.blocks(node)
        if tag in _HEADINGS:
            text = " ".join(self._within(node).split())
            return [f"{_HEADINGS[tag]} {text}"] if text else []
        if tag == "pre":
            return [_code(node)]
        if tag == "blockquote":
            quoted = "\n\n".join(self.blocks(node))
            return ["\n".join(f"> {line}".rstrip() for line in quoted.split("\n"))] if quoted else []
        if tag in ("ul", "ol"):
            return ["\n".join(self._items(node, ordered=tag == "ol"))]
        if tag == "table":
            return [self._table(node)]
        return ["---"] if tag == "hr" else None

    def _items(self, node: LexborNode, *, ordered: bool) -> list[str]:
        lines = []
        for place, item in enumerate((child for child in node.iter() if not _dropped(child)), start=1):
            mark = f"{place}. " if ordered else "- "
            text = "\n".join(self.blocks(item))
            lines.append(mark + text.replace("\n", "\n" + " " * len(mark)))
        return lines

    def _table(self, node: LexborNode) -> str:
        rows = [
            [" ".join(self._within(cell).split()).replace("|", r"\|") for cell in row.css("th, td")]
            for row in node.css("tr")
        ]
        width = max((len(row) for row in rows), default=0)
        if width < 2:  # a frame, not a table
            return "\n\n".join(text for row in rows for text in row if text)
        lines = [f"| {' | '.join(row + [''] * (width - len(row)))} |" for row in rows]
        return "\n".join((lines[0], "|" + " --- |" * width, *lines[1:]))

    def _within(self, node: LexborNode) -> str:
        return "".join(self._inline(child) for child in node.iter(include_text=True) if not _dropped(child))

    def _inline(self, node: LexborNode) -> str:
        tag = node.tag or ""
        if tag == "-text":
            return _SPACE.sub(" ", node.text_content or "")
        if tag == "br":
            return "\n"
        if tag == "img":
            return self._image(node)
        if tag in ("code", "kbd", "samp", "tt"):
            return _inline_code(node.text(deep=True))
        text = self._within(node)
        if tag == "a":
            return self._link(node, text)
        if tag in _MARKS and text.strip():
            return _marked(text, _MARKS[tag])
        return f" {text} " if tag in _PLAIN_BLOCKS else text

    def _link(self, node: LexborNode, text: str) -> str:
        words = " ".join(text.split())
        target = self._address(node.attributes.get("href"))
        if not target or not words:
            return text
        bare = words.rstrip("\u2026.")
        if target == words or (bare != words and bare in target) or target == f"mailto:{words}":
            return target.removeprefix("mailto:")
        return f"[{words}]({target})"

    def _image(self, node: LexborNode) -> str:
        alt = " ".join((node.attributes.get("alt") or "").split())
        source = self._address(node.attributes.get("src"))
        return f"![{alt}]({source})" if source.startswith("http") else alt

    def _address(self, written: str | None) -> str:
        """The absolute address, "" for one that leads nowhere."""
        if not written:
            return ""
        try:
            found = urljoin(self._base, written.strip())
        except ValueError:
            return ""
        target = found.replace(" ", "%20").replace("(", "%28").replace(")", "%29")
        return target if target.lower().startswith(("http://", "https://", "mailto:")) else ""


def _dropped(node: LexborNode) -> bool:
    if node.tag in _DROPPED:
        return True
    if node.tag == "-text":
        return False
    return "hidden" in node.attributes or bool(_UNSEEN.search(node.attributes.get("style") or ""))


def _paragraph(run: str) -> str:
    return _SPACES.sub(" ", _BREAK.sub("\n", run)).strip()


def _marked(text: str, mark: str) -> str:
    inner = text.strip()
    return text.replace(inner, f"{mark}{inner}{mark}", 1)


def _inline_code(text: str) -> str:
    text = _SPACE.sub(" ", text).strip()
    if not text:
        return ""
    longest = max((len(run) for run in _TICKS.findall(text)), default=0)
    ticks = "`" * (longest + 1)
    return f"{ticks} {text} {ticks}" if longest else f"`{text}`"


def _code(node: LexborNode) -> str:
    inner = node.css_first("code")
    names = [each.attributes.get("class") or "" for each in (node, inner) if each is not None]
    language = _LANGUAGE.search(" ".join(names))
    return fenced(node.text(deep=True), language[1] if language else "")
