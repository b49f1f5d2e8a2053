"""Bluesky: a post with its conversation, or a profile with its latest posts.

Docs:   https://docs.bsky.app/docs/api/app-bsky-feed-get-post-thread
Sends:  GET /xrpc/app.bsky.feed.getPostThread with `uri`, `depth`, `parentHeight`; for a profile
        app.bsky.actor.getProfile and app.bsky.feed.getAuthorFeed. No key.
Gets:   `{"thread": {"post": {...}, "parent": {...}, "replies": [...]}}`; what may not be shown has a
        `$type` that ends in `#notFoundPost` or `#blockedPost`.
Quirks: a missing post is a 400 with `NotFound`. Links stand beside the text, counted in octets.
"""

from __future__ import annotations

import re
from urllib.parse import unquote, urlsplit

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import BadReply, NoContent, ProviderError, Reason
from research_mcp.core.models import Kind, Page
from research_mcp.core.ports import Http, Job
from research_mcp.core.urls import host_of
from research_mcp.core.wire import JsonValue, Reply, Request
from research_mcp.providers.kit.fields import Fields, object_of
from research_mcp.providers.kit.keyless import closed
from research_mcp.providers.kit.read import ReadType
from research_mcp.providers.kit.registry import register
from research_mcp.providers.kit.shape import iso_day
from research_mcp.providers.kit.thread import Post, blocks, choose, counted, dotted, listed, missing, one_line
from research_mcp.providers.kit.tree import at, number, rows, text

DEPTH, PARENTS, LATEST = 6, 10, 30

_WHO = r"(?P<who>did:[a-z]{1,10}:[\w.:%-]{1,200}|[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})+)"
_PROFILE = re.compile(rf"/profile/{_WHO}(?:/post/(?P<key>[\w.:~-]{{1,512}}))?/?")
_ENDED = frozenset(("AccountTakedown", "AccountDeactivated"))
_NOT_SHOWN = ("#viewNotFound", "#viewBlocked", "#viewDetached")
_NOT_THERE = ("not found", "could not find", "unable to resolve")


@register("read.bluesky")
class BlueskyRead(ReadType):
    """One post with the conversation around it; a profile as its description and latest posts."""

    docs = "https://docs.bsky.app/docs/api/app-bsky-feed-get-post-thread"
    endpoint = "https://public.api.bsky.app/xrpc"
    site = True
    sample = "https://bsky.app/profile/bsky.app"
    cap = 20.0

    def accepts(self, url: str) -> bool:
        """`bsky.app/profile/ann.example` and `bsky.app/profile/ann.example/post/1`, DIDs too."""
        return bool(_names(url)[0])

    def refusal(self, reply: Reply) -> ProviderError | None:
        """What the error object in a 400 means; nobody has a key that a 401 could mean."""
        if reply.status != 400 or reply.media_type != "application/json":
            return closed(reply)
        error = object_of(reply)
        name, said = text(error, "error"), text(error, "message").lower()
        if name in _ENDED:
            return NoContent("the account was closed or suspended", reason=Reason.GONE)
        if name == "NotFound" or any(words in said for words in _NOT_THERE):
            return NoContent("Bluesky has no such post or profile", reason=Reason.NOT_FOUND)
        return None

    async def read(self, job: Job, http: Http, deadline: Deadline) -> Page:
        """The post or the profile. Raises `NoContent` (`not_found`, `gone`, `forbidden`)."""
        who, key = _names(job.url)
        if key:
            return await self._thread(job.url, f"at://{who}/app.bsky.feed.post/{key}", http, deadline)
        return await self._profile(job.url, who, http, deadline)

    async def _thread(self, url: str, uri: str, http: Http, deadline: Deadline) -> Page:
        params: dict[str, str | int] = {"uri": uri, "depth": DEPTH, "parentHeight": PARENTS}
        request = Request("GET", "/app.bsky.feed.getPostThread", params=params)
        thread = at(object_of(await http.send(request, deadline)), "thread")
        kind = text(thread, "$type")
        if kind.endswith("#notFoundPost"):
            raise NoContent("the post was deleted, or never was", reason=Reason.NOT_FOUND)
        if kind.endswith("#blockedPost"):
            raise NoContent("the post is not shown to the public", reason=Reason.FORBIDDEN)
        post = at(thread, "post")
        if not (isinstance(thread, dict) and isinstance(post, dict)):
            raise BadReply("Bluesky sent a thread without its post")
        earlier = _parents(thread)
        chosen = choose(_replies(thread), _replies)
        author = _author(post)
        return self.page(
            url,
            blocks(
                f"## Earlier in the conversation\n\n{listed(earlier)}\n\n## The post" if earlier else "",
                dotted(_received(post)),
                _body(post),
                f"## Replies\n\n{listed((level, _post(at(node, 'post'))) for level, node in chosen.rows)}"
                if chosen.rows
                else "",
            ),
            kind=Kind.POST,
            title=f"Post by {author}",
            author=author,
            date=_day(post),
            site="Bluesky",
            language=text(post, "record", "langs", 0),
            notes=chosen.note("replies"),
        )

    async def _profile(self, url: str, who: str, http: Http, deadline: Deadline) -> Page:
        params: dict[str, str | int] = {"actor": who}
        profile = object_of(
            await http.send(Request("GET", "/app.bsky.actor.getProfile", params=params), deadline)
        )
        notes: tuple[str, ...] = ()
        feed: list[Fields] = []
        try:
            params = {"actor": who, "limit": LATEST}
            answer = await http.send(Request("GET", "/app.bsky.feed.getAuthorFeed", params=params), deadline)
            feed = rows(object_of(answer), "feed")
        except ProviderError as error:
            notes = (missing("the latest posts", error),)
        name = _named(profile)
        counts = (("followersCount", "follower"), ("postsCount", "post"))
        facts = dotted(counted(number(profile, field), what) for field, what in counts)
        posts = listed((0, _entry(entry)) for entry in feed)
        return self.page(
            url,
            blocks(facts, text(profile, "description"), f"## Latest posts\n\n{posts}" if posts else ""),
            kind=Kind.POST,
            title=name,
            author=name,
            site="Bluesky",
            notes=notes,
        )


def _names(url: str) -> tuple[str, str]:
    """Handle or DID, and the key of the post ("" for a profile); two "" for anything else."""
    found = _PROFILE.fullmatch(urlsplit(url).path)
    if host_of(url) not in ("bsky.app", "www.bsky.app") or not found:
        return "", ""
    return unquote(found["who"]), found["key"] or ""


def _replies(node: Fields) -> list[Fields]:
    return [reply for reply in rows(node, "replies") if isinstance(at(reply, "post"), dict)]


def _parents(thread: Fields) -> list[tuple[int, Post]]:
    """What the post answers, the oldest first; a gap ends it."""
    found: list[tuple[int, Post]] = []
    node = at(thread, "parent")
    while isinstance(post := at(node, "post"), dict) and len(found) < PARENTS:
        found.append((0, _post(post)))
        node = at(node, "parent")
    return found[::-1]


def _entry(entry: Fields) -> Post:
    post = _post(at(entry, "post"))
    repost = text(entry, "reason", "$type").endswith("#reasonRepost")
    return Post(post.body, post.author, post.date, ("reposted", *post.facts) if repost else post.facts)


def _post(post: JsonValue) -> Post:
    return Post(_body(post), _author(post), _day(post), _received(post))


def _body(post: JsonValue) -> str:
    return blocks(_linked(post), *_embedded(at(post, "embed")))


def _linked(post: JsonValue) -> str:
    """The text with its links, whose places are counted in octets of UTF-8."""
    octets = _written(post).encode("utf-8", "replace")
    links = sorted(
        (int(start), int(end), uri)
        for facet in rows(post, "record", "facets")
        if (uri := next((u for each in rows(facet, "features") if (u := text(each, "uri"))), ""))
        and (start := number(facet, "index", "byteStart")) is not None
        and (end := number(facet, "index", "byteEnd")) is not None
    )
    pieces: list[bytes] = []
    place = 0
    for start, end, uri in links:
        if place <= start < end <= len(octets):
            pieces += [
                octets[place:start],
                _link(octets[start:end].decode("utf-8", "replace"), uri).encode("utf-8", "replace"),
            ]
            place = end
    return b"".join((*pieces, octets[place:])).decode("utf-8", "replace").strip()


def _written(post: JsonValue) -> str:
    """The text as it was written: places are counted from its very start."""
    found = at(post, "record", "text")
    return found if isinstance(found, str) else ""


def _link(label: str, uri: str) -> str:
    """A label that is the address itself, or its start, is no label."""
    bare = label.rstrip("\u2026.")
    return uri if bare in uri else f"[{label}]({uri})"


def _embedded(embed: JsonValue) -> list[str]:
    """Pictures, a link's card, a video and a quoted post, as far as there are any."""
    found = []
    for part in (embed, at(embed, "media")):
        found += [_picture(image) for image in rows(part, "images")]
        if uri := text(part, "external", "uri"):
            title = one_line(text(part, "external", "title"), 300) or uri
            said = one_line(text(part, "external", "description"), 500)
            found.append(f"[{title}]({uri})" + (f": {said}" if said else ""))
        if playlist := text(part, "playlist"):
            found.append(f"[{dotted(('video', one_line(text(part, 'alt'), 1_500)))}]({playlist})")
    record = at(embed, "record", "record") or at(embed, "record")
    if quoted := text(record, "value", "text"):
        lines = f"{_author(record)}:\n{quoted}".split("\n")
        found.append("\n".join(f"> {line}".rstrip() for line in lines))
    elif text(record, "$type").endswith(_NOT_SHOWN):
        found.append("> (a quoted post that is not shown)")
    return found


def _picture(image: Fields) -> str:
    return f"![{one_line(text(image, 'alt'), 1_500)}]({text(image, 'fullsize')})"


def _received(post: JsonValue) -> tuple[str, ...]:
    counts = (("likeCount", "like"), ("repostCount", "repost"))
    return tuple(counted(found, what) for name, what in counts if (found := number(post, name)))


def _author(post: JsonValue) -> str:
    return _named(at(post, "author"))


def _named(actor: JsonValue) -> str:
    name, handle = one_line(text(actor, "displayName")), text(actor, "handle")
    return f"{name} (@{handle})" if name else f"@{handle}"


def _day(post: JsonValue) -> str:
    return iso_day(at(post, "record", "createdAt")) or iso_day(at(post, "indexedAt"))
