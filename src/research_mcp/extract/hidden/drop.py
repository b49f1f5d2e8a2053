"""Text that a visitor of the page cannot see is taken out before anything is extracted.

Hidden for good is removed; hidden until the visitor opens it (a tab, a folded answer, an element
that the page's own style sheet shows in some state) is content and stays. What external style
sheets and scripts do is not known here.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from research_mcp.core.models import Flag
from research_mcp.extract.hidden.backdrop import Backdrop
from research_mcp.extract.hidden.sheets import Sheet
from research_mcp.extract.hidden.styles import Hiding, declarations, hiding

MOST_FADED = 0.2
"""Share of the text up to which fading is taken for hiding; sites fade their whole text in."""
SUSPICIOUS = frozenset({Hiding.FADED, Hiding.SIZE, Hiding.PLACE, Hiding.CLIP, Hiding.COLOUR})
_WORTH_A_FLAG = 80

_NEVER_SHOWN = "template,svg,object,dialog"
_UNSEEN_CLASSES = frozenset(
    [
        "sr-only", "visually-hidden", "visuallyhidden", "screen-reader-text", "screen-reader-only",
        "screenreader-only", "sr_only", "element-invisible", "offscreen", "u-hidden-visually", "a11y-hidden",
    ]
)  # fmt: skip
UNSEEN = ",".join(f".{name}" for name in sorted(_UNSEEN_CLASSES))
"""Selects what sites write for screen readers only."""
_TRIGGER = re.compile(
    r"none|hidden|collapse|opacity|font|indent|position|margin|trans|clip|scale|colou?r|\\|/\*", re.IGNORECASE
)
_STREAMED = re.compile(r"S:[0-9a-zA-Z:_]+")
_SHADOW = re.compile(r"<template\b[^>]*>(.*)</template>", re.DOTALL)
_STRUCTURE = frozenset(
    {"html", "body", "head", "main", "script", "style", "noscript", "link", "meta", "title"}
)
_OPENABLE = frozenset({Hiding.DISPLAY, Hiding.BOX, Hiding.FADED})
_SET_APART = {Hiding.SIZE: "font", Hiding.COLOUR: "color", Hiding.FADED: "visib"}
_CLOSED_ROLES = frozenset(
    {"dialog", "alertdialog", "menu", "navigation", "search", "tooltip", "listbox", "banner"}
)
_FOLDED = re.compile(
    r"accordi|collaps|toggle|faq|answer|tab-?(?:pane|panel|content)|expand|spoiler|read-?more", re.IGNORECASE
)
_POPS_UP = re.compile(
    r"modal|menu|nav|pop-?up|pop-?over|drop-?down|cookie|consent|search|cart|drawer|tool-?tip", re.IGNORECASE
)
_CONTROLS = "[aria-controls],[data-target],[data-bs-target],[role=tab]"
_ATTRIBUTES = tuple(re.compile(word + rb"""\s*=\s*("[^"]*|'[^']*|[^\s>]+)""") for word in (b"class", b"id"))
_SELECTORS_AT_ONCE = 40


@dataclass(frozen=True, slots=True)
class HiddenReport:
    """What was taken out: characters of text for each way of hiding.

    `faded_kept`: so much of the page was faded out that it was left in.
    """

    removed: Mapping[Hiding, int] = field(default_factory=dict)
    faded_kept: bool = False

    @property
    def flags(self) -> tuple[Flag, ...]:
        """`hidden_text` for text hidden in ways that honest pages hardly use, `faded_kept`."""
        odd = sum(self.removed.get(way, 0) for way in SUSPICIOUS)
        hidden = (Flag.HIDDEN_TEXT,) if odd >= _WORTH_A_FLAG else ()
        return (*hidden, Flag.FADED_KEPT) if self.faded_kept else hidden


def strip_hidden(tree: LexborHTMLParser) -> HiddenReport:
    """Remove hidden text from the tree in place. Linear in the page; never raises."""
    return _Pass(tree).run()


class _Pass:
    def __init__(self, tree: LexborHTMLParser) -> None:
        self._tree = tree
        self._markup = tree.raw_html.lower()
        self._ways: dict[int, Hiding] = {}
        self._nodes: list[LexborNode] = []
        self._opened: frozenset[str] | None = None
        self._names = _names_in(self._markup)
        self._has_math = b"<math" in self._markup
        styles = tree.css("style") if b"<style" in self._markup else []
        self._sheet = Sheet(style.text(deep=True) for style in styles) if styles else None
        self._backdrop = Backdrop(tree, self._sheet.rules if self._sheet else ())

    def run(self) -> HiddenReport:
        self._show_shadow_roots()
        self._find()
        faded_kept = self._too_much_is_faded()
        removed: Counter[Hiding] = Counter()
        for node, way in list(self._outermost(faded_kept)):
            removed[way] += len("".join(node.text(deep=True).split()))
            node.decompose()
        return HiddenReport(dict(removed), faded_kept)

    def _css(self, query: str) -> list[LexborNode]:
        try:
            return self._tree.css(query)
        except SelectolaxError:
            return []

    def _find(self) -> None:
        self._mark(self._css(_NEVER_SHOWN), Hiding.ELEMENT)
        if b" hidden" in self._markup:
            self._mark(self._css("[hidden]"), Hiding.DISPLAY)
        if not _UNSEEN_CLASSES.isdisjoint(self._names):
            self._mark(self._css(UNSEEN), Hiding.CLASS)
        if b"style" in self._markup:
            self._find_styled()
        self._find_ruled()

    def _mark(self, nodes: Iterable[LexborNode], way: Hiding) -> None:
        for node in nodes:
            if node.mem_id not in self._ways and not self._stays(node, way):
                self._ways[node.mem_id] = way
                self._nodes.append(node)

    def _find_styled(self) -> None:
        known: dict[str, Hiding | None] = {}
        for node in self._css("[style]"):
            style = node.attributes.get("style") or ""
            if style not in known:
                known[style] = hiding(declarations(style)) if _TRIGGER.search(style) else None
            way = known[style]
            if way is None and self._backdrop.swallows(node, style):
                way = Hiding.COLOUR
            if way is not None:
                self._mark((node,), way)

    def _find_ruled(self) -> None:
        if self._sheet is None:
            return
        by_way: dict[Hiding, list[str]] = {}
        for selector, way in self._sheet.hiding(self._names):
            by_way.setdefault(way, []).append(selector)
        for way, selectors in by_way.items():
            for start in range(0, len(selectors), _SELECTORS_AT_ONCE):
                self._mark(self._css(",".join(selectors[start : start + _SELECTORS_AT_ONCE])), way)
        self._mark(self._backdrop.swallowed_by_rules(), Hiding.COLOUR)

    def _stays(self, node: LexborNode, way: Hiding) -> bool:
        """Whether a hidden element is content after all; such an element is shown from here on."""
        tag, attributes = node.tag or "", node.attributes
        if tag in _STRUCTURE or (tag == "dialog" and "open" in attributes):
            return True
        if way is Hiding.ELEMENT:
            return tag == "template" and _is_empty(node)
        if self._has_math and node.css_first("math") is not None:
            return True
        if self._is_shown_later(node, attributes, way):
            for name in ("hidden", "style"):
                if name in attributes:
                    del node.attrs[name]
            return True
        return self._only_own_text(node, way)

    def _is_shown_later(self, node: LexborNode, attributes: Mapping[str, str | None], way: Hiding) -> bool:
        if _STREAMED.fullmatch(attributes.get("id") or "") or attributes.get("hidden") == "until-found":
            return True
        return way in _OPENABLE and self._can_be_opened(node, attributes)

    def _only_own_text(self, node: LexborNode, way: Hiding) -> bool:
        """Where an element inside sets itself apart, only the text directly in `node` is hidden."""
        setting = _SET_APART.get(way)
        if setting is None or node.css_first(f'[style*="{setting}"]') is None:
            return False
        for child in list(node.iter(include_text=True)):
            if child.tag == "-text":
                self._ways[child.mem_id] = way
                self._nodes.append(child)
        return True

    def _can_be_opened(self, node: LexborNode, attributes: Mapping[str, str | None]) -> bool:
        role = attributes.get("role") or ""
        if role == "tabpanel":
            return True
        if role in _CLOSED_ROLES or attributes.get("aria-modal") or node.tag in ("nav", "form", "aside"):
            return False
        if (attributes.get("id") or "") in self._controlled():
            return True
        own = attributes.get("class") or ""
        around = (node.parent.attributes.get("class") or "") if node.parent is not None else ""
        return bool(_FOLDED.search(f"{own} {around}")) and not _POPS_UP.search(own)

    def _controlled(self) -> frozenset[str]:
        """The ids of what the page's own buttons and tabs open."""
        if self._opened is None:
            found = {""}
            for node in (
                self._css(_CONTROLS) if b"-controls" in self._markup or b"target=" in self._markup else ()
            ):
                given = node.attributes
                for name in ("aria-controls", "data-target", "data-bs-target", "href"):
                    found.update((given.get(name) or "").replace("#", " ").split())
            self._opened = frozenset(found - {""})
        return self._opened

    def _outermost(self, faded_kept: bool) -> Iterator[tuple[LexborNode, Hiding]]:
        """The elements to remove, none inside another: a removed one takes its children along."""
        going = {key for key, way in self._ways.items() if not (faded_kept and way is Hiding.FADED)}
        for node in self._nodes:
            if node.mem_id not in going:
                continue
            above = node.parent
            while above is not None and above.mem_id not in going:
                above = above.parent
            if above is None:
                yield node, self._ways[node.mem_id]

    def _too_much_is_faded(self) -> bool:
        faded = [node for node in self._nodes if self._ways[node.mem_id] is Hiding.FADED]
        if not faded or self._tree.body is None:
            return False
        inside = {node.mem_id for node in faded}
        lost = sum(_length(node) for node in faded if not _has_above(node, inside))
        unseen = sum(_length(node) for node in self._css("body script,body style"))
        return lost > MOST_FADED * max(1, _length(self._tree.body) - unseen)

    def _show_shadow_roots(self) -> None:
        if b"shadowroot" not in self._markup:
            return
        for node in self._css("template[shadowrootmode],template[shadowroot]"):
            inner = _SHADOW.search(node.html or "")
            body = LexborHTMLParser(f"<div>{inner[1]}</div>").body if inner else None
            if body is not None and body.first_child is not None:
                node.replace_with(body.first_child)


def _has_above(node: LexborNode, group: set[int]) -> bool:
    above = node.parent
    while above is not None:
        if above.mem_id in group:
            return True
        above = above.parent
    return False


def _is_empty(node: LexborNode) -> bool:
    return not (node.html or "").partition(">")[2].removesuffix("</template>").strip()


def _length(node: LexborNode) -> int:
    return len("".join(node.text(deep=True).split()))


def _names_in(markup: bytes) -> frozenset[str]:
    """Every class and id that the page uses, in lower case, and a few words more."""
    found = {value for pattern in _ATTRIBUTES for value in pattern.findall(markup)}
    names = html.unescape(b" ".join(found).decode())
    return frozenset(names.replace('"', " ").replace("'", " ").split())
