"""Discourse: a topic of any forum that runs it, found by the form of its addresses.

Docs:   https://docs.discourse.org/
Sends:  GET {forum}/t/{id}.json?include_raw=1, then {forum}/t/{id}/posts.json?post_ids[]=... for the posts
        that are not in the first answer, 20 at a time. No key; the host comes from the page's url.
Gets:   `{"title", "posts_count", "tags", "post_stream": {"posts": [...], "stream": [ids]}}`; a post has
        `raw` (Markdown) and `cooked` (HTML).
Quirks: a topic for members is a 403 with `invalid_access`. A site that runs something else answers in
        HTML, which tells nothing about the page.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from urllib.parse import urlsplit

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import NoContent
from research_mcp.core.models import Kind, Page
from research_mcp.core.ports import Http, Job
from research_mcp.core.wire import JsonValue
from research_mcp.providers.kit.fields import Fields
from research_mcp.providers.kit.fragment import to_markdown, visible
from research_mcp.providers.kit.keyless import site_json
from research_mcp.providers.kit.read import ReadType
from research_mcp.providers.kit.registry import register
from research_mcp.providers.kit.shape import iso_day
from research_mcp.providers.kit.thread import blocks, counted, dotted, missing, one_line
from research_mcp.providers.kit.tree import at, number, rows, text

MOST = 100
A_BATCH = 20

_TOPIC = re.compile(r"(?P<prefix>/[\w-]{1,40})?/t/(?P<slug>[^/]{1,300})/(?P<id>\d{1,9})(?:/\d{1,7})?/?")
_SMALL_ACTION = 3
"""`post_type` of a line like "closed by ann", which says nothing."""


@register("read.discourse")
class DiscourseRead(ReadType):
    """A topic and its replies as they were written."""

    docs = "https://docs.discourse.org/"
    site = True
    sample = "https://meta.discourse.org/t/available-settings-for-global-rate-limits-and-throttling/78612"
    from_here = True
    cap = 25.0

    def accepts(self, url: str) -> bool:
        """`/t/some-slug/1` on any host, at the top or one step below it."""
        return _TOPIC.fullmatch(urlsplit(url).path) is not None

    async def read(self, job: Job, http: Http, deadline: Deadline) -> Page:
        """The topic. Raises `NoContent`: `empty` where no Discourse answers, else the status' reason."""
        forum, topic = _place(job.url)
        value = await site_json(job, f"{forum}/t/{topic}.json?include_raw=1", "Discourse")
        posts = rows(value, "post_stream", "posts")
        if not posts:
            raise NoContent("no Discourse topic is there")
        notes: tuple[str, ...] = ()
        try:
            async for more in _rest(job, f"{forum}/t/{topic}/posts.json", value, posts):
                posts += more
        except NoContent as error:
            notes = (missing("the later posts", error),)
        total = int(number(value, "posts_count") or len(posts))
        if len(posts) < total and not notes:
            notes = (f"{len(posts)} of {total} posts are shown",)
        return await self._page(job.url, value, posts, notes)

    async def _page(self, url: str, value: JsonValue, posts: list[Fields], notes: tuple[str, ...]) -> Page:
        said = [post for post in posts if number(post, "post_type") != _SMALL_ACTION and _source(post)]
        if not said:
            raise NoContent("the topic holds no text")
        bodies = await to_markdown(["" if text(post, "raw") else text(post, "cooked") for post in said], url)
        bodies = [visible(text(post, "raw")) or body for post, body in zip(said, bodies, strict=True)]
        facts = dotted((_tags(value), counted(number(value, "posts_count"), "post"), _received(said[0])))
        sections = [f"## {_head(post)}\n\n{body}" for post, body in zip(said[1:], bodies[1:], strict=True)]
        return self.page(
            url,
            blocks(facts, bodies[0], *sections),
            kind=Kind.POST,
            title=one_line(text(value, "title"), 300),
            author=_author(said[0]),
            date=_day(said[0]),
            notes=notes,
        )


async def _rest(job: Job, address: str, value: JsonValue, posts: list[Fields]) -> AsyncIterator[list[Fields]]:
    """The posts after the first ones, in batches, in the order of the topic."""
    have = {number(post, "id") for post in posts}
    stream = at(value, "post_stream", "stream")
    wanted = (
        [each for each in stream if isinstance(each, int) and each not in have]
        if isinstance(stream, list)
        else []
    )
    wanted = wanted[: max(0, MOST - len(posts))]
    for start in range(0, len(wanted), A_BATCH):
        query = "&".join(f"post_ids[]={each}" for each in wanted[start : start + A_BATCH])
        answer = await site_json(job, f"{address}?{query}&include_raw=1", "Discourse")
        yield rows(answer, "post_stream", "posts")


def _place(url: str) -> tuple[str, str]:
    """The forum's address and the number of the topic."""
    parts = urlsplit(url)
    found = _TOPIC.fullmatch(parts.path)
    prefix, topic = (found["prefix"] or "", found["id"]) if found else ("", "")
    return f"{parts.scheme}://{parts.netloc}{prefix}", topic


def _head(post: Fields) -> str:
    answered = number(post, "reply_to_post_number")
    return dotted(
        (
            f"#{number(post, 'post_number') or 0:.0f} by {_author(post) or 'someone'}",
            _day(post),
            _received(post),
            f"in reply to #{answered:.0f}" if answered else "",
        )
    )


def _received(post: Fields) -> str:
    score = number(post, "score")
    solved = "accepted answer" if at(post, "accepted_answer") is True else ""
    return dotted((f"score {score:.0f}" if score else "", solved))


def _tags(value: JsonValue) -> str:
    """Tags are names, in newer versions objects with one."""
    tags = at(value, "tags")
    names = [text(tag, "name") or text(tag) for tag in tags] if isinstance(tags, list) else []
    return f"tags: {', '.join(name for name in names if name)}" if any(names) else ""


def _source(post: Fields) -> str:
    return text(post, "raw") or text(post, "cooked")


def _author(post: Fields) -> str:
    return one_line(text(post, "username"))


def _day(post: Fields) -> str:
    return iso_day(at(post, "created_at"))
