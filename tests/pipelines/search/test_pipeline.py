"""The search pipeline with engines that hang, fail, spam, block, crash and rest, in virtual time."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace

import pytest

from research_mcp.core.errors import (
    BadReply,
    BudgetSpent,
    InvalidArgument,
    NoContent,
    QuotaSpent,
    RateLimited,
    Reason,
    Rejected,
    Transient,
)
from research_mcp.core.models import EngineState, Filter, Hit, PageType, SearchQuery, TimeRange, Topic
from research_mcp.observe.events import CacheLook, ProviderCall
from research_mcp.pipelines.search.fanout import Fanout
from research_mcp.pipelines.search.hosts import HostRule, HostRules, Wish
from research_mcp.pipelines.search.pipeline import SearchLimits
from tests.kit.engines import QUERY, Desk, FakeEngine, StubbornEngine, pages, states, urls
from tests.kit.virtual_time import VirtualTimeLoop, run

BLOCK = RateLimited("taken for a bot", reason=Reason.BLOCKED, rest_for=600)


def now() -> float:
    return asyncio.get_running_loop().time()


class TestFanOut:
    def test_all_engines_are_asked_at_once_and_their_lists_become_one(self) -> None:
        async def main() -> None:
            one, two = FakeEngine("one", pages("a", "b")), FakeEngine("two", pages("b", "c"))
            report = await Desk([one, two]).search()
            assert one.started_at == two.started_at == [0.0]
            assert urls(report)[0] == "https://sea.example/b"
            assert sorted(urls(report)) == [f"https://sea.example/{name}" for name in "abc"]
            assert report.hits[0].engines == {"one": 2, "two": 1}
            assert states(report) == {"one": "ok", "two": "ok"}
            assert [(row.count, row.ms) for row in report.rows] == [(2, 100), (2, 100)]

        run(main())

    def test_a_hanging_engine_costs_the_deadline_at_most_and_is_named(self) -> None:
        async def main() -> None:
            slow = FakeEngine("slow", delay=1_000)
            report = await Desk([slow, FakeEngine("one", pages("a"))]).search()
            assert now() <= 12.0
            assert states(report) == {"slow": "timed_out", "one": "ok"}
            assert report.rows[0].reason is Reason.TIMEOUT
            assert report.rows[0].detail == "no answer within 12 s"
            assert urls(report) == ["https://sea.example/a"]
            assert slow.cancelled == 1

        run(main())

    def test_when_half_have_answered_and_the_list_is_full_the_rest_get_the_grace(self) -> None:
        async def main() -> None:
            engines = [
                FakeEngine("one", pages("a", "b", "c")),
                FakeEngine("late", pages("d"), delay=1.0),
                FakeEngine("two", pages("a", "b", "c")),
                FakeEngine("slow", pages("e"), delay=5.0),
            ]
            report = await Desk(engines).search()
            assert now() == pytest.approx(0.1 + 1.5)
            assert states(report) == {"one": "ok", "late": "ok", "two": "ok", "slow": "not_waited_for"}
            assert report.rows[3].detail == "the list was full; it got 1.5 s more"
            assert engines[3].cancelled == 1

        run(main())

    def test_without_half_of_the_answers_a_full_list_is_not_enough(self) -> None:
        async def main() -> None:
            engines = [FakeEngine(f"slow{n}", pages("x"), delay=6.0) for n in range(3)]
            report = await Desk([FakeEngine("one", pages("a", "b", "c")), *engines]).search()
            assert now() == pytest.approx(6.0)
            assert set(states(report).values()) == {"ok"}

        run(main())

    def test_failed_engines_do_not_count_against_the_half(self) -> None:
        async def main() -> None:
            engines = [
                FakeEngine("one", pages("a", "b", "c")),
                FakeEngine("bad", error=Transient("reset")),
                FakeEngine("slow", pages("d"), delay=9.0),
            ]
            report = await Desk(engines).search()
            assert now() == pytest.approx(1.6)
            assert states(report) == {"one": "ok", "bad": "failed", "slow": "not_waited_for"}

        run(main())

    def test_one_crashing_engine_spoils_nothing_and_its_traceback_is_logged(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        async def main() -> None:
            report = await Desk(
                [FakeEngine("broken", error=KeyError("token=SECRET")), FakeEngine("one", pages("a"))]
            ).search()
            assert states(report) == {"broken": "failed", "one": "ok"}
            assert report.rows[0].detail == "broken crashed (KeyError); the log has the details"
            assert "SECRET" not in repr(report)

        with caplog.at_level(logging.ERROR):
            run(main())
        assert "broken crashed" in caplog.text
        assert "Traceback" in caplog.text

    def test_an_engine_that_cancels_itself_is_a_failed_engine_not_a_cancelled_search(self) -> None:
        async def main() -> None:
            report = await Desk(
                [FakeEngine("odd", error=asyncio.CancelledError()), FakeEngine("one", pages("a"))]
            ).search()
            assert states(report) == {"odd": "failed", "one": "ok"}

        run(main())

    def test_an_engine_that_ignores_its_cancellation_does_not_hold_the_answer(self) -> None:
        async def main() -> None:
            report = await Desk([StubbornEngine("stubborn"), FakeEngine("one", pages("a"))]).search()
            assert now() <= 12.5
            assert states(report) == {"stubborn": "timed_out", "one": "ok"}

        run(main())

    def test_an_answer_that_arrives_with_the_deadline_is_not_lost(self) -> None:
        async def main() -> None:
            report = await Desk([FakeEngine("one", pages("a"), delay=12.0)]).search()
            assert states(report)["one"] in ("ok", "timed_out")
            assert bool(report.hits) == (states(report)["one"] == "ok")

        run(main())

    def test_cancelling_the_call_cancels_every_engine(self) -> None:
        async def main() -> None:
            engines = [FakeEngine(name, delay=100) for name in ("one", "two")]
            desk = Desk(engines)
            task = asyncio.create_task(desk.search())
            await asyncio.sleep(1)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await asyncio.sleep(1)
            assert [engine.cancelled for engine in engines] == [1, 1]

        run(main())

    def test_progress_counts_answers_of_engines_asked(self) -> None:
        async def main() -> None:
            desk = Desk([FakeEngine("one", pages("a")), FakeEngine("two", error=BLOCK, delay=0.2)])
            await desk.search()
            assert desk.told == [
                (0, 2, "asking one, two"),
                (1, 2, "one: 1 results"),
                (2, 2, "two: blocked"),
            ]

        run(main())

    def test_each_call_is_an_event_with_its_reason(self) -> None:
        async def main() -> None:
            desk = Desk(
                [
                    FakeEngine("paid", pages("a"), metered=True),
                    FakeEngine("broke", error=QuotaSpent("spent"), metered=True),
                    FakeEngine("free", delay=99),
                ]
            )
            await desk.search()
            assert desk.events == [
                CacheLook("search", hit=False),
                ProviderCall("paid", "search", "ok", 100),
                ProviderCall("broke", "search", "failed", 100, "spent", "out_of_credits"),
                ProviderCall("free", "search", "timed_out", 12_000, "no answer within 12 s", "timeout"),
            ]
            await desk.search()
            assert desk.events[4] == CacheLook("search", hit=False), "an answer with gaps is not kept"

        run(main())

    def test_an_answer_from_the_cache_is_an_event_and_no_call(self) -> None:
        async def main() -> None:
            desk = Desk([FakeEngine("one", pages("a"))])
            await desk.search()
            await desk.search()
            assert desk.events == [
                CacheLook("search", hit=False),
                ProviderCall("one", "search", "ok", 100),
                CacheLook("search", hit=True),
            ]

        run(main())

    def test_no_engine_at_all_is_a_report_that_nobody_answered(self) -> None:
        async def main() -> None:
            report = await Desk([]).search()
            assert (report.hits, report.rows, report.answered) == ((), (), False)

        run(main())

    def test_a_question_without_words_is_refused(self) -> None:
        with pytest.raises(InvalidArgument, match="query is empty"):
            run(Desk([FakeEngine("one")]).search(SearchQuery(" \n ")))


class TestRounds:
    def test_reserve_engines_are_left_alone_while_the_list_is_full(self) -> None:
        async def main() -> None:
            reserve = FakeEngine("wiki", pages("w"), reserve=True)
            report = await Desk([FakeEngine("one", pages("a", "b", "c")), reserve]).search()
            assert reserve.calls == 0
            assert states(report) == {"one": "ok"}

        run(main())

    def test_reserve_engines_fill_a_short_list(self) -> None:
        async def main() -> None:
            reserve = FakeEngine("wiki", pages("w"), reserve=True)
            report = await Desk([FakeEngine("one", pages("a")), reserve]).search()
            assert reserve.started_at == [0.1]
            assert len(report.hits) == 2

        run(main())

    def test_reserve_engines_get_the_last_seconds_while_the_others_hang(self) -> None:
        async def main() -> None:
            reserve = FakeEngine("wiki", pages("w", "v", "u"), reserve=True)
            report = await Desk([FakeEngine("slow", delay=99), reserve]).search()
            assert reserve.started_at == [8.0]
            assert states(report) == {"slow": "not_waited_for", "wiki": "ok"}
            assert len(report.hits) == 3

        run(main())

    def test_economy_asks_metered_engines_one_by_one_while_the_list_is_short(self) -> None:
        async def main() -> None:
            free = FakeEngine("free", pages("a"))
            paid = [FakeEngine(f"paid{n}", pages(f"p{n}"), metered=True) for n in range(4)]
            desk = Desk([paid[0], free, *paid[1:]], SearchLimits(fanout=Fanout.ECONOMY))
            report = await desk.search()
            assert [engine.calls for engine in paid] == [1, 1, 0, 0]
            assert [paid[0].started_at, paid[1].started_at] == [[0.1], [0.2]]
            assert "not asked, the list was full: paid2, paid3" in report.notes

        run(main())

    def test_economy_says_when_the_time_was_up_before_an_engine_was_asked(self) -> None:
        async def main() -> None:
            paid = [FakeEngine(f"paid{n}", metered=True, delay=99) for n in range(8)]
            report = await Desk(
                [FakeEngine("free", delay=99), *paid], SearchLimits(fanout=Fanout.ECONOMY)
            ).search()
            assert now() <= 12.5
            assert states(report)["paid0"] == "timed_out"
            assert report.notes == ("not asked, no time was left: paid3, paid4, paid5, paid6, paid7",)

        run(main())

    def test_economy_asks_no_metered_engine_when_the_free_ones_are_enough(self) -> None:
        async def main() -> None:
            paid = FakeEngine("paid", pages("p"), metered=True)
            desk = Desk([paid, FakeEngine("free", pages("a", "b", "c"))], SearchLimits(fanout=Fanout.ECONOMY))
            report = await desk.search()
            assert paid.calls == 0
            assert states(report) == {"free": "ok"}

        run(main())

    def test_specialists_join_only_for_their_topic_or_on_request(self) -> None:
        async def main() -> None:
            papers = FakeEngine("papers", pages("p"), topics=frozenset({Topic.SCHOLARLY}))
            desk = Desk([FakeEngine("one", pages("a")), papers])
            assert states(await desk.search(SearchQuery("tidal power"))) == {"one": "ok"}
            await desk.search(SearchQuery("tidal power systematic review"))
            await desk.search(SearchQuery("tidal power", topic=Topic.SCHOLARLY))
            assert papers.calls == 2

        run(main())

    def test_pages_that_a_filter_removes_do_not_make_the_list_full(self) -> None:
        async def main() -> None:
            reserve = FakeEngine("wiki", pages("w", host="good.example"), reserve=True)
            desk = Desk([FakeEngine("one", pages("a", "b", "c", "d")), reserve])
            query = SearchQuery("tidal power", limit=3, include_domains=("good.example",))
            report = await desk.search(query)
            assert urls(report) == ["https://good.example/w"]

        run(main())


class TestTurns:
    def test_an_engine_within_its_pace_is_skipped_and_says_until_when(self) -> None:
        async def main() -> None:
            paced = FakeEngine("paced", pages("a"), pace=45.0)
            desk = Desk([paced, FakeEngine("one", pages("b"))])
            await desk.search()
            await asyncio.sleep(4.9)
            report = await desk.search(SearchQuery("tidal power again"))
            assert now() < 6.0
            assert paced.calls == 1
            row = report.rows[0]
            assert (row.state, row.reason) == (EngineState.SKIPPED, Reason.RATE_LIMITED)
            assert row.detail == "one query every 45 s at most (this server's own pace)"
            assert row.retry_at == pytest.approx(desk.clock.start + 45.0)

        run(main())

    def test_alone_an_engine_waits_for_its_pace_when_that_fits_the_deadline(self) -> None:
        async def main() -> None:
            paced = FakeEngine("paced", pages("a"), pace=1.1)
            desk = Desk([paced])
            questions = [SearchQuery(f"tidal power {n}") for n in range(5)]
            reports = await asyncio.gather(*(desk.search(query) for query in questions))
            assert [states(report) for report in reports] == [{"paced": "ok"}] * 5
            gaps = [
                later - earlier
                for earlier, later in zip(paced.started_at, paced.started_at[1:], strict=False)
            ]
            assert min(gaps) >= 1.1 - 1e-6

        run(main())

    def test_a_wait_that_does_not_fit_is_a_skip_with_the_time_to_come_back(self) -> None:
        async def main() -> None:
            desk = Desk([FakeEngine("paced", pages("a"), pace=45.0)])
            await desk.search()
            report = await desk.search(SearchQuery("other tidal power"))
            assert now() < 1.0
            assert not report.answered
            assert report.retry_at == pytest.approx(desk.clock.start + 45.0)

        run(main())

    def test_a_question_that_never_left_this_machine_does_not_use_the_pace_up(self) -> None:
        async def main() -> None:
            down = Transient("paced could not be reached", reason=Reason.UNREACHABLE, sent=False)
            asked = Transient("paced dropped the connection")
            paced = FakeEngine("paced", pages("a"), pace=45.0, script=[down, asked])
            desk = Desk([paced])
            reports = [await desk.search(SearchQuery(f"tidal power {n}")) for n in range(3)]
            assert [states(report)["paced"] for report in reports] == ["failed", "failed", "skipped"]

        run(main())

    def test_a_question_that_waited_for_its_turn_and_was_not_sent_gives_the_turn_back(self) -> None:
        async def main() -> None:
            down = Transient("paced could not be reached", reason=Reason.DNS_FAILED, sent=False)
            paced = FakeEngine("paced", pages("a"), pace=5.0, script=[pages("a"), down])
            desk = Desk([paced])
            reports = [await desk.search(SearchQuery(f"tidal power {n}")) for n in range(3)]
            assert [states(report)["paced"] for report in reports] == ["ok", "failed", "ok"]
            assert paced.started_at[1:] == pytest.approx([5.0, 5.1])

        run(main())

    def test_a_question_that_gets_no_place_does_not_use_the_pace_up(self) -> None:
        async def main() -> None:
            silent = FakeEngine("silent", pages("a"), pace=1.0, delay=1_000.0)
            desk = Desk([silent], limits=SearchLimits(timeout=100.0))
            asking = []
            for number in range(8):
                asking.append(asyncio.create_task(desk.search(SearchQuery(f"tidal power {number}"))))
                await asyncio.sleep(1.01)
            late = await desk.search()
            assert late.rows[0].detail == "this server's other calls there are not answered yet"
            assert await desk.paces.take("silent", 1.0) == 0.0
            for task in asking:
                task.cancel()
            await asyncio.gather(*asking, return_exceptions=True)

        run(main())

    def test_reserve_engines_answer_when_the_wait_is_too_long(self) -> None:
        async def main() -> None:
            reserve = FakeEngine("wiki", pages("w"), reserve=True)
            desk = Desk([FakeEngine("paced", pages("a"), pace=45.0), reserve])
            await desk.search()
            report = await desk.search(SearchQuery("other tidal power"))
            assert states(report) == {"paced": "skipped", "wiki": "ok"}

        run(main())

    def test_a_blocked_engine_rests_and_the_report_says_when_to_try_again(self) -> None:
        async def main() -> None:
            engine = FakeEngine("duck", pages("a"), script=[BLOCK])
            desk = Desk([engine])
            report = await desk.search()
            assert not report.answered
            row = report.rows[0]
            assert (row.state, row.reason, row.detail) == (
                EngineState.BLOCKED,
                Reason.BLOCKED,
                "taken for a bot",
            )
            back = desk.clock.now() + 600
            assert row.retry_at == report.retry_at == pytest.approx(back)
            again = await desk.search()
            assert engine.calls == 1
            assert (again.rows[0].state, again.rows[0].reason) == (EngineState.RESTING, Reason.BLOCKED)
            assert again.retry_at == pytest.approx(back)
            await asyncio.sleep(601)
            assert states(await desk.search()) == {"duck": "ok"}

        run(main())

    @pytest.mark.parametrize(
        ("error", "state", "reason", "rests"),
        [
            (RateLimited("429", rest_for=60), "rate_limited", Reason.RATE_LIMITED, 60),
            (QuotaSpent("402"), "failed", Reason.OUT_OF_CREDITS, 86_400),
            (Rejected("401"), "failed", Reason.BAD_KEY, None),
            (BadReply("html"), "failed", Reason.UPSTREAM_ERROR, 0),
            (NoContent("nothing", reason=Reason.NOT_FOUND), "failed", Reason.NOT_FOUND, 0),
            (Transient("late", reason=Reason.TIMEOUT), "timed_out", Reason.TIMEOUT, 0),
            (Transient("down", reason=Reason.UNREACHABLE, sent=False), "failed", Reason.UNREACHABLE, 0),
            (Transient("503", rest_for=120), "failed", Reason.UPSTREAM_ERROR, 120),
            (TimeoutError(), "timed_out", Reason.TIMEOUT, 0),
        ],
    )
    def test_each_failure_has_its_state_its_reason_and_its_rest(
        self, error: Exception, state: str, reason: Reason, rests: float | None
    ) -> None:
        async def main() -> None:
            engine = FakeEngine("one", error=error)
            desk = Desk([engine])
            row = (await desk.search()).rows[0]
            assert (row.state.value, row.reason) == (state, reason)
            assert row.retry_at == (pytest.approx(desk.clock.now() + rests) if rests else 0.0)
            await desk.search()
            assert engine.calls == (2 if rests == 0 else 1)

        run(main())

    @pytest.mark.parametrize(
        "error",
        [
            BudgetSpent("50 a day are used", rest_for=3_600),
            RateLimited("every key rests", reason=Reason.OUT_OF_CREDITS, rest_for=3_600, sent=False),
        ],
    )
    def test_an_engine_that_refuses_by_itself_rests_and_is_not_parked(self, error: Exception) -> None:
        async def main() -> None:
            desk = Desk([FakeEngine("one", error=error)])
            row = (await desk.search()).rows[0]
            assert (row.state, row.reason) == (EngineState.RESTING, Reason.OUT_OF_CREDITS)
            assert row.retry_at == pytest.approx(desk.clock.now() + 3_600)
            assert await desk.parking.rest("instance:one") is None

        run(main())

    def test_a_dead_engine_is_left_alone_after_five_calls_and_back_soon_after_healing(self) -> None:
        async def main() -> None:
            bad = FakeEngine("bad", pages("b"), script=[Transient("reset")] * 5)
            desk = Desk([bad, FakeEngine("one", pages("a"))])
            for n in range(20):
                report = await desk.search(SearchQuery(f"tidal power {n}"))
                assert states(report)["one"] == "ok"
            assert bad.calls == 5
            assert report.rows[0].state is EngineState.RESTING
            assert report.rows[0].detail == "it failed too often, last: reset"
            await asyncio.sleep(36)
            assert states(await desk.search()) == {"bad": "ok", "one": "ok"}

        run(main())

    def test_after_the_rest_one_call_tries_the_engine_out(self) -> None:
        async def main() -> None:
            bad = FakeEngine("bad", error=Transient("reset"), delay=1.0)
            desk = Desk([bad, FakeEngine("one", pages("a"))])
            for n in range(5):
                await desk.search(SearchQuery(f"tidal power {n}"))
            await asyncio.sleep(40)
            questions = [SearchQuery(f"tidal power at {n}") for n in range(4)]
            reports = await asyncio.gather(*(desk.search(query) for query in questions))
            assert bad.calls == 6
            assert [states(report)["bad"] for report in reports].count("resting") == 3

        run(main())

    def test_an_engine_that_only_hangs_is_left_alone_too(self) -> None:
        async def main() -> None:
            slow = FakeEngine("slow", delay=99)
            desk = Desk([slow, FakeEngine("one", pages("a"))])
            for n in range(7):
                await desk.search(SearchQuery(f"tidal power {n}"))
            assert slow.calls == 5

        run(main())

    def test_an_engine_that_hangs_while_the_list_is_full_costs_five_searches_their_grace(self) -> None:
        async def main() -> None:
            slow = FakeEngine("slow", delay=99)
            desk = Desk([slow, FakeEngine("one", pages("a", "b", "c"))])
            for n in range(9):
                report = await desk.search(SearchQuery(f"tidal power {n}", limit=3))
            assert slow.calls == 5
            assert report.rows[0].detail.startswith("it failed too often, last: no answer within 1.6 s")
            assert now() == pytest.approx(5 * 1.6 + 4 * 0.1)

        run(main())

    @pytest.mark.parametrize("held_up", [False, True])
    def test_no_engine_is_to_blame_while_this_server_is_too_busy_to_look(self, held_up: bool) -> None:
        async def main() -> None:
            slow = FakeEngine("slow", delay=1_000)
            desk = Desk([FakeEngine("one", pages("a", "b", "c")), slow])
            loop = asyncio.get_running_loop()
            assert isinstance(loop, VirtualTimeLoop)
            for number in range(6):
                if held_up:
                    loop.call_later(1.0, loop.jump, 2.0)
                report = await desk.search(replace(QUERY, text=f"tidal power {number}"))
            assert states(report)["slow"] == ("not_waited_for" if held_up else "resting")

        run(main())

    def test_an_engine_that_got_no_fair_time_is_not_to_blame(self) -> None:
        async def main() -> None:
            slow = FakeEngine("slow", delay=99)
            desk = Desk([slow, FakeEngine("one", pages("a", "b", "c"))], limits=SearchLimits(grace=0.3))
            for n in range(9):
                await desk.search(SearchQuery(f"tidal power {n}", limit=3))
            assert slow.calls == 9

        run(main())

    def test_a_call_that_waits_for_its_place_when_the_time_is_up_was_never_made(self) -> None:
        async def main() -> None:
            slow = FakeEngine("slow", pages("z"), delay=1.4)
            desk = Desk([slow, FakeEngine("one", pages("a", "b", "c"))], limits=SearchLimits(grace=0.2))
            eight = [SearchQuery(f"tidal power {n}", limit=9) for n in range(8)]
            others = asyncio.gather(*(desk.search(query) for query in eight))
            await asyncio.sleep(0)
            row = (await desk.search(SearchQuery("tidal power 9", limit=3))).rows[0]
            assert (row.state, row.reason) == (EngineState.SKIPPED, Reason.OVERLOADED)
            await others
            assert slow.calls == 8

        run(main())

    def test_fifty_searches_at_once_all_get_every_engine(self) -> None:
        async def main() -> None:
            engines = [FakeEngine(name, pages("a", "b", name), delay=0.2) for name in ("one", "two", "three")]
            desk = Desk(engines)
            questions = [SearchQuery(f"tidal power {n}", limit=3) for n in range(50)]
            reports = await asyncio.gather(*(desk.search(query) for query in questions))
            assert {state for report in reports for state in states(report).values()} == {"ok"}
            assert now() == pytest.approx(0.4, abs=0.01)

        run(main())

    def test_calls_that_the_caller_cancelled_count_against_nobody(self) -> None:
        async def main() -> None:
            slow = FakeEngine("slow", pages("a"), delay=5)
            desk = Desk([slow])
            for n in range(8):
                task = asyncio.create_task(desk.search(SearchQuery(f"tidal power {n}")))
                await asyncio.sleep(1)
                task.cancel()
                await asyncio.wait([task])
            assert states(await desk.search()) == {"slow": "ok"}

        run(main())

    def test_no_more_than_eight_calls_of_one_engine_are_in_flight(self) -> None:
        async def main() -> None:
            one = FakeEngine("one", pages("a"), delay=3)
            desk = Desk([one, FakeEngine("two", pages("b"))])
            eight = [asyncio.create_task(desk.search(SearchQuery(f"tidal power {n}"))) for n in range(8)]
            await asyncio.sleep(1.5)
            row = (await desk.search()).rows[0]
            assert (row.state, row.reason) == (EngineState.SKIPPED, Reason.OVERLOADED)
            assert row.detail == "this server's other calls there are not answered yet"
            await asyncio.gather(*eight)
            assert one.calls == 8
            assert states(await desk.search(SearchQuery("later tidal power")))["one"] == "ok"

        run(main())


class TestCacheAndFlights:
    def test_equal_questions_in_flight_share_one_fan_out_and_each_hears_the_progress(self) -> None:
        async def main() -> None:
            one = FakeEngine("one", pages("a"))
            desk = Desk([one])
            heard: list[str] = []

            async def listen(done: int, total: int, message: str) -> None:
                heard.append(message)

            first, second = await asyncio.gather(
                desk.search(QUERY), desk.pipeline.search(SearchQuery(" tidal  power ", limit=3), listen)
            )
            assert one.calls == 1
            assert first is second
            assert heard == [message for _, _, message in desk.told]

        run(main())

    def test_equal_questions_in_flight_for_more_or_fewer_hits_wait_for_the_first_answer(self) -> None:
        async def main() -> None:
            one = FakeEngine("one", pages(*"abcde"))
            desk = Desk([one])
            limits = (3, 5, 2, 20)
            found = await asyncio.gather(*(desk.search(replace(QUERY, limit=limit)) for limit in limits))
            assert [len(report.hits) for report in found] == [3, 5, 2, 5]
            assert [report.cached for report in found] == [False, True, True, False]
            assert one.calls == 2

        run(main())

    def test_what_waited_for_an_answer_that_failed_asks_itself(self) -> None:
        async def main() -> None:
            one = FakeEngine("one", pages("a", "b"), script=[Transient("reset")])
            desk = Desk([one])
            first, second = await asyncio.gather(desk.search(), desk.search(replace(QUERY, limit=2)))
            assert (states(first), states(second)) == ({"one": "failed"}, {"one": "ok"})

        run(main())

    def test_a_cancelled_caller_does_not_stop_the_others(self) -> None:
        async def main() -> None:
            one = FakeEngine("one", pages("a"), delay=2)
            desk = Desk([one])
            leaving = asyncio.create_task(desk.search())
            staying = asyncio.create_task(desk.search())
            await asyncio.sleep(1)
            leaving.cancel()
            assert states(await staying) == {"one": "ok"}
            assert (one.calls, one.cancelled) == (1, 0)

        run(main())

    def test_a_good_complete_answer_is_reused_and_says_so(self) -> None:
        async def main() -> None:
            one = FakeEngine("one", pages("a", "b", "c"))
            desk = Desk([one])
            first = await desk.search()
            second = await desk.search()
            assert one.calls == 1
            assert (first.cached, second.cached) == (False, True)
            assert urls(first) == urls(second)
            assert second.notes[-1] == "reused from an equal search of the last minutes"
            await asyncio.sleep(601)
            assert not (await desk.search()).cached

        run(main())

    @pytest.mark.parametrize(
        "second",
        [
            FakeEngine("bad", error=Transient("reset")),
            FakeEngine("slow", delay=99),
            FakeEngine("limited", error=RateLimited("429", rest_for=60)),
        ],
        ids=lambda engine: engine.facts.name,
    )
    def test_a_partial_answer_is_not_stored(self, second: FakeEngine) -> None:
        async def main() -> None:
            one = FakeEngine("one", pages("a", "b", "c"))
            desk = Desk([one, second])
            await desk.search()
            assert not (await desk.search()).cached
            assert one.calls == 2

        run(main())

    def test_an_answer_that_lacks_a_resting_engine_is_reused_until_that_engine_is_free(self) -> None:
        async def main() -> None:
            paid = FakeEngine("paid", pages("a", "b", "c"))
            desk = Desk([paid, FakeEngine("paced", pages("d"), pace=45)])
            await desk.search(replace(QUERY, text="another question"))
            first = await desk.search()
            assert states(first) == {"paid": "ok", "paced": "skipped"}
            second = await desk.search()
            assert (second.cached, urls(second), paid.calls) == (True, urls(first), 2)
            await asyncio.sleep(46)
            third = await desk.search()
            assert (third.cached, states(third), paid.calls) == (False, {"paid": "ok", "paced": "ok"}, 3)

        run(main())

    def test_a_paid_answer_is_not_paid_again_for_an_engine_that_only_kept_its_pace(self) -> None:
        async def main() -> None:
            paid = FakeEngine("paid", pages("a", "b", "c"), metered=True)
            desk = Desk([paid, FakeEngine("paced", pages("d"), pace=1.1)])
            await desk.search(replace(QUERY, text="another question"))
            assert states(await desk.search()) == {"paid": "ok", "paced": "skipped"}
            await asyncio.sleep(60)
            assert (await desk.search()).cached
            assert paid.calls == 2

        run(main())

    @pytest.mark.parametrize("error", [QuotaSpent("spent", rest_for=300), Rejected("refused")], ids=str)
    def test_a_key_that_turns_out_dead_does_not_make_the_others_answer_twice(
        self, error: QuotaSpent | Rejected
    ) -> None:
        async def main() -> None:
            paid, dead = (
                FakeEngine("paid", pages("a", "b", "c"), metered=True),
                FakeEngine("dead", error=error),
            )
            desk = Desk([paid, dead])
            assert states(await desk.search()) == {"paid": "ok", "dead": "failed"}
            again = await desk.search()
            assert (again.cached, states(again)["dead"], paid.calls) == (True, "failed", 1)
            await asyncio.sleep(301)
            assert (await desk.search()).cached is isinstance(error, Rejected)

        run(main())

    def test_an_answer_serves_questions_for_as_many_hits_as_it_has(self) -> None:
        async def main() -> None:
            one = FakeEngine("one", pages("a", "b", "c", "d", "e"))
            desk = Desk([one])
            await desk.search(replace(QUERY, limit=2))
            more = await desk.search(replace(QUERY, limit=5))
            assert (len(more.hits), more.cached, one.calls) == (5, True, 1)
            fewer = await desk.search(replace(QUERY, limit=1))
            assert (len(fewer.hits), fewer.cached, one.calls) == (1, True, 1)

        run(main())

    def test_a_longer_list_is_asked_for_and_the_known_one_stands_when_it_cannot_be_had(self) -> None:
        async def main() -> None:
            one = FakeEngine("one", pages("a", "b", "c"), pace=45)
            desk = Desk([one])
            first = await desk.search(replace(QUERY, limit=2))
            report = await desk.search(replace(QUERY, limit=9))
            assert (urls(report)[:2], len(report.hits)) == (urls(first), 3)
            assert report.cached
            await asyncio.sleep(46)
            assert not (await desk.search(replace(QUERY, limit=9))).cached

        run(main())

    def test_a_reserve_that_fails_does_not_keep_an_answer_out_of_the_cache(self) -> None:
        async def main() -> None:
            one = FakeEngine("one", pages("a"))
            desk = Desk([one, FakeEngine("wiki", error=Transient("down"), reserve=True)])
            await desk.search()
            assert (await desk.search()).cached

        run(main())

    def test_an_empty_answer_is_not_stored(self) -> None:
        async def main() -> None:
            one = FakeEngine("one", script=[()], hits=pages("a"))
            desk = Desk([one])
            assert (await desk.search()).hits == ()
            assert len((await desk.search()).hits) == 1

        run(main())

    def test_an_engine_that_is_off_until_restart_does_not_keep_answers_out_of_the_cache(self) -> None:
        async def main() -> None:
            one = FakeEngine("one", pages("a", "b", "c"))
            desk = Desk([one, FakeEngine("dead", error=Rejected("401"))])
            await desk.search()
            await desk.search()
            assert (await desk.search()).cached

        run(main())


class TestHonesty:
    def test_engines_that_found_nothing_are_a_successful_empty_answer(self) -> None:
        async def main() -> None:
            report = await Desk([FakeEngine("one"), FakeEngine("bad", error=Transient("reset"))]).search()
            assert (report.hits, report.answered) == ((), True)
            assert states(report) == {"one": "empty", "bad": "failed"}

        run(main())

    def test_when_every_engine_fails_nobody_answered_and_each_says_why(self) -> None:
        async def main() -> None:
            report = await Desk(
                [FakeEngine("duck", error=BLOCK), FakeEngine("paid", error=QuotaSpent("credits are spent"))]
            ).search()
            assert not report.answered
            assert [(row.state.value, row.detail) for row in report.rows] == [
                ("blocked", "taken for a bot"),
                ("failed", "credits are spent"),
            ]

        run(main())

    def test_a_list_that_shares_nothing_with_the_query_counts_as_empty(self) -> None:
        async def main() -> None:
            stale = tuple(Hit(f"Cheap flights {n}", f"https://air.example/{n}", "Book now") for n in range(5))
            reserve = FakeEngine("wiki", pages("w"), reserve=True)
            report = await Desk([FakeEngine("stale", stale), reserve]).search(
                SearchQuery("tidal zzqwxjk1234")
            )
            assert states(report) == {"stale": "empty", "wiki": "ok"}
            assert report.rows[0].detail == "its 5 results share nothing with the query"
            assert urls(report) == ["https://sea.example/w"]

        run(main())

    def test_one_such_result_is_told_as_one(self) -> None:
        async def main() -> None:
            stale = (Hit("Cheap flights", "https://air.example/", "Book now"),)
            report = await Desk(
                [FakeEngine("stale", stale), FakeEngine("wiki", pages("w"), reserve=True)]
            ).search(SearchQuery("tidal zzqwxjk1234"))
            assert report.rows[0].detail == "its only result shares nothing with the query"

        run(main())

    def test_such_a_list_counts_when_another_index_found_the_same_pages(self) -> None:
        async def main() -> None:
            odd = (Hit("La Rance", "https://sea.example/a", "Barrage"),)
            report = await Desk([FakeEngine("odd", odd), FakeEngine("one", pages("a"))]).search()
            assert states(report) == {"odd": "ok", "one": "ok"}
            assert report.hits[0].engines == {"odd": 1, "one": 1}

        run(main())

    def test_hits_are_clean_lines_with_web_addresses(self) -> None:
        async def main() -> None:
            dirty = (
                Hit("Tidal\u200b power\nnow", "https://sea.example/a", "a\u202eb\ttidal\x00 c", "yesterday"),
                Hit("Script", "javascript:alert(1)"),
                Hit("Space", "https://sea.example/a b"),
                Hit("Long", "https://sea.example/" + "x" * 3_000),
                Hit("", "https://sea.example/tidal"),
            )
            report = await Desk([FakeEngine("one", dirty)]).search()
            assert report.rows[0].count == 2
            first, second = report.hits
            assert (first.title, first.snippet, first.date) == ("Tidal power now", "ab tidal c", "")
            assert second.title == "https://sea.example/tidal"

        run(main())

    def test_a_flood_of_hits_is_cut_at_a_hundred(self) -> None:
        async def main() -> None:
            flood = FakeEngine("flood", pages(*(f"p{n}" for n in range(500))))
            report = await Desk([flood]).search()
            assert report.rows[0].count == 100

        run(main())


class TestFilters:
    def test_domains_are_strict_after_the_merge_and_the_removed_are_counted(self) -> None:
        async def main() -> None:
            engine = FakeEngine(
                "one",
                (
                    *pages("a", host="docs.good.example"),
                    *pages("b", "c"),
                    *pages("d", host="bad.good.example"),
                ),
                unapplied=[Filter.INCLUDE_DOMAINS],
            )
            query = SearchQuery(
                "tidal power", include_domains=("www.good.example",), exclude_domains=("bad.good.example",)
            )
            report = await Desk([engine]).search(query)
            assert urls(report) == ["https://docs.good.example/a"]
            assert report.notes == (
                "include_domains not applied by one (enforced on the merged list)",
                "removed 1 result on exclude_domains",
                "removed 2 results outside include_domains",
            )

        run(main())

    def test_a_list_filtered_to_nothing_is_an_answer_that_says_how_much_was_removed(self) -> None:
        async def main() -> None:
            report = await Desk([FakeEngine("one", pages("a", "b"))]).search(
                SearchQuery("tidal power", include_domains=("good.example",))
            )
            assert report.answered
            assert report.hits == ()
            assert "removed 2 results outside include_domains" in report.notes

        run(main())

    def test_recency_keeps_undated_hits_marked_and_drops_older_ones_with_their_count(self) -> None:
        async def main() -> None:
            # the clock starts on 2027-01-15
            engine = FakeEngine(
                "one",
                (*pages("new", date="2027-01-12"), *pages("old", date="2020-05-05"), *pages("undated")),
                unapplied=[Filter.TIME_RANGE],
            )
            report = await Desk([engine]).search(SearchQuery("tidal power", time_range=TimeRange.WEEK))
            assert [hit.date for hit in report.hits] == ["2027-01-12", ""]
            assert report.notes == (
                "time_range not applied by one",
                "removed 1 result dated before the time range",
                "1 of 2 results without a stated date: they may be older than the week",
            )

        run(main())

    def test_language_only_moves_down_what_is_written_otherwise(self) -> None:
        async def main() -> None:
            english = FakeEngine("one", [Hit("Tidal power plants", "https://sea.example/en", "English text")])
            russian = FakeEngine(
                "two", [Hit("Приливные tidal станции", "https://sea.example/ru", "Русский текст об этом")]
            )
            desk = Desk([english, russian])
            assert urls(await desk.search(SearchQuery("tidal", language="ru")))[0] == "https://sea.example/ru"
            assert urls(await desk.search(SearchQuery("tidal", language="en")))[0] == "https://sea.example/en"
            assert len((await desk.search(SearchQuery("tidal", language="ja"))).hits) == 2

        run(main())

    def test_engine_notes_are_told_once_with_their_engines(self) -> None:
        async def main() -> None:
            note = ("count clamped to 10",)
            report = await Desk(
                [FakeEngine("one", pages("a"), notes=note), FakeEngine("two", pages("b"), notes=note)]
            ).search()
            assert report.notes == ("count clamped to 10: one, two",)

        run(main())

    def test_the_owners_rules_raise_and_remove(self) -> None:
        async def main() -> None:
            rules = HostRules(
                [HostRule("spam.example", Wish.REMOVE), HostRule("docs.example", Wish.RAISE, "mine")]
            )
            hits = (
                *pages("s", host="www.spam.example"),
                *pages("a"),
                *pages("b"),
                *pages("c", host="docs.example"),
            )
            report = await Desk([FakeEngine("one", hits)], rules=rules).search()
            assert urls(report)[0] == "https://docs.example/c"
            assert report.hits[0].why.endswith("raised by mine")
            assert "removed 1 result on hosts that this server's owner removed" in report.notes

        run(main())


class TestSources:
    def test_results_say_what_kind_of_source_they_are_fresh_and_from_the_cache(self) -> None:
        async def main() -> None:
            hits = (
                Hit("FastAPI tutorial", "https://fastapi.tiangolo.com/tutorial/", "FastAPI, the tutorial"),
                Hit("fastapi", "https://github.com/fastapi/fastapi", "A tutorial in code"),
                Hit("Some tutorial", "https://blog.example/fastapi", "FastAPI"),
            )
            desk = Desk([FakeEngine("one", hits)])
            for cached in (False, True):
                report = await desk.search(SearchQuery("fastapi tutorial"))
                assert report.cached is cached
                types = {hit.url.split("/")[2]: hit.type for hit in report.hits}
                assert types == {
                    "fastapi.tiangolo.com": PageType.OFFICIAL,
                    "github.com": PageType.REPO,
                    "blog.example": None,
                }

        run(main())

    def test_preferred_domains_move_up_are_asked_anew_and_missing_ones_are_said(self) -> None:
        async def main() -> None:
            engine = FakeEngine("one", (*pages("a", "b"), *pages("c", host="docs.example")))
            desk = Desk([engine])
            assert urls(await desk.search(SearchQuery("tidal power")))[0] == "https://sea.example/a"
            report = await desk.search(SearchQuery("tidal power", prefer_domains=("docs.example",)))
            assert urls(report)[0] == "https://docs.example/c"
            assert len(report.hits) == 3
            assert report.notes == ()
            report = await desk.search(SearchQuery("tidal power", prefer_domains=("none.example",)))
            told = "no result is on prefer_domains; include_domains asks the engines for these alone"
            assert report.notes == (told,)

        run(main())

    def test_a_removed_host_stays_removed_when_it_is_preferred(self) -> None:
        async def main() -> None:
            rules = HostRules([HostRule("spam.example", Wish.REMOVE)])
            hits = (*pages("a"), *pages("s", host="spam.example"))
            query = SearchQuery("tidal power", prefer_domains=("spam.example",))
            report = await Desk([FakeEngine("one", hits)], rules=rules).search(query)
            assert urls(report) == ["https://sea.example/a"]

        run(main())


class TestLearning:
    def test_an_engine_that_nobody_confirms_loses_weight_over_time(self) -> None:
        async def main() -> None:
            junk = FakeEngine("junk", pages(*"uvwxyz", host="junk.example"))
            engines = [junk, FakeEngine("one", pages("a", "b", "c")), FakeEngine("two", pages("a", "b", "c"))]
            desk = Desk(engines)
            for n in range(60):
                await desk.search(SearchQuery(f"tidal power {n}"))
            known = await desk.agreements.known(Topic.GENERAL)
            assert known["junk"].share == 0.0
            assert known["one"].share == 1.0
            report = await desk.search(SearchQuery("tidal power", limit=4))
            assert urls(report)[:3] == [f"https://sea.example/{name}" for name in "abc"]

        run(main())

    def test_one_family_alone_teaches_nothing(self) -> None:
        async def main() -> None:
            engines = [FakeEngine(name, pages("a"), index="bing") for name in ("one", "two")]
            desk = Desk(engines)
            await desk.search()
            assert await desk.agreements.known(Topic.GENERAL) == {}

        run(main())
