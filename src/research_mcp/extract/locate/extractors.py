"""Where the text of a page is: two extractors point, a third never guesses.

trafilatura (comments off) finds; resiliparse gives a second opinion for the price of a few
milliseconds. Both see the numbered tree of `textmap` and answer with the slots they would keep.
trafilatura goes its quick way first. The slow way, where it compares itself with two further
extractors, is for pages on which the quick one found little, or what is no running text.
"""

from __future__ import annotations

import logging
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

import trafilatura
from lxml import etree
from lxml.html import HtmlElement
from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.html import HTMLTree
from trafilatura.settings import Extractor

from research_mcp.extract.locate.slim import slim
from research_mcp.extract.locate.textmap import TextMap

# Some of trafilatura's steps are quadratic in the links or cells of one element, and its many
# copies cost memory: beyond these sizes the second extractor alone points.
MAX_ELEMENTS = 40_000
MAX_SIBLINGS = 2_000
# trafilatura's own conditions for its slow way. Its first rival is some three times slower than
# resiliparse, which stands in for it here; its last resort for pages of which it found a small part
# costs most and changes nothing after the model of blocks.
SHORT = 250
_RIVAL = 2
_RIVAL_MIN = 500


@dataclass(frozen=True, slots=True)
class Located:
    """One byte for each slot and extractor: 1 where it found main text."""

    main: bytearray
    check: bytearray


def locate(page: TextMap) -> Located:
    """Ask both extractors which slots hold the main text."""
    check = _ask_resiliparse(page)
    if _too_large(page):
        return Located(bytearray(len(page)), check)
    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
    small = slim(page)
    body = _ask_trafilatura(small, fast=True)
    main = _vouched(page, body)
    if body is None or _is_doubtful(page, body, main, check):
        main = _vouched(page, _ask_trafilatura(small, fast=False))
    return Located(main, check)


def _too_large(page: TextMap) -> bool:
    if len(page.elements) <= MAX_SIBLINGS or len(page.elements) > MAX_ELEMENTS:
        return len(page.elements) > MAX_ELEMENTS
    parents = Counter(element.getparent() for element in page.elements if element.tag in ("a", "td", "th"))
    return max(parents.values(), default=0) > MAX_SIBLINGS


def _ask_trafilatura(root: HtmlElement, *, fast: bool) -> etree._Element | None:
    body = getattr(trafilatura.bare_extraction(root, options=_options(fast=fast)), "body", None)
    return body if isinstance(body, etree._Element) else None  # noqa: SLF001 - the only public name of the class


@lru_cache(maxsize=2)
def _options(*, fast: bool) -> Extractor:
    """Made once: reading the configuration takes longer than a small page."""
    return Extractor(output_format="txt", fast=fast, comments=False)


def _vouched(page: TextMap, body: etree._Element | None) -> bytearray:
    return page.vouched("".join(map(str, body.itertext())) if body is not None else "")


def _is_doubtful(page: TextMap, body: etree._Element, main: bytearray, check: bytearray) -> bool:
    """True when trafilatura itself would look for something better than this."""
    found, rival = page.taken(main), page.taken(check)
    if found < SHORT or rival > _RIVAL * found:
        return True
    paragraphs, grids = body.findall(".//p"), body.findall(".//table")
    return rival > _RIVAL_MIN and (len(grids) > len(paragraphs) or not body.xpath(".//p//text()"))


def _ask_resiliparse(page: TextMap) -> bytearray:
    tree = HTMLTree.parse_from_bytes(etree.tostring(page.root, encoding="utf-8", method="html"), "utf-8")
    return page.vouched(extract_plain_text(tree, main_content=True, alt_texts=False))
