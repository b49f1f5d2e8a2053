"""The reader that renders pages on this machine."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import NoContent, ProviderError, Reason, Rejected
from research_mcp.core.models import Extracted, Flag, Kind, Page
from research_mcp.core.wire import Document
from research_mcp.pipelines.read.job import ProbeLimits, ReadJob
from research_mcp.providers.kit.base import Means
from research_mcp.providers.local.browser import BrowserRead
from tests.kit.reading import LONG, FakeExtractor, FakeFetcher, document
from tests.kit.virtual_time import run
from tests.kit.wire import Wire

URL = "https://mill.test/moss"


@dataclass
class FakeBrowser:
    answer: Document | ProviderError
    asked: list[str] = field(default_factory=list)

    async def render(self, url: str, deadline: Deadline) -> Document:
        self.asked.append(url)
        if isinstance(self.answer, ProviderError):
            raise self.answer
        return self.answer


def read(browser: FakeBrowser | None, extractor: FakeExtractor | None = None) -> Page | ProviderError:
    async def main() -> Page | ProviderError:
        deadline = Deadline.after(30)
        type_ = BrowserRead(Means({"program": "auto"}, browser=browser))
        async with ReadJob(
            (URL,), FakeFetcher(), extractor or FakeExtractor(), deadline, ProbeLimits()
        ) as job:
            try:
                return await type_.read(job, Wire(lambda _: None), deadline)
            except ProviderError as error:
                return error

    return run(main())


def test_the_rendered_page_is_extracted_like_any_other():
    browser = FakeBrowser(document(URL, LONG, final_url=URL + "/end", truncated="the page loads too much"))
    page = read(browser)
    assert isinstance(page, Page)
    assert page.markdown == LONG.strip()
    assert page.final_url == URL + "/end"
    assert page.flags == (Flag.TRUNCATED,)
    assert browser.asked == [URL]


@pytest.mark.parametrize(
    ("status", "reason"), [(404, Reason.NOT_FOUND), (403, Reason.FORBIDDEN), (503, Reason.UPSTREAM_ERROR)]
)
def test_the_status_of_the_page_counts_as_that_of_a_fetched_one(status, reason):
    error = read(FakeBrowser(document(URL, LONG, status)))
    assert isinstance(error, NoContent)
    assert error.reason is reason


def test_a_page_that_is_a_bot_check_in_the_browser_too_is_blocked():
    check = Extracted(Kind.HTML, reason=Reason.BLOCKED, detail="the site answered with a bot check")
    error = read(FakeBrowser(document(URL, "check", 403)), FakeExtractor({URL: check}))
    assert isinstance(error, NoContent)
    assert error.reason is Reason.BLOCKED


def test_what_the_browser_says_is_passed_on():
    said = NoContent("its scripts took too long", reason=Reason.TIMEOUT)
    assert read(FakeBrowser(said)) is said


def test_without_a_browser_it_is_off_and_says_so():
    error = read(None)
    assert isinstance(error, Rejected)
    assert error.reason is Reason.NOT_CONFIGURED


def test_it_reads_from_this_network_and_costs_nothing():
    facts = BrowserRead.facts("browser", metered=False)
    assert (facts.from_here, facts.metered, facts.needs_document, facts.unlocker) == (
        True,
        False,
        False,
        False,
    )
