"""An answer in HTML or XML as a tree to pick from: vendors need no parser of their own.

Bounded twice, because the parser's time grows with the square of the nesting depth: a page of more
than `MAX_BYTES`, or nested deeper than `MAX_DEPTH`, is `BadReply`. XML may not bring a document type,
so it has no entities to expand and nothing to load.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import cast

from lxml import etree
from selectolax.lexbor import LexborHTMLParser, LexborNode

from research_mcp.core.errors import BadReply
from research_mcp.core.wire import Reply

MAX_BYTES = 1_000_000
MAX_DEPTH = 300
_TAG = re.compile(rb"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
_DOCTYPE = re.compile(rb"<!DOCTYPE\s[^<>\[\]]{1,500}>")
_NEVER_NEST = frozenset(
    b"area base br col embed hr img input link meta source track wbr path use"
    b" p li dt dd option tr td th".split()
)
"""Void elements, and those that the next of their kind ends."""


@dataclass(frozen=True, slots=True)
class Element:
    """One element of a parsed page."""

    _node: LexborNode

    @property
    def text(self) -> str:
        """Its visible text on one line."""
        return " ".join(self._node.text(deep=True, separator="").split())

    @property
    def classes(self) -> frozenset[str]:
        """Its class names."""
        return frozenset(self.attribute("class").split())

    def attribute(self, name: str) -> str:
        """The value of an attribute, decoded; "" when it is not there."""
        return self._node.attributes.get(name) or ""

    def has(self, name: str) -> bool:
        """Whether it has an attribute, with a value or without."""
        return name in self._node.attributes

    def all(self, selector: str) -> list[Element]:
        """The elements below it that match a CSS selector, in the order of the page."""
        return [Element(node) for node in self._node.css(selector)]

    def first(self, selector: str) -> Element | None:
        """The first of `all`, None when there is none."""
        node = self._node.css_first(selector)
        return None if node is None else Element(node)


def page(reply: Reply) -> Element:
    """The root of an HTML reply. Raises `BadReply` for one that is too large or too deep to parse."""
    body = reply.body
    if len(body) > MAX_BYTES:
        raise BadReply(f"a result page of {len(body)} bytes, expected at most {MAX_BYTES}")
    if depth_of(body) > MAX_DEPTH:
        raise BadReply(f"a result page nested deeper than {MAX_DEPTH} elements")
    # an HTML parser makes a tree of anything, an empty body included
    return Element(cast("LexborNode", LexborHTMLParser(body.decode("utf-8", "replace")).root))


@dataclass(frozen=True, slots=True)
class XmlElement:
    """One element of a parsed XML answer."""

    _node: etree._Element

    @property
    def name(self) -> str:
        """Its name without a namespace."""
        return str(self._node.tag).rpartition("}")[2]

    @property
    def text(self) -> str:
        """Its text and that of all elements in it, on one line."""
        return " ".join("".join(map(str, self._node.itertext())).split())

    @property
    def pieces(self) -> list[str | XmlElement]:
        """Text and elements directly in it, in the order in which they stand; text as it was written."""
        pieces: list[str | XmlElement] = [self._node.text] if self._node.text else []
        for child in self._node:
            pieces.append(XmlElement(child))
            if child.tail:
                pieces.append(child.tail)
        return pieces

    def attribute(self, name: str) -> str:
        """The value of an attribute (`{namespace}name` where it has one); "" when it is not there."""
        return self._node.get(name, "")

    def all(self, path: str) -> list[XmlElement]:
        """The elements that `a/b/c` leads to from here, in the order of the answer.

        `.//c` is any depth, `{*}a` any namespace.
        """
        return [XmlElement(node) for node in self._node.iterfind(path)]

    def first(self, path: str) -> XmlElement | None:
        """The first of `all`, None when there is none."""
        node = self._node.find(path)
        return None if node is None else XmlElement(node)


def xml(reply: Reply, root: str, *, most: int = MAX_BYTES, typed: bool = False) -> XmlElement:
    """The root of an XML reply, whose name must be `root` (`{*}root` in any namespace).

    Raises `BadReply` for anything else: over `most` bytes, not well-formed, with a document type. With
    `typed`, one that only names its type may stand there; it is dropped unread.
    """
    body = reply.body
    if len(body) > most:
        raise BadReply(f"an XML answer of {len(body)} bytes, expected at most {most}")
    if typed:
        body = _DOCTYPE.sub(b"", body, count=1)
    if b"<!DOCTYPE" in body:
        raise BadReply("an XML answer with a document type, expected none")
    # libxml2 itself stops at 256 levels unless `huge_tree` is set
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        found = etree.fromstring(body, parser)
    except (etree.XMLSyntaxError, ValueError):
        raise BadReply(
            f"expected XML, got {len(body)} bytes of {reply.media_type or 'no content type'}"
        ) from None
    name = f"{{*}}{etree.QName(found).localname}" if root.startswith("{*}") else found.tag
    if name != root or found.getroottree().docinfo.internalDTD is not None:
        raise BadReply(f"expected an XML answer of the kind {root.removeprefix('{*}')!r}")
    return XmlElement(found)


def depth_of(body: bytes) -> int:
    """How deep a page may nest at most: tags of each name that are open at once, summed up."""
    left_open: Counter[bytes] = Counter()
    depth = deepest = 0
    for closing, tag in _TAG.findall(body):
        name = tag.lower()
        if name in _NEVER_NEST or (closing and not left_open[name]):
            continue
        step = -1 if closing else 1
        left_open[name] += step
        depth += step
        deepest = max(deepest, depth)
    return deepest
