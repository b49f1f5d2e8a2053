"""Mastodon: a post with what it answers and its replies, on any server, found by the form of its address.

Docs:   https://docs.joinmastodon.org/methods/statuses/
Sends:  GET {server}/api/v1/statuses/{id} and .../{id}/context. No key; the host comes from the page's url:
        the ids are those of the server that shows the post, also for authors from elsewhere.
Gets:   a status with `account`, `content` (HTML), `spoiler_text`, counts, `media_attachments`, `card`,
        `poll`, `reblog`; `{"ancestors": [...], "descendants": [...]}`.
Quirks: a closed server says 401. Anonymous readers get at most 40 ancestors and 60 replies.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import NoContent
from research_mcp.core.models import Kind, Page
from research_mcp.core.ports import Http, Job
from research_mcp.core.urls import host_of
from research_mcp.core.wire import JsonValue
from research_mcp.providers.kit.fields import Fields
from research_mcp.providers.kit.fragment import to_markdown
from research_mcp.providers.kit.keyless import site_json
from research_mcp.providers.kit.read import ReadType
from research_mcp.providers.kit.registry import register
from research_mcp.providers.kit.shape import iso_day
from research_mcp.providers.kit.thread import Post, blocks, choose, counted, dotted, listed, missing, one_line
from research_mcp.providers.kit.tree import at, number, rows, text

_STATUS = re.compile(r"/(?:@[\w.-]{1,60}(?:@[\w.-]{1,253})?|users/[\w.-]{1,60}/statuses)/(\d{1,20})/?")


@register("read.mastodon")
class MastodonRead(ReadType):
    """One post and the conversation around it."""

    docs = "https://docs.joinmastodon.org/methods/statuses/"
    site = True
    sample = "https://mastodon.social/@Gargron/1"
    from_here = True
    cap = 20.0

    def accepts(self, url: str) -> bool:
        """`/@ann/1`, `/@ann@elsewhere.example/1` and `/users/ann/statuses/1` on any host."""
        return _STATUS.fullmatch(urlsplit(url).path) is not None

    async def read(self, job: Job, http: Http, deadline: Deadline) -> Page:
        """The post. Raises `NoContent`: `empty` where no Mastodon answers, else the status' reason."""
        parts = urlsplit(job.url)
        found = _STATUS.fullmatch(parts.path)
        api = f"{parts.scheme}://{parts.netloc}/api/v1/statuses/{found[1] if found else ''}"
        status = await site_json(job, api, "Mastodon")
        if not (isinstance(status, dict) and text(status, "account", "acct")):
            raise NoContent("no Mastodon post is there")
        context: JsonValue = None
        notes: tuple[str, ...] = ()
        try:
            context = await site_json(job, f"{api}/context", "Mastodon")
        except NoContent as error:
            notes = (missing("the conversation", error),)
        return await self._page(job.url, _shown(status), context, notes)

    async def _page(self, url: str, status: Fields, context: JsonValue, notes: tuple[str, ...]) -> Page:
        ancestors = rows(context, "ancestors")
        replies = _Replies(rows(context, "descendants"))
        chosen = choose(replies.roots, replies.to)
        shown = [status, *ancestors, *(reply for _, reply in chosen.rows)]
        texts = await to_markdown([text(each, "content") for each in shown], url)
        bodies = [_body(each, body) for each, body in zip(shown, texts, strict=True)]
        earlier = [(0, _post(each, body)) for each, body in zip(ancestors, bodies[1:], strict=False)]
        later = [
            (level, _post(each, body))
            for (level, each), body in zip(chosen.rows, bodies[1 + len(ancestors) :], strict=True)
        ]
        author = _author(status)
        return self.page(
            url,
            blocks(
                f"## Earlier in the conversation\n\n{listed(earlier)}\n\n## The post" if earlier else "",
                dotted(_received(status)),
                bodies[0],
                f"## Replies\n\n{listed(later)}" if later else "",
            ),
            final_url=text(status, "url") if at(status, "boosted") else url,
            kind=Kind.POST,
            title=f"Post by {author}",
            author=author,
            date=iso_day(at(status, "created_at")),
            site=host_of(url),
            language=text(status, "language"),
            notes=(*notes, *chosen.note("replies")),
        )


class _Replies:
    """Statuses as a tree by `in_reply_to_id`; each counts once, and those nobody leads to are left out."""

    def __init__(self, statuses: list[Fields]) -> None:
        self._by_id = {text(status, "id"): status for status in statuses}
        self._below: dict[str, list[Fields]] = {}
        self.roots: list[Fields] = []
        for status in self._by_id.values():
            parent = text(status, "in_reply_to_id")
            siblings = self._below.setdefault(parent, []) if parent in self._by_id else self.roots
            siblings.append(status)

    def to(self, status: Fields) -> list[Fields]:
        """The replies to one of them."""
        return self._below.get(text(status, "id"), [])


def _shown(status: Fields) -> Fields:
    """The post itself, or the one that it passes on."""
    boosted = at(status, "reblog")
    return {**boosted, "boosted": True} if isinstance(boosted, dict) else status


def _body(status: Fields, content: str) -> str:
    warning = text(status, "spoiler_text")
    return blocks(
        f"Content warning: {one_line(warning, 300)}" if warning else "",
        content,
        _poll(status),
        *(_media(each) for each in rows(status, "media_attachments")),
        _card(status),
    )


def _poll(status: Fields) -> str:
    options = rows(status, "poll", "options")
    return "\n".join(
        f"- {dotted((one_line(text(option, 'title'), 200), counted(number(option, 'votes_count'), 'vote')))}"
        for option in options
    )


def _media(media: Fields) -> str:
    said = one_line(text(media, "description"), 1_500)
    url = text(media, "url")
    if text(media, "type") == "image":
        return f"![{said}]({url})"
    return f"[{dotted((text(media, 'type') or 'media', said))}]({url})"


def _card(status: Fields) -> str:
    title, url = one_line(text(status, "card", "title"), 300), text(status, "card", "url")
    said = one_line(text(status, "card", "description"), 500)
    return f"[{title or url}]({url})" + (f": {said}" if said else "") if url else ""


def _post(status: Fields, body: str) -> Post:
    return Post(body, _author(status), iso_day(at(status, "created_at")), _received(status))


def _received(status: Fields) -> tuple[str, ...]:
    counts = (("favourites_count", "favourite"), ("reblogs_count", "boost"))
    return tuple(counted(found, what) for name, what in counts if (found := number(status, name)))


def _author(status: Fields) -> str:
    name, account = one_line(text(status, "account", "display_name")), text(status, "account", "acct")
    return f"{name} (@{account})" if name else f"@{account}"
