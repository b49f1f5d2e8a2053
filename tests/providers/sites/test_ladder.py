"""Site readers on the ladder of the read pipeline: final or falling through, blocked or resting."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from research_mcp.core.errors import Reason
from research_mcp.core.models import Page
from research_mcp.providers.kit.read import ReadType
from research_mcp.providers.sites.instagram import InstagramRead
from research_mcp.providers.sites.scholarly import ScholarlyRead
from research_mcp.providers.sites.youtube import YouTubeRead
from research_mcp.providers.vendors.supadata import SupadataRead
from tests.kit.reading import LONG, FakeFetcher, House, direct
from tests.kit.sites import Desk, Turn, fixture
from tests.kit.virtual_time import run
from tests.kit.wire import KEY

VIDEO = "https://www.youtube.com/watch?v=aaaaaaaaaaa"
WATCH = "GET https://www.youtube.com/watch"
PLAYER = "POST https://www.youtube.com/youtubei/v1/player"
SUPADATA = "GET https://api.supadata.ai/v1/transcript"
BOT = fixture("youtube/player.bot.json")
NONE = fixture("supadata/unavailable.json", 206)


def named(name: str, cls: type[ReadType], lines: dict[str, Turn], **more: Any) -> Any:
    """A reader called `name`, and the requests that it sends."""
    desk = Desk(cls, lines, **more)
    desk.reader.facts = cls.facts(name, metered=cls.spec.metered)
    return desk


def videos(play: Turn, native: Turn) -> tuple[Desk, Desk]:
    youtube = named("youtube", YouTubeRead, {WATCH: fixture("youtube/watch.html"), PLAYER: play})
    return youtube, named("supadata", SupadataRead, {SUPADATA: native}, keys=[KEY])


def test_a_blocked_video_is_read_elsewhere_and_the_blocked_reader_rests() -> None:
    youtube, supadata = videos(BOT, fixture("supadata/ok.json"))

    async def main() -> None:
        house = House(youtube.reader, supadata.reader, direct())
        assert (await house.page(VIDEO)).reader == "supadata"
        assert house.parking.rests["instance:youtube"].reason is Reason.BLOCKED
        sent = len(youtube.sent)
        assert (await house.page("https://youtu.be/aaaaaaaaaaa?t=1")).reader == "supadata"
        assert len(youtube.sent) == sent

    run(main())


@pytest.mark.parametrize(
    ("native", "reason"),
    [(NONE, Reason.NO_TRANSCRIPT), (httpx.Response(500), Reason.BLOCKED)],
    ids=["no captions", "vendor down"],
)
def test_what_the_video_readers_say_is_the_answer_and_the_page_is_not_fetched(
    native: Turn, reason: Reason
) -> None:
    youtube, supadata = videos(BOT, native)

    async def main() -> None:
        house = House(youtube.reader, supadata.reader, direct())
        failure = await house.failure(VIDEO)
        assert failure.reason is reason
        assert [attempt.reader for attempt in failure.attempts] == ["youtube", "supadata"]
        assert failure.attempts[0].reason is Reason.BLOCKED
        assert house.fetcher.fetched == []

    run(main())


@pytest.mark.parametrize(
    ("cls", "url"),
    [
        (InstagramRead, "https://www.instagram.com/p/Cinvented1/"),
        (ScholarlyRead, "https://doi.org/10.5555/inv.1"),
    ],
)
def test_other_site_readers_fall_through_to_the_chain(cls: type[ReadType], url: str) -> None:
    desk = named("site", cls, {})

    async def main() -> None:
        house = House(desk.reader, direct(), fetcher=FakeFetcher({url: LONG}))
        page = await house.page(url)
        assert isinstance(page, Page)
        assert page.reader == "direct"

    run(main())


def test_an_abstract_gives_way_to_a_longer_text_and_stays_as_the_last_resort() -> None:
    url = "https://arxiv.org/abs/2601.00001"
    desk = named(
        "scholarly", ScholarlyRead, {"GET https://export.arxiv.org/api/query": fixture("scholarly/atom.xml")}
    )

    async def main() -> None:
        assert (
            await House(desk.reader, direct(), fetcher=FakeFetcher({url: LONG})).page(url)
        ).reader == "direct"
        page = await House(desk.reader, direct(), fetcher=FakeFetcher({url: "A wall."})).page(url)
        assert page.reader == "scholarly"
        assert "how reeds return" in page.markdown

    run(main())
