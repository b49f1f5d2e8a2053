"""Where the text of a page is: two extractors point, a third never guesses.

trafilatura (comments off) finds; resiliparse gives a second opinion for the price of a few
milliseconds. Both see the numbered tree of `textmap` and answer with the slots they would keep.
"""

from __future__ import annotations

import logging
from collections import Counter
from dataclasses import dataclass

import trafilatura
from lxml import etree
from resiliparse.extract.html2text import extract_plain_text

from research_mcp.extract.textmap import TextMap

# Some of trafilatura's steps are quadratic in the links or cells of one element, and its many
# copies cost memory: beyond these sizes the second extractor alone points.
MAX_ELEMENTS = 40_000
MAX_SIBLINGS = 2_000


@dataclass(frozen=True, slots=True)
class Located:
    """One byte for each slot and extractor: 1 where it found main text."""

    main: bytearray
    check: bytearray


def locate(page: TextMap, url: str) -> Located:
    """Ask both extractors which slots hold the main text."""
    main = bytearray(len(page)) if _too_large(page) else _ask_trafilatura(page, url)
    return Located(main, _ask_resiliparse(page))


def _too_large(page: TextMap) -> bool:
    if len(page.elements) > MAX_ELEMENTS:
        return True
    parents = Counter(element.getparent() for element in page.elements if element.tag in ("a", "td", "th"))
    return max(parents.values(), default=0) > MAX_SIBLINGS


def _ask_trafilatura(page: TextMap, url: str) -> bytearray:
    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
    document = trafilatura.bare_extraction(page.root, url=url, include_comments=False)
    body = getattr(document, "body", None)
    if not isinstance(body, etree._Element):  # noqa: SLF001 - the only public name of the class
        return bytearray(len(page))
    return page.vouched(str(text) for text in body.itertext())


def _ask_resiliparse(page: TextMap) -> bytearray:
    html = etree.tostring(page.root, encoding="unicode", method="html")
    return page.vouched([extract_plain_text(html, main_content=True, alt_texts=False)])
