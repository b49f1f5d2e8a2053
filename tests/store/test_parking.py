"""Who rests until when: the contract of every back-end, and what outlives a restart."""

from research_mcp.core.errors import Reason
from research_mcp.core.fingerprint import key_mark
from research_mcp.core.instance import Secret
from research_mcp.core.ports import Rest
from tests.store.backends import START, World

KEY = "account:TAVILY_1_API_KEY#1:abc123"
LIMITED = Rest(START + 60, Reason.RATE_LIMITED, "too many requests (status 429)")
REFUSED = Rest(None, Reason.BAD_KEY, "the key was refused (status 401)")


async def test_nothing_rests_at_first(world: World) -> None:
    store = await world.process()
    assert await store.parking.rest(KEY) is None


async def test_a_parked_name_rests_until_its_time_and_others_do_not(world: World) -> None:
    store = await world.process()
    await store.parking.park(KEY, LIMITED)
    assert await store.parking.rest(KEY) == LIMITED
    assert await store.parking.rest("instance:brave") is None
    world.clock.time = START + 59.9
    assert await store.parking.rest(KEY) == LIMITED
    world.clock.time = START + 60
    assert await store.parking.rest(KEY) is None


async def test_a_refused_key_rests_without_an_end(world: World) -> None:
    store = await world.process()
    await store.parking.park(KEY, REFUSED)
    world.clock.time += 10 * 365 * 86_400
    assert await store.parking.rest(KEY) == REFUSED


async def test_a_shorter_rest_never_shortens_a_longer_one(world: World) -> None:
    store = await world.process()
    await store.parking.park(KEY, LIMITED)
    await store.parking.park(KEY, Rest(START + 5, Reason.RATE_LIMITED))
    assert await store.parking.rest(KEY) == LIMITED
    await store.parking.park(KEY, REFUSED)
    await store.parking.park(KEY, LIMITED)
    assert await store.parking.rest(KEY) == REFUSED


async def test_a_rest_that_is_over_gives_way_to_a_shorter_one(world: World) -> None:
    store = await world.process()
    await store.parking.park(KEY, LIMITED)
    world.clock.time = START + 61
    later = Rest(START + 62, Reason.BLOCKED)
    await store.parking.park(KEY, later)
    assert await store.parking.rest(KEY) == later


async def test_a_released_name_is_free_at_once(world: World) -> None:
    store = await world.process()
    for name in (KEY, "instance:brave"):
        await store.parking.park(name, REFUSED)
        await store.parking.release(name)
        assert await store.parking.rest(name) is None


async def test_a_dead_key_still_rests_after_a_restart(lasting: World) -> None:
    first = await lasting.process()
    await first.parking.park(KEY, REFUSED)
    await first.parking.park("account:other", LIMITED)
    await lasting.stop([first])
    second = await lasting.process()
    assert await second.parking.rest(KEY) == REFUSED
    assert await second.parking.rest("account:other") == LIMITED


async def test_a_changed_key_is_free_after_a_restart(lasting: World) -> None:
    old, new = (f"account:BRAVE_API_KEY#1:{key_mark('BRAVE_API_KEY', Secret(k))}" for k in ("old", "new"))
    first = await lasting.process()
    await first.parking.park(old, REFUSED)
    await lasting.stop([first])
    second = await lasting.process()
    assert await second.parking.rest(new) is None
    assert await second.parking.rest(old) == REFUSED


async def test_an_instance_that_rests_until_restart_is_free_after_it(lasting: World) -> None:
    first = await lasting.process()
    for name, rest in {
        "instance:searxng": REFUSED,
        "instance:brave": Rest(START + 86_400, Reason.OUT_OF_CREDITS, "own budget, may be raised"),
        "instance:duckduckgo": Rest(START + 600, Reason.BLOCKED),
    }.items():
        await first.parking.park(name, rest)
        assert await first.parking.rest(name) == rest
    await lasting.stop([first])
    second = await lasting.process()
    assert await second.parking.rest("instance:searxng") is None
    assert await second.parking.rest("instance:brave") is None
    assert await second.parking.rest("instance:duckduckgo") == Rest(START + 600, Reason.BLOCKED)


async def test_processes_see_each_others_rests_and_releases(lasting: World) -> None:
    one, other = await lasting.process(), await lasting.process()
    await one.parking.park(KEY, REFUSED)
    assert await other.parking.rest(KEY) == REFUSED
    await other.parking.release(KEY)
    assert await one.parking.rest(KEY) is None
