"""The cards of a listing or shop are alike: the last ends as the others do, and none is a bare price."""

from __future__ import annotations

import re

from lxml.html import HtmlElement

from research_mcp.extract.locate.cards import Group
from research_mcp.extract.locate.features import Block, Layout, is_price

CARD_LINKED = 0.3  # share of a card that is a link
FEWEST_ALIKE = 2  # cards that have what the last lacks
_BARE = re.compile(r"(?:[\W\d_]|\b[A-Z]{3}\b)*")  # signs, digits and the code of a currency


def settle_cards(layout: Layout, chosen: bytearray) -> None:
    """Give the last card of a group the end that the others have; take out prices without a name."""
    spans = layout.page.spans
    for group in dict.fromkeys(layout.groups.values()):
        if chosen.find(1, spans[group.members[0]][0], spans[group.members[-1]][1]) < 0:
            continue
        _end_last(group, layout, chosen)
        if group.linked > CARD_LINKED and _is_priced(group, layout):
            for member in group.members:
                _drop_bare(layout.within(*spans[member]), layout, chosen)


def _end_last(group: Group, layout: Layout, chosen: bytearray) -> None:
    """Choose the line at the end of the last card when it is chosen of every other card."""
    start, stop = layout.page.spans[group.members[-1]]
    if chosen[stop - 1] or chosen.find(1, start, stop) < 0:
        return
    *others, last = [layout.within(*layout.page.spans[member])[-1:] for member in group.members]
    kinds = {_kind(end.container) for card in (last, *others) for end in card}
    ends = [end for card in others for end in card]
    if len(kinds) == 1 and len(ends) >= FEWEST_ALIKE and all(chosen[end.start] for end in ends):
        for end in last:
            _set(chosen, end, True)


def _kind(element: HtmlElement) -> tuple[str, str]:
    return element.tag, element.get("class", "")


def _is_priced(group: Group, layout: Layout) -> bool:
    priced = sum(is_price(layout.page.text_of(member)) for member in group.members)
    return 2 * priced > len(group.members)


def _drop_bare(card: list[Block], layout: Layout, chosen: bytearray) -> None:
    """Take out the price of a card whose linked name was not chosen."""
    kept = [block for block in card if chosen[block.start]]
    texts = [layout.text(block) for block in kept]
    nameless = any(block.linked and not chosen[block.start] for block in card)
    if nameless and any(map(is_price, texts)) and all(map(_BARE.fullmatch, texts)):
        for block in kept:
            _set(chosen, block, False)


def _set(chosen: bytearray, block: Block, value: bool) -> None:
    chosen[block.start : block.stop] = bytes([value]) * (block.stop - block.start)
