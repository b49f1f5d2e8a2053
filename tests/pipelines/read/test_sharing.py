"""Reads of one url in flight share a run, good pages are reused, and robots.txt is asked beside."""

from __future__ import annotations

import asyncio

import pytest

from research_mcp.core.errors import NoContent, Reason
from research_mcp.core.models import Flag, Page, ReadFailure
from research_mcp.core.ports import RobotsRule
from tests.kit.reading import LONG, URL, FakeFetcher, FakeReader, FakeRobots, House, direct, document
from tests.kit.virtual_time import run


def test_reads_of_one_url_in_flight_share_one_run() -> None:
    async def main() -> None:
        reader = FakeReader("remote", seconds=3)
        house = House(reader)
        pages = await asyncio.gather(*(house.page() for _ in range(5)))
        assert reader.calls == 1
        assert len({id(page) for page in pages}) == 1

    run(main())


def test_a_run_goes_on_while_one_caller_still_waits() -> None:
    async def main() -> None:
        reader = FakeReader("remote", seconds=3)
        house = House(reader)
        leaver, stayer = asyncio.create_task(house.page()), asyncio.create_task(house.page())
        await asyncio.sleep(1)
        leaver.cancel()
        assert (await stayer).reader == "remote"
        assert (reader.calls, reader.cancelled) == (1, 0)

    run(main())


def test_a_run_stops_when_its_last_caller_leaves() -> None:
    async def main() -> None:
        reader = FakeReader("remote", seconds=30)
        house = House(reader)
        callers = [asyncio.create_task(house.page()) for _ in range(2)]
        await asyncio.sleep(1)
        for caller in callers:
            caller.cancel()
        await asyncio.gather(*callers, return_exceptions=True)
        await asyncio.sleep(0.01)
        assert reader.cancelled == 1
        assert len(asyncio.all_tasks()) == 1
        reader.seconds = 0
        assert (await house.page()).reader == "remote"

    run(main())


def test_a_caller_in_a_hurry_leaves_a_longer_run() -> None:
    async def main() -> None:
        house = House(FakeReader("remote", seconds=20))
        patient = asyncio.create_task(house.page())
        await asyncio.sleep(1)
        failure = await house.failure(seconds=5)
        assert failure.reason is Reason.DEADLINE
        assert (await patient).reader == "remote"

    run(main())


def test_a_caller_with_more_time_reads_again_when_the_shared_run_ran_out_of_it() -> None:
    async def main() -> None:
        reader = FakeReader("remote", seconds=8, traits={"metered": True})
        house = House(reader, FakeReader("last", NoContent("no"), traits={"metered": True}))
        hurried = asyncio.create_task(house.read(seconds=3))
        await asyncio.sleep(0.1)
        page = await house.page()
        assert page.reader == "remote"
        assert isinstance(await hurried, ReadFailure)

    run(main())


def test_a_good_page_is_reused_for_five_minutes_and_says_so() -> None:
    async def main() -> None:
        reader = FakeReader("remote")
        house = House(reader)
        first, second = await house.page(), await house.page()
        assert (first.cached, second.cached) == (False, True)
        assert second.markdown == first.markdown
        house.clock.skipped = 301
        assert not (await house.page()).cached
        assert reader.calls == 2

    run(main())


def test_a_page_read_over_http_for_a_bare_host_is_not_served_for_its_https_url() -> None:
    async def main() -> None:
        plain = "http://mill.test/moss"
        fetcher = FakeFetcher({URL: NoContent("no", reason=Reason.TLS_FAILED), plain: LONG})
        house = House(direct(), fetcher=fetcher)
        assert (await house.page("mill.test/moss")).url == plain
        assert (await house.page("mill.test/moss")).cached
        assert (await house.page(plain)).cached
        assert (await house.failure(URL)).reason is Reason.TLS_FAILED

    run(main())


def test_failures_and_thin_pages_are_not_kept() -> None:
    async def main() -> None:
        reader = FakeReader("remote", "Short.")
        house = House(reader)
        await house.page()
        reader.answer = NoContent("nothing")
        await house.failure()
        reader.answer = LONG
        assert not (await house.page()).cached
        assert reader.calls == 3

    run(main())


def test_a_page_that_broke_off_is_given_out_but_read_again_the_next_time() -> None:
    async def main() -> None:
        reader = FakeReader("remote", Page(URL, URL, LONG, "remote", flags=(Flag.BROKEN_OFF,)))
        house = House(reader)
        assert (await house.page()).flags == (Flag.BROKEN_OFF,)
        assert not (await house.page()).cached
        assert reader.calls == 2

    run(main())


@pytest.mark.parametrize("limits", [{"cache_seconds": 0}, {"cache_room": 1_000}])
def test_nothing_is_kept_without_time_or_room_for_it(limits: dict[str, int]) -> None:
    async def main() -> None:
        house = House(FakeReader("remote"), **limits)
        await house.page()
        assert not (await house.page()).cached

    run(main())


def test_the_oldest_pages_leave_a_full_cache() -> None:
    async def main() -> None:
        house = House(FakeReader("remote"), cache_room=6_000)
        for n in range(4):
            await house.page(f"{URL}/{n}")
        assert (await house.page(f"{URL}/3")).cached
        assert not (await house.page(f"{URL}/0")).cached

    run(main())


# robots.txt


def test_the_sites_wish_is_asked_beside_the_probe_and_noted_on_the_page() -> None:
    async def main() -> None:
        robots = FakeRobots({URL: RobotsRule.DISCOURAGED}, seconds=1)
        house = House(direct(), robots=robots, fetcher=FakeFetcher({URL: LONG}, seconds=2))
        assert Flag.ROBOTS in (await house.page()).flags
        assert asyncio.get_running_loop().time() == 2.0

    run(main())


def test_an_advisory_robots_txt_that_hangs_costs_half_a_second() -> None:
    async def main() -> None:
        page = await House(direct(), robots=FakeRobots({URL: RobotsRule.DISCOURAGED}, seconds=3)).page()
        assert page.flags == ()
        assert asyncio.get_running_loop().time() == 0.5
        assert len(asyncio.all_tasks()) == 1

    run(main())


def test_an_obeyed_robots_txt_refuses_the_page_before_any_reader_is_asked() -> None:
    async def main() -> None:
        remote = FakeReader("remote")
        robots = FakeRobots({URL: RobotsRule.REFUSED}, binding=True, seconds=3)
        failure = await House(remote, robots=robots).failure()
        assert failure.reason is Reason.ROBOTS_DISALLOWED
        assert "robots.txt of mill.test" in failure.message
        assert not remote.calls

    run(main())


def test_the_host_where_redirects_end_has_a_say_too() -> None:
    async def main() -> None:
        other = "https://other.test/moss"
        fetcher = FakeFetcher({URL: document(URL, LONG, final_url=other)})
        robots = FakeRobots({other: RobotsRule.REFUSED}, binding=True)
        assert (
            await House(direct(), fetcher=fetcher, robots=robots).failure()
        ).reason is Reason.ROBOTS_DISALLOWED

    run(main())


def test_only_the_scheme_that_answers_has_a_say_for_a_bare_host() -> None:
    async def main() -> None:
        plain = "http://mill.test/moss"
        fetcher = FakeFetcher({URL: NoContent("no", reason=Reason.UNREACHABLE), plain: LONG})
        robots = FakeRobots({URL: RobotsRule.REFUSED}, binding=True)
        assert (await House(direct(), fetcher=fetcher, robots=robots).page("mill.test/moss")).url == plain

    run(main())


def test_a_site_reader_reads_no_page_and_asks_no_robots_txt() -> None:
    async def main() -> None:
        robots = FakeRobots({URL: RobotsRule.REFUSED}, binding=True)
        house = House(FakeReader("site", traits={"site": True}), robots=robots)
        assert isinstance(await house.read(), Page)
        assert robots.asked == []

    run(main())


# What other readers bring


def test_a_bot_check_in_a_remote_readers_text_is_the_site_blocking() -> None:
    async def main() -> None:
        house = House(
            FakeReader("remote", "Just a moment..."),
            judge=lambda text: Reason.BLOCKED if "moment" in text else None,
        )
        failure = await house.failure()
        assert (failure.reason, failure.attempts[0].reader) == (Reason.BLOCKED, "remote")

    run(main())


def test_a_not_found_in_a_remote_readers_text_is_no_page() -> None:
    async def main() -> None:
        house = House(FakeReader("remote"), judge=lambda text: Reason.NOT_FOUND)
        failure = await house.failure()
        assert (failure.reason, failure.attempts[0].reader) == (Reason.NOT_FOUND, "remote")

    run(main())


def test_a_teaser_in_a_remote_readers_text_is_flagged() -> None:
    async def main() -> None:
        page = await House(FakeReader("remote"), judge=lambda text: Reason.PAYWALLED).page()
        assert page.flags == (Flag.PAYWALLED,)

    run(main())
