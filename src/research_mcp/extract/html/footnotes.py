"""Footnotes: signs that point to notes further down, and the notes."""

from __future__ import annotations

import re

from lxml.html import HtmlElement

from research_mcp.extract.html.keep import Keep

_NOTE_NAME = re.compile(
    r"foot-?note|end-?note|references|reflist"
    r"|(?:^|[\s_:-])(?:fn|ftn|note|cite_note|sdfootnote|easy-footnote)[\s_:.-]?\w*$",
    re.IGNORECASE,
)
_BACK_NAME = re.compile(
    r"back-?ref|footnote-?back|reversefootnote|footnote-return|doc-backlink|mw-cite-backlink", re.IGNORECASE
)
_BACK_SIGNS = frozenset({"↩", "↑", "⏎", "^", "↵", "⤴", "↲"})
_LABEL = re.compile(r"^[\[(]?\s*(\d{1,4}|[a-z]|[*†‡§])\s*[\])]?$", re.IGNORECASE)


class Footnotes:
    """Pairs note signs with notes that are kept; other signs stay plain text."""

    def __init__(self, keep: Keep) -> None:
        self._keep = keep
        self.labels = self._find()
        self._targets = {element.get("id", ""): label for element, label in self.labels.items()}

    def _find(self) -> dict[HtmlElement, str]:
        page = self._keep.page
        signs = [
            (link, _LABEL.match(page.text_of(link)))
            for link in page.root.iter("a")
            if link.get("href", "").startswith("#") and self._keep.count(link)
        ]
        wanted = {link.get("href", "")[1:]: label.group(1) for link, label in reversed(signs) if label}
        if not wanted:
            return {}
        noted = [element for element in page.elements if element.get("id", "") in wanted]
        return {
            element: wanted[element.get("id", "")]
            for element in noted
            if self._keep.count(element) and _is_note(element)
        }

    def reference(self, element: HtmlElement) -> str:
        """`[^1]` for a link (or a raised link) to a kept note, else ""."""
        if not self._targets:
            return ""
        link = element if element.tag == "a" else element.find("a") if element.tag == "sup" else None
        if link is None or not _LABEL.match(self._keep.page.text_of(element)):
            return ""
        label = self._targets.get(link.get("href", "")[1:], "")
        return f"[^{label}]" if label else ""


def is_way_back(link: HtmlElement, text: str) -> bool:
    """True for a link into the page that is the arrow at the end of a note, back to its sign."""
    named = f"{link.get('class', '')} {link.get('role', '')} {link.get('rev', '')}"
    return text.strip("\ufe0e\ufe0f ") in _BACK_SIGNS or bool(_BACK_NAME.search(named) and len(text) < 5)


def _is_note(element: HtmlElement) -> bool:
    if element.tag not in ("li", "p", "div", "dd", "aside", "tr", "section"):
        return False
    for candidate in (element, *element.iterancestors()):
        named = f"{candidate.get('class', '')} {candidate.get('id', '')} {candidate.get('role', '')}"
        if _NOTE_NAME.search(named) or "doc-footnote" in named or "doc-endnote" in named:
            return True
        if candidate.tag in ("article", "main", "body"):
            return False
    return False
