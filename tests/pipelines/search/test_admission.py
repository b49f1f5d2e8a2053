"""Searches begin at once while there is time to spare, and in turn while the event loop is behind."""

from __future__ import annotations

import asyncio

import pytest

from research_mcp.pipelines.search.admission import FREE, LONGEST, SPACING, Admission
from tests.kit.virtual_time import VirtualTimeLoop, run


def now() -> float:
    return asyncio.get_running_loop().time()


async def searches(admission: Admission, count: int, *, seconds: float) -> list[float]:
    """When each of `count` searches, all asked for now, began."""

    async def one() -> float:
        async with admission.search():
            began = now()
            await asyncio.sleep(seconds)
        return began

    return await asyncio.gather(*(one() for _ in range(count)))


def test_eight_begin_at_once_and_further_ones_in_turn_a_little_apart() -> None:
    async def main() -> None:
        began = await searches(Admission(), FREE + 3, seconds=5)
        assert began[:FREE] == [0.0] * FREE
        assert began[FREE:] == pytest.approx([SPACING, 2 * SPACING, 3 * SPACING])

    run(main())


def test_a_search_after_the_others_begins_at_once() -> None:
    async def main() -> None:
        admission = Admission()
        await searches(admission, 20, seconds=1)
        began = now()
        assert await searches(admission, 1, seconds=1) == [began]

    run(main())


def busy(loop: asyncio.AbstractEventLoop, until: float) -> None:
    """Each turn of the loop takes a quarter of a second, until `until`."""
    assert isinstance(loop, VirtualTimeLoop)
    loop.jump(0.25)
    if loop.time() < until:
        loop.call_soon(busy, loop, until)


def test_while_the_loop_is_behind_nobody_begins() -> None:
    async def main() -> None:
        admission = Admission()
        running = asyncio.create_task(searches(admission, FREE, seconds=90))
        await asyncio.sleep(1)
        busy(asyncio.get_running_loop(), until=10.0)
        (began,) = await searches(admission, 1, seconds=0)
        assert 10.0 <= began < 10.5
        await running

    run(main())


def test_after_forty_seconds_a_search_begins_all_the_same() -> None:
    async def main() -> None:
        admission = Admission()
        running = asyncio.create_task(searches(admission, FREE, seconds=90))
        await asyncio.sleep(1)
        busy(asyncio.get_running_loop(), until=60.0)
        began = await searches(admission, 3, seconds=0)
        assert all(1 + LONGEST <= at < 3 + LONGEST for at in began)
        await running

    run(main())


def test_a_search_that_is_cancelled_while_it_waits_leaves_its_turn() -> None:
    async def main() -> None:
        admission = Admission()
        running = asyncio.create_task(searches(admission, FREE, seconds=1))
        await asyncio.sleep(0.5)
        waiting = asyncio.create_task(searches(admission, 1, seconds=1))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait({waiting})
        await running
        assert await searches(admission, FREE, seconds=1) == [1.0] * FREE

    run(main())
