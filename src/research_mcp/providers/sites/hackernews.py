"""Hacker News: a story or a comment with the tree of its replies.

Docs:   https://hn.algolia.com/api and https://github.com/HackerNews/API
Sends:  GET https://hn.algolia.com/api/v1/items/{id}: the whole tree in one answer. No key.
        An item that is too new for it: GET https://hacker-news.firebaseio.com/v0/item/{id}.json.
Gets:   `{"id", "type", "author", "title", "url", "text", "points", "created_at", "children": [...]}`;
        text is HTML, null in deleted nodes.
Quirks: the official API answers `null` with status 200 for an id that does not exist.
"""

from __future__ import annotations

import asyncio
import re
from typing import ClassVar
from urllib.parse import parse_qs, urlsplit

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import BadReply, NoContent, ProviderError, Reason
from research_mcp.core.models import Kind, Page
from research_mcp.core.ports import Http, Job
from research_mcp.core.urls import host_of
from research_mcp.core.wire import JsonValue, Reply, Request
from research_mcp.providers.kit.fields import Fields, object_of
from research_mcp.providers.kit.fragment import to_markdown
from research_mcp.providers.kit.keyless import closed
from research_mcp.providers.kit.legs import Leg
from research_mcp.providers.kit.read import ReadType
from research_mcp.providers.kit.registry import register
from research_mcp.providers.kit.shape import iso_day
from research_mcp.providers.kit.thread import Post, blocks, choose, counted, dotted, listed, one_line
from research_mcp.providers.kit.tree import at, number, rows, text

SITE = "https://news.ycombinator.com/item?id="
OFFICIAL = "https://hacker-news.firebaseio.com/v0"
MOST_NEW = 20
"""Comments of an item that only the official API knows: each costs a request."""

_ID = re.compile(r"[1-9][0-9]{0,11}")


@register("read.hackernews")
class HackerNewsRead(ReadType):
    """One item of Hacker News under the text it is about."""

    docs = "https://hn.algolia.com/api"
    endpoint = "https://hn.algolia.com/api/v1"
    legs: ClassVar[dict[str, Leg]] = {"official": Leg(OFFICIAL)}
    site = True
    sample = "https://news.ycombinator.com/item?id=1"
    cap = 20.0

    def accepts(self, url: str) -> bool:
        """`news.ycombinator.com/item?id=1`."""
        return bool(_item_id(url))

    def refusal(self, reply: Reply) -> ProviderError | None:
        """Nobody has a key here."""
        return closed(reply)

    async def read(self, job: Job, http: Http, deadline: Deadline) -> Page:
        """The item and its comments. Raises `NoContent` (`not_found`, `gone`)."""
        item = _item_id(job.url)
        notes: tuple[str, ...] = ()
        try:
            node = object_of(await http.send(Request("GET", f"/items/{item}"), deadline))
        except NoContent:
            if self.means.base_url:  # the operator names who is to be asked
                raise
            node = await self._official(item, http, deadline)
            notes = ("the item is too new for the index of threads: replies to its comments are missing",)
        if not (text(node, "title") or text(node, "text") or rows(node, "children")):
            raise _gone() if at(node, "id") else BadReply("Hacker News sent an item without any field")
        return await self._page(job.url, item, node, notes)

    async def _official(self, item: str, http: Http, deadline: Deadline) -> Fields:
        """The item in the form of the index, with its first comments."""
        found = await self._fetch(item, http, deadline)
        if found is None:
            raise NoContent("Hacker News has no such item", reason=Reason.NOT_FOUND)
        if at(found, "deleted") is True:
            raise _gone()
        kids = at(found, "kids")
        wanted = (
            [str(kid) for kid in kids if isinstance(kid, int)][:MOST_NEW] if isinstance(kids, list) else []
        )
        answers = await asyncio.gather(*(self._fetch(kid, http, deadline) for kid in wanted))
        children: list[JsonValue] = [_indexed(answer) for answer in answers if answer]
        return {**_indexed(found), "children": children}

    async def _fetch(self, item: str, http: Http, deadline: Deadline) -> Fields | None:
        reply = await http.send(Request("GET", f"{OFFICIAL}/item/{item}.json"), deadline)
        return None if reply.json() is None else object_of(reply)

    async def _page(self, url: str, item: str, node: Fields, notes: tuple[str, ...]) -> Page:
        author, day = text(node, "author"), iso_day(at(node, "created_at"))
        title = one_line(text(node, "title"), 300)
        chosen = choose(_replies(node), _replies)
        own, *bodies = await to_markdown(
            [text(node, "text"), *(text(comment, "text") for _, comment in chosen.rows)], SITE
        )
        posts = [
            (level, _post(comment, body)) for (level, comment), body in zip(chosen.rows, bodies, strict=True)
        ]
        facts = dotted((counted(number(node, "points"), "point"), counted(chosen.total, "comment")))
        story = number(node, "story_id")
        about = f"A comment on {SITE}{story:.0f}" if story and not title else text(node, "url")
        return self.page(
            url,
            blocks(facts, about, own, f"## Comments\n\n{listed(posts)}" if posts else ""),
            final_url=f"{SITE}{item}",
            kind=Kind.POST,
            title=title or f"Comment by {author or 'someone'}",
            author=author,
            date=day,
            site="Hacker News",
            notes=(*notes, *chosen.note("comments")),
        )


def _item_id(url: str) -> str:
    parts = urlsplit(url)
    if host_of(url) != "news.ycombinator.com" or parts.path != "/item":
        return ""
    found = next(iter(parse_qs(parts.query).get("id", [])), "")
    return found if _ID.fullmatch(found) else ""


def _replies(node: Fields) -> list[Fields]:
    """The replies that say something, or under which something is said."""
    return [child for child in rows(node, "children") if text(child, "text") or rows(child, "children")]


def _post(node: Fields, body: str) -> Post:
    return Post(body or "[deleted]", text(node, "author"), iso_day(at(node, "created_at")))


def _indexed(item: Fields) -> Fields:
    """An item of the official API with the names that the index uses."""
    return {
        "id": item.get("id"),
        "author": item.get("by"),
        "title": item.get("title"),
        "url": item.get("url"),
        "text": item.get("text"),
        "points": item.get("score"),
        "created_at": item.get("time"),
    }


def _gone() -> NoContent:
    return NoContent("the item was deleted from Hacker News", reason=Reason.GONE)
