"""The breaker opens on failures in a row or on half of many, and for longer each time."""

from __future__ import annotations

import asyncio

import pytest

from research_mcp.observe.overview import BreakerState
from research_mcp.pipelines.breaker import Breaker
from tests.kit.virtual_time import run


def test_five_failures_in_a_row_open_it_for_about_half_a_minute() -> None:
    async def main() -> None:
        breaker = Breaker()
        rests = [breaker.failed("loom") for _ in range(5)]
        assert rests[:4] == [0.0] * 4
        assert 24 <= rests[4] <= 30
        assert breaker.failed("other") == 0.0

    run(main())


def test_half_of_ten_calls_in_half_a_minute_open_it() -> None:
    async def main() -> None:
        breaker = Breaker()
        rests = []
        for _ in range(5):
            breaker.succeeded("loom")
            rests.append(breaker.failed("loom"))
        assert rests[:4] == [0.0] * 4
        assert rests[4] > 0

    run(main())


def test_old_failures_are_forgotten() -> None:
    async def main() -> None:
        breaker = Breaker()
        for _ in range(30):
            breaker.succeeded("loom")
            assert breaker.failed("loom") == 0.0
            await asyncio.sleep(8)

    run(main())


@pytest.mark.parametrize(
    ("openings", "seconds"), [(1, 30), (2, 30), (3, 60), (4, 120), (5, 240), (6, 300), (40, 300)]
)
def test_after_three_rests_each_further_failure_opens_it_for_twice_as_long_up_to_five_minutes(
    openings: int, seconds: int
) -> None:
    async def main() -> None:
        breaker = Breaker()
        for _ in range(4):
            breaker.failed("loom")
        for _ in range(openings):
            await asyncio.sleep(breaker.failed("loom"))
        assert seconds * 0.8 <= breaker.failed("loom") <= seconds

    run(main())


def test_calls_that_were_under_way_when_it_opened_do_not_lengthen_the_rest() -> None:
    async def main() -> None:
        breaker = Breaker()
        rests = [breaker.failed("loom") for _ in range(8)]
        assert rests[5:] == [pytest.approx(rests[4])] * 3
        await asyncio.sleep(10)
        assert breaker.failed("loom") == pytest.approx(rests[4] - 10)

    run(main())


def test_a_success_closes_it_for_good() -> None:
    async def main() -> None:
        breaker = Breaker()
        for _ in range(6):
            breaker.failed("loom")
        await asyncio.sleep(31)
        breaker.succeeded("loom")
        assert breaker.failed("loom") == 0.0

    run(main())


def test_its_state_is_open_while_it_rests_and_half_open_until_the_next_call() -> None:
    async def main() -> None:
        breaker = Breaker()
        breaker.succeeded("calm")
        for _ in range(5):
            breaker.failed("loom")
        assert breaker.states() == {"calm": BreakerState.CLOSED, "loom": BreakerState.OPEN}
        await asyncio.sleep(31)
        assert breaker.states()["loom"] is BreakerState.HALF_OPEN
        breaker.succeeded("loom")
        assert breaker.states()["loom"] is BreakerState.CLOSED

    run(main())
