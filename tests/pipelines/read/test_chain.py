"""The chain: what is good enough, who runs when, who rests, and what is said when all fail."""

from __future__ import annotations

import asyncio
import logging

import pytest

from research_mcp.core.errors import (
    BadReply,
    BudgetSpent,
    NoContent,
    ProviderError,
    QuotaSpent,
    RateLimited,
    Reason,
    Rejected,
    Transient,
)
from research_mcp.core.models import Attempt, Extracted, Flag, Kind, Page
from research_mcp.core.ports import Rest
from research_mcp.observe.events import CacheLook, ProviderCall
from tests.kit.reading import LONG, URL, FakeExtractor, FakeReader, House, direct
from tests.kit.virtual_time import run

METERED = {"metered": True}
BLOCKED = Extracted(Kind.HTML, reason=Reason.BLOCKED, detail="a bot challenge")


def blocked() -> FakeExtractor:
    return FakeExtractor({URL: BLOCKED})


def now() -> float:
    return asyncio.get_running_loop().time()


def page(markdown: str, *flags: Flag) -> Page:
    return Page(URL, URL, markdown, "", flags=flags)


# What is good enough


def test_the_chain_stops_at_the_first_sufficient_text() -> None:
    async def main() -> None:
        later = FakeReader("later")
        assert (await House(direct(), later).page()).reader == "direct"
        assert not later.calls

    run(main())


def test_text_under_the_least_length_is_left_for_a_longer_one() -> None:
    async def main() -> None:
        house = House(FakeReader("short", "x" * 399), FakeReader("long", "x" * 400))
        assert (await house.page()).reader == "long"

    run(main())


@pytest.mark.parametrize("kind", [Kind.JSON, Kind.TEXT, Kind.MARKDOWN, Kind.FEED])
def test_a_short_document_that_is_whole_costs_no_other_reader(kind: Kind) -> None:
    async def whole(job: object) -> Page:
        return Page(URL, URL, "{}", "", kind=kind)

    async def main() -> None:
        later = FakeReader("later")
        house = House(FakeReader("direct", whole, traits={"needs_document": True}), later)
        assert (await house.page()).markdown == "{}"
        assert not later.calls

    run(main())


@pytest.mark.parametrize("flag", [Flag.PAYWALLED, Flag.NEEDS_JAVASCRIPT, Flag.THIN])
def test_long_text_with_a_caveat_gives_way_to_a_whole_one(flag: Flag) -> None:
    async def main() -> None:
        house = House(FakeReader("teaser", page(LONG, flag)), FakeReader("whole"))
        assert (await house.page()).reader == "whole"

    run(main())


def test_when_all_fall_short_the_longest_text_is_kept_with_its_flag_and_the_rest_named() -> None:
    async def main() -> None:
        house = House(
            FakeReader("teaser", page("A teaser of some length.", Flag.PAYWALLED)),
            FakeReader("short", "Short."),
            FakeReader("down", Transient("no answer", reason=Reason.TIMEOUT)),
        )
        best = await house.page()
        assert best.reader == "teaser"
        assert best.flags == (Flag.PAYWALLED,)
        assert best.notes == ("no other reader got more: short (empty), down (timeout)",)

    run(main())


def test_a_short_page_without_any_caveat_is_flagged_thin() -> None:
    async def main() -> None:
        assert (await House(FakeReader("only", "Short.")).page()).flags == (Flag.THIN,)

    run(main())


def test_blank_text_is_no_page() -> None:
    async def main() -> None:
        assert (await House(FakeReader("only", " \n ")).failure()).reason is Reason.EMPTY

    run(main())


def test_a_blocking_site_is_named_with_every_readers_reason() -> None:
    async def main() -> None:
        house = House(
            direct(),
            FakeReader("remote", QuotaSpent("spent")),
            FakeReader("second", BadReply("odd")),
            extractor=blocked(),
        )
        failure = await house.failure()
        assert failure.reason is Reason.BLOCKED
        assert failure.message.startswith("mill.test blocks automated readers")
        assert [(a.reader, a.reason) for a in failure.attempts] == [
            ("direct", Reason.BLOCKED),
            ("remote", Reason.OUT_OF_CREDITS),
            ("second", Reason.UPSTREAM_ERROR),
        ]

    run(main())


def test_trouble_of_the_readers_is_told_apart_from_trouble_of_the_site() -> None:
    async def main() -> None:
        failure = await House(
            FakeReader("first", Rejected("bad")), FakeReader("second", RateLimited("slow"))
        ).failure()
        assert failure.reason is Reason.RATE_LIMITED
        assert failure.message.startswith("No reader is able to read mill.test")

    run(main())


def test_a_type_that_only_remote_readers_saw_is_named_in_their_words() -> None:
    async def main() -> None:
        video = NoContent("a video of 3 GB", reason=Reason.UNSUPPORTED_TYPE)
        failure = await House(FakeReader("remote", video)).failure()
        assert failure.reason is Reason.UNSUPPORTED_TYPE
        assert failure.message == "The page at mill.test cannot be read: a video of 3 GB."

    run(main())


def test_an_odd_reason_is_still_a_reason() -> None:
    async def main() -> None:
        failure = await House(FakeReader("remote", Transient("off", reason=Reason.NOT_CONFIGURED))).failure()
        assert failure.reason is Reason.NOT_CONFIGURED
        assert failure.attempts

    run(main())


def test_without_a_reader_for_it_the_operator_is_named() -> None:
    async def main() -> None:
        failure = await House(FakeReader("other", takes=lambda url: False)).failure()
        assert failure.reason is Reason.NOT_CONFIGURED

    run(main())


def test_invisible_characters_from_a_remote_reader_are_gone() -> None:
    async def main() -> None:
        hidden = page(LONG + "\u200b\u202e" + "\U000e0041" * 120 + "end")
        read = await House(FakeReader("remote", hidden)).page()
        assert read.markdown.endswith(". end")
        assert Flag.ODD_CHARACTERS in read.flags

    run(main())


# Who runs when


def test_an_unlocker_comes_after_everything_cheaper_wherever_it_is_listed() -> None:
    async def main() -> None:
        unlocker = FakeReader("unlocker", traits={"unlocker": True, **METERED})
        assert (await House(unlocker, direct()).page()).reader == "direct"
        assert (await House(unlocker, direct(), extractor=blocked()).page()).reader == "unlocker"
        assert unlocker.calls == 1

    run(main())


def test_a_slow_free_reader_is_overtaken_by_the_next_and_cancelled() -> None:
    async def main() -> None:
        slow, fast = FakeReader("slow", seconds=20), FakeReader("fast", seconds=1)
        assert (await House(slow, fast).page()).reader == "fast"
        assert fast.began == [8.0]
        assert now() == 9.0
        assert slow.cancelled == 1

    run(main())


def test_a_cancelled_turn_is_an_event_too() -> None:
    async def main() -> None:
        house = House(FakeReader("slow", seconds=20), FakeReader("fast", seconds=1))
        await house.page()
        assert house.events[-1] == ProviderCall("slow", "read", "cancelled", 9_000, reason="cancelled")

    run(main())


def test_the_first_of_two_hedged_readers_may_still_win() -> None:
    async def main() -> None:
        first, second = FakeReader("first", seconds=9), FakeReader("second", seconds=5)
        assert (await House(first, second).page()).reader == "first"
        assert second.cancelled == 1

    run(main())


def test_the_patience_with_a_reader_follows_its_own_latency() -> None:
    async def main() -> None:
        first, second = FakeReader("first", seconds=2), FakeReader("second")
        house = House(first, second)
        for n in range(6):
            await house.page(f"{URL}/{n}")
        first.seconds = 30
        began = now()
        assert (await house.page()).reader == "second"
        assert now() - began == 2.0

    run(main())


def test_the_next_reader_hears_nothing_while_the_probes_own_text_is_taken_up() -> None:
    async def main() -> None:
        own, remote = direct(), FakeReader("remote")
        house = House(own, remote)
        for n in range(9):
            assert (await house.page(f"{URL}/{n}")).reader == "direct"
        own.seconds = 3
        assert (await house.page()).reader == "direct"
        assert not remote.calls

    run(main())


def test_a_very_fast_reader_is_given_a_moment_all_the_same() -> None:
    async def main() -> None:
        fast, other = FakeReader("fast", seconds=0.01), FakeReader("other")
        house = House(fast, other)
        for n in range(9):
            await house.page(f"{URL}/{n}")
        fast.seconds = 0.2
        assert (await house.page()).reader == "fast"
        assert not other.calls

    run(main())


def test_a_metered_reader_never_runs_beside_another() -> None:
    async def main() -> None:
        free, paid = (
            FakeReader("free", "thin", seconds=20),
            FakeReader("paid", "thin", seconds=20, traits=METERED),
        )
        last = FakeReader("last")
        assert (await House(free, paid, last).page()).reader == "last"
        assert (free.began, paid.began, last.began) == ([0.0], [20.0], [40.0])

    run(main())


def test_a_reader_is_stopped_at_its_own_cap() -> None:
    async def main() -> None:
        slow = FakeReader("slow", seconds=1_000, traits={"cap": 3.0, **METERED})
        house = House(slow, FakeReader("next"))
        assert (await house.page()).reader == "next"
        assert now() == 3.0

    run(main())


def test_a_reader_leaves_time_for_the_next_one() -> None:
    async def main() -> None:
        slow = FakeReader("slow", seconds=1_000, traits={"cap": 100.0, **METERED})
        assert (await House(slow, FakeReader("next", seconds=4)).page()).reader == "next"
        assert now() == 44.0

    run(main())


def test_no_paid_reader_starts_with_under_two_seconds_left() -> None:
    async def main() -> None:
        paid = FakeReader("paid", traits=METERED)
        house = House(FakeReader("slow", seconds=1_000), paid)
        failure = await house.failure(seconds=2.5)
        assert not paid.calls
        assert failure.attempts[-1].reason is Reason.DEADLINE

    run(main())


def test_a_read_ends_inside_its_deadline_with_the_best_text_so_far() -> None:
    async def main() -> None:
        readers = [FakeReader(f"slow-{n}", seconds=1_000, traits=METERED) for n in range(9)]
        best = await House(FakeReader("thin", "Short."), *readers).page(seconds=20)
        assert best.markdown == "Short."
        assert now() <= 20.0

    run(main())


def test_a_busy_reader_is_left_after_a_short_wait() -> None:
    async def main() -> None:
        slow, other = FakeReader("slow", seconds=20, traits=METERED), FakeReader("other", seconds=0.5)
        house = House(slow, other)
        pages = await asyncio.gather(*(house.page(f"{URL}/{n}") for n in range(10)))
        assert sorted(page.reader for page in pages) == ["other"] * 2 + ["slow"] * 8

    run(main())


# Who rests


@pytest.mark.parametrize(
    ("error", "seconds"),
    [
        (RateLimited("slow down", rest_for=90), 90.0),
        (QuotaSpent("spent"), 86_400.0),
        (Rejected("bad key"), None),
    ],
)
def test_a_reader_that_is_limited_spent_or_refused_rests(error: ProviderError, seconds: float | None) -> None:
    async def main() -> None:
        remote = FakeReader("remote", error)
        house = House(remote, FakeReader("next"))
        await house.page()
        rest = house.parking.rests["instance:remote"]
        assert rest.until == (None if seconds is None else house.clock.start + seconds)
        assert rest.reason is error.reason
        await house.page(f"{URL}/2")
        assert remote.calls == 1

    run(main())


def test_a_fault_of_this_server_is_told_as_that_when_no_other_reader_got_the_page() -> None:
    async def main() -> None:
        fault = NoContent("extraction failed", reason=Reason.INTERNAL_ERROR)
        broken = FakeExtractor({URL: fault})
        alone = await House(direct(), extractor=broken).failure()
        assert alone.reason is Reason.INTERNAL_ERROR
        assert alone.message.startswith("A fault in this server kept it from reading the page at ")
        helped = await House(direct(), FakeReader("remote"), extractor=broken).page()
        assert helped.reader == "remote"

    run(main())


def test_a_resting_reader_is_skipped_with_its_reason() -> None:
    async def main() -> None:
        house = House(FakeReader("remote"))
        until = house.clock.now() + 40
        await house.parking.park("instance:remote", Rest(until, Reason.RATE_LIMITED, "slow down"))
        failure = await house.failure()
        assert failure.attempts == (Attempt("remote", Reason.RATE_LIMITED, "resting: slow down", until),)

    run(main())


def test_the_reader_of_the_probes_document_calls_nobody_and_so_never_rests() -> None:
    async def main() -> None:
        house = House(direct())
        await house.parking.park("instance:direct", Rest(None, Reason.RATE_LIMITED, "slow down"))
        assert (await house.page()).reader == "direct"

    run(main())


def test_a_reader_whose_key_was_refused_rests_until_the_operator_acts() -> None:
    async def main() -> None:
        house = House(FakeReader("remote"))
        await house.parking.park("instance:remote", Rest(None, Reason.BAD_KEY, "the key was refused"))
        failure = await house.failure()
        told = "resting until the operator acts: the key was refused"
        assert failure.attempts == (Attempt("remote", Reason.BAD_KEY, told),)

    run(main())


def test_a_spent_budget_of_this_server_parks_nobody() -> None:
    async def main() -> None:
        house = House(
            FakeReader("remote", BudgetSpent("50 of 50 this day", rest_for=3_600)), FakeReader("next")
        )
        await house.page()
        assert not house.parking.rests

    run(main())


@pytest.mark.parametrize("error", [Transient("reset"), BadReply("odd"), ZeroDivisionError()])
def test_a_reader_that_fails_five_times_in_a_row_rests_for_a_while(error: Exception) -> None:
    async def main() -> None:
        remote = FakeReader("remote", error)
        house = House(remote, FakeReader("next"))
        for n in range(7):
            await house.page(f"{URL}/{n}")
        assert remote.calls == 5
        rest = house.parking.rests["instance:remote"]
        assert rest.until is not None
        assert 24 <= rest.until - house.clock.now() <= 30
        await asyncio.sleep(31)
        await house.page(f"{URL}/8")
        rest = house.parking.rests["instance:remote"]
        assert rest.until is not None
        assert 24 <= rest.until - house.clock.now() <= 30

    logging.disable(logging.CRITICAL)
    try:
        run(main())
    finally:
        logging.disable(logging.NOTSET)


def test_a_reader_that_times_out_five_times_rests_for_a_while() -> None:
    async def main() -> None:
        remote = FakeReader("remote", seconds=1_000, traits={"cap": 5.0, **METERED})
        house = House(remote, FakeReader("next"))
        for n in range(7):
            await house.page(f"{URL}/{n}")
        assert remote.calls == 5

    run(main())


def test_pages_that_give_nothing_never_count_against_a_reader() -> None:
    async def main() -> None:
        remote = FakeReader("remote", NoContent("blocked", reason=Reason.BLOCKED))
        house = House(remote, FakeReader("next"))
        for n in range(12):
            await house.page(f"{URL}/{n}")
        assert remote.calls == 12
        assert not house.parking.rests

    run(main())


def test_a_crash_is_one_failed_reader_with_its_traceback_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        house = House(FakeReader("odd", ZeroDivisionError("oops")), FakeReader("next"))
        assert (await house.page()).reader == "next"

    with caplog.at_level(logging.ERROR):
        run(main())
    assert "reader odd crashed" in caplog.text
    assert "Traceback" in caplog.text


def test_every_turn_is_reported_as_an_event() -> None:
    async def main() -> None:
        house = House(
            FakeReader("free", Transient("reset", reason=Reason.UNREACHABLE), seconds=1.5),
            FakeReader("paid", traits=METERED),
        )
        await house.page()
        assert house.events == [
            CacheLook("read", hit=False),
            ProviderCall("free", "read", "unreachable", 1500, "reset", "unreachable"),
            ProviderCall("paid", "read", "ok"),
        ]
        await house.page()
        assert house.events[3:] == [CacheLook("read", hit=True)]

    run(main())


# One service behind several keys


SERVICE = {"service": "read.vendor"}


def test_what_a_service_said_of_a_page_is_not_asked_of_its_next_key() -> None:
    async def main() -> None:
        first = FakeReader("first", NoContent("it could not read the page"), traits=SERVICE)
        second = FakeReader("second", traits=SERVICE)
        house = House(direct(), first, second, FakeReader("other"), extractor=blocked())
        assert (await house.page()).reader == "other"
        assert first.calls == 1
        assert second.calls == 0

    run(main())


def test_a_key_that_is_spent_or_refused_leaves_the_page_to_the_next_one() -> None:
    async def main() -> None:
        for error in (QuotaSpent("spent"), Rejected("refused"), Transient("down")):
            house = House(FakeReader("first", error, traits=SERVICE), FakeReader("second", traits=SERVICE))
            assert (await house.page()).reader == "second"

    run(main())


def test_readers_of_no_service_see_each_for_itself() -> None:
    async def main() -> None:
        house = House(FakeReader("first", NoContent("nothing")), FakeReader("second"))
        assert (await house.page()).reader == "second"

    run(main())


def test_a_failure_names_who_was_not_asked_again() -> None:
    async def main() -> None:
        nothing = NoContent("it could not read the page")
        house = House(FakeReader("first", nothing, traits=SERVICE), FakeReader("second", traits=SERVICE))
        failure = await house.failure()
        assert [attempt.detail for attempt in failure.attempts][-1] == "skipped: first asked the same service"

    run(main())
