"""Bright Data: the headers' verdict, and the page that is extracted here."""

from __future__ import annotations

import httpx
import pytest

from research_mcp.core.errors import NoContent, Reason
from research_mcp.core.models import Extracted, Flag, Kind
from research_mcp.providers.vendors.brightdata import BrightDataRead
from tests.kit.reading import LONG, URL, FakeExtractor
from tests.kit.sites import Desk, Turn

API = "POST https://api.brightdata.com/request"


def page(status: str = "200", **headers: str) -> httpx.Response:
    fields = {"content-type": "text/html; charset=windows-1251", "x-brd-status-code": status, **headers}
    return httpx.Response(200, headers=fields, content=LONG.encode())


def desk(turn: Turn, extracted: Extracted | None = None) -> Desk:
    extractor = FakeExtractor({URL: extracted} if extracted else {})
    return Desk(BrightDataRead, {API: turn}, options={"zone": "z"}, keys=["k"], extractor=extractor)


def test_the_page_is_extracted_here_with_all_that_it_states() -> None:
    found = Extracted(Kind.PDF, LONG, "Moss", "A. Miller", "2026-09-01", flags=(Flag.HIDDEN_TEXT,))
    result = desk(page(), found).page(URL)
    assert (result.markdown, result.kind, result.title, result.author) == (
        LONG.strip(),
        Kind.PDF,
        "Moss",
        "A. Miller",
    )
    assert result.flags == (Flag.HIDDEN_TEXT,)


@pytest.mark.parametrize("status", ["", "200", "junk", "2000"])
def test_a_page_without_a_stated_status_is_a_page(status: str) -> None:
    assert desk(page(status)).page(URL).markdown == LONG.strip()


@pytest.mark.parametrize(
    ("reason", "text", "flag"),
    [
        (Reason.PAYWALLED, "A teaser.", Flag.PAYWALLED),
        (Reason.NEEDS_JAVASCRIPT, "Loading", Flag.NEEDS_JAVASCRIPT),
    ],
)
def test_a_remnant_travels_with_its_caveat(reason: Reason, text: str, flag: Flag) -> None:
    assert desk(page(), Extracted(Kind.HTML, text, reason=reason)).page(URL).flags == (flag,)


def test_a_bot_check_that_came_through_all_the_same_is_named() -> None:
    error = desk(page(), Extracted(Kind.HTML, reason=Reason.BLOCKED)).error(URL)
    assert isinstance(error, NoContent)
    assert error.reason is Reason.BLOCKED


def test_it_comes_last_and_has_time() -> None:
    facts = BrightDataRead.facts("brightdata", metered=True)
    assert facts.unlocker
    assert facts.cap == 60.0
