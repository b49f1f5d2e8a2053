"""Styles and numbering of Word documents: which paragraph is a heading, an item, code, and its number."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from research_mcp.extract.office.xmltree import Element, attr, every, kid, kids, number

_HEADING = re.compile(r"heading ([1-9])$")
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_DEEPER = re.compile(r"^list (?:bullet|number|continue) ([2-5])$")
_MOST_BASES = 20
_MOST_LEVELS = 9
_PLACE = re.compile(r"%([1-9])")
_SIMPLE = re.compile(r"%[1-9]([.)])$")
_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"),
          (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Style:
    """A paragraph style. `level` is 1 to 9 for headings, 0 for text; `number` is (list, level)."""

    name: str = ""
    level: int = 0
    number: tuple[str, int] | None = None

    @property
    def depth(self) -> int:
        """How deep a list item stands: by its list, or by the name of its style."""
        named = _DEEPER.search(self.name)
        return (self.number[1] if self.number else 0) + (int(named[1]) - 1 if named else 0)

    @property
    def is_code(self) -> bool:
        """True for the names that word processors and pandoc give to code."""
        return "preformatted" in self.name or "code" in self.name.split()

    @property
    def is_quote(self) -> bool:
        """True for quotations."""
        return "quote" in self.name or self.name in ("quotations", "block text")

    @property
    def is_contents(self) -> bool:
        """True for the lines of a table of contents."""
        return self.name.startswith(("toc ", "table of figures"))


class Styles:
    """All styles of a document, each with what it takes over from the one it is based on."""

    def __init__(self, root: Element | None) -> None:
        self._elements = {attr(style, "styleId"): style for style in kids(root, "style")}
        self._known: dict[str, Style] = {}

    def of(self, properties: Element | None) -> Style:
        """The style of a paragraph, with what the paragraph says itself."""
        style = self._named(attr(kid(properties, "pStyle"), "val"))
        return _with(style, properties)

    def _named(self, key: str) -> Style:
        if key not in self._known:
            self._known[key] = self._resolved(key)
        return self._known[key]

    def _resolved(self, key: str) -> Style:
        chain: list[Element] = []
        while (element := self._elements.get(key)) is not None and len(chain) < _MOST_BASES:
            chain.append(element)
            key = attr(kid(element, "basedOn"), "val")
        style = Style() if chain else _under(Style(), " ".join(_PARTS.findall(key)))
        for element in reversed(chain):
            style = _with(_under(style, attr(kid(element, "name"), "val")), kid(element, "pPr"))
        return style


def _under(style: Style, given: str) -> Style:
    """The style under the name of one that is based on it. A style that the document does not define
    is known by its id, which is its name without spaces: `Heading1`."""
    named = given.lower()
    heading = _HEADING.match(named)
    level = int(heading[1]) if heading else 1 if named == "title" else style.level
    return replace(style, name=named, level=level)


def _with(style: Style, properties: Element | None) -> Style:
    outline = number(kid(properties, "outlineLvl"), "val", -1)
    level = style.level if outline < 0 else (outline + 1) % 10
    listed = kid(properties, "numPr")
    if listed is None:
        return replace(style, level=level)
    before = style.number or ("", 0)
    key = attr(kid(listed, "numId"), "val") or before[0]
    depth = min(number(kid(listed, "ilvl"), "val", before[1]), _MOST_LEVELS - 1)
    return replace(style, level=level, number=(key, depth) if key not in ("", "0") else None)


@dataclass(frozen=True, slots=True)
class _Level:
    form: str
    text: str
    start: int


class Numbering:
    """The lists of a document; counts as paragraphs go by."""

    def __init__(self, root: Element | None) -> None:
        shapes = {attr(shape, "abstractNumId"): _levels(shape) for shape in kids(root, "abstractNum")}
        self._lists: dict[str, tuple[str, dict[int, _Level]]] = {}
        for listed in kids(root, "num"):
            key, shape = attr(listed, "numId"), attr(kid(listed, "abstractNumId"), "val")
            levels = dict(shapes.get(shape, {}))
            starts = False
            for override in kids(listed, "lvlOverride"):
                levels.update(_levels(override))
                starts = starts or kid(override, "startOverride") is not None
            self._lists[key] = (f"own {key}" if starts else shape, levels)
        self._counts: dict[str, dict[int, int]] = {}

    def next(self, listed: tuple[str, int]) -> str:
        """The sign of the next paragraph of a list: "-", "4.", "(b)", "2.1"; "" for none."""
        key, depth = listed
        counter, levels = self._lists.get(key, (key, {}))
        level = levels.get(depth)
        if level is None or level.form == "bullet":
            return "-"
        counts = self._counts.setdefault(counter, {})
        counts[depth] = counts.get(depth, level.start - 1) + 1
        for deeper in [other for other in counts if other > depth]:
            del counts[deeper]
        if level.form == "none":
            return ""

        def shown(place: re.Match[str]) -> str:
            at = int(place[1]) - 1
            other = levels.get(at, level)
            return _count(counts.get(at, other.start), other.form)

        return _PLACE.sub(shown, level.text[:40])

    def is_plain(self, listed: tuple[str, int]) -> bool:
        """True for numbers that Markdown can write itself: `1.` or `1)`."""
        level = self._lists.get(listed[0], ("", {}))[1].get(listed[1])
        return level is not None and level.form == "decimal" and _SIMPLE.match(level.text) is not None


def _levels(parent: Element) -> dict[int, _Level]:
    return {
        number(level, "ilvl", 0): _Level(
            attr(kid(level, "numFmt"), "val") or "decimal",
            attr(kid(level, "lvlText"), "val"),
            number(kid(level, "start"), "val", 1),
        )
        for level in every(parent, "lvl")
    }


def _count(value: int, form: str) -> str:
    if form in ("lowerLetter", "upperLetter") and value > 0:
        letter = chr(ord("a") + (value - 1) % 26) * min((value - 1) // 26 + 1, 5)
        return letter.upper() if form == "upperLetter" else letter
    if form in ("lowerRoman", "upperRoman") and 0 < value < 4_000:
        roman = ""
        for size, sign in _ROMAN:
            times, value = divmod(value, size)
            roman += sign * times
        return roman.upper() if form == "upperRoman" else roman
    return f"{value:02}" if form == "decimalZero" else str(value)
