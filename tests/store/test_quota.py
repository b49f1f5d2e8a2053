"""Money is counted before it is spent: the meter's contract on every lasting back-end."""

import asyncio
import itertools

import pytest

from research_mcp.core.budget import Budget
from research_mcp.core.errors import BudgetSpent, QuotaSpent, Reason
from research_mcp.core.instance import Quota
from research_mcp.core.ports import Meter, Spent, Usage
from tests.store.backends import START, World

CALLS = itertools.count()
DAY = 86_400
ACCOUNT = "TAVILY_1_API_KEY#1:abc123"


def budget(limit: int, per: str, *, account: str = "") -> Budget:
    return Budget("tavily-1", Quota(limit, per), "TAVILY_1_BUDGET", account)


async def spend(meter: Meter, times: int, instance: str = "tavily-1", account: str = ACCOUNT) -> int:
    """How many of `times` calls were granted, each settled."""
    granted = 0
    for _ in range(times):
        try:
            reservation = await meter.reserve(account, instance, 1, f"call-{next(CALLS)}")
        except BudgetSpent:
            continue
        await meter.settle(reservation, 1)
        granted += 1
    return granted


async def line(meter: Meter, instance: str = "tavily-1") -> Usage:
    return next(row for row in await meter.usage() if row.instance == instance)


async def test_a_budget_grants_exactly_its_limit_and_says_when_it_renews(lasting: World) -> None:
    meter = (await lasting.process()).meter(budget(3, "day"))
    assert await spend(meter, 10) == 3
    with pytest.raises(QuotaSpent) as refused:
        await meter.reserve(ACCOUNT, "tavily-1", 1, "one-more")
    assert str(refused.value) == (
        "this server's own budget for tavily-1 is spent: 3 of 3/day used (TAVILY_1_BUDGET), "
        "it renews at 2026-09-22 00:00 UTC"
    )
    assert refused.value.reason is Reason.OUT_OF_CREDITS
    assert refused.value.rest_for == pytest.approx(1_790_035_200 - START)
    assert not refused.value.sent


@pytest.mark.parametrize(("per", "later"), [("hour", 3_600), ("day", DAY), ("month", 31 * DAY)])
async def test_a_budget_renews_with_its_period_and_billed_goes_on(
    lasting: World, per: str, later: float
) -> None:
    meter = (await lasting.process()).meter(budget(2, per))
    assert await spend(meter, 3) == 2
    lasting.clock.time += later
    assert (await line(meter)).used == 0
    assert await spend(meter, 3) == 2
    assert (await line(meter)).billed == 4


async def test_a_clock_that_ran_ahead_for_a_while_forgets_nothing_that_was_spent(lasting: World) -> None:
    meter = (await lasting.process()).meter(budget(3, "month"))
    assert await spend(meter, 2) == 2
    lasting.clock.time += 400 * DAY
    assert await spend(meter, 1) == 1
    lasting.clock.time -= 400 * DAY
    assert await spend(meter, 1) == 0


async def test_a_total_budget_never_renews(lasting: World) -> None:
    meter = (await lasting.process()).meter(budget(2, "total"))
    assert await spend(meter, 2) == 2
    lasting.clock.time += 400 * DAY
    with pytest.raises(BudgetSpent, match="never renews, so the operator must raise it") as refused:
        await meter.reserve(ACCOUNT, "tavily-1", 1, "more")
    assert refused.value.rest_for is None


async def test_a_call_that_costs_more_than_is_left_is_refused_and_a_cheaper_one_is_not(
    lasting: World,
) -> None:
    meter = (await lasting.process()).meter(budget(5, "month"))
    await meter.reserve(ACCOUNT, "tavily-1", 4, "a")
    with pytest.raises(BudgetSpent, match="4 of 5/month used"):
        await meter.reserve(ACCOUNT, "tavily-1", 2, "b")
    await meter.reserve(ACCOUNT, "tavily-1", 1, "c")


async def test_open_reservations_count_and_a_refund_gives_them_back(lasting: World) -> None:
    meter = (await lasting.process()).meter(budget(1, "day"))
    reservation = await meter.reserve(ACCOUNT, "tavily-1", 1, "a")
    assert await spend(meter, 1) == 0
    await meter.refund(reservation)
    await meter.refund(reservation)
    assert (await line(meter)).used == 0
    assert await spend(meter, 2) == 1


async def test_a_settlement_counts_what_the_call_really_cost_once(lasting: World) -> None:
    meter = (await lasting.process()).meter(budget(100, "day"))
    reservation = await meter.reserve(ACCOUNT, "tavily-1", 5, "a")
    for _ in range(2):
        await meter.settle(reservation, 2)
    await meter.refund(reservation)
    row = await line(meter)
    assert (row.used, row.billed) == (2, 2)


async def test_the_same_key_is_charged_once(lasting: World) -> None:
    meter = (await lasting.process()).meter(budget(100, "day"))
    first = await meter.reserve(ACCOUNT, "tavily-1", 3, "same")
    assert await meter.reserve(ACCOUNT, "tavily-1", 3, "same") == first
    await meter.settle(first, 3)
    assert await meter.reserve(ACCOUNT, "tavily-1", 3, "same") == first
    assert (await line(meter)).used == 3


async def test_a_refunded_key_is_charged_anew(lasting: World) -> None:
    meter = (await lasting.process()).meter(budget(100, "day"))
    await meter.refund(await meter.reserve(ACCOUNT, "tavily-1", 3, "same"))
    await meter.reserve(ACCOUNT, "tavily-1", 3, "same")
    assert (await line(meter)).used == 3


async def test_an_instances_budget_counts_all_its_keys_and_no_other_instance(lasting: World) -> None:
    meter = (await lasting.process()).meter(budget(3, "day"))
    assert await spend(meter, 2, account="ring#1:aaa") == 2
    assert await spend(meter, 2, account="ring#2:bbb") == 1
    assert await spend(meter, 2, instance="tavily-search", account="ring#1:aaa") == 2


async def test_a_keys_quota_counts_whatever_the_key_is_used_for(lasting: World) -> None:
    meter = (await lasting.process()).meter(budget(3, "day", account="ring#1:aaa"))
    assert await spend(meter, 2, instance="tavily-search", account="ring#1:aaa") == 2
    assert await spend(meter, 2, instance="tavily-1", account="ring#1:aaa") == 1
    assert await spend(meter, 2, instance="tavily-1", account="ring#2:bbb") == 2


async def test_the_tightest_budget_decides(lasting: World) -> None:
    meter = (await lasting.process()).meter(budget(10, "month"), budget(2, "day"))
    assert await spend(meter, 5) == 2
    lasting.clock.time += DAY
    assert await spend(meter, 5) == 2


async def test_a_call_without_a_budget_is_counted_too(lasting: World) -> None:
    meter = (await lasting.process()).meter()
    assert await spend(meter, 2, instance="serper") == 2
    await meter.reserve(ACCOUNT, "exa", 1, "open")
    assert await meter.usage() == (
        Usage("exa", 1, None, "month", "2026-09", 1_790_812_800.0, 0, reserved=1),
        Usage("serper", 2, None, "month", "2026-09", 1_790_812_800.0, 2),
    )


async def test_usage_names_the_budget_and_its_period(lasting: World) -> None:
    meter = (await lasting.process()).meter(budget(5, "hour"))
    await spend(meter, 2)
    assert await meter.usage() == (
        Usage("tavily-1", 2, 5, "hour", "2026-09-21T14", 1_790_002_800.0, 2, "TAVILY_1_BUDGET"),
    )


async def test_a_restart_keeps_the_count_and_a_raised_budget_works_at_once(lasting: World) -> None:
    first = await lasting.process()
    assert await spend(first.meter(budget(2, "day")), 5) == 2
    await lasting.stop()
    second = await lasting.process()
    assert await spend(second.meter(budget(2, "day")), 1) == 0
    assert await spend(second.meter(budget(3, "day")), 5) == 1


async def test_a_budget_that_is_new_counts_what_was_spent_before_it(lasting: World) -> None:
    store = await lasting.process()
    assert await spend(store.meter(), 4) == 4
    assert await spend(store.meter(budget(5, "month")), 4) == 1


async def test_a_reservation_that_nobody_settled_counts_as_spent(lasting: World) -> None:
    first = await lasting.process()
    forgotten = await first.meter().reserve(ACCOUNT, "tavily-1", 5, "crash")
    await lasting.stop()
    lasting.clock.time += 601
    meter = (await lasting.process()).meter(budget(100, "day"))
    row = await line(meter)
    assert (row.used, row.billed) == (5, 5)
    await meter.refund(forgotten)
    await meter.settle(forgotten, 2)
    row = await line(meter)
    assert (row.used, row.billed) == (5, 5)


async def test_a_settlement_after_ten_minutes_only_adds(lasting: World) -> None:
    meter = (await lasting.process()).meter(budget(100, "day"))
    late = await meter.reserve(ACCOUNT, "tavily-1", 2, "slow")
    lasting.clock.time += 601
    await meter.usage()
    await meter.settle(late, 7)
    row = await line(meter)
    assert (row.used, row.billed) == (7, 7)


async def test_old_rows_go_and_billed_stays(lasting: World) -> None:
    meter = (await lasting.process()).meter()
    assert await spend(meter, 3) == 3
    lasting.clock.time += 40 * DAY
    row = await line(meter)
    assert (row.used, row.billed) == (0, 3)


@pytest.mark.slow
async def test_hours_longer_ago_than_any_period_are_forgotten(lasting: World) -> None:
    meter = (await lasting.process()).meter(budget(10_000, "month"))
    for _ in range(800):
        assert await spend(meter, 1) == 1
        lasting.clock.time += 3_600
    lasting.clock.time = START  # a clock that was set back counts all that is still known
    row = await line(meter)
    assert 31 * 24 <= row.used < 800
    assert row.billed == 800


async def test_processes_share_a_budget(lasting: World) -> None:
    meters = [(await lasting.process()).meter(budget(20, "day")) for _ in range(3)]
    granted = await asyncio.gather(*(spend(meter, 12) for meter in meters))
    assert sum(granted) == 20


async def test_a_caller_that_leaves_while_reserving_is_not_charged(lasting: World) -> None:
    meter = (await lasting.process()).meter(budget(100, "day"))
    for spins in range(30):
        leaving = asyncio.create_task(meter.reserve(ACCOUNT, "tavily-1", 1, f"leave-{spins}"))
        for _ in range(spins):
            await asyncio.sleep(0)
        leaving.cancel()
        done = await asyncio.gather(leaving, return_exceptions=True)
        if not isinstance(done[0], BaseException):
            await meter.refund(done[0])
    assert (await line(meter)).used == 0


async def test_spent_says_what_each_instance_was_billed_today_and_this_month(lasting: World) -> None:
    meter = (await lasting.process()).meter(budget(100, "day"))
    assert await meter.spent() == ()
    await spend(meter, 2)
    await spend(meter, 1, instance="exa", account="EXA_API_KEY#1:x")
    lasting.clock.time += DAY
    await spend(meter, 3)
    await meter.reserve(ACCOUNT, "tavily-1", 1, "still open")
    await meter.refund(await meter.reserve(ACCOUNT, "serper", 1, "not sent"))
    assert await meter.spent() == (Spent("exa", 0, 1), Spent("tavily-1", 4, 6))
    lasting.clock.time += 31 * DAY
    assert await meter.spent() == ()


async def test_a_reset_lets_an_instance_count_from_zero_and_what_is_billed_stays(lasting: World) -> None:
    meter = (await lasting.process()).meter(budget(3, "month"), budget(4, "total"))
    assert await spend(meter, 5) == 3
    assert await spend(meter, 2, instance="exa") == 2
    await meter.reset("tavily-1")
    assert [(row.used, row.billed) for row in await meter.usage()] == [(0, 3), (0, 3), (2, 2)]
    assert await spend(meter, 5) == 3
    assert [(row.used, row.billed) for row in await meter.usage()] == [(3, 6), (3, 6), (2, 2)]


async def test_a_reset_of_a_keys_quota_frees_the_key_whatever_it_was_used_for(lasting: World) -> None:
    meter = (await lasting.process()).meter(budget(3, "day", account="ring#1:aaa"))
    assert await spend(meter, 2, instance="tavily-search", account="ring#1:aaa") == 2
    assert await spend(meter, 2, account="ring#1:aaa") == 1
    await meter.reset("tavily-1")
    assert await spend(meter, 5, account="ring#1:aaa") == 3


async def test_a_reset_leaves_other_keys_of_other_instances_alone(lasting: World) -> None:
    meter = (await lasting.process()).meter(budget(5, "day"))
    await spend(meter, 1, account="ring#1:aaa")
    await spend(meter, 2, instance="exa", account="ring#1:aaa")
    await meter.reset("tavily-1")
    assert [(row.instance, row.used) for row in await meter.usage()] == [("tavily-1", 0), ("exa", 2)]


async def test_open_reservations_go_on_counting_after_a_reset(lasting: World) -> None:
    meter = (await lasting.process()).meter(budget(5, "day"))
    await spend(meter, 2)
    held = await meter.reserve(ACCOUNT, "tavily-1", 2, "open")
    await meter.reset("tavily-1")
    row = await line(meter)
    assert (row.used, row.reserved, row.billed) == (2, 2, 2)
    await meter.settle(held, 1)
    row = await line(meter)
    assert (row.used, row.reserved, row.billed) == (1, 0, 3)


async def test_a_budget_says_what_of_it_is_only_reserved(lasting: World) -> None:
    meter = (await lasting.process()).meter(budget(9, "day", account=ACCOUNT), budget(9, "total"))
    await spend(meter, 2)
    await meter.reserve(ACCOUNT, "tavily-1", 3, "open")
    assert [(row.account, row.used, row.reserved) for row in await meter.usage()] == [
        (ACCOUNT, 5, 3),
        ("", 5, 3),
    ]
