"""Private pages that the operator opened are read from here, and no vendor ever hears of them.

The fetcher, its guard and all remote readers are the product's own; only sockets and names are fakes.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest

from research_mcp.core.models import Page, ReadFailure
from research_mcp.net.guard import GuardPolicy
from research_mcp.pipelines.read.pipeline import ReadPipeline
from research_mcp.providers.kit.read import ReadType
from research_mcp.providers.local.direct import Direct
from research_mcp.providers.vendors.brightdata import BrightDataRead
from research_mcp.providers.vendors.crawl4ai import Crawl4aiRead
from research_mcp.providers.vendors.firecrawl import FirecrawlRead
from research_mcp.providers.vendors.jina import JinaRead
from research_mcp.providers.vendors.tavily import TavilyRead
from research_mcp.providers.vendors.wayback import WaybackRead
from research_mcp.store.memory import MemoryCache
from tests.kit.reading import FakeExtractor, FakeParking, FakeReader, FakeRobots
from tests.kit.sites import Desk
from tests.kit.virtual_time import VirtualClock
from tests.net.fakes import PUBLIC, MemoryNet, Names, fetching, page, saying

PRIVATE = (
    "http://10.1.2.3/wiki?token=CANARY",
    "http://127.0.0.1:8080/CANARY",
    "http://[fd12:3456::1]/CANARY",
    "http://nas.lan/CANARY",
    "http://printer/CANARY",
    "https://intranet.example.org/CANARY",
    "https://half.example.org/CANARY",
)
NAMES = {
    "nas.lan": ["192.168.1.9"],
    "printer": ["192.168.1.10"],
    "intranet.example.org": ["10.0.0.5"],
    "half.example.org": [PUBLIC, "10.0.0.5"],
}
PUBLIC_PAGE = "https://www.example.org/open"
REMOTE: tuple[type[ReadType], ...] = (JinaRead, TavilyRead, FirecrawlRead, BrightDataRead, WaybackRead)


@dataclass
class House:
    """The read pipeline of an operator who opened the private network, with every remote reader on."""

    pipeline: ReadPipeline
    net: MemoryNet
    site: FakeReader
    ours: Desk
    theirs: dict[str, Desk]

    async def read(self, url: str) -> Page | ReadFailure:
        return await self.pipeline.read(url)

    def told(self) -> set[str]:
        """The vendors that were asked anything."""
        return {name for name, desk in self.theirs.items() if desk.sent}


@asynccontextmanager
async def opened(answer: bytes, *, allow_private: bool = True) -> AsyncIterator[House]:
    """`answer` is what every page says: too little to be the end of a read."""
    net = MemoryNet(site=saying(answer))
    policy = GuardPolicy.parse(allow_private=allow_private)
    async with fetching(net, Names(known=dict(NAMES), default=[PUBLIC]), policy) as kit:
        theirs = {cls.__name__: Desk(cls, {}, keys=["k"], options={"zone": "z"}) for cls in REMOTE}
        ours = Desk(Crawl4aiRead, {}, urls={"": "http://crawl4ai.test:11235"})
        site = FakeReader("site", RuntimeError("no page of this site"), traits={"site": True})
        readers = [site, Desk(Direct, {}).reader, ours.reader, *(desk.reader for desk in theirs.values())]
        clock = VirtualClock()
        pipeline = ReadPipeline(
            readers,
            fetcher=kit.fetcher,
            extractor=FakeExtractor(),
            robots=FakeRobots(),
            parking=FakeParking(clock),
            clock=clock,
            judge=lambda text: None,
            cache=MemoryCache[Page](clock, seconds=300),
        )
        yield House(pipeline, net, site, ours, theirs)


THIN = page("thin")
GONE = page("gone", "404 Not Found")


@pytest.mark.parametrize("url", PRIVATE)
async def test_a_private_page_is_read_from_here_and_told_to_no_vendor(url: str) -> None:
    async with opened(page("hello " * 100)) as house:
        outcome = await house.read(url)
        assert isinstance(outcome, Page), outcome
        assert outcome.markdown.startswith("hello")
        assert house.told() == set()
        assert not house.site.calls


@pytest.mark.parametrize("url", PRIVATE)
async def test_a_private_page_with_too_little_text_goes_to_our_own_browser_alone(url: str) -> None:
    async with opened(THIN) as house:
        outcome = await house.read(url)
        assert isinstance(outcome, Page), outcome
        assert outcome.markdown == "thin"
        assert house.told() == set()
        assert not house.site.calls
        assert [b"CANARY" in request.content for request in house.ours.sent] == [True]


@pytest.mark.parametrize("url", PRIVATE)
async def test_a_private_page_that_is_gone_is_not_asked_for_in_archives(url: str) -> None:
    async with opened(GONE) as house:
        outcome = await house.read(url)
        assert isinstance(outcome, ReadFailure)
        assert outcome.reason.value == "not_found"
        assert house.told() == set()


async def test_a_public_page_is_still_offered_to_all() -> None:
    async with opened(THIN) as house:
        assert isinstance(await house.read(PUBLIC_PAGE), Page)
        assert house.told() == {"JinaRead", "TavilyRead", "FirecrawlRead", "BrightDataRead"}
        assert house.site.calls == len(house.ours.sent) == 1
    async with opened(GONE) as house:
        await house.read(PUBLIC_PAGE)
        assert house.told() == {"WaybackRead"}


@pytest.mark.parametrize("url", PRIVATE)
async def test_unless_it_was_opened_a_private_page_is_read_by_nobody(url: str) -> None:
    async with opened(THIN, allow_private=False) as house:
        outcome = await house.read(url)
        assert isinstance(outcome, ReadFailure)
        assert outcome.reason.value == "address_refused"
        assert house.told() == set()
        assert not house.site.calls
        assert not house.ours.sent
        assert not house.net.sent
