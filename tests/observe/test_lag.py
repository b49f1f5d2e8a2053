"""A loop that is held up shows it."""

from __future__ import annotations

import asyncio

import pytest

from research_mcp.observe.lag import EVERY, LoopLag
from tests.kit.virtual_time import VirtualTimeLoop, run


def test_a_nap_that_lasts_longer_is_told_and_the_worst_of_the_last_minute_kept() -> None:
    told: list[float] = []

    async def main() -> list[float]:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualTimeLoop)
        lag = LoopLag(told.append)
        assert lag.worst == 0.0
        task = asyncio.create_task(lag.watch())
        await asyncio.sleep(EVERY * 2.5)
        loop.jump(2.0)  # somebody computes for two seconds
        await asyncio.sleep(EVERY)
        worst = [lag.worst]
        await asyncio.sleep(61)
        worst.append(lag.worst)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return worst

    held, later = run(main())
    assert held == pytest.approx(1.75, abs=0.3)
    assert later == pytest.approx(0.0, abs=1e-6)
    assert max(told) == held
