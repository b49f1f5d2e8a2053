"""Where the text of a page is: two extractors point, a third never guesses.

trafilatura (comments off) finds; resiliparse gives a second opinion for the price of a few
milliseconds. Both see the numbered tree of `textmap` and answer with the slots they would keep.
trafilatura goes its quick way first. The slow way, where it compares itself with two further
extractors, is for pages on which the quick one found little, or what is no running text.
"""

from __future__ import annotations

import logging
from collections import Counter
from copy import copy
from dataclasses import dataclass

import trafilatura
from lxml import etree
from lxml.html import HtmlElement
from resiliparse.extract.html2text import extract_plain_text

from research_mcp.extract.textmap import TextMap

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
# trafilatura drops these first thing: without them its copies and searches are smaller.
_DROPPED = ("nav", "footer", "aside", "menu", "button", "label", "legend", "time", "noscript", "picture")
_GONE = "gone"
_SHAPES = frozenset({"html", "body", "br", "hr", "img", "td", "th", "tr", "li"})


@dataclass(frozen=True, slots=True)
class Located:
    """One byte for each slot and extractor: 1 where it found main text."""

    main: bytearray
    check: bytearray


def locate(page: TextMap, url: str) -> Located:
    """Ask both extractors which slots hold the main text."""
    check = _ask_resiliparse(page)
    if _too_large(page):
        return Located(bytearray(len(page)), check)
    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
    slim = _slim(page)
    body = _ask_trafilatura(slim, url, fast=True)
    main = _vouched(page, body)
    if body is None or _is_doubtful(page, body, main, check):
        main = _vouched(page, _ask_trafilatura(slim, url, fast=False))
    return Located(main, check)


def _too_large(page: TextMap) -> bool:
    if len(page.elements) > MAX_ELEMENTS:
        return True
    parents = Counter(element.getparent() for element in page.elements if element.tag in ("a", "td", "th"))
    return max(parents.values(), default=0) > MAX_SIBLINGS


def _slim(page: TextMap) -> HtmlElement:
    """A copy of the tree without furniture by tag and without elements that hold no text."""
    root = copy(page.root)
    for element, twin in zip(page.elements, root.iter("*"), strict=True):
        start, stop = page.spans[element]
        if element.tag in _DROPPED or (start == stop and element.tag not in _SHAPES):
            twin.tag = _GONE
    etree.strip_elements(root, _GONE, with_tail=False)  # in linear time, which one by one is not
    return root


def _ask_trafilatura(root: HtmlElement, url: str, *, fast: bool) -> etree._Element | None:
    document = trafilatura.bare_extraction(
        root, url=url, include_comments=False, fast=fast, output_format="txt"
    )
    body = getattr(document, "body", None)
    return body if isinstance(body, etree._Element) else None  # noqa: SLF001 - the only public name of the class


def _vouched(page: TextMap, body: etree._Element | None) -> bytearray:
    return page.vouched(str(text) for text in body.itertext()) if body is not None else bytearray(len(page))


def _is_doubtful(page: TextMap, body: etree._Element, main: bytearray, check: bytearray) -> bool:
    """True when trafilatura itself would look for something better than this."""
    found, rival = page.taken(main), page.taken(check)
    if found < SHORT or rival > _RIVAL * found:
        return True
    paragraphs, grids = body.findall(".//p"), body.findall(".//table")
    return rival > _RIVAL_MIN and (len(grids) > len(paragraphs) or not body.xpath(".//p//text()"))


def _ask_resiliparse(page: TextMap) -> bytearray:
    html = etree.tostring(page.root, encoding="unicode", method="html")
    return page.vouched([extract_plain_text(html, main_content=True, alt_texts=False)])
