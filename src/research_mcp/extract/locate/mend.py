"""Make the chosen text whole: extractors tear lists, tables, code and lose the headings between."""

from __future__ import annotations

from itertools import accumulate, compress
from operator import mul

from lxml.html import HtmlElement

from research_mcp.extract.html import tables
from research_mcp.extract.html.tags import HEADINGS, LISTS
from research_mcp.extract.locate.features import Layout
from research_mcp.extract.locate.zones import FURNITURE, Zone

WHOLE_TABLE = 0.3  # share of the text that has to be chosen already
WHOLE_LIST = 0.4
WHOLE_TERMS = 0.05  # a term without its explanation says nothing
WHOLE_CODE = 0.05
WHOLE_CHOICE = 0.05  # a question without its answers says nothing
WHOLE_BLOCK = 0.5
_BETWEEN = frozenset({"ul", "ol", "dl", "table", "blockquote", "pre"})
_PARAGRAPHS = frozenset({"p", "pre", "blockquote"})
LEAST_ITEMS = 3
LEAST_LABELS = 2
LINKED_LIST = 1 / 3  # share in links from which a list beside the text may lead elsewhere
LOOK_AHEAD = 4  # blocks between a heading and the text that proves it
_UNWANTED = FURNITURE | Zone.COMMENTS | Zone.RELATED
Spans = dict[HtmlElement, tuple[int, int]]


def mend(layout: Layout, chosen: bytearray, *, thread: bool = False) -> None:
    """Complete blocks, tables, lists and code that are mostly chosen, then add their headings.

    The lists beside the posts of a `thread` are about their authors: they stay as they were chosen.
    """
    _complete_blocks(layout, chosen)
    _complete_elements(layout, chosen)
    _fill_gaps(layout, chosen)
    _fill_between(layout, chosen)
    if not thread:
        _add_lists(layout, chosen)
    _add_headings(layout, chosen)


def _complete_blocks(layout: Layout, chosen: bytearray) -> None:
    lengths = layout.page.lengths
    for block in layout.blocks:
        slots = slice(block.start, block.stop)
        taken = sum(compress(lengths[slots], chosen[slots]))
        if WHOLE_BLOCK * block.size <= taken < block.size:
            _take(chosen, block.start, block.stop)


def _complete_elements(layout: Layout, chosen: bytearray) -> None:
    page = layout.page
    sums = [0, *accumulate(map(mul, page.lengths, chosen))]
    for element in page.root.iter("pre", "table", "dl", "fieldset", *LISTS):
        start, stop = page.spans[element]
        taken = sums[stop] - sums[start]
        if taken and taken < page.length(start, stop):
            need = _need(element, layout)
            if need and taken >= need * page.length(start, stop):
                _take(chosen, start, stop)


def _need(element: HtmlElement, layout: Layout) -> float:
    """The chosen share from which an element is kept whole; 0 for elements that may be torn."""
    if element.tag == "pre":
        return WHOLE_CODE
    if element.tag == "fieldset":
        return WHOLE_CHOICE if _is_choice(element, layout) else 0.0
    if element.tag == "table":
        return WHOLE_TABLE if tables.is_data(element, layout.page) else 0.0
    if element.tag in LISTS or element.tag == "dl":
        start, stop = layout.page.spans[element]
        linked = layout.page.link_length(start, stop)
        need = WHOLE_LIST if element.tag in LISTS else WHOLE_TERMS
        return need if linked * 2 < layout.page.length(start, stop) else 0.0
    return 0.0


def _is_choice(fieldset: HtmlElement, layout: Layout) -> bool:
    """True for a group of labelled controls that no name makes furniture."""
    if len(fieldset.findall(".//label")) < LEAST_LABELS:
        return False
    return not any(block.zone & _UNWANTED for block in layout.within(*layout.page.spans[fieldset]))


def _fill_gaps(layout: Layout, chosen: bytearray) -> None:
    """A sibling of the same kind between two chosen ones, when nothing speaks against it."""
    blocks = layout.blocks
    for before, block, after in zip(blocks, blocks[1:], blocks[2:], strict=False):
        if chosen[block.start] or not (chosen[before.start] and chosen[after.start]):
            continue
        if block.zone & _UNWANTED or block.linked * 2 > block.size:
            continue
        parents = {around.container.getparent() for around in (before, block, after)}
        if len(parents) == 1 and block.container.tag in ("p", "li"):
            _take(chosen, block.start, block.stop)


def _fill_between(layout: Layout, chosen: bytearray) -> None:
    """A list, table or quotation between two chosen paragraphs, when no part of it is furniture by name."""
    page = layout.page
    unwanted = _unwanted_slots(layout)
    for element in page.root.iter(*_BETWEEN):
        start, stop = page.spans[element]
        if start == stop or all(chosen[start:stop]) or any(unwanted[start:stop]):
            continue
        if _between_prose(element, layout, chosen):
            _take(chosen, start, stop)


def _add_lists(layout: Layout, chosen: bytearray) -> None:
    """A list of text right beside chosen text: features and facts, which extractors take for a menu."""
    page = layout.page
    for element in page.root.iter("ul", "ol", "dl"):
        start, stop = page.spans[element]
        if any(chosen[start:stop]) or not _is_plain_list(element, layout):
            continue
        if any(_touches(element, layout, chosen, preceding=preceding) for preceding in (True, False)):
            _take(chosen, start, stop)


def _is_plain_list(element: HtmlElement, layout: Layout) -> bool:
    """True for items of text that nobody judged yet: located text that was not chosen is a repeated one."""
    page = layout.page
    start, stop = page.spans[element]
    if page.link_length(start, stop) >= LINKED_LIST * page.length(start, stop):
        return False
    judged = element.tag != "dl"  # the model of blocks drops facts that were located
    if any(block.zone & _UNWANTED or (judged and block.vouched) for block in layout.within(start, stop)):
        return False
    return sum(page.spans[item][0] < page.spans[item][1] for item in element) >= LEAST_ITEMS


def _touches(element: HtmlElement, layout: Layout, chosen: bytearray, *, preceding: bool) -> bool:
    """True when the sibling before or after an element, or its bare wrapper, is chosen where they meet."""
    spans = layout.page.spans
    for sibling in _wrapper(element, spans).itersiblings(preceding=preceding):
        first, last = spans[sibling]
        if first < last:
            return bool(chosen[last - 1 if preceding else first])
    return False


def _unwanted_slots(layout: Layout) -> bytearray:
    slots = bytearray(len(layout.page))
    for block in layout.blocks:
        if block.zone & _UNWANTED:
            _take(slots, block.start, block.stop)
    return slots


def _between_prose(element: HtmlElement, layout: Layout, chosen: bytearray) -> bool:
    """True when the paragraphs beside an element are chosen: the one before, and for links the one after."""
    spans = layout.page.spans
    start, stop = spans[element]
    links = layout.page.link_length(start, stop) * 2 > layout.page.length(start, stop)
    outer = _wrapper(element, spans)
    if outer is not element and element.tag in _PARAGRAPHS:
        return True  # code and quotations in a box of their own
    for preceding in (True, False) if links else (True,):
        near = ((sibling, *spans[sibling]) for sibling in outer.itersiblings(preceding=preceding))
        sibling, first, last = next(((sibling, a, b) for sibling, a, b in near if a < b), (element, 0, 0))
        if not _is_paragraph(sibling, spans) or not all(chosen[first:last]):
            return False
    return True


def _is_paragraph(element: HtmlElement, spans: Spans) -> bool:
    """True for a paragraph, be it in a wrapper of its own."""
    inner = element
    while inner.tag == "div" and len(inner) == 1 and spans[inner[0]] == spans[element]:
        inner = inner[0]
    return inner.tag in _PARAGRAPHS


def _wrapper(element: HtmlElement, spans: Spans) -> HtmlElement:
    """The outermost element around nothing but this one."""
    while (above := element.getparent()) is not None and spans[above] == spans[element]:
        element = above
    return element


def _add_headings(layout: Layout, chosen: bytearray) -> None:
    """A heading is kept when text of its section is, however the extractor judged it."""
    blocks = layout.blocks
    title = next((block for block in blocks if block.container.tag == "h1"), None)
    for index in range(len(blocks) - 1, -1, -1):
        block = blocks[index]
        if chosen[block.start] or block.container.tag not in HEADINGS or block.zone & _UNWANTED:
            continue
        if block is title:  # it stands in the head of the answer
            continue
        if _leads(index, layout, chosen):
            _take(chosen, block.start, block.stop)


def _leads(index: int, layout: Layout, chosen: bytearray) -> bool:
    blocks, spans = layout.blocks, layout.page.spans
    heading = blocks[index].container
    for block in blocks[index + 1 : index + 1 + LOOK_AHEAD]:
        if chosen[block.start]:
            return is_close(heading, block.container, spans) and not _lower(block.container, heading)
        if block.container.tag in HEADINGS and block.container.tag <= heading.tag:
            return False
    return False


def _lower(element: HtmlElement, heading: HtmlElement) -> bool:
    """True for a heading of the same or a higher rank: then the first one has no text of its own."""
    return element.tag in HEADINGS and element.tag <= heading.tag


def is_close(heading: HtmlElement, element: HtmlElement, spans: Spans) -> bool:
    """True when both stand under one container, at most three levels above the heading in its wrappers."""
    above = _wrapper(heading, spans)
    for _ in range(3):
        parent = above.getparent()
        if parent is None:
            return False
        above = parent
        if above is element or above in element.iterancestors():
            return True
    return False


def _take(chosen: bytearray, start: int, stop: int) -> None:
    chosen[start:stop] = b"\x01" * (stop - start)
