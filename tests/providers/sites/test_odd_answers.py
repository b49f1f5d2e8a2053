"""Every site reader bears every value of its documented answers being something else.

A wrong type, a missing field or a body that broke off becomes a page with less in it or an error of
ours, never a crash.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from research_mcp.core.errors import ProviderError
from research_mcp.core.models import Page
from research_mcp.core.wire import Document
from research_mcp.providers.kit.read import ReadType
from research_mcp.providers.sites.bluesky import BlueskyRead
from research_mcp.providers.sites.discourse import DiscourseRead
from research_mcp.providers.sites.github import GitHubRead
from research_mcp.providers.sites.hackernews import HackerNewsRead
from research_mcp.providers.sites.mastodon import MastodonRead
from research_mcp.providers.sites.reddit import RedditRead
from research_mcp.providers.sites.stackexchange import StackExchangeRead
from research_mcp.providers.sites.x import XRead
from tests.kit.faults import places, replaced
from tests.kit.reading import FakeFetcher
from tests.kit.sites import FIXTURES, Desk

GITHUB = "https://api.github.com/repos/kelp/farm"
STACK = "https://api.stackexchange.com/2.3/questions/101"
BLUESKY = "https://public.api.bsky.app/xrpc/app.bsky"
SEA = "https://sea.example/api/v1/statuses/110000000000000002"
FORUM = "https://forum.test/t/77"

CASES: dict[str, tuple[type[ReadType], str, dict[str, str]]] = {
    "hackernews": (
        HackerNewsRead,
        "https://news.ycombinator.com/item?id=40000001",
        {"https://hn.algolia.com/api/v1/items/40000001": "hackernews/story.json"},
    ),
    "hackernews official": (
        HackerNewsRead,
        "https://news.ycombinator.com/item?id=40000009",
        {"https://hacker-news.firebaseio.com/v0/item/40000009.json": "hackernews/official.json"},
    ),
    "stackexchange": (
        StackExchangeRead,
        "https://stackoverflow.com/q/101",
        {STACK: "stackexchange/question.json", f"{STACK}/answers": "stackexchange/answers.json"},
    ),
    "x": (XRead, "https://x.com/a/status/1", {"https://publish.twitter.com/oembed": "x/post.json"}),
    "bluesky": (
        BlueskyRead,
        "https://bsky.app/profile/ann.example/post/3k",
        {f"{BLUESKY}.feed.getPostThread": "bluesky/thread.json"},
    ),
    "bluesky profile": (
        BlueskyRead,
        "https://bsky.app/profile/ann.example",
        {f"{BLUESKY}.actor.getProfile": "bluesky/profile.json", f"{BLUESKY}.feed.getAuthorFeed": "bluesky/feed.json"},
    ),
    "reddit": (
        RedditRead,
        "https://redd.it/abc12",
        {"https://www.reddit.com/comments/abc12/.rss": "reddit/thread.xml"},
    ),
    "discourse": (
        DiscourseRead,
        "https://forum.test/t/kelp/77",
        {f"{FORUM}.json?include_raw=1": "discourse/topic.json"},
    ),
    "mastodon": (
        MastodonRead,
        "https://sea.example/@ann/110000000000000002",
        {SEA: "mastodon/status.json", f"{SEA}/context": "mastodon/context.json"},
    ),
    "github": (GitHubRead, "https://github.com/kelp/farm", {GITHUB: "github/repo.json"}),
    "github directory": (
        GitHubRead,
        "https://github.com/kelp/farm/tree/main",
        {f"{GITHUB}/contents": "github/contents.json"},
    ),
    "github issue": (
        GitHubRead,
        "https://github.com/kelp/farm/issues/7",
        {f"{GITHUB}/issues/7": "github/issue.json", f"{GITHUB}/issues/7/comments": "github/comments.json"},
    ),
    "github pull": (
        GitHubRead,
        "https://github.com/kelp/farm/pull/8",
        {
            f"{GITHUB}/pulls/8": "github/pull.json",
            f"{GITHUB}/pulls/8/reviews": "github/reviews.json",
            f"{GITHUB}/pulls/8/comments": "github/remarks.json",
        },
    ),
    "github release": (
        GitHubRead,
        "https://github.com/kelp/farm/releases/latest",
        {f"{GITHUB}/releases/latest": "github/release.json"},
    ),
}  # fmt: skip
"""Reader, page, and the file that answers at each address."""


OTHERS = (None, 0, -1.5, True, "text", [], {}, [None], {"a": 1})
EACH = 1
"""Other values for each place of an answer; all of them take their turns."""

FIELDS = ("entry", "author", "name", "content", "id", "link", "updated", "published", "title")


def changed(path: Path) -> Iterator[bytes]:
    """The file, then each of its values replaced by others, then cut off at many places."""
    whole = path.read_bytes()
    yield whole
    turns = itertools.cycle(OTHERS)
    if path.suffix == ".json":
        value = json.loads(whole)
        for place in places(value):
            for other in itertools.islice(turns, EACH):
                yield json.dumps(replaced(value, place, other)).encode()
    else:
        for name in FIELDS:
            yield re.sub(rb"<(/?)%s\b" % name.encode(), rb"<\1other", whole)
    for end in range(0, len(whole), max(1, len(whole) // 8)):
        yield whole[:end]


def answers(files: dict[str, str]) -> Iterator[dict[str, bytes]]:
    """The documented answers, each changed in one place while the others stand."""
    whole = {url: (FIXTURES / name).read_bytes() for url, name in files.items()}
    for url, name in files.items():
        for body in changed(FIXTURES / name):
            yield {**whole, url: body}


@pytest.mark.parametrize("case", CASES)
def test_no_odd_answer_is_a_crash(case: str) -> None:
    cls, url, files = CASES[case]
    pages = 0
    for bodies in answers(files):
        fetched = {
            address: Document(address, address, 200, {"content-type": "application/json"}, body)
            for address, body in bodies.items()
        }
        lines = {f"GET {address}": httpx.Response(200, content=body) for address, body in bodies.items()}
        outcome = Desk(cls, lines, fetcher=FakeFetcher(fetched)).outcome(url)
        assert isinstance(outcome, Page | ProviderError)
        pages += isinstance(outcome, Page)
    assert pages > 0
