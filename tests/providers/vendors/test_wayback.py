"""The Wayback Machine: which copy it takes, how that is dated, and when there is none."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from research_mcp.core.errors import BadReply, NoContent, RateLimited, Reason, Transient
from research_mcp.core.models import Extracted, Flag, Kind
from research_mcp.providers.vendors.wayback import WaybackRead
from tests.kit.reading import LONG, FakeExtractor
from tests.kit.sites import Desk, Turn

URL = "https://mill.test/a%20b?q=a%2Bb&next=https%3A%2F%2Fsea.test"
STAMP = "20260102030405"
AVAILABLE = "GET https://archive.org/wayback/available"
INDEX = "GET https://web.archive.org/cdx/search/cdx"
COPY = f"GET https://web.archive.org/web/{STAMP}id_/https://mill.test/a%20b"
NAMES = ["timestamp", "original", "statuscode"]
PAGE = httpx.Response(200, headers={"content-type": "text/html"}, content=LONG.encode())


def closest(**changes: Any) -> httpx.Response:
    copy = {"status": "200", "available": True, "url": "http://web.archive.org/web/x", "timestamp": STAMP}
    return httpx.Response(200, json={"url": URL, "archived_snapshots": {"closest": copy | changes}})


NONE = httpx.Response(200, json={"url": URL, "archived_snapshots": {}})


def index(*rows: Any) -> httpx.Response:
    return httpx.Response(200, json=[NAMES, *rows] if rows else [])


def desk(available: Turn, cdx: Turn = PAGE, copy: Turn = PAGE, **more: Any) -> Desk:
    return Desk(WaybackRead, {AVAILABLE: available, INDEX: cdx, COPY: copy}, **more)


def test_the_copy_is_read_as_it_was_and_dated() -> None:
    room = desk(
        closest(), extractor=FakeExtractor({URL: Extracted(Kind.HTML, LONG, title="Moss", date="2019-05-01")})
    )
    page = room.page(URL)
    assert (page.url, page.markdown, page.title, page.date) == (URL, LONG.strip(), "Moss", "2019-05-01")
    assert page.final_url == f"https://web.archive.org/web/{STAMP}/{URL}"
    assert page.flags == (Flag.ARCHIVED,)
    assert page.notes == ("archived copy of 2026-01-02 from the Wayback Machine",)
    assert room.lines() == [AVAILABLE, COPY]


def test_the_address_is_encoded_once_on_each_way() -> None:
    room = desk(NONE, index([STAMP, URL, "200"]))
    room.page(URL)
    available, cdx, copy = room.sent
    assert available.url.params["url"] == cdx.url.params["url"] == URL
    assert copy.url.raw_path.decode() == f"/web/{STAMP}id_/{URL}"


@pytest.mark.parametrize(
    "first",
    [
        NONE,
        closest(available=False),
        closest(status="404"),
        closest(timestamp="2026"),
        closest(timestamp="20261399000000"),
        closest(timestamp=7),
    ],
)
def test_the_index_is_asked_where_the_first_answer_has_no_good_copy(first: httpx.Response) -> None:
    room = desk(first, index(["20250101000000", URL, "200"], [STAMP, URL, "200"]))
    assert room.page(URL).flags == (Flag.ARCHIVED,)
    assert room.lines() == [AVAILABLE, INDEX, COPY]


@pytest.mark.parametrize("cdx", [index(), httpx.Response(200, json=[NAMES])])
def test_no_copy_anywhere_is_not_found(cdx: httpx.Response) -> None:
    error = desk(NONE, cdx).error(URL)
    assert isinstance(error, NoContent)
    assert error.reason is Reason.NOT_FOUND


def test_a_copy_that_is_not_there_after_all_is_not_found() -> None:
    error = desk(closest(), copy=httpx.Response(404)).error(URL)
    assert isinstance(error, NoContent)
    assert error.reason is Reason.NOT_FOUND


@pytest.mark.parametrize(
    "cdx",
    [httpx.Response(200, json={}), index([7]), index("x"), index([]), httpx.Response(200, content=b"<p>")],
)
def test_an_index_of_another_shape_is_a_stale_adapter(cdx: httpx.Response) -> None:
    assert isinstance(desk(NONE, cdx).error(URL), BadReply)


def test_limits_and_outages_are_named() -> None:
    assert isinstance(desk(httpx.Response(429)).error(URL), RateLimited)
    assert isinstance(desk(closest(), copy=httpx.Response(503)).error(URL), Transient)


def test_a_copy_without_text_is_empty() -> None:
    error = desk(closest(), extractor=FakeExtractor({URL: Extracted(Kind.HTML, reason=Reason.EMPTY)})).error(
        URL
    )
    assert error.reason is Reason.EMPTY


def test_another_address_serves_questions_and_copies() -> None:
    base = "http://archive.test:8080"
    room = Desk(
        WaybackRead,
        {
            f"GET {base}/wayback/available": closest(),
            f"GET {base}/web/{STAMP}id_/https://mill.test/a%20b": PAGE,
        },
        urls={"": base, "web": base},
    )
    assert room.page(URL).markdown == LONG.strip()


def test_it_is_only_for_pages_that_are_gone() -> None:
    assert WaybackRead.facts("wayback", metered=False).archive
