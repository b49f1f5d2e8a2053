"""Instagram profiles: the head, twelve posts a page, and the way to the next ones."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from research_mcp.core.errors import BadReply, NoContent, ProviderError, RateLimited, Reason, Transient
from research_mcp.core.models import Kind
from research_mcp.providers.sites.instagram import InstagramProfileRead
from tests.kit.sites import FIXTURES, Desk, Turn, fixture

SITE = "https://www.instagram.com"
PROFILE = f"{SITE}/some.one/"
NEXT = f"{SITE}/some.one/?max_id=QVFBinvented%3D%3D"
INFO = f"GET {SITE}/api/v1/users/web_profile_info/"
FEED = f"GET {SITE}/api/v1/feed/user/some.one/username/"


def desk(answer: Turn | None = None, feed: Turn | None = None, **more: Any) -> Desk:
    lines = {
        INFO: answer or fixture("instagram_profile/info.json"),
        FEED: feed or fixture("instagram_profile/feed.json"),
    }
    return Desk(InstagramProfileRead, lines, **more)


def info(**changes: Any) -> httpx.Response:
    value = json.loads((FIXTURES / "instagram_profile" / "info.json").read_text())
    value["data"]["user"].update(changes)
    return httpx.Response(200, json=value)


def test_a_profile_becomes_its_head_and_posts_with_the_address_of_the_next() -> None:
    bench = desk()
    page = bench.page(PROFILE)
    assert page.markdown + "\n" == (FIXTURES / "instagram_profile" / "page.md").read_text()
    assert (page.kind, page.author, page.title) == (
        Kind.POST,
        "Some One",
        "Some One (@some.one) on Instagram",
    )
    (sent,) = bench.sent
    assert dict(sent.url.params) == {"username": "some.one"}
    assert sent.headers["x-ig-app-id"] == InstagramProfileRead.app_id


def test_the_address_of_the_next_page_is_one_this_reader_reads() -> None:
    bench = desk()
    page = bench.page(NEXT)
    assert page.markdown == (
        "# Some One (@some.one) on Instagram\n\n"
        f"## 2026-05-26 {SITE}/p/Cinvented3/\n\nreeds\n\n"
        f"## 2026-05-25 {SITE}/p/Cinvented4/\n\n"
        f"Next page: {SITE}/some.one/?max_id=31_1"
    )
    assert dict(bench.sent[0].url.params) == {"count": "12", "max_id": "QVFBinvented=="}


def test_a_page_holds_at_most_twelve_posts() -> None:
    edges = [{"node": {"shortcode": f"Cinvented{n}", "taken_at_timestamp": None}} for n in range(30)]
    page = desk(info(edge_owner_to_timeline_media={"edges": edges})).page(PROFILE)
    assert page.markdown.count("## ") == 12
    assert "Next page" not in page.markdown


def test_the_last_page_leads_nowhere() -> None:
    last = httpx.Response(200, json={"items": [{"code": "Cinvented9"}], "more_available": False})
    assert desk(feed=last).page(NEXT).markdown == (f"# @some.one on Instagram\n\n## {SITE}/p/Cinvented9/")


def test_a_profile_without_posts_is_its_head_with_a_note() -> None:
    page = desk(info(edge_owner_to_timeline_media={"count": 40, "edges": []})).page(PROFILE)
    assert "Salt and reeds." in page.markdown
    assert page.notes == ("Instagram shows none of its posts to visitors without a login",)


def test_a_private_profile_says_so() -> None:
    page = desk(info(is_private=True, full_name="", edge_owner_to_timeline_media=None)).page(PROFILE)
    assert page.title == "@some.one on Instagram"
    assert page.notes == ("the profile is private: its posts are for its followers",)


@pytest.mark.parametrize(
    ("answer", "kind", "reason"),
    [
        (fixture("instagram_profile/login.json", 401), RateLimited, Reason.BLOCKED),
        (fixture("instagram_profile/login.json"), RateLimited, Reason.BLOCKED),
        (httpx.Response(429), RateLimited, Reason.BLOCKED),
        (httpx.Response(302, headers={"location": "/accounts/login/"}), RateLimited, Reason.BLOCKED),
        (httpx.Response(200, text="<html>"), NoContent, Reason.BLOCKED),
        (httpx.Response(400, json={"status": "fail"}), NoContent, Reason.FORBIDDEN),
        (httpx.Response(404), NoContent, Reason.NOT_FOUND),
        (httpx.Response(200, json={"data": {"user": None}}), NoContent, Reason.NOT_FOUND),
        (httpx.Response(200, json={"data": {"user": []}}), BadReply, Reason.UPSTREAM_ERROR),
        (httpx.Response(200, text="what"), BadReply, Reason.UPSTREAM_ERROR),
        (httpx.Response(500), Transient, Reason.UPSTREAM_ERROR),
    ],
)
def test_a_profile_that_cannot_be_had_says_why(
    answer: Turn, kind: type[ProviderError], reason: Reason
) -> None:
    error = desk(answer).error(PROFILE)
    assert (type(error), error.reason) == (kind, reason)


@pytest.mark.parametrize(
    ("answer", "kind", "reason"),
    [
        (fixture("instagram_profile/login.json", 401), NoContent, Reason.FORBIDDEN),
        (httpx.Response(400), NoContent, Reason.FORBIDDEN),
        (httpx.Response(429), RateLimited, Reason.BLOCKED),
        (httpx.Response(200, json={"items": []}), NoContent, Reason.EMPTY),
    ],
)
def test_posts_that_want_a_login_are_no_block_of_the_site(
    answer: Turn, kind: type[ProviderError], reason: Reason
) -> None:
    error = desk(feed=answer).error(NEXT)
    assert (type(error), error.reason) == (kind, reason)


@pytest.mark.parametrize(
    ("url", "user"),
    [
        (f"{SITE}/some.one", "some.one"),
        ("https://instagram.com/Some.One/?hl=en", "some.one"),
        (f"{SITE}/_a_/?max_id=<x>", "_a_"),
        (f"{SITE}/7/", "7"),
    ],
)
def test_an_address_of_a_profile_is_read_by_its_user(url: str, user: str) -> None:
    bench = desk()
    bench.page(url)
    assert bench.sent[0].url.params["username"] == user


@pytest.mark.parametrize(
    "url",
    [
        f"{SITE}/",
        f"{SITE}/explore/",
        f"{SITE}/Accounts/",
        f"{SITE}/p/Cinvented1/",
        f"{SITE}/some.one/reels/",
        f"{SITE}/some..one./",
        f"{SITE}/{'a' * 31}/",
        "https://instagram.com.evil.test/some.one/",
        "https://help.instagram.com/some.one/",
    ],
)
def test_any_other_address_is_left_to_others(url: str) -> None:
    assert not InstagramProfileRead().accepts(url)
