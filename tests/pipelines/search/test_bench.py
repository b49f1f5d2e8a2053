"""Engines that answer nothing, again and again, while others find something."""

from __future__ import annotations

from dataclasses import replace

import pytest

from research_mcp.core.errors import Reason
from research_mcp.core.models import EngineState, Hit, SearchQuery, SearchReport, TimeRange
from research_mcp.pipelines.search.bench import IN_A_ROW, REST
from tests.kit.engines import QUERY, Desk, FakeEngine, pages, states
from tests.kit.virtual_time import run

UNRELATED = (Hit("Shoes on sale", "https://shop.test/boots", "Boots, sandals and laces for less."),)


def good() -> FakeEngine:
    return FakeEngine("good", pages("a", "b", "c"))


async def searches(desk: Desk, count: int, query: SearchQuery = QUERY) -> SearchReport:
    """Different questions, so that none is answered from the cache; the last report."""
    for number in range(count):
        report = await desk.search(replace(query, text=f"{query.text} {desk.clock.now()} {number}"))
    return report


@pytest.mark.parametrize("hits", [(), UNRELATED], ids=["empty", "unrelated"])
def test_an_engine_that_brings_nothing_five_times_in_a_row_rests_and_its_row_says_why(
    hits: tuple[Hit, ...],
) -> None:
    async def main() -> None:
        silent = FakeEngine("silent", hits)
        desk = Desk([silent, good()])
        before = await searches(desk, IN_A_ROW - 1)
        assert states(before) == {"silent": "empty", "good": "ok"}
        benched = (await searches(desk, 1)).rows[0]
        assert benched.state is EngineState.EMPTY
        assert benched.detail == "its last 5 answers brought nothing while other engines found results"
        assert benched.retry_at == pytest.approx(desk.clock.now() + REST)
        row = (await searches(desk, 1)).rows[0]
        assert (row.state, row.reason, row.detail) == (EngineState.RESTING, Reason.EMPTY, benched.detail)
        assert row.retry_at == pytest.approx(benched.retry_at)
        assert silent.calls == IN_A_ROW

    run(main())


def test_after_its_rest_it_gets_one_try_and_results_clear_its_name() -> None:
    async def main() -> None:
        silent = FakeEngine("silent")
        desk = Desk([silent, good()])
        await searches(desk, IN_A_ROW)
        desk.clock.skipped += REST + 1
        await searches(desk, 2)
        assert silent.calls == IN_A_ROW + 1
        desk.clock.skipped += REST + 1
        silent.hits = pages("d")
        await searches(desk, 1)
        silent.hits = ()
        assert states(await searches(desk, IN_A_ROW - 1))["silent"] == "empty"
        assert silent.calls == 2 * IN_A_ROW + 1

    run(main())


@pytest.mark.parametrize(
    "query",
    [
        replace(QUERY, include_domains=("sea.example",)),
        replace(QUERY, time_range=TimeRange.DAY),
        replace(QUERY, language="de"),
        replace(QUERY, text="site:sea.example tidal power"),
        replace(QUERY, text='"tidal power"'),
    ],
    ids=["domains", "recent", "language", "operator", "quoted"],
)
def test_nothing_for_a_narrow_question_is_no_reproach(query: SearchQuery) -> None:
    async def main() -> None:
        silent = FakeEngine("silent")
        await searches(Desk([silent, good()]), 2 * IN_A_ROW, query)
        assert silent.calls == 2 * IN_A_ROW

    run(main())


@pytest.mark.parametrize(
    "other",
    [
        FakeEngine("other"),
        FakeEngine("other", pages("a"), index="silent"),
        FakeEngine("other", error=TimeoutError()),
    ],
    ids=["also empty", "same index", "failed"],
)
def test_nothing_is_no_reproach_unless_another_index_found_something(other: FakeEngine) -> None:
    async def main() -> None:
        silent = FakeEngine("silent")
        await searches(Desk([silent, other]), 2 * IN_A_ROW)
        assert silent.calls == 2 * IN_A_ROW

    run(main())


def test_a_reserve_engine_may_know_nothing() -> None:
    async def main() -> None:
        reserve = FakeEngine("reserve", reserve=True)
        await searches(Desk([FakeEngine("one", pages("a")), reserve]), 2 * IN_A_ROW)
        assert reserve.calls == 2 * IN_A_ROW

    run(main())
