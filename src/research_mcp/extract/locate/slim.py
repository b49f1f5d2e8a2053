"""A small copy of a page's tree for trafilatura, which asks every element some twenty questions.

Left out is what cannot change its answer: furniture that it drops first thing, elements without
text, names that none of its expressions look for, and wrappers around one and the same text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import copy
from functools import lru_cache

from lxml import etree
from lxml.html import HtmlElement
from trafilatura import xpaths

from research_mcp.extract.locate.textmap import TextMap

_DROPPED = frozenset(
    {"nav", "footer", "aside", "menu", "button", "label", "legend", "time", "noscript", "picture"}
)
_SHAPES = frozenset({"html", "body", "br", "hr", "img", "td", "th", "tr", "li"})
_GONE, _LOOSE = "gone", "loose"
_NAMES = ("class", "id")
_TOLD_BY = frozenset(
    {"role", "itemprop", "style", "aria-hidden", "data-component", "data-lp-replacement-content"}
)
_KNOWN_NAMES = 16_384
# What its code, as against its expressions, looks for: code blocks and questions.
_IN_CODE = ("w3-code", "schema-faq", "highlight", "^hljs")
_TEST = re.compile(r"re:test\([^']*'([^']*)'")
_CONTAINS = re.compile(
    r"contains\((?:@(?:class|id)|translate\(@(?:class|id), *'[^']*', *'[^']*'\)), *'([^']*)'\)"
)
_STARTS = re.compile(r"starts-with\(@[^']*'([^']*)'\)")
_CAPITAL = re.compile(r"(?<!\\)[A-Z]")  # those behind a backslash stand for a kind of character
_EQUALS = re.compile(r"@(?:class|id)='([^']*)'")


def slim(page: TextMap) -> HtmlElement:
    """The copy. Its texts carry the marks of `page`, which stays as it is."""
    root = copy(page.root)
    spans = page.spans
    bare: dict[HtmlElement, HtmlElement] = {}  # <div>s that say nothing, by their originals
    for element, twin in zip(page.elements, root.iter("*"), strict=True):
        tag = element.tag
        span = spans[element]
        if tag in _DROPPED or (span[0] == span[1] and tag not in _SHAPES):
            twin.tag = _GONE
            continue
        names = twin.attrib
        if names and _tells(names):
            continue
        if tag == "span":
            twin.tag = _LOOSE
        elif tag == "div":
            bare[element] = twin
            above = element.getparent()
            if above in bare and spans[above] == span:
                bare[above].tag = _LOOSE
    etree.strip_elements(root, _GONE, with_tail=False)  # in linear time, which one by one is not
    etree.strip_tags(root, _LOOSE)
    return root


def _tells(names: etree._Attrib) -> bool:
    """True when an attribute may matter to trafilatura; names that cannot are taken off."""
    for name in _NAMES:
        value = names.get(name)
        if value is not None and _is_telling(value):
            return True
    for name in _NAMES:
        names.pop(name, "")
    return not _TOLD_BY.isdisjoint(names)


@lru_cache(maxsize=_KNOWN_NAMES)
def _is_telling(names: str) -> bool:
    return _telling_names().search(names.lower()) is not None


@lru_cache(maxsize=1)
def _telling_names() -> re.Pattern[str]:
    """All names that trafilatura's expressions ask for, read from the expressions, in lower case.

    Lower-case text in a pattern that minds the case is found in a quarter of the time.
    """
    groups = (
        xpaths.BODY_XPATH,
        xpaths.RAW_TREE_PRUNE_XPATH,
        xpaths.REMOVE_COMMENTS_AND_LISTS_XPATH,
        xpaths.OVERALL_DISCARD_XPATH,
        xpaths.TEASER_DISCARD_XPATH,
        xpaths.DISCARD_IMAGE_ELEMENTS,
    )
    asked = dict.fromkeys(name for group in groups for xpath in group for name in _asked(str(xpath.path)))
    return re.compile(_CAPITAL.sub(lambda found: found[0].lower(), "|".join((*asked, *_IN_CODE))))


def _asked(expression: str) -> Iterator[str]:
    yield from _TEST.findall(expression)
    yield from (re.escape(part) for part in _CONTAINS.findall(expression))
    yield from (f"^{re.escape(start)}" for start in _STARTS.findall(expression))
    yield from (f"^{re.escape(whole)}$" for whole in _EQUALS.findall(expression))
