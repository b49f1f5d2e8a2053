"""Discourse: topics of any forum, and forums that are none."""

from __future__ import annotations

import json
from typing import Any

import pytest

from research_mcp.core.errors import NoContent, Reason, UrlRefused
from research_mcp.core.models import Kind
from research_mcp.core.wire import Document
from research_mcp.providers.sites.discourse import DiscourseRead
from tests.kit.reading import FakeFetcher, document
from tests.kit.sites import FIXTURES, Desk

URL = "https://forum.test/t/kelp-server-crashes/77"
TOPIC = "https://forum.test/t/77.json?include_raw=1"
MORE = "https://forum.test/t/77/posts.json?post_ids[]=1004&include_raw=1"


def answer(url: str, body: object, status: int = 200, **facts: Any) -> Document:
    text = body if isinstance(body, str) else json.dumps(body)
    return document(url, text, status, headers={"content-type": "application/json"}, **facts)


def file(name: str) -> str:
    return (FIXTURES / "discourse" / name).read_text()


def desk(topic: Document | Exception, *more: Document) -> Desk:
    pages = {TOPIC: topic, **{each.url: each for each in more}}
    return Desk(DiscourseRead, {}, fetcher=FakeFetcher(pages))


@pytest.mark.parametrize(
    ("url", "taken"),
    [
        (URL, True),
        (URL + "/", True),
        (URL + "/3?u=ann#x", True),
        ("https://sea.example/forum/t/kelp/77", True),
        ("https://forum.test/t/77", False),
        ("https://forum.test/t/kelp", False),
        ("https://forum.test/t/kelp/77/3/4", False),
        ("https://forum.test/a/b/t/kelp/77", False),
        ("https://forum.test/c/kelp/77", False),
        ("https://forum.test/t//77", False),
    ],
)
def test_it_takes_what_has_the_form_of_a_topics_address(url: str, taken: bool) -> None:
    assert DiscourseRead().accepts(url) is taken


def test_a_topic_is_its_posts_as_they_were_written() -> None:
    found = desk(answer(TOPIC, file("topic.json")), answer(MORE, file("more.json")))
    page = found.page(URL)
    assert (page.title, page.author, page.date) == ("Kelp server crashes on start", "ann", "2026-08-01")
    assert (page.kind, page.notes) == (Kind.POST, ())
    assert page.markdown == (
        "tags: bug, sea · 4 posts · score 12\n\n"
        "It *crashes*:\n\n```\npanic: kelp\n```\n\n"
        "## #3 by bob · 2026-08-03 · score 1 · accepted answer · in reply to #1\n\n"
        "Set `KELP=1`.\n\n```bash\nexport KELP=1\n```\n\n"
        "## #4 by ann · 2026-08-04 · in reply to #3\n\nThat works, thanks."
    )
    assert found.fetcher.fetched == [TOPIC, MORE]
    assert set(found.fetcher.accepts) == {"application/json"}


def test_a_forum_below_the_top_of_its_host_is_asked_there() -> None:
    url = "https://sea.example/forum/t/77.json?include_raw=1"
    topic = {"title": "Kelp", "post_stream": {"posts": [{"username": "ann", "raw": "Hi."}]}}
    page = Desk(DiscourseRead, {}, fetcher=FakeFetcher({url: answer(url, topic)})).page(
        "https://sea.example/forum/t/kelp/77/2"
    )
    assert page.markdown == "Hi."


def test_a_long_topic_is_cut_and_says_so() -> None:
    posts = [{"id": n, "post_number": n, "username": "a", "raw": f"text {n}"} for n in range(1, 21)]
    topic = {
        "title": "Long",
        "posts_count": 300,
        "post_stream": {"posts": posts, "stream": list(range(1, 301))},
    }
    batches = []
    for start in (21, 41, 61, 81):
        ids = range(start, start + 20)
        query = "&".join(f"post_ids[]={n}" for n in ids)
        rows = [{"id": n, "post_number": n, "username": "a", "raw": f"text {n}"} for n in ids]
        batches.append(
            answer(
                f"https://forum.test/t/77/posts.json?{query}&include_raw=1", {"post_stream": {"posts": rows}}
            )
        )
    found = desk(answer(TOPIC, topic), *batches)
    page = found.page(URL)
    assert len(found.fetcher.fetched) == 5
    assert page.markdown.endswith("text 100")
    assert page.notes == ("100 of 300 posts are shown",)


def test_later_posts_that_fail_leave_the_first() -> None:
    page = desk(answer(TOPIC, file("topic.json")), answer(MORE, {"errors": ["slow"]}, 429)).page(URL)
    assert "Set `KELP=1`." in page.markdown
    assert page.notes == (
        "the later posts could not be read (rate_limited): the site limits automated readers (status 429)",
    )


@pytest.mark.parametrize(
    ("topic", "reason"),
    [
        (answer(TOPIC, file("private.json"), 403), Reason.FORBIDDEN),
        (answer(TOPIC, {"errors": ["x"], "error_type": "not_found"}, 404), Reason.NOT_FOUND),
        (answer(TOPIC, {"errors": ["x"], "extras": {"wait_seconds": 9}}, 429), Reason.RATE_LIMITED),
        (answer(TOPIC, "<html>A shop</html>", 404), Reason.EMPTY),
        (answer(TOPIC, "<html>A shop</html>"), Reason.EMPTY),
        (answer(TOPIC, []), Reason.EMPTY),
        (answer(TOPIC, {"post_stream": {"posts": [{"id": 1, "raw": ""}]}}), Reason.EMPTY),
        (answer(TOPIC, file("topic.json"), truncated="it broke off"), Reason.TOO_LARGE),
        (NoContent("no", reason=Reason.TIMEOUT), Reason.TIMEOUT),
    ],
    ids=["private", "missing", "limited", "html 404", "html", "list", "no text", "cut", "timeout"],
)
def test_each_fault_has_its_reason(topic: Document | Exception, reason: Reason) -> None:
    error = desk(topic).error(URL)
    assert (type(error), error.reason) == (NoContent, reason)


def test_an_address_that_the_guard_refuses_ends_the_read() -> None:
    with pytest.raises(UrlRefused):
        desk(UrlRefused("not public")).outcome(URL)
