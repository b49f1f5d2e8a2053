"""Bluesky: a post with its conversation, a profile with its latest posts."""

from __future__ import annotations

import json

import httpx
import pytest

from research_mcp.core.errors import BadReply, NoContent, RateLimited, Reason, Transient
from research_mcp.core.models import Kind
from research_mcp.providers.sites.bluesky import BlueskyRead
from tests.kit.sites import Desk, fixture

URL = "https://bsky.app/profile/ann.example/post/3k"
PROFILE = "https://bsky.app/profile/ann.example"
API = "GET https://public.api.bsky.app/xrpc"
THREAD, ACTOR, FEED = (
    f"{API}/app.bsky.{name}" for name in ("feed.getPostThread", "actor.getProfile", "feed.getAuthorFeed")
)


def desk(thread: object) -> Desk:
    return Desk(BlueskyRead, {THREAD: thread})


@pytest.mark.parametrize(
    ("url", "taken"),
    [
        (URL, True),
        (URL + "/", True),
        (PROFILE, True),
        ("https://www.bsky.app/profile/did:plc:abc123/post/3k", True),
        ("https://bsky.app/profile/did%3Aplc%3Aabc", False),
        ("https://bsky.app/profile/ann", False),
        ("https://bsky.app/profile/ann.example/feed/x", False),
        ("https://bsky.app/profile/ann.example/post/3k/liked-by", False),
        ("https://bsky.app/", False),
        ("https://bsky.app.evil.test/profile/ann.example", False),
    ],
)
def test_it_takes_posts_and_profiles(url: str, taken: bool) -> None:
    assert BlueskyRead().accepts(url) is taken


def test_a_post_comes_with_its_conversation() -> None:
    found = desk(fixture("bluesky/thread.json"))
    page = found.page(URL)
    assert dict(found.sent[0].url.params) == {
        "uri": "at://ann.example/app.bsky.feed.post/3k",
        "depth": "6",
        "parentHeight": "10",
    }
    assert (page.title, page.author) == ("Post by Ann (@ann.example)", "Ann (@ann.example)")
    assert (page.date, page.language, page.kind, page.site) == ("2026-08-01", "en", Kind.POST, "Bluesky")
    assert page.markdown == (
        "## Earlier in the conversation\n\n"
        "- **@cal.example** · 2026-08-01\n\n  What do you grow?\n\n"
        "## The post\n\n"
        "7 likes · 1 repost\n\n"
        "[Kélp](https://k.example) 🌊 notes: https://kelp.example/notes\n\n"
        "![A rope](https://cdn.example/f)\n\n"
        "> Quo (@quo.example):\n> Quoted\n> lines\n\n"
        "## Replies\n\n"
        "- **Bob (@bob.example)** · 2026-08-01 · 1 like\n\n  Nice\n\n"
        "  [Kelp news](https://news.example/kelp): All about kelp.\n\n"
        "  - **Ann (@ann.example)** · 2026-08-01\n\n    Thanks"
    )


def test_a_profile_is_its_description_and_latest_posts() -> None:
    found = Desk(BlueskyRead, {ACTOR: fixture("bluesky/profile.json"), FEED: fixture("bluesky/feed.json")})
    page = found.page(PROFILE)
    assert (page.title, page.notes) == ("Ann (@ann.example)", ())
    assert page.markdown == (
        "12 followers · 40 posts\n\nGrows kelp.\n\n## Latest posts\n\n"
        "- **Ann (@ann.example)** · 2026-08-01\n\n  Harvest\n\n  [video · Boat](https://video.example/p.m3u8)\n\n"
        "- **Bob (@bob.example)** · 2026-08-01 · reposted\n\n  Look\n\n  > (a quoted post that is not shown)"
    )


def test_posts_that_fail_leave_the_profile() -> None:
    page = Desk(BlueskyRead, {ACTOR: fixture("bluesky/profile.json"), FEED: httpx.Response(500)}).page(
        PROFILE
    )
    assert page.notes[0].startswith("the latest posts could not be read (upstream_error)")


@pytest.mark.parametrize(("start", "end"), [(3, 1), (0, 999), (-1, 2), ("a", None)])
def test_a_link_at_a_place_that_is_not_there_is_left_out(start: object, end: object) -> None:
    facet = {"index": {"byteStart": start, "byteEnd": end}, "features": [{"uri": "https://x.example"}]}
    record = {"text": "kelp \ud83c", "facets": [facet]}
    body = json.dumps({"thread": {"post": {"author": {}, "record": record}}})
    page = desk(httpx.Response(200, content=body.encode())).page(URL)
    assert page.markdown == "kelp ?"


@pytest.mark.parametrize(
    ("answer", "kind", "reason"),
    [
        (fixture("bluesky/missing.json", 400), NoContent, Reason.NOT_FOUND),
        (httpx.Response(400, json={"error": "InvalidRequest", "message": "Profile not found"}), NoContent, Reason.NOT_FOUND),
        (httpx.Response(400, json={"error": "AccountTakedown", "message": "x"}), NoContent, Reason.GONE),
        (httpx.Response(400, json={"error": "InvalidRequest", "message": "bad cursor"}), BadReply, None),
        (httpx.Response(401, json={"error": "AuthMissing"}), NoContent, Reason.FORBIDDEN),
        (httpx.Response(200, json={"thread": {"$type": "app.bsky.feed.defs#notFoundPost"}}), NoContent, Reason.NOT_FOUND),
        (httpx.Response(200, json={"thread": {"$type": "app.bsky.feed.defs#blockedPost"}}), NoContent, Reason.FORBIDDEN),
        (httpx.Response(429, headers={"retry-after": "9"}), RateLimited, Reason.RATE_LIMITED),
        (httpx.Response(502), Transient, Reason.UPSTREAM_ERROR),
        (httpx.Response(200, content=b"<html>"), BadReply, None),
        (httpx.Response(200, json={"thread": []}), BadReply, None),
        (httpx.Response(200, json={"thread": {"post": {}}}), NoContent, Reason.EMPTY),
    ],
    ids=["missing", "no profile", "closed", "400", "401", "not found", "blocked", "429", "502", "html", "shape", "empty"],
)  # fmt: skip
def test_each_fault_has_its_remedy(answer: object, kind: type[Exception], reason: Reason | None) -> None:
    error = desk(answer).error(URL)
    assert type(error) is kind
    assert reason in (None, error.reason)
