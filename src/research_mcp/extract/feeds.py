"""RSS and Atom feeds as a list of their entries."""

from __future__ import annotations

import calendar
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from urllib.parse import urljoin

import feedparser  # type: ignore[import-untyped]  # ships no types

from research_mcp.extract.html import convert_html

MOST_ENTRIES = 200
MOST_TEXT = 20_000


@dataclass(frozen=True, slots=True)
class Feed:
    """A feed as Markdown; empty when the document is none."""

    markdown: str = field(repr=False)
    title: str = ""
    date: str = ""
    language: str = ""
    cut: str = ""


def feed(body: bytes, url: str) -> Feed:
    """The entries of a feed, newest as the feed has them. Entities and doctypes are not expanded."""
    parsed = feedparser.parse(body, resolve_relative_uris=False, sanitize_html=False)
    head = parsed.get("feed", {})
    entries = parsed.get("entries", [])
    if not entries and not head.get("title"):
        return Feed("")
    title = _line(head.get("title", ""))
    parts = [_line(head.get("subtitle", "")), *(_entry(entry, url) for entry in entries[:MOST_ENTRIES])]
    cut = (
        f"only the first {MOST_ENTRIES} of {len(entries)} entries are shown"
        if len(entries) > MOST_ENTRIES
        else ""
    )
    return Feed(
        "\n\n".join(part for part in parts if part), title, _day(head), str(head.get("language", "")), cut
    )


def _entry(entry: feedparser.FeedParserDict, url: str) -> str:
    title = _line(entry.get("title", "")) or "(untitled)"
    link = str(entry.get("link", ""))
    target = urljoin(url, link) if link else ""
    shown = f"[{title}]({target})" if target.startswith(("http://", "https://")) else title
    facts = " · ".join(filter(None, (_day(entry), _line(entry.get("author", "")))))
    return "\n\n".join(filter(None, (f"## {shown}", facts, _text(entry, url))))


def _text(entry: feedparser.FeedParserDict, url: str) -> str:
    """The longest text that the entry carries, converted where it is markup."""
    contents = [(part.get("value", ""), part.get("type", "")) for part in entry.get("content", [])]
    summary = entry.get("summary", "")
    detail = entry.get("summary_detail", {})
    contents.append((summary, detail.get("type", "")))
    value, kind = max(contents, key=lambda content: len(str(content[0])))
    value = str(value)[:MOST_TEXT]
    if "html" in str(kind) or "<" in value:
        return convert_html(f"<html><body><article>{value}</article></body></html>", url).markdown or _line(
            value
        )
    return value.strip()


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
