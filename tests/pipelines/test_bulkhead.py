"""Places fill up without answers, grow with them, and are given in turn."""

from __future__ import annotations

import asyncio

from research_mcp.pipelines.bulkhead import MOST, PATIENCE, Bulkhead
from tests.kit.virtual_time import VirtualTimeLoop, run


async def calls(bulkhead: Bulkhead, count: int, *, seconds: float, answered: bool = True) -> list[float]:
    """When each of `count` calls began, -1 for those that got no place."""
    loop = asyncio.get_running_loop()

    async def one() -> float:
        if not await bulkhead.enter("loom"):
            return -1.0
        began = loop.time()
        await asyncio.sleep(seconds)
        bulkhead.leave("loom", answered=answered)
        return began

    return await asyncio.gather(*(one() for _ in range(count)))


def test_fifty_calls_of_a_quick_instance_need_two_rounds() -> None:
    async def main() -> None:
        began = await calls(Bulkhead(), 50, seconds=0.2)
        assert sorted(began) == [0.0] * 8 + [0.2] * 42

    run(main())


def test_of_fifty_calls_to_a_silent_instance_eight_are_sent_and_the_rest_give_up_in_time() -> None:
    async def main() -> None:
        bulkhead = Bulkhead()
        sent = asyncio.create_task(calls(bulkhead, 8, seconds=60, answered=False))
        await asyncio.sleep(0)
        assert await calls(bulkhead, 42, seconds=60) == [-1.0] * 42
        assert asyncio.get_running_loop().time() == PATIENCE
        assert await calls(bulkhead, 1, seconds=60) == [-1.0]
        assert asyncio.get_running_loop().time() == PATIENCE, "nobody waits for one that is silent"
        await sent
        assert await calls(bulkhead, 1, seconds=0) == [60.0]

    run(main())


def test_failures_free_their_places_without_making_room_for_more() -> None:
    async def main() -> None:
        began = await calls(Bulkhead(), 20, seconds=0.5, answered=False)
        assert sorted(began) == [0.0] * 8 + [0.5] * 8 + [1.0] * 4

    run(main())


def test_however_well_it_answers_there_is_a_most() -> None:
    async def main() -> None:
        bulkhead = Bulkhead()
        for _ in range(MOST - 1):
            for _ in range(2):
                assert await bulkhead.enter("loom")
            bulkhead.leave("loom", answered=True)
        assert await bulkhead.enter("loom")
        assert bulkhead.running("loom") == MOST
        assert not await bulkhead.enter("loom")

    run(main())


def test_a_caller_that_leaves_the_queue_takes_no_place() -> None:
    async def main() -> None:
        bulkhead = Bulkhead()
        full = asyncio.create_task(calls(bulkhead, 8, seconds=0.5))
        await asyncio.sleep(0.1)
        impatient = asyncio.create_task(bulkhead.enter("loom"))
        await asyncio.sleep(0.1)
        impatient.cancel()
        await asyncio.wait({impatient})
        await full
        assert bulkhead.running("loom") == 0

    run(main())


def test_a_place_given_in_the_moment_of_leaving_goes_back() -> None:
    async def main() -> None:
        bulkhead = Bulkhead()
        for _ in range(8):
            assert await bulkhead.enter("loom")
        waiting = asyncio.create_task(bulkhead.enter("loom"))
        await asyncio.sleep(0.1)
        bulkhead.leave("loom", answered=True)
        waiting.cancel()
        await asyncio.wait({waiting})
        assert bulkhead.running("loom") == 7

    run(main())


def test_a_server_that_is_too_busy_to_take_answers_in_does_not_take_them_for_silence() -> None:
    async def main() -> None:
        bulkhead = Bulkhead()
        full = asyncio.create_task(calls(bulkhead, 8, seconds=0.2))
        await asyncio.sleep(0)
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualTimeLoop)
        loop.jump(3.0)
        assert await calls(bulkhead, 1, seconds=0) != [-1.0]
        await full

    run(main())


def test_a_silent_instance_is_waited_for_again_once_it_has_answered() -> None:
    async def main() -> None:
        bulkhead = Bulkhead()
        first = asyncio.create_task(calls(bulkhead, 8, seconds=1.5))
        await asyncio.sleep(1.2)
        assert not await bulkhead.enter("loom")
        await first
        second = asyncio.create_task(calls(bulkhead, 8, seconds=0.5))
        await asyncio.sleep(0.1)
        assert await bulkhead.enter("loom")
        await second

    run(main())
