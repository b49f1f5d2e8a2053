"""Mastodon: posts on any server, with the conversation around them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from research_mcp.core.errors import NoContent, Reason
from research_mcp.core.models import Kind
from research_mcp.core.wire import Document
from research_mcp.providers.sites.mastodon import MastodonRead
from tests.kit.reading import FakeFetcher, document
from tests.kit.sites import FIXTURES, Desk

URL = "https://sea.example/@ann/110000000000000002"
STATUS = "https://sea.example/api/v1/statuses/110000000000000002"
CONTEXT = f"{STATUS}/context"


def answer(url: str, body: object, status: int = 200, **facts: Any) -> Document:
    text = body if isinstance(body, str) else json.dumps(body)
    return document(url, text, status, headers={"content-type": "application/json"}, **facts)


def file(name: str) -> Any:
    return json.loads((FIXTURES / "mastodon" / name).read_text())


def desk(status: object, context: object = None, code: int = 200) -> Desk:
    context = answer(CONTEXT, {"ancestors": [], "descendants": []}) if context is None else context
    return Desk(
        MastodonRead, {}, fetcher=FakeFetcher({STATUS: answer(STATUS, status, code), CONTEXT: context})
    )


@pytest.mark.parametrize(
    ("url", "taken"),
    [
        (URL, True),
        (URL + "/", True),
        ("https://sea.example/@cal@far.example/11", True),
        ("https://sea.example/users/ann/statuses/11", True),
        ("https://sea.example/@ann", False),
        ("https://sea.example/@ann/with_replies", False),
        ("https://sea.example/@ann/11/embed", False),
        ("https://medium.com/@ann/kelp-11aa", False),
        ("https://sea.example/ann/11", False),
        ("https://sea.example/@ann/" + "1" * 21, False),
    ],
)
def test_it_takes_what_has_the_form_of_a_posts_address(url: str, taken: bool) -> None:
    assert MastodonRead().accepts(url) is taken


def test_a_post_comes_with_its_conversation() -> None:
    found = desk(file("status.json"), answer(CONTEXT, file("context.json")))
    page = found.page(URL)
    assert (page.title, page.author, page.date) == ("Post by Ann (@ann)", "Ann (@ann)", "2026-08-01")
    assert (page.kind, page.site, page.language, page.final_url) == (Kind.POST, "sea.example", "en", URL)
    assert page.notes == ()
    assert page.markdown == (
        "## Earlier in the conversation\n\n"
        "- **@cal@far.example** · 2026-08-01\n\n  What do you grow?\n\n"
        "## The post\n\n"
        "3 favourites · 1 boost\n\n"
        "Content warning: harvest\n\n"
        "Kelp [#farm](https://sea.example/tags/farm): https://www.example.org/long/path\n\n"
        "two\nlines\n\n"
        "- Yes · 2 votes\n- No · 1 vote\n\n"
        "![Kelp on a rope](https://files.example/a.png)\n\n"
        "[video](https://files.example/b.mp4)\n\n"
        "[Kelp news](https://news.example/kelp): All about kelp.\n\n"
        "## Replies\n\n"
        "- **Bob (@bob)** · 2026-08-01 · 1 favourite\n\n  Nice.\n\n"
        "  - **Ann (@ann)** · 2026-08-01\n\n    Thanks!\n\n"
        "- **Dee (@dee)** · 2026-08-01\n\n  How deep?"
    )
    assert found.fetcher.fetched == [STATUS, CONTEXT]


def test_a_boost_is_the_post_that_it_passes_on() -> None:
    inner = file("status.json") | {"spoiler_text": "", "media_attachments": [], "card": None, "poll": None}
    outer = {"id": "2", "account": {"acct": "bob"}, "content": "", "reblog": inner}
    page = desk(outer).page(URL)
    assert page.author == "Ann (@ann)"
    assert page.final_url == "https://sea.example/@ann/110000000000000002"


def test_a_conversation_that_fails_leaves_the_post() -> None:
    page = desk(file("status.json"), answer(CONTEXT, {"error": "slow"}, 429)).page(URL)
    assert "two\nlines" in page.markdown
    assert page.notes[0].startswith("the conversation could not be read (rate_limited)")


def test_replies_in_a_circle_or_twice_are_shown_once_at_most() -> None:
    one = {"id": "1", "in_reply_to_id": "2", "content": "circle", "account": {"acct": "a"}}
    two = {"id": "2", "in_reply_to_id": "1", "content": "circle", "account": {"acct": "a"}}
    own = {"id": "3", "in_reply_to_id": "3", "content": "circle", "account": {"acct": "a"}}
    kept = {"id": "4", "in_reply_to_id": "x", "content": "kept", "account": {"acct": "a"}}
    context = {"ancestors": [], "descendants": [one, two, own, kept, kept]}
    page = desk(file("status.json"), answer(CONTEXT, context)).page(URL)
    assert page.markdown.count("kept") == 1
    assert "circle" not in page.markdown


@pytest.mark.parametrize(
    ("status", "code", "reason"),
    [
        ({"error": "This API requires an authenticated user"}, 401, Reason.FORBIDDEN),
        ({"error": "Record not found"}, 404, Reason.NOT_FOUND),
        ({"error": "gone"}, 410, Reason.GONE),
        ({"error": "Too many requests"}, 429, Reason.RATE_LIMITED),
        ({"error": "x"}, 422, Reason.UPSTREAM_ERROR),
        ({"error": "x"}, 503, Reason.UPSTREAM_ERROR),
        ("<html>A shop</html>", 404, Reason.EMPTY),
        ("<html>A shop</html>", 200, Reason.EMPTY),
        ([], 200, Reason.EMPTY),
        ({"id": "1"}, 200, Reason.EMPTY),
        ({"account": {"acct": "ann"}, "content": "<p> </p>"}, 200, Reason.EMPTY),
    ],
)
def test_each_fault_has_its_reason(status: object, code: int, reason: Reason) -> None:
    error = desk(status, code=code).error(URL)
    assert (type(error), error.reason) == (NoContent, reason)
