"""What can be said about a block of text before it is read: the input of `blockmodel`."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate, pairwise
from math import log1p
from operator import mul

from lxml.html import HtmlElement

from research_mcp.extract.html.tags import HEADINGS
from research_mcp.extract.locate.cards import Group, find_groups
from research_mcp.extract.locate.extractors import Located
from research_mcp.extract.locate.textmap import TextMap
from research_mcp.extract.locate.zones import Zone, Zones

PROSE = 80  # characters from which a block without many links counts as prose
TRUSTED = 0.4  # share of the located text from which no name makes an element furniture
LEVELS = 5  # how many containers around a block are looked at
_SENTENCE = re.compile(r"[.!?。！？…:;][\"”’»)\]]*$")
_PRICE = re.compile(r"[$€£¥₽]\s?\d|\d[.,]\d\d\s?(?:[$€£¥₽]|USD|EUR|GBP)")
_KNOWN_ZONES = (
    Zone.NAV, Zone.FOOTER, Zone.SIDE, Zone.HEADER, Zone.NOTICE, Zone.RELATED, Zone.COMMENTS, Zone.FORM
)  # fmt: skip


Density = tuple[float, float, float, float]


@dataclass(slots=True)
class Block:
    """Text without a block boundary inside: slots `start` to `stop` of one container.

    `size` and `linked` are characters; `main` and `check` those that each extractor vouches for.
    """

    start: int
    stop: int
    container: HtmlElement
    size: int
    linked: int
    main: int
    check: int
    zone: int = Zone.NONE

    @property
    def vouched(self) -> bool:
        """True when most of the block is located text."""
        return self.main * 2 > self.size

    @property
    def checked(self) -> bool:
        """True when the second extractor would keep most of it."""
        return self.check * 2 > self.size

    @property
    def prose(self) -> bool:
        """True for running text, as against labels and links."""
        return self.size >= PROSE and self.linked * 2 < self.size


class Layout:
    """The blocks of a page with sums over both extractors' choices."""

    def __init__(self, page: TextMap, located: Located) -> None:
        self.page = page
        self._main = _sums(page, located.main)
        self._check = _sums(page, located.check)
        self._densities: dict[HtmlElement, Density] = {}
        self._groups: dict[Group, list[float]] = {}
        self.blocks = self._segment()
        self.total = max(1, page.length(0, len(page)))
        self.main = self._main[-1]
        self.check = self._check[-1]
        self.prose = sum(block.main for block in self.blocks if block.prose)
        zones = Zones(self._trusted())
        for block in self.blocks:
            block.zone = zones.of(block.container)

    @cached_property
    def groups(self) -> dict[HtmlElement, Group]:
        """Each member of a group of like siblings, with its group."""
        return find_groups(self.page)

    def within(self, start: int, stop: int) -> list[Block]:
        """The blocks that lie between two slots."""
        first = bisect_left(self.blocks, start, key=lambda block: block.start)
        last = bisect_left(self.blocks, stop, key=lambda block: block.stop)
        return [block for block in self.blocks[first : last + 1] if block.stop <= stop]

    def text(self, block: Block) -> str:
        """The text of a block."""
        return " ".join(self.page.texts[block.start : block.stop]).strip()

    def _segment(self) -> list[Block]:
        page = self.page
        inner = (slot for slot in range(1, len(page)) if page.runs[slot] != page.runs[slot - 1])
        edges = [0, *inner, len(page)]
        return [
            Block(
                start,
                stop,
                page.containers[start],
                max(1, page.length(start, stop)),
                page.link_length(start, stop),
                self._main[stop] - self._main[start],
                self._check[stop] - self._check[start],
            )
            for start, stop in pairwise(edges)
            if start < stop
        ]

    def _trusted(self) -> set[HtmlElement]:
        if not self.main:
            return set()
        sums, spans, least = self._main, self.page.spans, TRUSTED * self.main
        trusted, asked = set(), [self.page.root]
        while asked:
            element = asked.pop()
            start, stop = spans[element]
            if sums[stop] - sums[start] > least:
                trusted.add(element)
                asked.extend(element)
        return trusted

    def density(self, element: HtmlElement) -> Density:
        """Shares of an element's text: located, checked, in links; and its share of the page."""
        if element not in self._densities:
            self._densities[element] = self._measure(element)
        return self._densities[element]

    def _measure(self, element: HtmlElement) -> Density:
        start, stop = self.page.spans[element]
        size = max(1, self.page.length(start, stop))
        return (
            (self._main[stop] - self._main[start]) / size,
            (self._check[stop] - self._check[start]) / size,
            self.page.link_length(start, stop) / size,
            size / self.total,
        )

    def features(self) -> list[list[float]]:
        """One row of numbers for each block, in the order of `blockmodel.NAMES`."""
        whole = self._page_features()
        groups = self.groups
        vouched = [index for index, block in enumerate(self.blocks) if block.vouched]
        title = next((index for index, block in enumerate(self.blocks) if block.container.tag == "h1"), -1)
        around: dict[HtmlElement, list[float]] = {}
        rows = []
        for index, block in enumerate(self.blocks):
            container = block.container
            if container not in around:
                around[container] = self._around(container, groups)
            rows.append(
                self._own(block)
                + self._neighbours(index, vouched)
                + around[container]
                + whole
                + self._place(index, title)
            )
        return rows

    def _place(self, index: int, title: int) -> list[float]:
        after = max(-1.0, min(1.0, (index - title) / 50)) if title >= 0 else 0.0
        return [index / len(self.blocks), float(title >= 0), after]

    def _page_features(self) -> list[float]:
        ratio = min(3.0, self.main / max(1, self.check))
        return [
            self.main / self.total,
            self.check / self.total,
            ratio,
            self.prose / max(1, self.main),
            self.prose / self.total,
            log1p(self.main),
            log1p(self.total),
        ]

    def _own(self, block: Block) -> list[float]:
        tag = block.container.tag
        text = self.text(block)
        return [
            block.main / block.size,
            block.check / block.size,
            log1p(block.size),
            block.linked / block.size,
            *_in_zones(block.zone),
            float(tag == "h1"),
            float(tag in HEADINGS and tag != "h1"),
            float(tag == "p"),
            float(tag == "li"),
            float(tag in ("td", "th")),
            float(tag in ("dd", "dt")),
            float(tag == "pre"),
            float(bool(_SENTENCE.search(text))),
            float(is_price(text)),
        ]

    def _neighbours(self, index: int, vouched: list[int]) -> list[float]:
        place = bisect_left(vouched, index)
        before = index - vouched[place - 1] if place else 99
        after = vouched[place] - index if place < len(vouched) else 99
        return [
            log1p(min(99, before)),
            log1p(min(99, after)),
            float(place == 0),
            float(place == len(vouched)),
        ]

    def _around(self, container: HtmlElement, groups: dict[HtmlElement, Group]) -> list[float]:
        row: list[float] = []
        group: Group | None = groups.get(container)
        element: HtmlElement | None = container
        level = 0
        while element is not None:
            nearer = groups.get(element)
            if nearer is not None and (group is None or len(nearer.members) > len(group.members)):
                group = nearer
            element = element.getparent()
            if level < LEVELS:
                row.extend(self.density(element) if element is not None else self.density(self.page.root))
                level += 1
        row.extend([0.0] * (4 * (LEVELS - level)))
        if group is None:
            return row + [0.0] * 5
        if group not in self._groups:
            self._groups[group] = self._of_group(group)
        return row + self._groups[group]

    def _of_group(self, group: Group) -> list[float]:
        members = len(group.members)
        vouched = sum(self.density(member)[0] > 0.3 for member in group.members[:20]) / min(20, members)
        return [log1p(members), log1p(group.size / members), group.size / self.total, group.linked, vouched]


@lru_cache(maxsize=1024)
def _in_zones(zone: int) -> tuple[float, ...]:
    return tuple(float(bool(zone & known)) for known in _KNOWN_ZONES)


def is_price(text: str) -> bool:
    """True when a text holds an amount of money."""
    return _PRICE.search(text) is not None


def _sums(page: TextMap, chosen: bytearray) -> list[int]:
    return [0, *accumulate(map(mul, page.lengths, chosen))]
