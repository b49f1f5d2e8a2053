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

from research_mcp.extract.html import convert_html

JSON_FEED = "https://jsonfeed.org/version/"
MOST_ENTRIES = 200
MOST_TEXT = 20_000
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
    parts = [_line(head.get("subtitle", "")), *(_entry(entry, url) for entry in entries[:MOST_ENTRIES])]
    return Feed(
        "\n\n".join(part for part in parts if part),
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
    parts = [_line(parsed.get("description") or ""), *(_item(item, url) for item in items[:MOST_ENTRIES])]
    return Feed(
        "\n\n".join(part for part in parts if part),
        _line(parsed.get("title") or ""),
        language=str(parsed.get("language") or ""),
        cut=_cut(len(items)),
    )


def _item(item: Mapping[str, object], url: str) -> str:
    authors = item.get("authors")
    first = authors[0] if isinstance(authors, list) and authors else item.get("author")
    author = first.get("name") if isinstance(first, dict) else ""
    facts = (_iso_day(item.get("date_published")), _line(author or ""))
    html = str(item.get("content_html") or "")[:MOST_TEXT]
    words = str(item.get("content_text") or item.get("summary") or "")[:MOST_TEXT]
    text = _converted(html, url) if html else words.strip()
    title = _line(item.get("title") or "") or "(untitled)"
    return _shown(title, str(item.get("url") or item.get("external_url") or ""), facts, text, url)


def _entry(entry: feedparser.FeedParserDict, url: str) -> str:
    title = _line(entry.get("title", "")) or "(untitled)"
    facts = (_day(entry), _line(entry.get("author", "")))
    return _shown(title, str(entry.get("link", "")), facts, _text(entry, url), url)


def _shown(title: str, link: str, facts: Iterable[str], text: str, url: str) -> str:
    """One entry as Markdown: its title as a heading with a link, date and author, text."""
    target = urljoin(url, link) if link else ""
    heading = f"[{title}]({target})" if target.startswith(("http://", "https://")) else title
    return "\n\n".join(filter(None, (f"## {heading}", " · ".join(filter(None, facts)), text)))


def _text(entry: feedparser.FeedParserDict, url: str) -> str:
    """The longest text that the entry carries, converted where it is markup."""
    contents = [(part.get("value", ""), part.get("type", "")) for part in entry.get("content", [])]
    contents.append((entry.get("summary", ""), entry.get("summary_detail", {}).get("type", "")))
    value, kind = max(contents, key=lambda content: len(str(content[0])))
    value = str(value)[:MOST_TEXT]
    return _converted(value, url) if "html" in str(kind) or "<" in value else value.strip()


def _converted(html: str, url: str) -> str:
    page = convert_html(f"<html><body><article>{html}</article></body></html>", url)
    return page.markdown or _line(html)


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
