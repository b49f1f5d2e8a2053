"""E-books: the chapters of an EPUB in the order of its spine."""

from __future__ import annotations

import posixpath
import re
from urllib.parse import unquote

from research_mcp.extract.charset import decode
from research_mcp.extract.gates import shape_of, tame
from research_mcp.extract.hidden.linear import plain_text
from research_mcp.extract.html.page import convert_whole
from research_mcp.extract.office.archive import Archive, Damaged, Locked
from research_mcp.extract.office.draft import Draft
from research_mcp.extract.office.facts import state
from research_mcp.extract.office.xmltree import Element, attr, every, kid, kids, name, parse, text_of

_CHAPTER_TYPES = frozenset({"application/xhtml+xml", "text/html", "application/x-dtbook+xml", ""})
_NOTE = re.compile(r"\[\^(\w{1,4})\]")
_BODY = re.compile(r"<body\b", re.IGNORECASE)


def read_epub(archive: Archive, draft: Draft) -> None:
    """Add the chapters of a book to `draft`. Raises what the archive and the draft raise."""
    container = parse(archive.read("META-INF/container.xml"))
    path = attr(next(every(container, "rootfile"), None), "full-path")
    package = parse(archive.read(path))
    if package is None:
        raise Damaged
    state(draft, kid(package, "metadata"))
    book = _Book(archive, path, package)
    for count, chapter in enumerate(book.chapters, 1):
        if chapter in book.locked:
            raise Locked
        html = decode(archive.read(chapter), "application/xhtml+xml").text
        text = _converted(html, draft)
        if count > 1:
            text = _NOTE.sub(rf"[^{count}-\1]", text)  # every chapter counts its notes anew
        if text and not text.startswith("#") and chapter in book.names:
            draft.add(f"## {book.names[chapter]}", frame=True)
        draft.add(text)


class _Book:
    """The package of a book: its chapters, their names in the table of contents, what is locked."""

    def __init__(self, archive: Archive, path: str, package: Element) -> None:
        items = {attr(item, "id"): item for item in kids(kid(package, "manifest"), "item")}
        self.chapters = list(
            dict.fromkeys(
                _at(path, attr(items[key], "href"))
                for key in (attr(place, "idref") for place in kids(kid(package, "spine"), "itemref"))
                if key in items and _is_chapter(items[key])
            )
        )
        self.names: dict[str, str] = {}
        for item in items.values():
            if "nav" in attr(item, "properties").split() or "dtbncx" in attr(item, "media-type"):
                part = _at(path, attr(item, "href"))
                self._name(parse(archive.read(part)), part)
        locks = parse(archive.read("META-INF/encryption.xml"))
        self.locked = {
            posixpath.normpath(unquote(attr(place, "URI"))) for place in every(locks, "CipherReference")
        }

    def _name(self, contents: Element | None, part: str) -> None:
        for entry in every(contents, "a", "navPoint"):
            is_link = name(entry) == "a"
            label = text_of(entry if is_link else kid(entry, "navLabel"))[:300]
            target = attr(entry, "href") if is_link else attr(kid(entry, "content"), "src")
            if label and target:
                self.names.setdefault(_at(part, target), label)


def _is_chapter(item: Element) -> bool:
    """True for text that is not the book's machine-made table of contents."""
    return attr(item, "media-type") in _CHAPTER_TYPES and "nav" not in attr(item, "properties").split()


def _at(part: str, target: str) -> str:
    """Where a reference in a part leads, as a member's name."""
    path = posixpath.join(posixpath.dirname(part), unquote(target.partition("#")[0]))
    return posixpath.normpath("/" + path).lstrip("/")


def _converted(html: str, draft: Draft) -> str:
    """A chapter as Markdown; its words only where its tree would take too long."""
    if not _BODY.search(html):
        html = f"<html><body>{html}</body></html>"
    shape = shape_of(html)
    if not shape.hopeless:
        return convert_whole(tame(html, shape))
    rest = plain_text(html)
    if rest.cut:
        draft.cut = "a chapter is too large"
    return rest.text
