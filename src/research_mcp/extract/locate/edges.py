"""The edges of the chosen text: the logo above it, headings over what was left out, the rights below."""

from __future__ import annotations

import re
from itertools import islice

from lxml.html import HtmlElement

from research_mcp.extract.html.tags import HEADINGS
from research_mcp.extract.locate.features import Block, Layout
from research_mcp.extract.locate.mend import is_close
from research_mcp.extract.locate.zones import FURNITURE, Zone

LOGO = 40
"""Characters of a link in the header of a site that may be its logo."""
RIGHTS = 200
"""Characters of a line on rights."""
OUTLINE = 0.5
"""Share of the headings from which on those without text are the text: an outline, a list of cards."""
_ROOT = re.compile(r"(?:https?://[^/?#]+)?/?")
_OTHERS = Zone.RELATED | Zone.REVIEWS | Zone.COMMENTS
_RIGHTS = re.compile(
    r"\W*(?:©|\(c\)|copyright\b)(?=.*(?:\b(?:19|20)\d\d\b|\brights reserved\b))", re.IGNORECASE | re.DOTALL
)


def trim(layout: Layout, chosen: bytearray, *, article: bool) -> None:
    """Take out the logo, headings over links and reviews that were left out, and the line on rights.

    An `article` keeps that line: there it names whose text it is.
    """
    kept = [block for block in layout.blocks if chosen[block.start]]
    if len(kept) > 1 and _is_logo(kept[0]):
        _drop(chosen, kept.pop(0))
    if not article and len(kept) > 1 and kept[-1].size <= RIGHTS and _RIGHTS.match(layout.text(kept[-1])):
        _drop(chosen, kept.pop())
    headings = [block for block in kept if block.container.tag in HEADINGS]
    bare = _bare_headings(layout, chosen) if headings else []
    if len(bare) == 1 or len(bare) < OUTLINE * len(headings):
        for block in bare:
            _drop(chosen, block)


def _is_logo(block: Block) -> bool:
    """True for a short link in the header; one that is a heading has to lead to the root of a site."""
    if not block.zone & Zone.HEADER or block.size > LOGO or block.linked < block.size:
        return False
    return block.container.tag not in HEADINGS or _leads_home(block.container)


def _leads_home(heading: HtmlElement) -> bool:
    links = [*heading.iter("a"), *heading.iterancestors("a")]
    return any(_ROOT.fullmatch(link.get("href", "").strip()) for link in links)


def _bare_headings(layout: Layout, chosen: bytearray) -> list[Block]:
    """Headings below the first rank whose section was left out."""
    left = bytearray(chosen)
    bare: list[Block] = []
    for index in range(len(layout.blocks) - 1, -1, -1):
        block = layout.blocks[index]
        tag = block.container.tag
        titled = left[block.start] and tag in HEADINGS and tag != "h1" and not block.linked
        if titled and _lost_links(index, layout, left):
            bare.append(block)
            _drop(left, block)
    return bare


def _lost_links(index: int, layout: Layout, chosen: bytearray) -> bool:
    """True when nothing of a heading's section was chosen, and most of it were links or what others say."""
    heading = layout.blocks[index]
    size = elsewhere = 0
    for block in islice(layout.blocks, index + 1, None):
        if block.container.tag in HEADINGS and block.container.tag <= heading.container.tag:
            break
        if chosen[block.start]:
            return False
        foreign = block.zone & ~heading.zone & FURNITURE
        if not foreign and is_close(heading.container, block.container, layout.page.spans):
            size += block.size
            elsewhere += block.size if block.zone & _OTHERS else block.linked
    return elsewhere * 2 > size


def _drop(chosen: bytearray, block: Block) -> None:
    chosen[block.start : block.stop] = bytes(block.stop - block.start)
