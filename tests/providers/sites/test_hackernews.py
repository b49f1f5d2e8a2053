"""Hacker News: the thread as people read it, and what stands in for an item that is new or gone."""

from __future__ import annotations

import httpx
import pytest

from research_mcp.core.errors import BadReply, NoContent, RateLimited, Reason, Transient
from research_mcp.core.models import Kind
from research_mcp.providers.sites.hackernews import HackerNewsRead
from tests.kit.sites import Desk, fixture

URL = "https://news.ycombinator.com/item?id=40000001"
INDEX = "GET https://hn.algolia.com/api/v1/items/40000001"
OFFICIAL = "GET https://hacker-news.firebaseio.com/v0/item"
NOT_FOUND = httpx.Response(404, json={"status": 404, "error": "Not Found"})


def desk(index: object, **lines: object) -> Desk:
    official = {f"{OFFICIAL}/{name.removeprefix('i')}.json": turn for name, turn in lines.items()}
    return Desk(HackerNewsRead, {INDEX: index, **official})


@pytest.mark.parametrize(
    ("url", "taken"),
    [
        (URL, True),
        (URL + "#40000002", True),
        ("http://news.ycombinator.com/item?id=1&p=2", True),
        ("https://news.ycombinator.com/", False),
        ("https://news.ycombinator.com/item", False),
        ("https://news.ycombinator.com/item?id=x", False),
        ("https://news.ycombinator.com/item?id=-1", False),
        ("https://news.ycombinator.com/item?id=12345678901234", False),
        ("https://news.ycombinator.com/user?id=1", False),
        ("https://news.ycombinator.com.evil.test/item?id=1", False),
        ("https://ycombinator.com/item?id=1", False),
    ],
)
def test_it_takes_items_and_nothing_else(url: str, taken: bool) -> None:
    assert HackerNewsRead().accepts(url) is taken


def test_a_story_comes_with_its_tree_of_comments() -> None:
    page = desk(fixture("hackernews/story.json")).page(URL)
    assert (page.title, page.author, page.date) == ("Show HN: A kelp farm simulator", "ann", "2026-08-01")
    assert (page.kind, page.site, page.final_url, page.notes) == (Kind.POST, "Hacker News", URL, ())
    assert page.markdown == (
        "120 points · 4 comments\n\n"
        "https://kelp.example/sim\n\n"
        "It is *open source*. See https://kelp.example/docs\n\n"
        "## Comments\n\n"
        "- **bob** · 2026-08-01\n\n"
        "  How fast is it?\n\n"
        "  ```\n    for x in kelp:\n        grow(x)\n  ```\n\n"
        "  - **ann** · 2026-08-02\n\n"
        "    Fast enough & small.\n\n"
        "- 2026-08-01\n\n"
        "  [deleted]\n\n"
        "  - **cal** · 2026-08-01\n\n"
        "    Why was this deleted?"
    )


def test_a_comment_is_read_with_its_replies_and_the_story_it_belongs_to() -> None:
    node = {"id": 40000001, "author": "bob", "text": "Nice.", "story_id": 7, "children": []}
    page = desk(httpx.Response(200, json=node)).page(URL)
    assert page.title == "Comment by bob"
    assert page.markdown == "0 comments\n\nA comment on https://news.ycombinator.com/item?id=7\n\nNice."


def test_a_long_thread_is_cut_and_says_so() -> None:
    children = [{"author": "a", "text": f"number {n}", "children": []} for n in range(250)]
    page = desk(httpx.Response(200, json={"id": 1, "title": "Long", "children": children})).page(URL)
    assert "number 199" in page.markdown
    assert "number 200" not in page.markdown
    assert page.notes == ("200 of 250 comments are shown",)


def test_an_item_that_is_too_new_for_the_index_comes_from_the_official_api() -> None:
    found = desk(
        NOT_FOUND,
        i40000001=fixture("hackernews/official.json"),
        i40000010=fixture("hackernews/official_comment.json"),
        i40000011=httpx.Response(200, json={"id": 40000011, "deleted": True}),
        i40000012=httpx.Response(200, content=b"null"),
    )
    page = found.page(URL)
    assert (page.title, page.author, page.date) == ("Kelp prices fall", "dee", "2026-08-01")
    assert page.markdown == (
        "2 points · 1 comment\n\nhttps://news.example/kelp\n\n## Comments\n\n- **eve** · 2026-08-01\n\n  At last."
    )
    assert page.notes == (
        "the item is too new for the index of threads: replies to its comments are missing",
    )


def test_with_a_base_url_nobody_else_is_asked() -> None:
    found = Desk(HackerNewsRead, {}, urls={"": "http://gw.test"})
    assert found.error(URL).reason is Reason.NOT_FOUND
    assert found.lines() == ["GET http://gw.test/api/v1/items/40000001"]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (httpx.Response(200, content=b"null"), Reason.NOT_FOUND),
        (httpx.Response(200, json={"id": 1, "deleted": True, "type": "story"}), Reason.GONE),
    ],
)
def test_an_item_that_never_was_or_was_deleted_is_named_so(answer: httpx.Response, reason: Reason) -> None:
    error = desk(NOT_FOUND, i40000001=answer).error(URL)
    assert (type(error), error.reason) == (NoContent, reason)


def test_a_deleted_item_without_replies_is_gone() -> None:
    node = {"id": 40000001, "author": None, "title": None, "text": None, "children": []}
    assert desk(httpx.Response(200, json=node)).error(URL).reason is Reason.GONE


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (httpx.Response(429, headers={"retry-after": "30"}), RateLimited),
        (httpx.Response(403, json={"message": "no"}), NoContent),
        (httpx.Response(403, headers={"content-type": "text/html"}, content=b"<h1>no</h1>"), RateLimited),
        (httpx.Response(500), Transient),
        (httpx.ReadTimeout("slow"), Transient),
        (httpx.Response(200, content=b"<html>"), BadReply),
        (httpx.Response(200, json=[]), BadReply),
        (httpx.Response(200, json={}), BadReply),
    ],
    ids=["429", "403", "403 html", "500", "timeout", "html", "list", "empty"],
)
def test_each_fault_has_its_remedy(answer: object, kind: type[Exception]) -> None:
    assert type(desk(answer).error(URL)) is kind
