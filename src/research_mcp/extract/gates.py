"""Cheap gates before any tree is built: small pages made to hang parsers are tamed in linear time.

Counted on the flat run of tags: elements, nesting, attributes in one tag, links in one block, and
formatting elements that stay open (a tree builder repeats those in every block that follows).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from operator import sub

from research_mcp.extract.html.tags import BLOCK_TAGS
from research_mcp.extract.tokens import RAW_TEXT, VOID, attributes, names_and_attributes, tags

MOST_ELEMENTS = 150_000
MOST_SIGNS = 400_000
"""Of `<`, scripts and end tags included: beyond it even counting tags takes too long."""
MOST_ATTRIBUTES = 4_000
MOST_LINKS_IN_A_BLOCK = 3_000
DEEPEST = 200
"""libxml2 drops what is nested deeper than 256; the rest is room for what parsers add."""
MOST_FORMATTING = 20
MOST_OPTIONS = 2_000

FORMATTING = frozenset(
    {"a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"}
)
_WRAPPERS = frozenset({"div", "span", "section", "font", "center"})
_WRAPPERS_FROM = 60
_KEPT_ATTRIBUTES = 40
_CELLS = frozenset({"td", "th", "p"})
_CLOSES = dict.fromkeys(BLOCK_TAGS, frozenset({"p"})) | {
    "li": frozenset({"li", "p"}),
    "dt": frozenset({"dt", "dd", "p"}),
    "dd": frozenset({"dt", "dd", "p"}),
    "td": _CELLS,
    "th": _CELLS,
    "tr": _CELLS | {"tr"},
    "tbody": _CELLS | {"tr", "thead", "tbody"},
    "option": frozenset({"option"}),
    "optgroup": frozenset({"option", "optgroup"}),
}
_FLAT = VOID | {"", "p", "li", "dt", "dd", "td", "th", "tr", "tbody", "thead", "tfoot", "option", "optgroup"}
_TRACKER = ("iframe", "/noscript")
_NOTHING: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Shape:
    """What the tags of a page add up to. `elements` includes what a tree builder would repeat.

    `loose_iframe`: an <iframe> in a <noscript> has no end, so a parser takes the rest for its text.
    """

    elements: int
    depth: int = 0
    widest: int = 0
    links_in_a_block: int = 0
    formatting: int = 0
    options: int = 0
    loose_iframe: bool = False

    @property
    def hopeless(self) -> bool:
        """So many elements that only plain text is affordable."""
        return self.elements > MOST_ELEMENTS

    @property
    def harmless(self) -> bool:
        """Nothing to tame."""
        return not self.loose_iframe and (
            self.depth <= DEEPEST
            and self.widest <= MOST_ATTRIBUTES
            and self.links_in_a_block <= MOST_LINKS_IN_A_BLOCK
            and self.formatting <= MOST_FORMATTING
            and self.options <= MOST_OPTIONS
        )


class OpenTags:
    """The elements open at one place, roughly as a tree builder would see them."""

    def __init__(self) -> None:
        self.formatting = 0
        self.dropped = 0
        self._stack: list[tuple[str, bool]] = []
        self._counts: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self._stack)

    @property
    def kept(self) -> int:
        """How many of the open elements were not dropped."""
        return len(self._stack) - self.dropped

    def open(self, name: str, *, drop: bool = False) -> None:
        """A start tag that is not void; closes what its kind closes."""
        closes = _CLOSES.get(name, _NOTHING)
        while self._stack and self._stack[-1][0] in closes:
            self._pop()
        self._stack.append((name, drop))
        self._counts[name] += 1
        self.dropped += drop
        self.formatting += name in FORMATTING and not drop

    def close(self, name: str) -> bool:
        """An end tag; True when the element it ends was dropped or never opened."""
        if not self._counts[name]:
            return True
        while True:
            closed, dropped = self._pop()
            if closed == name:
                return dropped

    def _pop(self) -> tuple[str, bool]:
        name, dropped = self._stack.pop()
        self._counts[name] -= 1
        self.dropped -= dropped
        self.formatting -= name in FORMATTING and not dropped
        return name, dropped


def shape_of(html: str) -> Shape:
    """Count the tags of a page in linear time; exactly only where a rough count is not enough."""
    signs = html.count("<")
    if signs > MOST_SIGNS:
        return Shape(signs)
    names, written = names_and_attributes(html)
    counts = Counter(names)
    steps = {name: -1 if name[:1] == "/" else 1 for name in counts}
    flat = {name: 0 if name.lstrip("/") in _FLAT else step for name, step in steps.items()}
    shape = Shape(
        elements=sum(count for name, count in counts.items() if name[:1] not in ("/", "")),
        depth=_most_open(map(flat.__getitem__, names)),
        widest=_widest(written),
        links_in_a_block=counts["a"],
        formatting=_most_formatting(names, counts),
        options=counts["option"],
        loose_iframe=counts["/noscript"] > 0 and counts["iframe"] > 0 and _TRACKER in pairwise(names),
    )
    certain = (
        shape.depth <= DEEPEST // 4
        and shape.formatting <= MOST_FORMATTING // 4
        and shape.links_in_a_block <= MOST_LINKS_IN_A_BLOCK
    )
    return shape if certain or shape.hopeless else _exact(names, shape)


def _most_formatting(names: list[str], counts: Counter[str]) -> int:
    """How many formatting elements are open at most."""
    steps = {name: 1 for name in FORMATTING if counts[name]} | {f"/{name}": -1 for name in FORMATTING}
    return _most_open(steps[name] for name in names if name in steps)


def _most_open(steps: Iterable[int]) -> int:
    """How many elements are open at most, from +1 for each start tag and -1 for each end tag.

    Counted from the lowest point before, so that stray end tags hide nothing.
    """
    levels = list(accumulate(steps, initial=0))
    most: int = max(map(sub, levels, accumulate(levels, min)))
    return most


def _widest(written: list[str]) -> int:
    longest = max(map(len, written), default=0)
    if longest <= 2 * MOST_ATTRIBUTES:
        return 0
    return max(len(text.split()) for text in written if len(text) > 2 * MOST_ATTRIBUTES)


def _exact(names: list[str], rough: Shape) -> Shape:
    stack = OpenTags()
    repeated = depth = links = most_links = formatting = 0
    for name in names:
        if name[:1] == "/":
            stack.close(name[1:])
        elif name and name not in VOID:
            stack.open(name)
            if name in BLOCK_TAGS:
                links = 0
                repeated += stack.formatting
            elif name == "a":
                links += 1
                most_links = max(most_links, links)
            depth = max(depth, len(stack))
            formatting = max(formatting, stack.formatting)
    if formatting <= MOST_FORMATTING:
        repeated = 0
    return replace(
        rough,
        elements=rough.elements + repeated,
        depth=depth,
        links_in_a_block=most_links,
        formatting=formatting,
    )


def tame(html: str, shape: Shape) -> str:
    """The same text with what a parser would choke on left out: tags, never words."""
    if shape.harmless:
        return html
    unwanted = {"a"} if shape.links_in_a_block > MOST_LINKS_IN_A_BLOCK else set()
    unwanted |= {"option", "optgroup"} if shape.options > MOST_OPTIONS else set()
    stack, copied, before = OpenTags(), 0, ""
    pieces: list[str] = []
    for name, start, end, written in tags(html):
        if name[0] == "/":
            replacement = _end_tag(name, before, stack)
        else:
            replacement = _start_tag(name, written, stack, unwanted)
        before = name
        if replacement is not None:
            pieces += (html[copied:start], replacement)
            copied = end
    return "".join((*pieces, html[copied:]))


def _end_tag(name: str, before: str, stack: OpenTags) -> str | None:
    """What stands for an end tag, None for itself."""
    gone = stack.close(name[1:])
    if name == "/noscript" and before == "iframe":
        return "</iframe></noscript>"
    return _space(name[1:]) if gone and stack.dropped else None


def _start_tag(name: str, written: str, stack: OpenTags, unwanted: set[str]) -> str | None:
    """What stands for a start tag, None for itself."""
    if name not in VOID:
        drop = name not in RAW_TEXT and (
            name in unwanted
            or (name in FORMATTING and stack.formatting >= MOST_FORMATTING)
            or stack.kept >= (_WRAPPERS_FROM if name in _WRAPPERS else DEEPEST)
        )
        stack.open(name, drop=drop)
        if drop:
            return _space(name)
    if len(written) > 2 * MOST_ATTRIBUTES:
        kept = attributes(written, _KEPT_ATTRIBUTES)
        pairs = (f' {key}="{value.replace(chr(34), "&quot;")}"' for key, value in kept.items())
        return f"<{name}{''.join(pairs)}>"
    return None


def _space(name: str) -> str:
    return "" if name in FORMATTING or name == "span" else "\n"
