"""Text in the colour of what lies behind it, as far as the page's own styles tell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from research_mcp.extract.hidden.sheets import Rule
from research_mcp.extract.hidden.styles import (
    WHITE,
    Colour,
    alike,
    background_of,
    colour_of,
    declarations,
    has_background,
)

_MOST_RULES = 40


class Backdrop:
    """Compares text colours with the backgrounds of the elements around.

    A page with external style sheets may paint anything, so there only stated backgrounds count;
    without them an unpainted page is white.
    """

    def __init__(self, tree: LexborHTMLParser, rules: Sequence[Rule]) -> None:
        self._tree = tree
        self._rules = rules
        self._default = None if tree.css_first("link[rel~=stylesheet]") is not None else WHITE
        self._styles: dict[str, dict[str, str]] = {}
        self._painted: dict[int, Colour | None] | None = None

    def swallows(self, node: LexborNode, style: str) -> bool:
        """True when the element's own text colour cannot be told from what is behind it."""
        if "olor" not in style and "OLOR" not in style:
            return False
        own = self._declared(style)
        colour = colour_of(own.get("color", ""))
        if colour is None or has_background(own):
            return False
        behind = self._behind(node)
        return behind is not None and alike(colour, behind)

    def swallowed_by_rules(self) -> Iterator[LexborNode]:
        """Elements that a rule of the page gives the colour of what is behind them."""
        if self._default is None:
            return
        papers = {self._default, *self._papers()}
        coloured = [rule for rule in self._rules if "color:" in rule.body.replace(" ", "")]
        for rule in coloured[:_MOST_RULES]:
            own = declarations(rule.body)
            colour = colour_of(own.get("color", ""))
            if colour is None or has_background(own) or not any(alike(colour, paper) for paper in papers):
                continue
            for node in _select(self._tree, rule.selectors):
                behind = self._behind(node)
                if behind is not None and alike(colour, behind):
                    yield node

    def _papers(self) -> Iterator[Colour]:
        """The background colours of the page's own rules."""
        for rule in self._paints():
            colour = background_of(declarations(rule.body))
            if colour is not None:
                yield colour

    def _paints(self) -> list[Rule]:
        return [rule for rule in self._rules if "background" in rule.body][:_MOST_RULES]

    def _declared(self, style: str) -> dict[str, str]:
        if style not in self._styles:
            self._styles[style] = declarations(style)
        return self._styles[style]

    def _behind(self, node: LexborNode) -> Colour | None:
        painted = self._by_rules()
        above: LexborNode | None = node
        while above is not None and above.tag != "-document":
            given = above.attributes
            own = self._declared(given.get("style") or "")
            if has_background(own):
                return background_of(own)
            if stated := given.get("bgcolor"):
                return colour_of(stated.lower())
            if above.mem_id in painted:
                return painted[above.mem_id]
            above = above.parent
        return self._default

    def _by_rules(self) -> dict[int, Colour | None]:
        """Elements that the page's own rules paint."""
        if self._painted is None:
            self._painted = {}
            for rule in self._paints():
                own = declarations(rule.body)
                if has_background(own):
                    for node in _select(self._tree, rule.selectors):
                        self._painted[node.mem_id] = background_of(own)
        return self._painted


def _select(tree: LexborHTMLParser, selector: str) -> list[LexborNode]:
    try:
        return tree.css(selector)
    except SelectolaxError:
        return []
