"""XML parts: parsed without entities or network, as far as they go, and asked by local names.

The same element has two namespaces in the two flavours of Office files, and none in broken ones.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from urllib.parse import unquote

from lxml import etree

from research_mcp.extract.office.archive import Archive, Damaged

Element = etree._Element  # noqa: SLF001  # lxml gives its element class no other name

_OFF = frozenset({"0", "false", "off", "none"})


def parse(data: bytes) -> Element | None:
    """The tree of a part, cut where the XML breaks off; None when there is none."""
    parser = etree.XMLParser(
        recover=True,
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        return etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError):
        return None


def name(element: Element) -> str:
    """The local name of an element."""
    return str(element.tag).rpartition("}")[2]


def kids(element: Element | None, wanted: str = "*") -> Iterator[Element]:
    """The children of this local name, all by default."""
    return iter(()) if element is None else element.iterchildren("{*}" + wanted)


def kid(element: Element | None, *path: str) -> Element | None:
    """The first descendant along a path of local names."""
    for step in path:
        element = next(kids(element, step), None)
    return element


def every(element: Element | None, *wanted: str) -> Iterator[Element]:
    """All descendants of these local names, in document order."""
    return iter(()) if element is None else element.iter(*("{*}" + each for each in wanted))


def attr(element: Element | None, wanted: str) -> str:
    """An attribute by its local name, "" when it is not there."""
    if element is None:
        return ""
    plain = element.get(wanted)
    if plain is not None:
        return plain
    ending = "}" + wanted
    return next((str(value) for key, value in element.attrib.items() if str(key).endswith(ending)), "")


def reference(element: Element | None) -> str:
    """The id of a relation (`r:id`), which may stand beside an id of another kind."""
    keys = () if element is None else element.attrib.items()
    return next((str(value) for key, value in keys if str(key).endswith("}id")), "")


def number(element: Element | None, wanted: str, default: int) -> int:
    """An attribute as a number of at most nine digits."""
    text = attr(element, wanted).strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else default


def is_on(element: Element | None) -> bool:
    """A switch such as `<w:b/>`: there, and not switched off by its value."""
    return element is not None and attr(element, "val").lower() not in _OFF


def text_of(element: Element | None) -> str:
    """All text below an element, on one line."""
    return "" if element is None else " ".join("".join(map(str, element.itertext())).split())


class Relations:
    """What a part of an Office file refers to, by id: other parts, and places outside."""

    def __init__(self, archive: Archive, part: str) -> None:
        folder, _, file = part.rpartition("/")
        self._folder = folder
        self._targets: dict[str, str] = {}
        self._kinds: dict[str, str] = {}
        for relation in kids(parse(archive.read(posixpath.join(folder, "_rels", f"{file}.rels")))):
            key, target = attr(relation, "Id"), attr(relation, "Target")
            if attr(relation, "TargetMode") == "External":
                self._targets[key] = target
                continue
            kind = attr(relation, "Type").rpartition("/")[2]
            self._targets[key] = self._inside(target)
            self._kinds.setdefault(kind, self._targets[key])

    def __getitem__(self, key: str) -> str:
        return self._targets.get(key, "")

    def of_kind(self, kind: str, default: str = "") -> str:
        """The first part of a kind ("styles", "notesSlide")."""
        return self._kinds.get(kind, default)

    def _inside(self, target: str) -> str:
        return posixpath.normpath(posixpath.join("/" + self._folder, unquote(target))).lstrip("/")


def main_part(archive: Archive, usual: str, root: str) -> tuple[Element, Relations]:
    """The part a package opens with, at its `usual` place unless it says another, and what it refers to.

    Raises `Damaged` when it is not a `root`, and what the archive raises.
    """
    part = Relations(archive, "").of_kind("officeDocument", usual)
    element = parse(archive.read(part))
    if element is None or name(element) != root:
        raise Damaged
    return element, Relations(archive, part)
