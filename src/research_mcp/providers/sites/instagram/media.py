"""A post as Instagram describes it, in whichever of its forms."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from research_mcp.core.errors import NoContent, Reason
from research_mcp.core.wire import JsonValue
from research_mcp.providers.kit.shape import iso_day
from research_mcp.providers.kit.tree import at, find, number, rows, text

_GATE = "if_not_gated_logged_out"
_MOST_COMMENTS = 20


@dataclass(frozen=True, slots=True)
class Clip:
    """One video: its DASH manifest and the address of its smallest file, "" when not stated."""

    manifest: str
    url: str
    silent: bool


@dataclass(frozen=True, slots=True)
class Post:
    """What a post says and shows."""

    user: str
    name: str
    caption: str
    date: str
    counts: tuple[str, ...]
    clips: tuple[Clip, ...]
    comments: tuple[tuple[str, str], ...]


def media_in(values: Iterable[JsonValue]) -> JsonValue:
    """The description of the post in any of `values`, None when there is none."""
    older: JsonValue = None
    for value in values:
        for media in find(value, "xig_polaris_media"):
            if isinstance(media, dict):
                return media
        for info in find(value, "xdt_api__v1__media__shortcode__web_info"):
            older = older or at(info, "items", 0)
    return older if isinstance(older, dict) else None


def post_of(media: JsonValue) -> Post:
    """The post. Raises `NoContent` (`forbidden`) for one that only people with a login see."""
    body = at(media, _GATE) if isinstance(media, dict) and _GATE in media else media
    if body is None:
        raise NoContent("Instagram shows this post only to people who are logged in", reason=Reason.FORBIDDEN)
    parts = [body, *rows(body, "carousel_media")]
    return Post(
        user=text(body, "user", "username"),
        name=text(body, "user", "full_name"),
        caption=text(body, "caption", "text"),
        date=iso_day(at(body, "taken_at")),
        counts=tuple(_counts(body)),
        clips=tuple(clip for part in parts if (clip := _clip(part))),
        comments=tuple(_comments(media, body)),
    )


def _counts(body: JsonValue) -> Iterable[str]:
    for name, word in (("like_count", "likes"), ("comment_count", "comments")):
        count = number(body, name)
        if count is not None and count >= 0:
            yield f"{count:,.0f} {word}"


def _clip(part: JsonValue) -> Clip | None:
    manifest = text(part, "video_dash_manifest")
    files = [row for row in rows(part, "video_versions") if text(row, "url")]
    if not manifest and not files:
        return None
    smallest = min(files, key=lambda row: number(row, "width") or 0.0, default=None)
    return Clip(manifest, text(smallest, "url"), silent=at(part, "has_audio") is False)


def _comments(media: JsonValue, body: JsonValue) -> Iterable[tuple[str, str]]:
    edges = rows(media, "comments_connection", "edges") or rows(body, "comments_connection", "edges")
    for edge in edges[:_MOST_COMMENTS]:
        if said := text(edge, "node", "text"):
            yield text(edge, "node", "user", "username"), said
