"""Instagram profiles: who it is, and twelve posts a page.

Docs:   the site's own requests, as instaloader and yt-dlp of 2026 know them.
Sends:  GET /api/v1/users/web_profile_info/ for the head and the latest posts; for later ones
        GET /api/v1/feed/user/{user}/username/ with `max_id`.
Quirks: without a login Instagram closes both more and more: the head often comes without posts, business
        accounts are a 400, later posts mostly want a login. Each is named as what it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import quote

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import BadReply, NoContent, Reason
from research_mcp.core.models import Kind, Page
from research_mcp.core.ports import Http, Job
from research_mcp.core.wire import JsonValue, Reply, Request
from research_mcp.providers.kit.registry import register
from research_mcp.providers.kit.shape import iso_day
from research_mcp.providers.kit.thread import blocks, dotted
from research_mcp.providers.kit.tree import at, number, rows, text
from research_mcp.providers.sites.instagram.addresses import SITE, Profile, next_page, post_url, profile_of
from research_mcp.providers.sites.instagram.answers import STEP, InstagramType, as_json, refused

POSTS = 12
"""How many posts a page shows."""


@dataclass(frozen=True, slots=True)
class Listing:
    """Posts as (date, code, caption), and where the next ones begin; "" when these are the last."""

    posts: tuple[tuple[str, str, str], ...]
    cursor: str


@register("read.instagram_profile", options=("app_id", "user_agent"))
class InstagramProfileRead(InstagramType):
    """A profile's head and posts, with the address of the next page."""

    docs = "https://instaloader.github.io/"
    sample = "https://www.instagram.com/instagram/"

    def accepts(self, url: str) -> bool:
        """Addresses of one profile."""
        return profile_of(url) is not None

    async def read(self, job: Job, http: Http, deadline: Deadline) -> Page:
        """The profile, or its later posts. Raises `RateLimited` (`blocked`) and `NoContent`."""
        profile = profile_of(job.url) or Profile("")
        if profile.cursor:
            return self._later(job.url, profile, await self._feed(profile, http, deadline))
        user = at(await self._info(profile.user, http, deadline), "data", "user")
        if user is None:
            raise NoContent("Instagram has no such profile", reason=Reason.NOT_FOUND)
        if not text(user, "username"):
            raise BadReply("Instagram's answer holds no profile")
        return self._first(job.url, profile.user, user)

    async def _info(self, user: str, http: Http, deadline: Deadline) -> JsonValue:
        reply = await self._sent("/users/web_profile_info/", {"username": user}, user, http, deadline)
        if reply.status == 400:
            raise _closed("Instagram does not show this profile to visitors without a login")
        return _data(reply)

    async def _feed(self, profile: Profile, http: Http, deadline: Deadline) -> JsonValue:
        path = f"/feed/user/{quote(profile.user)}/username/"
        params = {"count": str(POSTS), "max_id": profile.cursor}
        reply = await self._sent(path, params, profile.user, http, deadline)
        if reply.status in (400, 401):  # the usual answer to everybody, and no reason to rest
            raise _closed("Instagram shows further posts only to people who are logged in")
        return _data(reply)

    async def _sent(
        self, path: str, params: dict[str, str], user: str, http: Http, deadline: Deadline
    ) -> Reply:
        headers = self.as_script(f"{SITE}/{user}/")
        request = Request("GET", f"{SITE}/api/v1{path}", params=params, headers=headers)
        return await http.send(request, deadline.share(STEP))

    def _first(self, url: str, user: str, value: JsonValue) -> Page:
        name = text(value, "full_name")
        notes: tuple[str, ...] = ()
        listing = _timeline(value)
        if at(value, "is_private") is True:
            notes = ("the profile is private: its posts are for its followers",)
        elif not listing.posts:
            notes = ("Instagram shows none of its posts to visitors without a login",)
        parts = [_facts(value), text(value, "biography"), *_posts(listing), _onward(user, listing)]
        return self._page(url, user, name, parts, notes)

    def _later(self, url: str, profile: Profile, value: JsonValue) -> Page:
        listing = _items(value)
        if not listing.posts:
            raise NoContent("Instagram shows no further posts of this profile", reason=Reason.EMPTY)
        name = text(value, "user", "full_name")
        return self._page(url, profile.user, name, [*_posts(listing), _onward(profile.user, listing)], ())

    def _page(self, url: str, user: str, name: str, parts: Iterable[str], notes: tuple[str, ...]) -> Page:
        title = f"{name} (@{user}) on Instagram" if name else f"@{user} on Instagram"
        return self.page(
            url,
            blocks(f"# {title}", *parts),
            kind=Kind.POST,
            title=title,
            author=name or user,
            site="Instagram",
            notes=notes,
        )


def _data(reply: Reply) -> JsonValue:
    if error := refused(reply, "/api/"):
        raise error
    return as_json(reply)


def _closed(why: str) -> NoContent:
    return NoContent(why, reason=Reason.FORBIDDEN)


def _facts(value: JsonValue) -> str:
    counts = (
        ("followers", number(value, "edge_followed_by", "count")),
        ("posts", number(value, "edge_owner_to_timeline_media", "count")),
    )
    return dotted(f"{count:,.0f} {word}" for word, count in counts if count is not None)


def _timeline(value: JsonValue) -> Listing:
    timeline = at(value, "edge_owner_to_timeline_media")
    nodes = [at(edge, "node") for edge in rows(timeline, "edges")[:POSTS]]
    posts = tuple(
        (
            iso_day(at(node, "taken_at_timestamp")),
            text(node, "shortcode"),
            text(node, "edge_media_to_caption", "edges", 0, "node", "text"),
        )
        for node in nodes
        if text(node, "shortcode")
    )
    more = at(timeline, "page_info", "has_next_page") is True
    return Listing(posts, text(timeline, "page_info", "end_cursor") if more else "")


def _items(value: JsonValue) -> Listing:
    posts = tuple(
        (iso_day(at(item, "taken_at")), text(item, "code"), text(item, "caption", "text"))
        for item in rows(value, "items")[:POSTS]
        if text(item, "code")
    )
    more = at(value, "more_available") is True
    return Listing(posts, text(value, "next_max_id") if more else "")


def _posts(listing: Listing) -> Iterable[str]:
    for date, code, caption in listing.posts:
        head = f"{date} {post_url(code)}".strip()
        yield f"## {head}\n\n{caption}" if caption else f"## {head}"


def _onward(user: str, listing: Listing) -> str:
    return f"Next page: {next_page(user, listing.cursor)}" if listing.cursor else ""
