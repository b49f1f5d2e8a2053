"""Which blocks of a page are its text.

An article is what the extractor located, made whole: lists, tables, code and headings that it tore
are mended, and nothing is added that it did not vouch for. On other pages (shops, listings, forums,
services) the located text is one witness among several, and a model of the blocks decides.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from enum import Enum
from itertools import compress

from research_mcp.extract.html.posts import Post
from research_mcp.extract.html.tags import HEADINGS
from research_mcp.extract.locate.blockmodel import is_text
from research_mcp.extract.locate.edges import trim
from research_mcp.extract.locate.extractors import Located
from research_mcp.extract.locate.features import Block, Layout, is_price
from research_mcp.extract.locate.mend import mend
from research_mcp.extract.locate.shelves import CARD_LINKED, settle_cards
from research_mcp.extract.locate.textmap import TextMap
from research_mcp.extract.locate.zones import FURNITURE, Zone

AGREEMENT = 0.6  # located text against that of the second extractor
ARTICLE_OF_PAGE = 0.3  # prose located, against all text of the page
ARTICLE_OF_MAIN = 0.8  # or against what was located, when that is
ARTICLE_MIN = 500  # characters long at least
SHORTEST_TITLE = 8  # characters; shorter ones have to be the same
_WORD = re.compile(r"\w{4,}")
_ABOVE_TITLE = Zone.CONSENT | Zone.NOTICE | Zone.NAV  # what is no text before the heading of a page
REPEAT_MIN = 60  # characters from which on a repeated block is no label
_MAY_REPEAT = frozenset({"pre", "td", "th"})
_RIGHTS = re.compile(r"[©ⓒ]|\bcopyright\b|\brights reserved\b", re.IGNORECASE)
FORMAL_OF_PAGE = 0.2  # share of the text from which consent or rights are its subject
LABEL = 80  # characters of a line about the author of a post
BUTTONS = 3  # posts with a link of the same words: a button
PRICE_WITHIN = 12  # blocks after the title
PRICE_LENGTH = 60  # characters


class Topic(Enum):
    """What a page says it is about, as far as that decides what belongs to its text."""

    OTHER = "other"
    THREAD = "thread"
    PRODUCT = "product"


def choose(
    page: TextMap, located: Located, title: str, topic: Topic = Topic.OTHER, posts: Iterable[Post] = ()
) -> bytearray:
    """One byte for each slot: 1 when it belongs to the text of the page.

    The heading of an article that only repeats its stated `title` is left out: the title has a
    place of its own in every answer. In a thread the comments are text like any other; on the page
    of a product the reviews and the other products are not. The bodies of `posts` are kept, their
    authors and dates are left to the line that introduces each.
    """
    layout = Layout(page, located)
    chosen = bytearray(located.main)
    article = is_article(layout)
    answers = [block for block in layout.blocks if topic is Topic.THREAD and block.zone & Zone.COMMENTS]
    for block in answers:
        block.zone &= ~Zone.COMMENTS
    if article and answers:
        _add_answers(layout, chosen, answers)
    if not article:
        _ask_model(layout, chosen)
        _add_title(layout, chosen)
    if not article or topic is Topic.PRODUCT:
        _drop_repeats(layout, chosen)
    mend(layout, chosen, thread=topic is Topic.THREAD)
    _settle_others(layout, chosen, topic, article=article)
    for post in posts:
        _settle_post(layout, chosen, post)
    if topic is Topic.THREAD:
        _drop_controls(layout, chosen)
    if article:
        _settle_title(layout, chosen, title)
    if not any(chosen):
        _take_plain(layout, chosen)
    trim(layout, chosen, article=article)
    return chosen


def _settle_others(layout: Layout, chosen: bytearray, topic: Topic, *, article: bool) -> None:
    """The cards of a listing, requests for consent, and on the page of one product the other ones."""
    if not article and topic is not Topic.THREAD:
        settle_cards(layout, chosen)
    _drop_formal(layout, chosen)
    if topic is Topic.PRODUCT:
        _drop_others(layout, chosen)


def is_article(layout: Layout) -> bool:
    """True when the located text is mostly prose and both extractors agree that little is missing."""
    if layout.main <= AGREEMENT * layout.check:
        return False
    long_prose = layout.prose > ARTICLE_OF_MAIN * layout.main and layout.main > ARTICLE_MIN
    return long_prose or layout.prose > ARTICLE_OF_PAGE * layout.total


def _drop_controls(layout: Layout, chosen: bytearray) -> None:
    """Take out signatures and the buttons under each post: the same short links again and again."""
    links = [block for block in layout.blocks if block.size < LABEL and block.linked * 2 > block.size]
    labels = Counter(layout.text(block) for block in links)
    for block in links:
        if labels[layout.text(block)] >= BUTTONS:
            _set(chosen, block, False)
    for block in layout.blocks:
        if block.zone & Zone.CONTROLS:
            _set(chosen, block, False)


def _ask_model(layout: Layout, chosen: bytearray) -> None:
    blocks = layout.blocks
    taken = [is_text(features) for features in layout.features()]
    title = next((index for index, block in enumerate(blocks) if block.container.tag == "h1"), 0)
    others = [index for index, block in enumerate(blocks) if taken[index] and _leads_elsewhere(block)]
    if 2 * sum(blocks[index].size for index in others) > sum(block.size for block in compress(blocks, taken)):
        others = []  # a page that is all "latest" or "popular" is about those
    for index, block in enumerate(blocks):
        named = block.zone & (Zone.CONSENT if index >= title or block.vouched else _ABOVE_TITLE)
        _set(chosen, block, taken[index] and not named)
    for index in others:
        _set(chosen, blocks[index], False)


def _add_answers(layout: Layout, chosen: bytearray, answers: list[Block]) -> None:
    """The posts of a thread whose first one reads like an article."""
    wanted = {block.start for block in answers}
    for block, features in zip(layout.blocks, layout.features(), strict=True):
        if block.start in wanted and is_text(features):
            _set(chosen, block, True)


def _settle_post(layout: Layout, chosen: bytearray, post: Post) -> None:
    """Keep the body; what stands before it (who, when, rank, number of the post) is said by the byline."""
    spans = layout.page.spans
    start, stop = spans[post.element]
    if post.body is not None:
        first, last = spans[post.body]
        _fill(chosen, first, last, value=True)
        for block in layout.within(start, first):
            if block.size < LABEL and block.container.tag not in HEADINGS:
                _set(chosen, block, False)
    if any(chosen[start:stop]):
        for head in post.heads:
            _fill(chosen, *spans[head], value=False)


def _leads_elsewhere(block: Block) -> bool:
    """True for links that are named as those to other things."""
    return not block.vouched and bool(block.zone & Zone.RELATED) and block.linked * 2 > block.size


def _drop_repeats(layout: Layout, chosen: bytearray) -> None:
    """The same sentence again is the page's other form for small screens, or its folded copy."""
    seen: set[str] = set()
    for block in layout.blocks:
        if block.size >= REPEAT_MIN and chosen[block.start] and block.container.tag not in _MAY_REPEAT:
            text = " ".join(layout.text(block).split())
            if text in seen:
                _set(chosen, block, False)
            seen.add(text)


def _drop_formal(layout: Layout, chosen: bytearray) -> None:
    """Take out requests for consent and the line on rights at the foot, unless the page is about them."""
    formal = [block for block in layout.blocks if chosen[block.start] and _is_formal(block, layout)]
    if sum(block.size for block in formal) < FORMAL_OF_PAGE * layout.page.taken(chosen):
        for block in formal:
            _set(chosen, block, False)


def _is_formal(block: Block, layout: Layout) -> bool:
    if block.zone & Zone.CONSENT:
        return True
    return bool(block.zone & Zone.FOOTER) and not block.vouched and bool(_RIGHTS.search(layout.text(block)))


def _drop_others(layout: Layout, chosen: bytearray) -> None:
    """Take reviews and cards of other products off the page of one, unless little else is left."""
    others = [block for block in layout.blocks if chosen[block.start] and _is_of_another(block, layout)]
    if 2 * sum(block.size for block in others) < sum(b.size for b in layout.blocks if chosen[b.start]):
        for block in others:
            _set(chosen, block, False)


def _is_of_another(block: Block, layout: Layout) -> bool:
    if block.zone & (Zone.REVIEWS | Zone.RELATED):
        return True
    for element in (block.container, *block.container.iterancestors()):
        group = layout.groups.get(element)
        if group is not None and group.linked > CARD_LINKED:
            return any(is_price(layout.page.text_of(member)) for member in group.members[:3])
    return False


def _add_title(layout: Layout, chosen: bytearray) -> None:
    """The heading of a shop, listing or service, and the price that follows it."""
    titles = [index for index, block in enumerate(layout.blocks) if block.container.tag == "h1"]
    if len(titles) != 1:
        return
    first = titles[0]
    _set(chosen, layout.blocks[first], True)
    for block in layout.blocks[first + 1 : first + 1 + PRICE_WITHIN]:
        if block.size < PRICE_LENGTH and is_price(layout.text(block)) and not block.zone & FURNITURE:
            _set(chosen, block, True)
            return


def _settle_title(layout: Layout, chosen: bytearray, title: str) -> None:
    """Leave out the heading that says what the stated title says; keep the only one that says more."""
    headings = [block for block in layout.blocks if block.container.tag == "h1"]
    for block in headings:
        if same_title(layout.text(block), title):
            _set(chosen, block, False)
        elif len(headings) == 1 and not block.zone & FURNITURE and not _alike(layout.text(block), title):
            _set(chosen, block, True)


def _alike(heading: str, title: str) -> bool:
    """True when a heading has words of the stated title, in another form or language of the site."""
    return not set(_WORD.findall(heading.lower())).isdisjoint(_WORD.findall(title.lower()))


def same_title(heading: str, title: str) -> bool:
    """True when a heading says what the stated title says, be it with the site's name around it."""
    one, other = (" ".join(text.lower().split()) for text in (heading, title))
    shorter, longer = sorted((one, other), key=len)
    return shorter == longer or (len(shorter) > SHORTEST_TITLE and shorter in longer)


def _take_plain(layout: Layout, chosen: bytearray) -> None:
    """Nothing was found: all that is not furniture, or else all there is."""
    blocks = layout.blocks
    plain = [block for block in blocks if not block.zone & FURNITURE and block.linked * 2 < block.size]
    for block in plain or blocks:
        _set(chosen, block, True)


def _set(chosen: bytearray, block: Block, value: bool) -> None:
    _fill(chosen, block.start, block.stop, value=value)


def _fill(chosen: bytearray, start: int, stop: int, *, value: bool) -> None:
    chosen[start:stop] = bytes([value]) * (stop - start)
