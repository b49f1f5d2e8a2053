"""Reddit: a thread, a subreddit or a user's page, by the Atom feeds that are open to everybody.

Docs:   https://www.reddit.com/wiki/rss
Sends:  GET /comments/{id}/.rss, /r/{name}/.rss, /r/{name}/top/.rss?t=week, /user/{name}/.rss. No key: the
        JSON of the same pages has been closed to strangers since May 2026.
Gets:   Atom; the first entry of a thread is the post, `content` is escaped HTML.
Quirks: no scores, no nesting, the first comments only. A few requests a minute, then 429.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import NoContent, ProviderError, Reason
from research_mcp.core.models import Kind, Page
from research_mcp.core.ports import Http, Job
from research_mcp.core.urls import host_of
from research_mcp.core.wire import Reply, Request
from research_mcp.providers.kit.fragment import to_markdown
from research_mcp.providers.kit.keyless import closed
from research_mcp.providers.kit.markup import XmlElement, xml
from research_mcp.providers.kit.read import ReadType
from research_mcp.providers.kit.registry import register
from research_mcp.providers.kit.shape import iso_day
from research_mcp.providers.kit.thread import MOST_POSTS, Post, blocks, counted, dotted, listed, one_line

SITE = "https://www.reddit.com"

_HOSTS = re.compile(r"(?:(?:www|old|new|np|m|i|amp|sh|[a-z]{2})\.)?reddit\.com")
_NAME = r"[A-Za-z0-9_-]{1,50}"
_THREAD = re.compile(
    rf"(?:/(?:r|u|user)/{_NAME})?/comments/(?P<id>[a-z0-9]{{1,13}})(?:/[^/]*(?:/(?P<comment>[a-z0-9]{{1,13}}))?)?/?"
)
_SHORT = re.compile(r"/([a-z0-9]{1,13})/?")
_SHARED = re.compile(rf"/(?:r|u|user)/{_NAME}/s/[A-Za-z0-9]{{1,30}}/?")
_SUBREDDIT = re.compile(rf"/r/({_NAME}(?:\+{_NAME}){{0,20}})(?:/(hot|new|top|rising|controversial))?/?")
_USER = re.compile(rf"/u(?:ser)?/({_NAME})/?")
_SPANS = frozenset(("hour", "day", "week", "month", "year", "all"))

_WRITTEN = re.compile(r"<!-- SC_OFF -->(.*)<!-- SC_ON -->|(<div class=\"md\">.*</div>)", re.DOTALL)
"""What a person wrote: between the marks of older feeds, or in its box."""
_TARGET = re.compile(r'<a href="([^"<>]{1,2000})">\[link\]</a>')


@dataclass(frozen=True, slots=True)
class Feed:
    """Where a page's feed is. `thread`: it is one; `comment`: the id of the one that was linked."""

    path: str
    thread: bool = False
    comment: str = ""
    span: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a feed: `written` is HTML, `target` what a post of a link links to."""

    id: str
    title: str
    author: str
    date: str
    link: str
    written: str
    target: str


@register("read.reddit")
class RedditRead(ReadType):
    """A thread as its post and comments, a subreddit or a user as the latest posts."""

    docs = "https://www.reddit.com/wiki/rss"
    endpoint = SITE
    site = True
    sample = "https://www.reddit.com/r/AskReddit/"
    cap = 20.0

    def accepts(self, url: str) -> bool:
        """Threads, subreddits and users on reddit.com and its like, `redd.it/1`, and share links."""
        return _is_shared(url) or _feed(url) is not None

    def refusal(self, reply: Reply) -> ProviderError | None:
        """Nobody has a key here."""
        return closed(reply)

    async def read(self, job: Job, http: Http, deadline: Deadline) -> Page:
        """The page. Raises `NoContent` (`not_found`, `forbidden`)."""
        url = (await job.document()).final_url if _is_shared(job.url) else job.url
        feed = _feed(url)
        if feed is None:
            raise NoContent("the share link leads to no thread", reason=Reason.NOT_FOUND)
        params: dict[str, str | int] = {"t": feed.span} if feed.span else {}
        reply = await http.send(Request("GET", feed.path, params=params), deadline)
        root = xml(reply, "{*}feed", most=3_000_000)
        entries = [_entry(each) for each in root.all("{*}entry")][:MOST_POSTS]
        if not entries:
            raise NoContent("Reddit's feed of the page is empty")
        bodies = await to_markdown([entry.written for entry in entries], SITE)
        if feed.thread:
            return self._thread(job.url, feed, entries, bodies)
        return self._listing(job.url, one_line(_text(root, "{*}title"), 300), entries, bodies)

    def _thread(self, url: str, feed: Feed, entries: list[Entry], bodies: list[str]) -> Page:
        post = entries[0]
        comments = listed(
            (0, Post(body or "[deleted]", entry.author, entry.date, _linked(entry, feed)))
            for entry, body in zip(entries[1:], bodies[1:], strict=True)
        )
        return self.page(
            url,
            blocks(
                counted(len(entries) - 1, "comment"),
                post.target,
                bodies[0],
                f"## Comments\n\n{comments}" if comments else "",
            ),
            final_url=post.link or url,
            kind=Kind.POST,
            title=post.title,
            author=post.author,
            date=post.date,
            site="Reddit",
            notes=(
                "Reddit's feed holds the first comments only, without scores and without who answers whom",
            ),
        )

    def _listing(self, url: str, title: str, entries: list[Entry], bodies: list[str]) -> Page:
        sections = [
            blocks(
                f"## {entry.title or '(no title)'}",
                dotted((entry.author, entry.date, entry.link)),
                entry.target,
                body,
            )
            for entry, body in zip(entries, bodies, strict=True)
        ]
        return self.page(url, blocks(*sections), kind=Kind.POST, title=title, site="Reddit")


def _is_shared(url: str) -> bool:
    return bool(_HOSTS.fullmatch(host_of(url)) and _SHARED.fullmatch(urlsplit(url).path))


def _feed(url: str) -> Feed | None:
    """The feed of a page, None for a page without one."""
    host, parts = host_of(url), urlsplit(url)
    if host in ("redd.it", "www.redd.it"):
        short = _SHORT.fullmatch(parts.path)
        return Feed(f"/comments/{short[1]}/.rss", thread=True) if short else None
    if not _HOSTS.fullmatch(host):
        return None
    if found := _THREAD.fullmatch(parts.path):
        return Feed(f"/comments/{found['id']}/.rss", thread=True, comment=found["comment"] or "")
    if found := _SUBREDDIT.fullmatch(parts.path):
        order = f"/{found[2]}" if found[2] else ""
        span = next(iter(parse_qs(parts.query).get("t", [])), "")
        return Feed(f"/r/{found[1]}{order}/.rss", span=span if span in _SPANS else "")
    if found := _USER.fullmatch(parts.path):
        return Feed(f"/user/{found[1]}/.rss")
    return None


def _entry(element: XmlElement) -> Entry:
    content = _text(element, "{*}content")
    written, target = _WRITTEN.search(content), _TARGET.search(content)
    found = element.first("{*}link")
    link = found.attribute("href") if found is not None else ""
    leads_to = html.unescape(target[1]) if target else ""
    return Entry(
        id=_text(element, "{*}id"),
        title=one_line(_text(element, "{*}title"), 300),
        author=one_line(_text(element, "{*}author/{*}name")).removeprefix("/"),
        date=iso_day(_text(element, "{*}published")) or iso_day(_text(element, "{*}updated")),
        link=link,
        written=(written[1] or written[2]) if written else "" if target else content,
        target="" if leads_to == link else leads_to,
    )


def _linked(entry: Entry, feed: Feed) -> tuple[str, ...]:
    return ("the one that was linked",) if feed.comment and entry.id == f"t1_{feed.comment}" else ()


def _text(element: XmlElement, path: str) -> str:
    """The text at `path` as it was written: the line ends of code count."""
    found = element.first(path)
    return "".join(piece for piece in found.pieces if isinstance(piece, str)) if found is not None else ""
