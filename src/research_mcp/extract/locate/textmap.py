"""The text of one page, numbered: which text stands where, and who stood up for it.

Every text node that is not blank is a *slot*. Slots are numbered in document order, so the text of
an element is a range of slots and sums over it cost nothing. Each slot's text in the tree starts
with a private-use character that stands for its number. Extractors carry the character along, so
what they kept can be read off their output exactly, without comparing words.
"""

from __future__ import annotations

import re
from itertools import accumulate, compress

from lxml import etree
from lxml.html import HtmlElement

from research_mcp.extract.html.tags import BLOCK_TAGS

FIRST_MARK = 0xF0000
PLANE = 0xFFFE  # code points of a private-use plane that XML allows
MAX_MARKS = 2 * PLANE
MARKS = re.compile("[\U000f0000-\U000ffffd\U00100000-\U0010fffd]")


def mark(number: int) -> str:
    """The character that stands for slot `number` (below `MAX_MARKS`)."""
    plane, offset = divmod(number, PLANE)
    return chr(FIRST_MARK + plane * 0x10000 + offset)


def number(character: str) -> int:
    """The slot that a mark stands for."""
    plane, offset = divmod(ord(character) - FIRST_MARK, 0x10000)
    return plane * PLANE + offset


class TextMap:
    """Slots, their texts, and the range of slots under each element of a tree.

    `runs` numbers the stretches of text that no block boundary interrupts, `containers` holds the
    block element around each slot.

    Building it writes the marks into the tree: from then on `texts` is the text, not `element.text`.
    """

    def __init__(self, root: HtmlElement) -> None:
        self.root = root
        self.elements: list[HtmlElement] = []
        self.texts: list[str] = []
        self.lengths: list[int] = []
        self.in_link = bytearray()
        self.spans: dict[HtmlElement, tuple[int, int]] = {}
        self.text_slots: dict[HtmlElement, int] = {}
        self.tail_slots: dict[HtmlElement, int] = {}
        self.runs: list[int] = []
        self.containers: list[HtmlElement] = []
        self._walk()
        self._sums = [0, *accumulate(self.lengths)]
        linked = (size if inside else 0 for size, inside in zip(self.lengths, self.in_link, strict=True))
        self._link_sums = [0, *accumulate(linked)]

    def _walk(self) -> None:
        run, links = 0, 0
        root, texts, elements, spans = self.root, self.texts, self.elements, self.spans
        open_blocks: list[HtmlElement] = [root]
        starts: list[int] = []  # the first slot of each open element
        for event, element in etree.iterwalk(root, events=("start", "end")):
            tag = element.tag
            if event == "start":
                elements.append(element)
                starts.append(len(texts))
                if tag in BLOCK_TAGS:
                    open_blocks.append(element)
                    run += 1
                elif tag == "a":
                    links += 1
                text = element.text
                if text and not text.isspace():
                    self.text_slots[element] = len(texts)
                    element.text = self._slot(text, run, open_blocks[-1], links)
            else:
                if tag in BLOCK_TAGS:
                    open_blocks.pop()
                    run += 1
                elif tag == "a":
                    links -= 1
                spans[element] = (starts.pop(), len(texts))
                text = element.tail
                if text and not text.isspace() and element is not root:
                    self.tail_slots[element] = len(texts)
                    element.tail = self._slot(text, run, open_blocks[-1], links)

    def _slot(self, text: str, run: int, container: HtmlElement, links: int) -> str:
        """Note a text; returned with the mark of its slot."""
        if not text.isascii():
            text = MARKS.sub("", text)
        index = len(self.texts)
        self.texts.append(text)
        self.lengths.append(len(" ".join(text.split())))
        self.in_link.append(links > 0)
        self.runs.append(run)
        self.containers.append(container)
        if index >= MAX_MARKS:
            return text
        if not text[:1].isspace():
            return mark(index) + text
        lead = len(text) - len(text.lstrip())
        return f"{text[:lead]}{mark(index)}{text[lead:]}"

    def __len__(self) -> int:
        return len(self.texts)

    def length(self, start: int, stop: int) -> int:
        """Characters in the slots `start` to `stop`, runs of space counted once."""
        return self._sums[stop] - self._sums[start]

    def link_length(self, start: int, stop: int) -> int:
        """As `length`, of text inside links only."""
        return self._link_sums[stop] - self._link_sums[start]

    def taken(self, chosen: bytearray) -> int:
        """Characters in the slots that one byte each chooses."""
        return sum(compress(self.lengths, chosen))

    def text_of(self, element: HtmlElement) -> str:
        """All text under an element, spaces collapsed."""
        start, stop = self.spans[element]
        return " ".join(" ".join(self.texts[start:stop]).split())

    def vouched(self, output: str) -> bytearray:
        """One byte for each slot: 1 when its mark stands in the output of an extractor."""
        found = bytearray(len(self.texts))
        size = len(found)
        for index in map(number, MARKS.findall(output)):
            if index < size:
                found[index] = 1
        return found
