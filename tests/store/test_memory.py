"""What only memory keeps: cached values and observed agreement. Rests and paces are the back-ends' contract."""

from __future__ import annotations

import pytest

from research_mcp.core.errors import Reason
from research_mcp.core.models import Topic
from research_mcp.core.ports import Confirmed, Rest
from research_mcp.store.memory import MemoryAgreements, MemoryCache, MemoryPaces, MemoryParking
from tests.store.backends import START, HandClock


async def test_a_cached_value_is_there_until_its_time_is_over() -> None:
    clock = HandClock()
    cache: MemoryCache[str] = MemoryCache(clock, seconds=600)
    await cache.put("question", "answer")
    clock.time = START + 599
    assert await cache.get("question") == "answer"
    clock.time = START + 600
    assert await cache.get("question") is None
    assert await cache.get("other") is None


async def test_a_cache_of_no_seconds_keeps_nothing() -> None:
    cache: MemoryCache[str] = MemoryCache(HandClock(), seconds=0)
    await cache.put("question", "answer")
    assert await cache.get("question") is None


async def test_the_cache_is_bounded() -> None:
    cache: MemoryCache[int] = MemoryCache(HandClock(), seconds=600, room=10)
    for number in range(50):
        await cache.put(str(number), number)
    assert [number for number in range(50) if await cache.get(str(number)) is not None] == list(range(40, 50))


async def test_agreement_is_a_mean_at_first_and_forgets_the_far_past() -> None:
    agreements = MemoryAgreements(span=4)
    assert await agreements.known(Topic.GENERAL) == {}
    await agreements.learn(Topic.GENERAL, {"one": 1.0})
    await agreements.learn(Topic.GENERAL, {"one": 0.0, "two": 0.5})
    assert await agreements.known(Topic.GENERAL) == {"one": Confirmed(0.5, 2), "two": Confirmed(0.5, 1)}
    assert await agreements.known(Topic.NEWS) == {}
    for _ in range(40):
        await agreements.learn(Topic.GENERAL, {"one": 0.0})
    one = (await agreements.known(Topic.GENERAL))["one"]
    assert one.lists == 4
    assert one.share == pytest.approx(0.0, abs=1e-4)


async def test_a_shorter_rest_does_not_cut_a_longer_one_short() -> None:
    parking = MemoryParking(HandClock())
    for_ever = Rest(None, Reason.BAD_KEY)
    await parking.park("account:a", Rest(START + 600, Reason.BLOCKED))
    await parking.park("account:a", for_ever)
    await parking.park("account:a", Rest(START + 60, Reason.RATE_LIMITED))
    assert await parking.rest("account:a") == for_ever
    await parking.release("account:a")
    assert await parking.rest("account:a") is None


async def test_a_clock_that_was_set_back_holds_nobody_for_longer_than_the_interval() -> None:
    clock = HandClock()
    paces = MemoryPaces(clock)
    assert await paces.take("one", 45) == 0.0
    clock.time = START - 3_600
    assert await paces.take("one", 45) == 0.0
    assert await paces.take("one", 45) == 45.0
