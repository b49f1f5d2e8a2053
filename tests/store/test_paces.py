"""The least time between two uses: the contract of every back-end."""

import asyncio

import pytest

from tests.store.backends import START, World


async def test_the_first_use_is_free_and_the_next_waits_the_rest_of_the_interval(world: World) -> None:
    store = await world.process()
    assert await store.paces.take("duckduckgo", 45) == 0.0
    world.clock.time = START + 15
    assert await store.paces.take("duckduckgo", 45) == pytest.approx(30)
    world.clock.time = START + 45
    assert await store.paces.take("duckduckgo", 45) == 0.0


async def test_a_refused_use_takes_nothing(world: World) -> None:
    store = await world.process()
    await store.paces.take("brave", 1.0)
    world.clock.time = START + 0.9
    await store.paces.take("brave", 1.0)
    world.clock.time = START + 1.0
    assert await store.paces.take("brave", 1.0) == 0.0


async def test_names_have_their_own_paces(world: World) -> None:
    store = await world.process()
    assert await store.paces.take("brave", 60) == 0.0
    assert await store.paces.take("searxng", 60) == 0.0


async def test_no_interval_means_no_wait(world: World) -> None:
    store = await world.process()
    assert [await store.paces.take("brave", 0) for _ in range(3)] == [0.0, 0.0, 0.0]


async def test_of_twenty_at_once_one_gets_the_slot(world: World) -> None:
    store = await world.process()
    waits = await asyncio.gather(*(store.paces.take("brave", 45) for _ in range(20)))
    assert sorted(waits) == [0.0] + [45.0] * 19


async def test_a_clock_that_was_set_back_does_not_stop_an_engine(world: World) -> None:
    store = await world.process()
    await store.paces.take("brave", 45)
    world.clock.time = START - 86_400
    assert await store.paces.take("brave", 45) == 0.0


async def test_processes_share_a_pace_and_a_restart_does_not_reset_it(lasting: World) -> None:
    one, other = await lasting.process(), await lasting.process()
    assert await one.paces.take("brave", 45) == 0.0
    assert await other.paces.take("brave", 45) == 45.0
    await lasting.stop()
    again = await lasting.process()
    lasting.clock.time = START + 10
    assert await again.paces.take("brave", 45) == 35.0


async def test_what_came_to_nothing_is_given_back_at_once(world: World) -> None:
    store = await world.process()
    assert await store.paces.take("duckduckgo", 45, "one") == 0.0
    await store.paces.give_back("duckduckgo", "one")
    assert await store.paces.take("duckduckgo", 45, "two") == 0.0
    assert await store.paces.take("duckduckgo", 45, "three") == 45.0


async def test_only_who_took_the_slot_last_gives_it_back(world: World) -> None:
    store = await world.process()
    await store.paces.take("brave", 1.0, "slow")
    world.clock.time = START + 2
    assert await store.paces.take("brave", 1.0, "next") == 0.0
    for stranger in ("slow", "nobody", ""):
        await store.paces.give_back("brave", stranger)
        assert await store.paces.take("brave", 1.0, "third") == 1.0
    await store.paces.give_back("never used", "slow")


async def test_a_slot_without_a_holder_is_not_given_back(world: World) -> None:
    store = await world.process()
    await store.paces.take("brave", 45)
    await store.paces.give_back("brave", "")
    assert await store.paces.take("brave", 45) == 45.0


async def test_other_processes_see_what_was_given_back_and_cannot_give_it_back_themselves(
    lasting: World,
) -> None:
    one, other = await lasting.process(), await lasting.process()
    await one.paces.take("brave", 45, "one")
    await other.paces.give_back("brave", "other")
    assert await other.paces.take("brave", 45, "other") == 45.0
    await one.paces.give_back("brave", "one")
    await lasting.stop([one])
    assert await other.paces.take("brave", 45, "other") == 0.0
