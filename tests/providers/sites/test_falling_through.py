"""A site reader in the read pipeline: it goes first, and what it cannot read falls to the chain."""

from __future__ import annotations

import httpx

from research_mcp.core.errors import Reason
from research_mcp.core.models import Page, ReadFailure
from research_mcp.providers.sites.github import GitHubRead
from research_mcp.providers.sites.mastodon import MastodonRead
from tests.kit.reading import LONG, FakeFetcher, House, direct
from tests.kit.sites import Desk, fixture
from tests.kit.virtual_time import run

URL = "https://github.com/kelp/farm/issues/7"
API = "GET https://api.github.com/repos/kelp/farm/issues/7"
LIMITED = fixture("github/limited.json", 403, **{"retry-after": "900"})


def house(desk: Desk, fetcher: FakeFetcher) -> House:
    return House(desk.reader, direct(), fetcher=fetcher)


def test_its_page_is_enough_however_short() -> None:
    desk = Desk(GitHubRead, {API: httpx.Response(200, json={"number": 7, "state": "open", "comments": 0})})
    fetcher = FakeFetcher({URL: LONG})
    page = run(house(desk, fetcher).page(URL))
    assert (page.reader, page.markdown) == ("instance", "open\n\n(no description)")
    assert fetcher.fetched == []


def test_a_spent_limit_rests_and_the_chain_reads_on() -> None:
    desk = Desk(GitHubRead, {API: LIMITED})

    async def main() -> tuple[Page, Page]:
        found = house(desk, FakeFetcher({URL: LONG, f"{URL}0": LONG}))
        return await found.page(URL), await found.page(f"{URL}0")

    first, second = run(main())
    assert (first.reader, second.reader) == ("direct", "direct")
    assert len(desk.sent) == 1


def test_its_reason_is_kept_when_nobody_can_read() -> None:
    desk = Desk(GitHubRead, {API: LIMITED})

    async def main() -> ReadFailure:
        return await house(desk, FakeFetcher()).failure(URL)

    failure = run(main())
    assert [(attempt.reader, attempt.reason) for attempt in failure.attempts] == [
        ("instance", Reason.RATE_LIMITED),
        ("probe", Reason.NOT_FOUND),
    ]


def test_a_site_that_only_looks_like_one_is_read_as_a_page() -> None:
    url = "https://shop.test/@ann/12345"
    page = run(house(Desk(MastodonRead, {}), FakeFetcher({url: LONG})).page(url))
    assert page.reader == "direct"
