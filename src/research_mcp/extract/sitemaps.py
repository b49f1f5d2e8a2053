"""Where a document leads: site maps and their indexes, feeds, pages, plain lists of addresses.

Runs only in the pool's processes, as `worker` does. XML is read without entities and network; markup is
read as a flat run of tags in linear time, for nothing here needs a tree.
"""

from __future__ import annotations

import email.utils
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import date
from html import unescape

from research_mcp.core.hygiene import clean_line
from research_mcp.core.models import Kind
from research_mcp.core.sitemaps import LinkKind, Links, SitePage
from research_mcp.core.wire import Document
from research_mcp.extract.charset import decode
from research_mcp.extract.html.links import Links as Resolver
from research_mcp.extract.office.xmltree import Element, attr, every, kid, kids, name, parse, text_of
from research_mcp.extract.processes.stopwatch import OutOfTime, within
from research_mcp.extract.sniff import sniff_bytes, sniff_text
from research_mcp.extract.tokens import attributes, tags, words_of

MOST_LINKS = 10_000
MOST_CHARACTERS = 6_000_000
"""Of addresses and titles that leave a worker."""

TITLE = 200
URL = 2_048
FEEDS = 5

_HEAD = 4_096
_PATIENCE = 0.6
"""Share of the time after which a document is given up before its worker is killed."""
_ROOT = re.compile(r"<(?:[a-z]+:)?(urlset|sitemapindex)[\s>]", re.IGNORECASE)
_WEB = re.compile(r"https?://[^\s<>\"]+", re.IGNORECASE)
_MARKDOWN = re.compile(r"(?<!!)\[([^\[\]\n]{0,300})\]\(\s*+<?+([^\s()<>]{1,2048}+)>?+[^()\n]{0,300}+\)")
_ALT = re.compile(r"""<img\b[^<>]{0,2000}?\balt\s*=\s*["']([^"'<>]{1,300})["']""", re.IGNORECASE)
_FEED_TYPES = frozenset({"application/rss+xml", "application/atom+xml"})
_IDLE = re.compile(
    r"\W*(?:read more|more|here|click here|learn more|continue reading|details|link|permalink"
    r"|weiterlesen|mehr|lire la suite|leer más|подробнее|далее|читать далее)?\W*",
    re.IGNORECASE,
)
"""Words that say nothing about where a link leads."""


def find_links(document: Document, seconds: float) -> Links:
    """The addresses that `document` leads to. `seconds` is when the worker is killed."""
    if sniff_bytes(document) is not None:
        return Links(LinkKind.NONE)
    stated = document.headers.get("content-type", "")
    try:
        with within(seconds * _PATIENCE):
            text = decode(document.body, stated, cut=bool(document.truncated)).text
            links = _of_text(text, document)
    except OutOfTime:
        return Links(LinkKind.NONE, cut="it takes too long to read")
    return replace(links, cut=document.truncated or links.cut)


def _of_text(text: str, document: Document) -> Links:
    url = document.final_url
    kind = sniff_text(text, document).kind
    if kind is Kind.FEED or _ROOT.search(text[:_HEAD]):
        return _of_xml(document)
    if kind is Kind.HTML:
        return _of_html(text, url)
    if kind is Kind.MARKDOWN:
        found = ((target, label) for label, target in _MARKDOWN.findall(text))
        return _bounded(LinkKind.PAGE, _resolved(found, Resolver(url)))
    return _of_lines(text) if kind is Kind.TEXT else Links(LinkKind.NONE)


def _of_lines(text: str) -> Links:
    """A site map in plain text: nothing but addresses, one a line."""
    lines = [line for line in map(str.strip, text.splitlines()) if line]
    if not lines or not all(_WEB.fullmatch(line) for line in lines[:20]):
        return Links(LinkKind.NONE)
    return _bounded(LinkKind.SITEMAP, (SitePage(line) for line in lines if _WEB.fullmatch(line)))


def _of_xml(document: Document) -> Links:
    root = parse(document.body)
    if root is None:
        return Links(LinkKind.NONE)
    root_name = name(root).lower()
    if root_name == "sitemapindex":
        return _bounded(LinkKind.INDEX, _listed(root, "sitemap"))
    if root_name == "urlset":
        return _bounded(LinkKind.SITEMAP, _listed(root, "url"))
    resolver = Resolver(document.final_url)
    found = (_entry(entry, resolver) for entry in every(root, "item", "entry"))
    return _bounded(LinkKind.FEED, found)


def _listed(root: Element, wanted: str) -> Iterator[SitePage]:
    """The places of a site map; news and videos state a title of their own."""
    for entry in kids(root, wanted):
        url = title = day = ""
        for field in kids(entry):
            told = name(field)
            if told == "loc":
                url = text_of(field)
            elif told == "lastmod":
                day = _day(text_of(field))
            elif told in ("news", "video"):
                title = title or text_of(kid(field, "title"))
        yield SitePage(url, title, day)


def _entry(entry: Element, resolver: Resolver) -> SitePage:
    """One entry of RSS (the link is text) or Atom (the link is an attribute)."""
    href = ""
    for link in kids(entry, "link"):
        target = attr(link, "href") or text_of(link)
        if target and attr(link, "rel") in ("", "alternate"):
            href = target
            break
    stated = (text_of(kid(entry, field)) for field in ("pubDate", "published", "updated", "date"))
    day = next(filter(None, map(_day, stated)), "")
    return SitePage(resolver.resolve(href) if href else "", unescape(text_of(kid(entry, "title"))), day)


def _of_html(html: str, url: str) -> Links:
    page = _Page(html, url)
    page.read()
    found = _resolved(page.links, page.resolver)
    feeds = (page.resolver.resolve(href) for href in page.feeds)
    links = _bounded(LinkKind.PAGE, found)
    return replace(links, feeds=tuple(filter(_WEB.fullmatch, feeds))[:FEEDS], title=page.title)


class _Page:
    """One pass over the tags of a page."""

    def __init__(self, html: str, url: str) -> None:
        self._html = html
        self._url = url
        self._open: tuple[str, str, int] | None = None
        self.resolver = Resolver(url)
        self.title = ""
        self.links: list[tuple[str, str]] = []
        self.feeds: list[str] = []

    def read(self) -> None:
        """Fill `links` (target and text), `feeds` and `title`."""
        based = False
        for tag, start, end, written in tags(self._html):
            if tag in ("a", "/a", "area"):
                self._anchor(tag, start, end, written)
            elif tag == "title" and not self.title:
                self.title = clean_line(unescape(self._html[end : end + TITLE * 4].partition("<")[0]), TITLE)
            elif tag == "base" and not based and (href := _href(written)):
                based, self.resolver = True, Resolver(self._url, href)
            elif tag == "link":
                self._link(written)
            if len(self.links) > MOST_LINKS:
                break
        self._close(len(self._html))

    def _anchor(self, tag: str, start: int, end: int, written: str) -> None:
        self._close(start)
        if tag == "/a":
            return
        stated = attributes(written)
        href = unescape(stated.get("href", ""))
        named = unescape(stated.get("aria-label", "") or stated.get("title", "") or stated.get("alt", ""))
        if href and tag == "a":
            self._open = (href, named, end)
        elif href:
            self.links.append((href, named))

    def _close(self, end: int) -> None:
        if self._open is None:
            return
        href, named, start = self._open
        self._open = None
        inside = self._html[start : min(end, start + 4_000)]
        words = words_of(inside)
        if _IDLE.fullmatch(words[:40]):
            picture = _ALT.search(inside)
            words = named or (unescape(picture[1]) if picture else "")
        self.links.append((href, words))

    def _link(self, written: str) -> None:
        stated = attributes(written)
        if stated.get("type", "").strip().lower() in _FEED_TYPES and len(self.feeds) < FEEDS:
            self.feeds.append(unescape(stated.get("href", "")))


def _href(written: str) -> str:
    return unescape(attributes(written).get("href", ""))


def _resolved(found: Iterable[tuple[str, str]], resolver: Resolver) -> Iterator[SitePage]:
    for href, words in found:
        if target := resolver.resolve(href):
            yield SitePage(target, "" if _IDLE.fullmatch(words[:40]) else words)


def _bounded(kind: LinkKind, pages: Iterable[SitePage]) -> Links:
    """Those with a web address, their titles on one visible line, as many as may leave a worker."""
    kept: list[SitePage] = []
    room = MOST_CHARACTERS
    for page in pages:
        url = page.url.strip()
        if len(url) > URL or not _WEB.fullmatch(url):
            continue
        if len(kept) == MOST_LINKS or room <= 0:
            return Links(kind, tuple(kept), cut=f"only the first {len(kept)} addresses are taken")
        kept.append(SitePage(url, clean_line(page.title, TITLE) if page.title else "", page.date))
        room -= len(url) + len(kept[-1].title)
    return Links(kind, tuple(kept))


def _day(stated: str) -> str:
    """The ISO day of `2026-03-04T10:00:00Z` or `Wed, 04 Mar 2026 10:00:00 GMT`; "" for anything else."""
    try:
        return date.fromisoformat(stated.strip()[:10]).isoformat()
    except ValueError:
        pass
    try:
        return email.utils.parsedate_to_datetime(stated).date().isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        return ""
