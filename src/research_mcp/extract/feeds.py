"""RSS, Atom and JSON feeds as a list of their entries."""

from __future__ import annotations

import calendar
import io
import json
import re
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from urllib.parse import urljoin

import feedparser  # type: ignore[import-untyped]  # ships no types

from research_mcp.extract.gates import shape_of, tame
from research_mcp.extract.html.page import convert_html

JSON_FEED = "https://jsonfeed.org/version/"
MOST_ENTRIES = 200
MOST_TEXT = 20_000
MOST_OF_ALL = 400_000
_DOCTYPE = re.compile(r"<!DOCTYPE\b[^\[>]*+(?:\[[^\]]*+\]?[^>]*+)?>?", re.IGNORECASE)
_ISO_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


@dataclass(frozen=True, slots=True)
class Feed:
    """A feed as Markdown; empty when the document is none."""

    markdown: str = field(repr=False)
    title: str = ""
    date: str = ""
    language: str = ""
    cut: str = ""


def feed(text: str, url: str) -> Feed:
    """The entries of a feed as it orders them. Its own entities are dropped: they may multiply."""
    # as a stream: feedparser would take a string for a path or a url and open it
    parsed = feedparser.parse(
        io.BytesIO(_DOCTYPE.sub("", text, count=1).encode("utf-8", "replace")),
        response_headers={"content-type": "application/xml; charset=utf-8"},
        resolve_relative_uris=False,
        sanitize_html=False,
    )
    head = parsed.get("feed", {})
    entries = parsed.get("entries", [])
    if not entries and not head.get("title"):
        return Feed("")
    title = _line(head.get("title", ""))
    shown = map(_of_xml, entries[:MOST_ENTRIES])
    return Feed(
        _list(_line(head.get("subtitle", "")), shown, url),
        title,
        _day(head),
        str(head.get("language", "")),
        _cut(len(entries)),
    )


def json_feed(text: str, url: str) -> Feed:
    """The items of a JSON feed (jsonfeed.org, versions 1 and 1.1)."""
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        return Feed("")
    if not isinstance(parsed, dict) or not str(parsed.get("version", "")).startswith(JSON_FEED):
        return Feed("")
    stated = parsed.get("items")
    items = [item for item in stated if isinstance(item, dict)] if isinstance(stated, list) else []
    shown = map(_of_json, items[:MOST_ENTRIES])
    return Feed(
        _list(_line(parsed.get("description") or ""), shown, url),
        _line(parsed.get("title") or ""),
        language=str(parsed.get("language") or ""),
        cut=_cut(len(items)),
    )


@dataclass(frozen=True, slots=True)
class _Entry:
    title: str
    link: str
    facts: tuple[str, ...]
    text: str
    markup: bool

    def head(self, url: str) -> str:
        """The title as a heading, linked where the link may be followed; date and author."""
        title = self.title or "(untitled)"
        try:
            target = urljoin(url, self.link) if self.link else ""
        except ValueError:
            target = ""
        shown = f"[{title}]({target})" if target.startswith(("http://", "https://")) else title
        return "\n\n".join(filter(None, (f"## {shown}", " · ".join(filter(None, self.facts)))))

    def body(self, url: str) -> str:
        """The text, converted where it is markup."""
        if not self.markup:
            return self.text.strip()
        html = f"<html><body><article>{self.text}</article></body></html>"
        return convert_html(tame(html, shape_of(html)), url).markdown or _line(self.text)


def _list(intro: str, entries: Iterable[_Entry], url: str) -> str:
    """The head of every entry, and the texts of the first ones as far as there is room."""
    parts, room = [intro], MOST_OF_ALL
    for entry in entries:
        parts.append(entry.head(url))
        if room > 0:
            parts.append(entry.body(url))
            room -= len(entry.text)
    return "\n\n".join(part for part in parts if part)


def _of_json(item: Mapping[str, object]) -> _Entry:
    authors = item.get("authors")
    first = authors[0] if isinstance(authors, list) and authors else item.get("author")
    author = first.get("name") if isinstance(first, dict) else ""
    html = str(item.get("content_html") or "")
    return _Entry(
        title=_line(item.get("title") or ""),
        link=str(item.get("url") or item.get("external_url") or ""),
        facts=(_iso_day(item.get("date_published")), _line(author or "")),
        text=(html or str(item.get("content_text") or item.get("summary") or ""))[:MOST_TEXT],
        markup=bool(html),
    )


def _of_xml(entry: feedparser.FeedParserDict) -> _Entry:
    """The longest text that the entry carries counts."""
    contents = [(part.get("value", ""), part.get("type", "")) for part in entry.get("content", [])]
    contents.append((entry.get("summary", ""), entry.get("summary_detail", {}).get("type", "")))
    value, kind = max(contents, key=lambda content: len(str(content[0])))
    text = str(value)[:MOST_TEXT]
    return _Entry(
        title=_line(entry.get("title", "")),
        link=str(entry.get("link", "")),
        facts=(_day(entry), _line(entry.get("author", ""))),
        text=text,
        markup="html" in str(kind) or "<" in text,
    )


def _cut(count: int) -> str:
    return f"only the first {MOST_ENTRIES} of {count} entries are shown" if count > MOST_ENTRIES else ""


def _iso_day(stated: object) -> str:
    return stated[:10] if isinstance(stated, str) and _ISO_DAY.match(stated) else ""


def _line(value: object) -> str:
    return " ".join(str(value).split())[:500]


def _day(facts: feedparser.FeedParserDict) -> str:
    for name in ("published_parsed", "updated_parsed"):
        stated = facts.get(name)
        if isinstance(stated, time.struct_time):
            try:
                return datetime.fromtimestamp(calendar.timegm(stated), UTC).date().isoformat()
            except (ValueError, OverflowError, OSError):
                return ""
    return ""
