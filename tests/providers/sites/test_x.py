"""X: one post by its embedding."""

from __future__ import annotations

import httpx
import pytest

from research_mcp.core.errors import BadReply, NoContent, RateLimited, Reason, Transient
from research_mcp.core.models import Kind
from research_mcp.providers.sites.x import XRead
from tests.kit.sites import Desk, fixture

URL = "https://x.com/ann_inv/status/2000000000000000001"
API = "GET https://publish.twitter.com/oembed"


@pytest.mark.parametrize(
    ("url", "taken"),
    [
        (URL, True),
        ("https://twitter.com/ann_inv/status/20", True),
        ("https://mobile.twitter.com/ann_inv/statuses/20?s=20", True),
        ("https://www.x.com/ann_inv/status/20/photo/1", True),
        ("https://x.com/i/web/status/20", True),
        ("https://x.com/i/status/20", True),
        ("https://x.com/ann_inv", False),
        ("https://x.com/ann_inv/status/", False),
        ("https://x.com/ann_inv/lists/20", False),
        ("https://x.com/search?q=kelp", False),
        ("https://api.x.com/ann/status/20", False),
        ("https://netflix.com/ann/status/20", False),
    ],
)
def test_it_takes_posts_and_nothing_else(url: str, taken: bool) -> None:
    assert XRead().accepts(url) is taken


def test_a_post_is_its_text_its_author_and_its_day() -> None:
    found = Desk(XRead, {API: fixture("x/post.json")})
    page = found.page(URL)
    assert page.markdown == "kelp again & more\n\nsee https://t.co/abc"
    assert (page.title, page.author) == ("Post by Ann (@ann_inv)", "Ann (@ann_inv)")
    assert (page.date, page.language, page.kind, page.site) == ("2026-08-01", "en", Kind.POST, "X")
    assert page.final_url == "https://twitter.com/ann_inv/status/2000000000000000001"
    assert "replies are missing" in page.notes[0]
    assert dict(found.sent[0].url.params) == {"url": page.final_url, "omit_script": "1", "dnt": "1"}


def test_an_embedding_without_names_and_dates_is_still_a_post() -> None:
    page = Desk(XRead, {API: httpx.Response(200, json={"html": "<p>kelp</p>"})}).page(
        "https://x.com/i/status/5"
    )
    assert (page.title, page.author, page.date, page.markdown) == ("Post on X", "", "", "kelp")
    assert page.final_url == "https://twitter.com/i/status/5"


@pytest.mark.parametrize(
    ("answer", "kind", "reason"),
    [
        (httpx.Response(404, json={"error": "no"}), NoContent, Reason.GONE),
        (httpx.Response(403, json={"error": "no"}), NoContent, Reason.FORBIDDEN),
        (httpx.Response(401, json={"error": "no"}), NoContent, Reason.FORBIDDEN),
        (httpx.Response(429), RateLimited, Reason.RATE_LIMITED),
        (httpx.Response(500), Transient, Reason.UPSTREAM_ERROR),
        (httpx.ConnectError("no"), Transient, Reason.UNREACHABLE),
        (httpx.Response(200, content=b"<html>"), BadReply, Reason.UPSTREAM_ERROR),
        (httpx.Response(200, json={"html": "<b>x</b>"}), BadReply, Reason.UPSTREAM_ERROR),
        (httpx.Response(200, json={"html": "<p> </p>"}), NoContent, Reason.EMPTY),
    ],
    ids=["404", "403", "401", "429", "500", "connect", "html", "no text", "blank"],
)
def test_each_fault_has_its_remedy(answer: object, kind: type[Exception], reason: Reason) -> None:
    error = Desk(XRead, {API: answer}).error(URL)
    assert (type(error), error.reason) == (kind, reason)
