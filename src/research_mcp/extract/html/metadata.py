"""What a page states about itself: title, author, date, site, language. Nothing is guessed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime

from selectolax.lexbor import LexborHTMLParser, LexborNode

from research_mcp.extract.jsondata import Json, objects, text_at, types_of

MAX_LENGTH = 300
_TITLES = ("og:title", "twitter:title", "citation_title", "dc.title", "dcterms.title", "parsely-title")
_AUTHORS = (
    "author",
    "article:author",
    "citation_author",
    "dc.creator",
    "dcterms.creator",
    "parsely-author",
    "byl",
    "sailthru.author",
)
_DATES = (
    "article:published_time", "og:article:published_time", "citation_publication_date", "citation_date",
    "dc.date",
    "dc.date.issued", "dcterms.issued", "dcterms.created", "dcterms.date", "date", "pubdate", "publishdate",
    "publish-date", "publish_date", "parsely-pub-date", "sailthru.date", "datepublished", "article:published",
)  # fmt: skip
_SITES = ("og:site_name", "application-name", "apple-mobile-web-app-title", "citation_journal_title")
_ARTICLES = frozenset(
    {
        "Article", "NewsArticle", "BlogPosting", "ReportageNewsArticle", "AnalysisNewsArticle", "TechArticle",
        "OpinionNewsArticle", "ScholarlyArticle", "Report", "LiveBlogPosting", "SocialMediaPosting", "Recipe",
        "DiscussionForumPosting", "WebPage", "HowTo", "VideoObject", "PodcastEpisode", "Product", "Question",
        "QAPage", "Course", "Event",
    }
)  # fmt: skip
_ISO = re.compile(r"^(\d{4})-?(\d{2})-?(\d{2})(?:$|[T\s])")
_SLASHED = re.compile(r"^(\d{4})/(\d{1,2})/(\d{1,2})(?:$|\s)")
_LANGUAGE = re.compile(r"^([a-zA-Z]{2,3})(?:[-_]([a-zA-Z]{4}))?(?:[-_]([a-zA-Z]{2}|\d{3}))?$")


@dataclass(frozen=True, slots=True)
class Stated:
    """Facts in the page's own words; `date` is ISO (`2026-09-01`), each "" when not stated."""

    title: str = ""
    author: str = ""
    date: str = ""
    site: str = ""
    language: str = ""


def read_metadata(tree: LexborHTMLParser, data: Iterable[Json]) -> Stated:
    """Read the head of a page and its JSON-LD `data`, before the tree is cleaned."""
    metas = _metas(tree)
    items = [item for value in data for item in objects(value)]
    articles = sorted(
        (item for item in items if types_of(item) & _ARTICLES), key=lambda item: "WebPage" in types_of(item)
    )
    heading = tree.css_first("title")
    return Stated(
        title=_first(metas, _TITLES)
        or _of(articles, "headline")
        or _text(heading)
        or _of(articles, "name")
        or _text(tree.css_first("h1")),
        author=_author(metas, articles, tree),
        date=_date(metas, articles, tree),
        site=_first(metas, _SITES) or _publisher(items),
        language=_language(tree, metas),
    )


def _metas(tree: LexborHTMLParser) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for node in tree.css("meta[content]"):
        attributes = node.attributes
        content = " ".join((attributes.get("content") or "").split())[:MAX_LENGTH]
        for key in ("property", "name", "itemprop", "http-equiv"):
            name = (attributes.get(key) or "").strip().lower()
            if name and content:
                found.setdefault(name, []).append(content)
    return found


def _first(metas: dict[str, list[str]], names: Iterable[str]) -> str:
    return next((metas[name][0] for name in names if name in metas), "")


def _of(items: list[dict[str, Json]], *names: str) -> str:
    return next((text for item in items if (text := text_at(item, *names)[:MAX_LENGTH])), "")


def _text(node: LexborNode | None) -> str:
    return " ".join((node.text(separator=" ") or "").split())[:MAX_LENGTH] if node is not None else ""


def _author(metas: dict[str, list[str]], articles: list[dict[str, Json]], tree: LexborHTMLParser) -> str:
    for name in _AUTHORS:
        people = [value for value in metas.get(name, ()) if _is_name(value)]
        if people:
            return ", ".join(dict.fromkeys(people[:8]))
    for item in articles:
        people = [name for name in _people(item.get("author")) if _is_name(name)]
        if people:
            return ", ".join(dict.fromkeys(people[:8]))
    stated = [_text(node) for node in tree.css("[rel~=author],[itemprop=author]")[:3]]
    return next((text.removeprefix("By ").strip() for text in stated if _is_name(text)), "")


def _people(value: Json) -> list[str]:
    people = value if isinstance(value, list) else [value]
    names = [text_at(person, "name") if isinstance(person, dict) else person for person in people]
    return [" ".join(name.split()) for name in names if isinstance(name, str) and name]


def _is_name(text: str) -> bool:
    return 1 < len(text) <= 120 and "://" not in text and not text.startswith(("@", "www."))


def _date(metas: dict[str, list[str]], articles: list[dict[str, Json]], tree: LexborHTMLParser) -> str:
    stated = [metas[name][0] for name in _DATES if name in metas]
    stated += [text for item in articles if (text := text_at(item, "datePublished", "uploadDate"))]
    for node in tree.css("[itemprop=datePublished],time[pubdate]")[:3]:
        stated.append(node.attributes.get("datetime") or node.attributes.get("content") or _text(node))
    times = [
        node.attributes.get("datetime") or ""
        for node in tree.css("article header time[datetime],main time[datetime],article time[datetime]")
    ]
    if len(set(times)) == 1:  # several times on one page are those of other things
        stated.append(times[0])
    return next((date for text in stated if (date := iso_date(text))), "")


def iso_date(text: str) -> str:
    """The day of a stated date in ISO form; "" for what is no full date in a known form."""
    text = text.strip()
    found = _ISO.match(text) or _SLASHED.match(text)
    try:
        if found:
            year, month, day = (int(part) for part in found.groups())
            return datetime(year, month, day).date().isoformat()  # noqa: DTZ001 - a day, no moment
        return parsedate_to_datetime(text).date().isoformat()
    except (ValueError, TypeError, OverflowError):
        return ""


def _publisher(items: list[dict[str, Json]]) -> str:
    for item in items:
        publisher = item.get("publisher")
        if isinstance(publisher, dict) and (name := text_at(publisher, "name")):
            return name[:MAX_LENGTH]
    return next((text_at(item, "name")[:MAX_LENGTH] for item in items if "WebSite" in types_of(item)), "")


def _language(tree: LexborHTMLParser, metas: dict[str, list[str]]) -> str:
    root = tree.css_first("html")
    attributes = root.attributes if root is not None else {}
    stated = [
        attributes.get("lang"),
        attributes.get("xml:lang"),
        *metas.get("content-language", ()),
        *metas.get("og:locale", ()),
    ]
    for text in stated:
        found = _LANGUAGE.match((text or "").strip())
        if found:
            language, script, region = found.groups()
            parts = [language.lower(), script.title() if script else "", region.upper() if region else ""]
            return "-".join(part for part in parts if part)
    return ""
