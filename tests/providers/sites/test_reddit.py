"""Reddit: threads, subreddits and users by their feeds."""

from __future__ import annotations

import html

import httpx
import pytest

from research_mcp.core.errors import BadReply, NoContent, RateLimited, Reason, Transient
from research_mcp.core.models import Kind
from research_mcp.providers.sites.reddit import RedditRead
from tests.kit.reading import FakeFetcher, document
from tests.kit.sites import Desk, fixture

URL = "https://www.reddit.com/r/kelp/comments/abc12/how_deep/"
THREAD = "GET https://www.reddit.com/comments/abc12/.rss"
SHARED = "https://www.reddit.com/r/kelp/s/AbC123"
EMPTY = b'<feed xmlns="http://www.w3.org/2005/Atom"><title>none</title></feed>'


def desk(answer: object, fetcher: FakeFetcher | None = None) -> Desk:
    return Desk(RedditRead, {THREAD: answer}, fetcher=fetcher)


@pytest.mark.parametrize(
    ("url", "asked"),
    [
        (URL, "comments/abc12/.rss"),
        ("https://old.reddit.com/r/kelp/comments/abc12", "comments/abc12/.rss"),
        ("https://reddit.com/comments/abc12/", "comments/abc12/.rss"),
        ("https://www.reddit.com/user/ann/comments/abc12/x/", "comments/abc12/.rss"),
        ("https://www.reddit.com/r/kelp/comments/abc12/x/com1/?context=3", "comments/abc12/.rss"),
        ("https://redd.it/abc12", "comments/abc12/.rss"),
        ("https://www.reddit.com/r/kelp", "r/kelp/.rss"),
        ("https://m.reddit.com/r/kelp+seaweed/new/", "r/kelp+seaweed/new/.rss"),
        ("https://www.reddit.com/r/kelp/top/?t=week", "r/kelp/top/.rss?t=week"),
        ("https://www.reddit.com/r/kelp/top/?t=%2e%2e", "r/kelp/top/.rss"),
        ("https://www.reddit.com/u/ann", "user/ann/.rss"),
        ("https://www.reddit.com/user/ann/", "user/ann/.rss"),
    ],
)
def test_each_form_of_an_address_asks_for_its_feed(url: str, asked: str) -> None:
    name = f"GET https://www.reddit.com/{asked.partition('?')[0]}"
    found = Desk(RedditRead, {name: fixture("reddit/subreddit.xml")})
    found.page(url)
    assert [str(request.url) for request in found.sent] == [f"https://www.reddit.com/{asked}"]


@pytest.mark.parametrize(
    "url",
    [
        "https://www.reddit.com/",
        "https://www.reddit.com/r/kelp/wiki/index",
        "https://www.reddit.com/r/kelp/about/",
        "https://www.reddit.com/r/kelp/comments/",
        "https://www.reddit.com/search?q=kelp",
        "https://i.redd.it/photo.jpg",
        "https://redd.it/",
        "https://oauth.reddit.com/r/kelp",
        "https://www.reddit.com.evil.test/r/kelp",
        "https://notreddit.com/r/kelp",
    ],
)
def test_other_addresses_are_left_to_others(url: str) -> None:
    assert not RedditRead().accepts(url)


def test_a_thread_is_its_post_and_the_first_comments() -> None:
    page = desk(fixture("reddit/thread.xml")).page(f"{URL}com1/")
    assert (page.title, page.author, page.date) == ("How deep does kelp grow?", "u/ann_inv", "2026-08-01")
    assert (page.kind, page.site, page.final_url) == (Kind.POST, "Reddit", URL)
    assert "without scores" in page.notes[0]
    assert page.markdown == (
        "2 comments\n\n"
        "https://news.example/kelp?a=1&b=2\n\n"
        "My script says:\n\n```\nfor k in kelp:\n    print(k)\n```\n\n"
        "## Comments\n\n"
        "- **u/bob** · 2026-08-02 · the one that was linked\n\n  See [r/seaweed](https://www.reddit.com/r/seaweed).\n\n"
        "- 2026-08-02\n\n  [deleted]"
    )


def test_a_subreddit_is_its_latest_posts() -> None:
    page = Desk(RedditRead, {"GET https://www.reddit.com/r/kelp/.rss": fixture("reddit/subreddit.xml")}).page(
        "https://www.reddit.com/r/kelp/"
    )
    assert page.title == "Kelp growers"
    assert page.markdown == (
        "## A photo\n\n"
        "u/ann_inv · 2026-08-02 · https://www.reddit.com/r/kelp/comments/abc13/a_photo/\n\n"
        "https://i.example/photo.jpg\n\n"
        "## (no title)\n\n"
        "u/bob · 2026-07-01 · https://www.reddit.com/r/kelp/comments/abc14/rules/\n\n"
        "Rules, please read."
    )


def test_a_share_link_is_followed_to_its_thread() -> None:
    landed = document(SHARED, "login", 403, final_url=f"{URL}?share_id=1")
    found = desk(fixture("reddit/thread.xml"), FakeFetcher({SHARED: landed}))
    assert found.page(SHARED).final_url == URL
    lost = desk(fixture("reddit/thread.xml"), FakeFetcher({SHARED: "sorry"}))
    assert lost.error(SHARED).reason is Reason.NOT_FOUND


@pytest.mark.parametrize(
    ("answer", "kind", "reason"),
    [
        (httpx.Response(429, headers={"retry-after": "30"}), RateLimited, Reason.RATE_LIMITED),
        (
            httpx.Response(403, headers={"content-type": "text/html"}, content=b"<h1>"),
            RateLimited,
            Reason.BLOCKED,
        ),
        (httpx.Response(403, json={"reason": "private"}), NoContent, Reason.FORBIDDEN),
        (httpx.Response(404, json={"error": 404}), NoContent, Reason.NOT_FOUND),
        (httpx.Response(503), Transient, Reason.UPSTREAM_ERROR),
        (httpx.ReadTimeout("slow"), Transient, Reason.TIMEOUT),
        (httpx.Response(200, content=b"<!DOCTYPE html><html></html>"), BadReply, Reason.UPSTREAM_ERROR),
        (httpx.Response(200, content=b"{}"), BadReply, Reason.UPSTREAM_ERROR),
        (httpx.Response(200, content=EMPTY), NoContent, Reason.EMPTY),
    ],
    ids=["429", "edge", "private", "404", "503", "timeout", "html", "json", "empty"],
)
def test_each_fault_has_its_remedy(answer: object, kind: type[Exception], reason: Reason) -> None:
    error = desk(answer).error(URL)
    assert (type(error), error.reason) == (kind, reason)


@pytest.mark.parametrize(
    "content",
    [
        '<div class="md"><p>Down to <b>20</b> m</p></div>',
        "<p>Down to <b>20</b> m</p>",
        '<!-- SC_OFF --><div class="md"><p>Down to <b>20</b> m</p></div><!-- SC_ON --> submitted by /u/ann_inv',
    ],
)
def test_what_people_wrote_is_found_with_and_without_the_marks_around_it(content: str) -> None:
    entry = (
        "<entry><author><name>/u/ann_inv</name></author><id>t3_abc12</id><title>Deep</title>"
        f'<content type="html">{html.escape(content)}</content></entry>'
    )
    feed = f'<feed xmlns="http://www.w3.org/2005/Atom"><title>kelp</title>{entry * 2}</feed>'
    page = desk(httpx.Response(200, content=feed.encode())).page(URL)
    assert page.markdown.count("Down to **20** m") == 2
    assert "[deleted]" not in page.markdown
    assert "submitted" not in page.markdown
