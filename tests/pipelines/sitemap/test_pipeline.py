"""The map pipeline: the order of mappers, what is shown, what is said, time, cache, shared runs."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import (
    BadReply,
    NoContent,
    QuotaSpent,
    RateLimited,
    Reason,
    Transient,
    UrlRefused,
)
from research_mcp.core.models import EngineState
from research_mcp.core.ports import RobotsRule
from research_mcp.core.sitemaps import MapAnswer, MapOption, MapQuery, MapReport, SitePage
from research_mcp.observe.events import CacheLook, ProviderCall
from tests.kit.mapping import HOME, FakeMapper, FakeRobots, HostFetcher, MapBench, pages
from tests.kit.reading import FakeFetcher
from tests.kit.virtual_time import run

FLOOR = {"from_here": True, "cap": float("inf")}
KNOWN = pages("", "z")


def floor(answer: Any = KNOWN) -> FakeMapper:
    """The mapper that looks from here."""
    return FakeMapper("sitemap", answer, traits=FLOOR)


def states(report: MapReport) -> dict[str, str]:
    return {row.name: row.state.value for row in report.rows}


def urls(report: MapReport) -> list[str]:
    return [page.url for page in report.pages]


class TestOrder:
    def test_the_first_that_knows_the_site_ends_it_and_the_others_are_named(self) -> None:
        first, second = FakeMapper("tavily-map", pages("", "a")), floor()
        report = MapBench(first, second).map()
        assert urls(report) == [HOME, HOME + "a"]
        assert report.mapper == "tavily-map"
        assert states(report) == {"tavily-map": "ok", "sitemap": "skipped"}
        assert report.rows[0].count == 2
        assert report.rows[1].detail == "not needed: tavily-map knew the site"
        assert second.queries == []

    @pytest.mark.parametrize(
        ("error", "state", "reason"),
        [
            (QuotaSpent("out of credits"), "failed", Reason.OUT_OF_CREDITS),
            (RateLimited("slow down"), "rate_limited", Reason.RATE_LIMITED),
            (BadReply("odd"), "failed", Reason.UPSTREAM_ERROR),
            (Transient("late", reason=Reason.TIMEOUT), "timed_out", Reason.TIMEOUT),
            (ValueError("bug"), "failed", Reason.UPSTREAM_ERROR),
        ],
        ids=lambda value: type(value).__name__,
    )
    def test_one_that_fails_is_named_and_the_next_one_asked(
        self, error: Exception, state: str, reason: Reason
    ) -> None:
        report = MapBench(FakeMapper("tavily-map", error), floor()).map()
        assert urls(report) == [HOME, HOME + "z"]
        assert states(report) == {"tavily-map": state, "sitemap": "ok"}
        assert report.rows[0].reason is reason

    def test_one_that_only_knows_the_page_itself_is_passed_over_but_kept_for_want_of_better(self) -> None:
        report = MapBench(FakeMapper("tavily-map", pages("")), floor()).map()
        assert report.mapper == "sitemap"
        report = MapBench(FakeMapper("tavily-map", pages("")), floor(NoContent("nothing"))).map()
        assert (report.mapper, urls(report)) == ("tavily-map", [HOME])
        assert states(report) == {"tavily-map": "ok", "sitemap": "failed"}

    def test_a_site_of_one_page_is_a_map_of_one_page(self) -> None:
        report = MapBench(floor(pages(""))).map()
        assert urls(report) == [HOME]

    def test_when_all_fail_the_reason_is_what_was_learnt_of_the_site(self) -> None:
        report = MapBench(
            FakeMapper("tavily-map", QuotaSpent("out of credits")),
            floor(NoContent("the page does not exist (status 404)", reason=Reason.NOT_FOUND)),
        ).map()
        assert report.pages == ()
        assert (report.reason, report.message) == (Reason.NOT_FOUND, "the page does not exist (status 404)")

    def test_without_such_knowledge_it_is_the_first_mapper_s(self) -> None:
        report = MapBench(FakeMapper("a", QuotaSpent("spent")), FakeMapper("b", BadReply("odd"))).map()
        assert report.reason is Reason.OUT_OF_CREDITS

    def test_without_a_mapper_that_is_said(self) -> None:
        assert MapBench().map().reason is Reason.NOT_CONFIGURED

    def test_an_empty_list_is_no_error_of_anyone(self) -> None:
        report = MapBench(FakeMapper("a", ())).map()
        assert (report.reason, states(report)) == (Reason.EMPTY, {"a": "empty"})


class TestShown:
    def test_only_pages_of_the_site_are_shown_and_the_row_says_what_was_left_out(self) -> None:
        found = (
            *pages("a", "style.css", "login", "a#part"),
            SitePage("https://evil.test/x"),
            SitePage("https://evil.test/mill.test/"),
            SitePage("http://10.0.0.1/"),
            SitePage("javascript:alert(1)"),
            SitePage("https://sub.mill.test/b"),
        )
        report = MapBench(FakeMapper("tavily-map", found)).map()
        assert urls(report) == [HOME + "a", "https://sub.mill.test/b"]
        assert report.rows[0].count == 2
        assert report.rows[0].detail == "left out: 2 on other sites, 2 no public addresses"

    def test_subdomains_that_lead_to_private_addresses_are_left_out(self) -> None:
        found = (*pages("a"), SitePage("https://intra.mill.test/x"), SitePage("https://intra.mill.test/y"))
        fetcher = HostFetcher(private_hosts=("intra.mill.test",))
        report = MapBench(FakeMapper("tavily-map", found), fetcher=fetcher).map()
        assert urls(report) == [HOME + "a"]
        assert report.rows[0].detail == "left out: 2 on hosts that are not public"
        assert fetcher.checked == [HOME, "https://intra.mill.test/x"]

    def test_one_that_only_knows_other_sites_counts_as_empty(self) -> None:
        report = MapBench(FakeMapper("tavily-map", [SitePage("https://evil.test/")]), floor()).map()
        assert states(report) == {"tavily-map": "empty", "sitemap": "ok"}

    def test_a_site_that_moved_is_shown_where_it_is(self) -> None:
        answer = MapAnswer((SitePage("https://new.test/a"), *pages("b")), home="https://new.test/")
        assert urls(MapBench(floor(answer)).map()) == ["https://new.test/a", HOME + "b"]

    def test_titles_are_one_visible_line(self) -> None:
        report = MapBench(floor([SitePage(HOME + "a", "Mo\u200bss\n\u202ewall" + "x" * 400)])).map()
        assert report.pages[0].title.startswith("Moss wallxxx")
        assert len(report.pages[0].title) == 200

    def test_no_more_than_was_asked_for(self) -> None:
        assert len(MapBench(floor(pages(*map(str, range(90))))).map(limit=7).pages) == 7

    def test_options_without_effect_and_caveats_of_the_mapper_are_in_the_notes(self) -> None:
        answer = MapAnswer(pages("a"), frozenset({MapOption.INSTRUCTIONS}), ("a caveat",), "the time ran out")
        report = MapBench(floor(answer)).map(instructions="moss")
        assert report.notes == ("a caveat", "instructions has no effect on sitemap")
        assert report.partial == "the time ran out"


class TestGuardAndRobots:
    def test_a_refused_address_reaches_nobody(self) -> None:
        mapper = floor()
        with pytest.raises(UrlRefused):
            MapBench(mapper).map("http://10.0.0.1/")
        with pytest.raises(UrlRefused):
            MapBench(mapper).map("file:///etc/passwd")
        assert mapper.queries == []

    def test_a_page_that_leads_to_a_refused_address_ends_the_map(self) -> None:
        with pytest.raises(UrlRefused):
            MapBench(floor(UrlRefused("private"))).map()

    def test_an_unknown_host_reaches_nobody(self) -> None:
        mapper = FakeMapper("tavily-map", pages("a"))
        report = MapBench(mapper, fetcher=FakeFetcher(unknown=[HOME])).map()
        assert (report.reason, mapper.queries) == (Reason.DNS_FAILED, [])

    def test_only_this_machine_hears_of_private_sites(self) -> None:
        vendor = FakeMapper("tavily-map", pages("a"))
        report = MapBench(vendor, floor(), fetcher=FakeFetcher(private=[HOME])).map()
        assert vendor.queries == []
        assert states(report) == {"tavily-map": "skipped", "sitemap": "ok"}
        assert report.rows[0].detail == "not told of a private address"

    def test_robots_txt_binds_whom_the_owner_says(self) -> None:
        vendor = FakeMapper("tavily-map", pages("a"))
        robots = FakeRobots(binding=True, rules={HOME: RobotsRule.REFUSED})
        report = MapBench(vendor, floor(), robots=robots).map()
        assert (report.reason, vendor.queries) == (Reason.ROBOTS_DISALLOWED, [])
        assert "robots.txt of mill.test" in report.message

    def test_what_it_discourages_is_said_and_links_to_it_are_not_followed(self) -> None:
        seen: list[str] = []

        async def look(query: MapQuery, site: Any) -> MapAnswer:
            seen.append((await site.open(query.url, Deadline.after(5))).links.title)
            with pytest.raises(NoContent) as caught:
                await site.open(HOME + "closed", Deadline.after(5), linked=True)
            assert caught.value.reason is Reason.ROBOTS_DISALLOWED
            return MapAnswer(pages("a"))

        rule = RobotsRule.DISCOURAGED
        robots = FakeRobots(rules={HOME: rule, HOME + "closed": rule})
        fetcher = FakeFetcher({HOME: "<html><title>Mill</title></html>"})
        report = MapBench(floor(look), robots=robots, fetcher=fetcher).map()
        assert seen == ["Mill"]
        assert report.notes == ("the site's robots.txt asks automated readers not to read this page",)

    def test_pages_are_asked_for_as_html(self) -> None:
        async def look(query: MapQuery, site: Any) -> MapAnswer:
            await site.open(query.url, Deadline.after(5))
            return MapAnswer(pages("a"))

        fetcher = FakeFetcher({HOME: "<p>x</p>"})
        MapBench(floor(look), fetcher=fetcher).map()
        assert fetcher.accepts[0].startswith("text/html")

    def test_http_is_tried_where_https_was_only_a_guess(self) -> None:
        async def look(query: MapQuery, site: Any) -> MapAnswer:
            if query.url.startswith("https"):
                raise NoContent("nobody", reason=Reason.UNREACHABLE)
            return MapAnswer((SitePage(query.url + "/a"),))

        assert urls(MapBench(floor(look)).map("mill.test")) == ["http://mill.test/a"]
        report = MapBench(floor(look)).map("https://mill.test")
        assert report.reason is Reason.UNREACHABLE


class TestTurns:
    def test_a_spent_mapper_rests_and_says_until_when(self) -> None:
        spent = FakeMapper("tavily-map", QuotaSpent("out of credits", rest_for=3_600.0))
        bench = MapBench(spent, floor())

        async def main() -> tuple[MapReport, float]:
            await bench.pipeline.map(MapQuery(HOME))
            return await bench.pipeline.map(MapQuery(HOME, limit=9)), bench.clock.now()

        report, now = run(main())
        assert len(spent.queries) == 1
        assert report.rows[0].state is EngineState.RESTING
        assert report.rows[0].retry_at == pytest.approx(now + 3_600, abs=1)

    def test_a_mapper_that_keeps_failing_is_left_alone(self) -> None:
        broken = FakeMapper("tavily-map", BadReply("odd"))
        bench = MapBench(broken, floor())

        async def main() -> str:
            for limit in range(1, 9):
                await bench.pipeline.map(MapQuery(HOME, limit=limit))
            return bench.pipeline.breakers()["tavily-map"].value

        assert run(main()) == "open"
        assert len(broken.queries) == 5

    def test_sites_without_a_map_are_no_fault_of_the_mapper(self) -> None:
        none = floor(NoContent("nothing"))
        bench = MapBench(none)

        async def main() -> None:
            for limit in range(1, 9):
                await bench.pipeline.map(MapQuery(HOME, limit=limit))

        run(main())
        assert len(none.queries) == 8

    def test_each_call_is_told_to_the_operator(self) -> None:
        bench = MapBench(FakeMapper("tavily-map", QuotaSpent("out of credits")), floor())
        bench.map()
        assert [event for event in bench.events if isinstance(event, ProviderCall)] == [
            ProviderCall("tavily-map", "map", "failed", 0, "out of credits", "out_of_credits"),
            ProviderCall("sitemap", "map", "ok", 0),
        ]


class TestTime:
    def test_a_slow_mapper_leaves_time_for_the_next(self) -> None:
        slow = FakeMapper("tavily-map", pages("a"), seconds=100.0)
        bench = MapBench(slow, floor())

        async def main() -> tuple[MapReport, float]:
            report = await bench.pipeline.map(MapQuery(HOME))
            return report, asyncio.get_running_loop().time()

        report, took = run(main())
        assert report.mapper == "sitemap"
        assert states(report)["tavily-map"] == "timed_out"
        assert took == pytest.approx(25, abs=1)
        assert slow.cancelled == 1

    def test_little_time_is_shared_out_and_not_spent_on_what_costs(self) -> None:
        paid = FakeMapper("tavily-map", pages("a"), traits={"metered": True})
        free = FakeMapper("other", pages("", "b"), seconds=0.5)
        report = MapBench(paid, free, floor(), timeout=3.0).map()
        assert (report.mapper, paid.queries) == ("other", [])
        assert report.rows[0].detail == "only 2 s were left"

    def test_the_whole_ends_in_time_whatever_hangs(self) -> None:
        hanging = [FakeMapper(name, pages("a"), seconds=999.0) for name in ("a", "b", "c")]
        bench = MapBench(*hanging, floor([]))

        async def main() -> float:
            await bench.pipeline.map(MapQuery(HOME))
            return asyncio.get_running_loop().time()

        assert run(main()) <= 45

    def test_a_caller_that_leaves_stops_the_work(self) -> None:
        slow = floor(pages("a"))
        slow.seconds = 30.0
        bench = MapBench(slow)

        async def main() -> None:
            task = asyncio.create_task(bench.pipeline.map(MapQuery(HOME)))
            await asyncio.sleep(1)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await asyncio.sleep(1)

        run(main())
        assert slow.cancelled == 1


class TestSharing:
    def test_equal_questions_in_flight_share_one_run_and_each_hears_its_progress(self) -> None:
        mapper = floor(pages("a"))
        mapper.seconds = 2.0
        bench = MapBench(mapper)
        heard: list[list[str]] = [[], []]

        async def ask(place: int) -> MapReport:
            async def progress(done: int, total: int, message: str) -> None:
                heard[place].append(message)

            return await bench.pipeline.map(MapQuery(HOME), progress)

        async def main() -> list[MapReport]:
            return await asyncio.gather(ask(0), ask(1))

        first, second = run(main())
        assert first == second
        assert len(mapper.queries) == 1
        assert heard == [["asking sitemap"], ["asking sitemap"]]

    def test_a_whole_map_is_reused_a_partial_or_failed_one_is_not(self) -> None:
        mapper = floor(pages("a"))
        bench = MapBench(mapper)

        async def main() -> list[MapReport]:
            query = MapQuery(HOME)
            found = [await bench.pipeline.map(query), await bench.pipeline.map(query)]
            await bench.pipeline.map(MapQuery(HOME, limit=3))
            for answer in (MapAnswer(pages("a"), partial="late"), NoContent("nothing")):
                mapper.answer = answer
                for _ in range(2):
                    await bench.pipeline.map(MapQuery(HOME, depth=2))
            return found

        first, second = run(main())
        assert (first.cached, second.cached) == (False, True)
        assert second.pages == first.pages
        assert len(mapper.queries) == 1 + 1 + 4
        looks = [event.hit for event in bench.events if isinstance(event, CacheLook)]
        assert looks == [False, True, *[False] * 5]

    def test_counts_reach_the_caller(self) -> None:
        async def look(query: MapQuery, site: Any) -> MapAnswer:
            await site.found(30)
            await site.found(70)
            return MapAnswer(pages("a"))

        bench = MapBench(floor(look))
        heard: list[tuple[int, int, str]] = []

        async def progress(done: int, total: int, message: str) -> None:
            heard.append((done, total, message))

        run(bench.pipeline.map(MapQuery(HOME), progress))
        assert heard == [
            (0, 50, "asking sitemap"),
            (30, 50, "30 addresses found"),
            (50, 50, "70 addresses found"),
        ]
