"""Text inside one block: emphasis, code, links, line breaks, images as their alt text."""

from __future__ import annotations

import re

from lxml import etree
from lxml.html import HtmlElement

from research_mcp.extract.escape import escape, escape_line
from research_mcp.extract.html.fences import code_span
from research_mcp.extract.html.footnotes import Footnotes
from research_mcp.extract.html.formulas import ATTRIBUTE as FORMULA
from research_mcp.extract.html.formulas import split_tex, written
from research_mcp.extract.html.keep import Keep
from research_mcp.extract.html.links import Links
from research_mcp.extract.html.tags import CODE_TAGS

_SPACES = re.compile(r"[\t\r\n\f][ \t\r\n\f]*| [ \t\r\n\f]+")  # what is not one space already
_BREAKS = re.compile(r" *\n[ \n]*")
_EMPHASIS = {"em": "*", "i": "*", "strong": "**", "b": "**", "del": "~~", "s": "~~", "strike": "~~"}
_SEPARATE = frozenset(
    {"a", "span", "button", "time", "label", "small", "strong", "b", "em", "i", "s", "del", "ins"}
)
_MONEY = frozenset("$€£")
_MAX_DEPTH = 60
_MAX_ALT = 300
_CENTS = 2  # digits
_WHOLE_AMOUNT = re.compile(r"[$€£]\s?\d[\d,]*$")
_POWER = re.compile(r"[-\N{MINUS SIGN}+]\d{1,3}|\d|[nkm]")
# A number, a bracket, a variable of one or two letters or a unit: behind a longer word stands a note.
_RAISABLE = re.compile(r"(?:\d|[)\]]|(?<!\w)(?:[a-z]{1,2}|[A-Z]))$")


class Inline:
    """Writes runs of text and inline elements as Markdown."""

    def __init__(self, keep: Keep, links: Links, notes: Footnotes, *, tex: bool) -> None:
        self._keep = keep
        self._links = links
        self._notes = notes
        self._tex = tex
        self._open: list[str] = []

    def text(self, text: str) -> str:
        """One text node, escaped, spaces collapsed."""
        if not text:
            return ""
        text = _SPACES.sub(" ", text)
        return split_tex(text, escape) if self._tex else escape(text)

    def finish(self, pieces: list[str]) -> str:
        """Pieces of a run joined to a paragraph; lines end in two spaces where the page breaks them."""
        text = _SPACES_ONLY.sub(" ", "".join(pieces)).strip()
        if not text:
            return ""
        lines = _BREAKS.sub("\n", text).split("\n") if "\n" in text else [text]
        return "  \n".join(escape_line(line) for line in lines)

    def add(self, pieces: list[str], element: HtmlElement, depth: int = 0) -> None:
        """Append an inline element (without its tail) to a run."""
        tag = element.tag
        if tag == "br":
            pieces.append("\n")
        elif tag == "img":
            pieces.append(self._image(element))
        elif not self._keep.count(element):
            if element.find(".//img") is not None and depth < _MAX_DEPTH:
                self._children(pieces, element, depth)
            elif _is_space(element):
                pieces.append(" ")
        else:
            text = self._element(element, depth)
            spans = text.startswith("`") and "".join(pieces[-1:]).endswith("`")  # would be one
            if text and pieces and (spans or self._runs_together(pieces, text, element)):
                pieces.append(" ")
            pieces.append(text)

    def _element(self, element: HtmlElement, depth: int) -> str:
        tag = element.tag
        if depth > _MAX_DEPTH:
            return self.text(" ".join(self._kept_texts(element)))
        if element.get(FORMULA):
            tex = " ".join(self._kept_texts(element))
            return written(tex, display=element.get(FORMULA) == "display")
        if tag in CODE_TAGS and "code" not in self._open:
            return self._code(element)
        reference = self._notes.reference(element)
        if reference:
            return reference
        if tag in _EMPHASIS:
            return self._emphasis(element, _EMPHASIS[tag], depth)
        if tag == "a" and "a" not in self._open:
            return self._link(element, depth)
        inner = self._inside(element, depth)
        if tag == "q":
            return f"“{inner.strip()}”"
        return self._raised(element, inner) if tag == "sup" else inner

    def _inside(self, element: HtmlElement, depth: int) -> str:
        pieces: list[str] = []
        self._children(pieces, element, depth)
        return "".join(pieces)

    def _children(self, pieces: list[str], element: HtmlElement, depth: int) -> None:
        pieces.append(self.text(self._keep.text(element)))
        for child in element:
            self.add(pieces, child, depth + 1)
            if child.tail:
                pieces.append(" " if child.tail.isspace() else self.text(self._keep.tail(child)))

    def _emphasis(self, element: HtmlElement, sign: str, depth: int) -> str:
        if sign in self._open:
            return self._inside(element, depth)
        self._open.append(sign)
        inner = self._inside(element, depth)
        self._open.pop()
        return wrap(inner, sign, sign)

    def _code(self, element: HtmlElement) -> str:
        """A span of code. Markdown has no links inside of one: each stretch between links gets its own."""
        if len(element) == 0:
            return _span(self._keep.text(element))
        stretches: list[tuple[str, list[str]]] = [("", [])]
        for event, part in etree.iterwalk(element, events=("start", "end")):
            href = part.get("href", "") if part.tag == "a" and "a" not in self._open else ""
            linked = bool(href and self._links.resolve(href))
            if event == "start":
                if linked:
                    stretches.append((href, []))
                stretches[-1][1].append(self._keep.text(part) or _space(part.text))
            elif part is not element:
                if linked:
                    stretches.append(("", []))
                broken = " " if part.tag == "br" else ""
                stretches[-1][1].append(broken + (self._keep.tail(part) or _space(part.tail)))
        return "".join(self.linked(_span("".join(texts)), href) for href, texts in stretches)

    def _link(self, element: HtmlElement, depth: int) -> str:
        self._open.append("a")
        inner = self._inside(element, depth)
        self._open.pop()
        return self.linked(inner, element.get("href", ""))

    def linked(self, inner: str, href: str) -> str:
        """Text as the text of a link: spaces stay outside, line breaks become spaces."""
        core = inner.replace("\n", " ").strip()
        if not core:
            return inner
        lead = inner[: len(inner) - len(inner.lstrip())]
        trail = inner[len(inner.rstrip()) :]
        return f"{lead}{self._links.render(core, href)}{trail}"

    def _image(self, element: HtmlElement) -> str:
        alt = _SPACES.sub(" ", element.get("alt", "")).strip()
        if not 3 <= len(alt) <= _MAX_ALT or " " not in alt or not self._keep.near(element):
            return ""
        if "a" in self._open or alt in self._around(element):
            return ""
        return f"![{alt.translate(_NO_BRACKETS)}]()"

    def _around(self, element: HtmlElement) -> str:
        start = self._keep.page.spans[element][0]
        return " ".join(self._keep.page.texts[max(0, start - 2) : start + 2])

    def _kept_texts(self, element: HtmlElement) -> list[str]:
        start, stop = self._keep.page.spans[element]
        chosen, texts = self._keep.chosen, self._keep.page.texts
        return [texts[slot] for slot in range(start, stop) if chosen[slot]]

    def _raised(self, element: HtmlElement, inner: str) -> str:
        """Cents behind an amount, a power behind a number, a unit or a sign; else the text as it is."""
        text, before = inner.strip(), self._before(element)
        if len(text) == _CENTS and text.isdigit() and _WHOLE_AMOUNT.search(before):
            return f".{text}"
        raised = text.isdigit() and before[-1:].isdigit()
        return f"^{text}" if raised or (_POWER.fullmatch(text) and _RAISABLE.search(before)) else inner

    def _before(self, element: HtmlElement) -> str:
        """The text right before an element, within the same parent."""
        previous, parent = element.getprevious(), element.getparent()
        if previous is not None:
            return self._keep.tail(previous) or ("" if previous.tail else self._keep.page.text_of(previous))
        return self._keep.text(parent) if parent is not None else ""

    def _runs_together(self, pieces: list[str], text: str, element: HtmlElement) -> bool:
        """Two labels side by side that only a style sheet keeps apart."""
        previous = element.getprevious()
        if previous is None or element.tag not in _SEPARATE or previous.tag not in _SEPARATE or previous.tail:
            return False
        before, after = pieces[-1], text
        if not before or not before[-1:].strip() or not after[:1].strip():
            return False
        if element.tag == previous.tag and element.tag in ("a", "label"):
            return True
        last, first = before.rstrip("*_`~")[-1:], after.lstrip("*_`~")[:1]
        if first in _MONEY and (last.isalnum() or last == ")"):
            return True
        if len(before) < 3 or len(after) < 3 or not last.isalnum() or last.isupper():
            return False
        return first.isupper() or (first.isdigit() != last.isdigit() and first.isalnum())


_SPACES_ONLY = re.compile(r"   *")  # two or more, begun by what can be searched for as it stands
_NO_BRACKETS = {ord("["): "(", ord("]"): ")", ord("\n"): " "}


def _span(texts: str) -> str:
    code = code_span(texts)
    lead = " " if texts[:1].isspace() else ""
    trail = " " if texts[-1:].isspace() else ""
    return f"{lead}{code}{trail}" if code else ""


def _is_space(element: HtmlElement) -> bool:
    """True for an element around nothing but a space, as highlighters and word processors write them."""
    return len(element) == 0 and bool(element.text) and element.text.isspace()


def _space(text: str | None) -> str:
    """The space that a node of nothing but spaces is: it has no slot of its own."""
    return " " if text and text.isspace() else ""


def wrap(inner: str, opener: str, closer: str) -> str:
    """Signs around the text, not around the spaces at its ends."""
    core = inner.strip()
    if not core or not any(character.isalnum() for character in core):
        return inner
    lead = inner[: len(inner) - len(inner.lstrip())]
    trail = inner[len(inner.rstrip()) :]
    return f"{lead}{opener}{core}{closer}{trail}"
