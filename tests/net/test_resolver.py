"""Names to addresses when name servers hang, flood or fail."""

from __future__ import annotations

import asyncio
import socket
import threading
import time

import pytest

from research_mcp.core.errors import NoContent, Reason
from research_mcp.net.resolver import Resolver, system_lookup
from tests.net.fakes import PUBLIC, Names


class Hanging:
    """A lookup that hangs for names that start with `hang` until it is let go."""

    def __init__(self) -> None:
        self.release = threading.Event()
        self.asked: list[str] = []

    def __call__(self, name: str) -> list[str]:
        self.asked.append(name)
        if name.startswith("hang"):
            self.release.wait(30)
        return [PUBLIC]


@pytest.fixture
def hanging():
    lookup = Hanging()
    yield lookup
    lookup.release.set()


async def failure_of(resolver: Resolver, name: str) -> NoContent:
    with pytest.raises(NoContent) as failure:
        await resolver.resolve(name)
    assert failure.value.reason is Reason.DNS_FAILED
    return failure.value


async def known(resolver: Resolver, name: str) -> bool:
    try:
        return bool(await resolver.resolve(name))
    except NoContent:
        return False


async def test_twenty_hanging_names_hold_up_nobody_else(hanging: Hanging):
    resolver = Resolver(hanging, limit=1.0)
    stuck = [asyncio.create_task(failure_of(resolver, f"hang{number}.example.com")) for number in range(20)]
    await asyncio.sleep(0.05)
    begun = time.monotonic()
    assert [str(address) for address in await resolver.resolve("example.com")] == [PUBLIC]
    assert not any(task.done() for task in stuck)
    failures = await asyncio.gather(*stuck)
    assert time.monotonic() - begun < 5
    assert "did not answer within 1 s" in str(failures[0])


async def test_a_hanging_name_holds_one_thread_however_often_it_is_asked(hanging: Hanging):
    resolver = Resolver(hanging, limit=0.05)
    for _ in range(5):
        await failure_of(resolver, "hang.example.com")
    assert hanging.asked == ["hang.example.com"]


async def test_lookups_past_the_bound_wait_for_a_thread_within_the_same_limit(hanging: Hanging):
    resolver = Resolver(hanging, limit=0.2, threads=2)
    stuck = [asyncio.create_task(failure_of(resolver, f"hang{number}.example.com")) for number in range(2)]
    await asyncio.sleep(0.05)
    begun = time.monotonic()
    await failure_of(resolver, "example.com")
    assert time.monotonic() - begun < 5
    await asyncio.gather(*stuck)
    hanging.release.set()
    assert await resolver.resolve("example.com")


async def test_a_late_answer_is_kept_for_the_next_caller(hanging: Hanging):
    resolver = Resolver(hanging, limit=0.05)
    await failure_of(resolver, "hang.example.com")
    hanging.release.set()
    async with asyncio.timeout(5):
        while not await known(resolver, "hang.example.com"):  # noqa: ASYNC110 - the thread sets no event
            await asyncio.sleep(0.01)
    assert hanging.asked == ["hang.example.com"]


async def test_answers_are_kept_for_a_while_and_failures_are_not():
    names = Names({"a.example.com": [PUBLIC]})
    resolver = Resolver(names.lookup, keep=60)
    for _ in range(3):
        await resolver.resolve("a.example.com")
        await failure_of(resolver, "b.example.com")
    assert names.asked.count("a.example.com") == 1
    assert names.asked.count("b.example.com") == 3
    brief = Resolver(names.lookup, keep=0.01)
    for _ in range(2):
        await brief.resolve("a.example.com")
        await asyncio.sleep(0.02)
    assert names.asked.count("a.example.com") == 3


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (socket.gaierror(socket.EAI_NONAME, "x"), "there is no such name"),
        (socket.gaierror(socket.EAI_AGAIN, "x"), "a later try may work"),
        (OSError("x"), "the lookup failed"),
    ],
)
async def test_a_failed_lookup_says_whether_another_try_makes_sense(error: OSError, says: str):
    def lookup(name: str) -> list[str]:
        raise error

    assert says in str(await failure_of(Resolver(lookup), "a.example.com"))


async def test_an_answer_that_is_no_address_is_a_failure():
    await failure_of(Resolver(lambda name: ["not an address"]), "a.example.com")


async def test_a_caller_that_leaves_does_not_spoil_the_lookup_for_others(hanging: Hanging):
    resolver = Resolver(hanging, limit=5.0)
    first = asyncio.create_task(resolver.resolve("hang.example.com"))
    second = asyncio.create_task(resolver.resolve("hang.example.com"))
    await asyncio.sleep(0.02)
    first.cancel()
    hanging.release.set()
    assert await second
    assert hanging.asked == ["hang.example.com"]


def test_the_system_resolves_loopback_without_duplicates():
    addresses = system_lookup("localhost")
    assert "127.0.0.1" in addresses or "::1" in addresses
    assert len(addresses) == len(set(addresses))


async def test_an_answer_that_comes_after_the_lookup_was_cancelled_is_dropped(hanging: Hanging):
    resolver = Resolver(hanging, limit=0.05)
    before = asyncio.all_tasks()
    await failure_of(resolver, "hang.example.com")
    (lookup,) = asyncio.all_tasks() - before
    lookup.cancel()
    await asyncio.gather(lookup, return_exceptions=True)
    hanging.release.set()
    await asyncio.sleep(0.05)
    assert hanging.asked == ["hang.example.com"]


def test_a_lookup_that_outlives_its_loop_harms_nobody(hanging: Hanging):
    asyncio.run(failure_of(Resolver(hanging, limit=0.01), "hang.example.com"))
    hanging.release.set()
    time.sleep(0.05)


async def test_a_machine_without_a_thread_left_fails_the_lookup_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    resolver = Resolver(Names({"a.test": [PUBLIC]}).lookup)
    with monkeypatch.context() as full:
        full.setattr(threading.Thread, "start", refuse)
        assert "the lookup failed" in str(await failure_of(resolver, "a.test"))
    assert await known(resolver, "a.test")
