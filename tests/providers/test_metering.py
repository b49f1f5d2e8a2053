"""A metered call is paid before it is sent and refunded only when nothing was."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from research_mcp.core.budget import Budget, budgets_of
from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import (
    BudgetSpent,
    Overloaded,
    Reason,
    ResearchError,
    StoreUnavailable,
    Transient,
    UrlRefused,
)
from research_mcp.core.instance import KEYLESS, Account, Instance, Quota, Secret
from research_mcp.core.models import SearchQuery
from research_mcp.core.ports import Http
from research_mcp.core.wire import Reply, Request
from research_mcp.providers.kit.engine import ConfiguredEngine
from research_mcp.providers.kit.keys import KeyRing
from research_mcp.providers.kit.metering import Metering
from research_mcp.providers.kit.registry import ProviderKind, TypeSpec
from research_mcp.providers.kit.search import JsonSearch
from research_mcp.store.db import Db
from research_mcp.store.parking import SqliteParking
from research_mcp.store.quota import SqliteMeter

ACCOUNT = Account("BRAVE_API_KEY#1:abc123", Secret("canary-key"))
ASK = Request("GET", "/search")


class WallClock:
    def now(self) -> float:
        return time.time()


class Wire:
    """The network: replays outcomes, and counts what reached it."""

    def __init__(self, *outcomes: ResearchError | Reply) -> None:
        self.outcomes = list(outcomes)
        self.sends = 0

    async def send(self, request: Request, deadline: Deadline) -> Reply:
        self.sends += 1
        outcome = self.outcomes.pop(0)
        if isinstance(outcome, ResearchError):
            raise outcome
        return outcome


class Bank:
    """A meter with room for three calls."""

    def __init__(self, path: Path) -> None:
        self.db = Db(path, WallClock())
        self.meter = SqliteMeter(self.db, [Budget("brave", Quota(3, "total"), "BRAVE_BUDGET")])

    async def counts(self) -> tuple[int, int]:
        row = (await self.meter.usage())[0]
        return row.used, row.billed

    def call(self, http: Http, units: int = 1) -> AbstractAsyncContextManager[Http]:
        return Metering(self.meter, "brave", units).call(ACCOUNT, http)


@pytest.fixture
async def bank(tmp_path: Path) -> AsyncIterator[Bank]:
    bank = Bank(tmp_path / "quota.sqlite3")
    yield bank
    await bank.db.close()


def soon() -> Deadline:
    return Deadline.after(10)


async def test_a_call_is_reserved_before_it_is_sent_and_settled_after(bank: Bank) -> None:
    reply = Reply(200)
    wire = Wire(reply)
    async with bank.call(wire) as paid:
        assert await bank.counts() == (0, 0)
        assert await paid.send(ASK, soon()) is reply
        assert await bank.counts() == (1, 0)
    assert await bank.counts() == (1, 1)


async def test_nothing_is_sent_when_the_budget_is_spent(bank: Bank) -> None:
    wire = Wire(*[Reply(200)] * 9)
    for _ in range(3):
        async with bank.call(wire) as paid:
            await paid.send(ASK, soon())
    with pytest.raises(BudgetSpent, match="3 of 3/total used"):
        async with bank.call(wire) as paid:
            await paid.send(ASK, soon())
    assert wire.sends == 3


async def test_a_call_of_several_requests_is_paid_once(bank: Bank) -> None:
    wire = Wire(Reply(202), Reply(200))
    async with bank.call(wire) as paid:
        await paid.send(ASK, soon())
        await paid.send(ASK, soon())
    assert await bank.counts() == (1, 1)


async def test_a_call_that_asks_nobody_is_free(bank: Bank) -> None:
    async with bank.call(Wire()):
        pass
    assert await bank.counts() == (0, 0)


@pytest.mark.parametrize(
    "error",
    [
        Transient("unknown name", reason=Reason.DNS_FAILED, sent=False),
        UrlRefused("private address"),
        Overloaded("queue is full"),
    ],
)
async def test_a_call_that_never_left_is_refunded(bank: Bank, error: ResearchError) -> None:
    with pytest.raises(type(error)):
        async with bank.call(Wire(error)) as paid:
            await paid.send(ASK, soon())
    assert await bank.counts() == (0, 0)


@pytest.mark.parametrize("last", [Transient("refused", sent=False), Overloaded("full"), Transient("reset")])
async def test_a_call_of_which_one_request_left_is_paid(bank: Bank, last: ResearchError) -> None:
    async with bank.call(Wire(Reply(202), last)) as paid:
        await paid.send(ASK, soon())
        with pytest.raises(type(last)):
            await paid.send(ASK, soon())
    assert await bank.counts() == (1, 1)


async def test_a_request_that_left_on_the_second_try_is_paid(bank: Bank) -> None:
    async with bank.call(Wire(Transient("refused", sent=False), Reply(200))) as paid:
        with pytest.raises(Transient):
            await paid.send(ASK, soon())
        await paid.send(ASK, soon())
    assert await bank.counts() == (1, 1)


async def test_a_call_that_may_have_left_is_paid(bank: Bank) -> None:
    with pytest.raises(Transient):
        async with bank.call(Wire(Transient("no answer", reason=Reason.TIMEOUT))) as paid:
            await paid.send(ASK, soon())
    assert await bank.counts() == (1, 1)


async def test_a_cancelled_call_is_settled(bank: Bank) -> None:
    class Hanging(Wire):
        async def send(self, request: Request, deadline: Deadline) -> Reply:
            sent.set()
            await asyncio.Event().wait()
            raise AssertionError

    sent = asyncio.Event()
    wire = Hanging()

    async def ask() -> None:
        async with bank.call(wire) as paid:
            await paid.send(ASK, soon())

    task = asyncio.create_task(ask())
    await sent.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await bank.counts() == (1, 1)


async def test_nothing_is_sent_when_the_store_does_not_answer_before_the_deadline(bank: Bank) -> None:
    wire = Wire(Reply(200))
    with pytest.raises(StoreUnavailable, match="before the deadline"):
        async with bank.call(wire) as paid:
            await paid.send(ASK, Deadline.after(0))
    assert wire.sends == 0
    assert await bank.counts() == (0, 0)


async def test_units_are_what_one_call_costs(bank: Bank) -> None:
    async with bank.call(Wire(Reply(200)), units=2) as paid:
        await paid.send(ASK, soon())
    assert await bank.counts() == (2, 2)
    with pytest.raises(BudgetSpent):
        async with bank.call(Wire(), units=2) as paid:
            await paid.send(ASK, soon())


async def test_without_a_meter_the_call_goes_straight_through() -> None:
    wire = Wire(Reply(200))
    async with Metering(None, "duckduckgo").call(ACCOUNT, wire) as free:
        assert free is wire
        await free.send(ASK, soon())
    assert wire.sends == 1


class Fake(JsonSearch):
    spec = TypeSpec("search.fake", ProviderKind.SEARCH, metered=True)

    def request(self, query: SearchQuery) -> Request:
        return ASK


FOUND = Reply(200, body=b'{"results": [{"title": "t", "url": "https://example.com/"}]}')


async def test_an_engine_goes_on_with_the_key_that_has_room_and_parks_none(tmp_path: Path) -> None:
    clock = WallClock()
    db = Db(tmp_path / "quota.sqlite3", clock)
    keys = [Account(f"KEY#{n}", Secret(f"k{n}")) for n in (1, 2)]
    row = Instance("fake", "search.fake", quota=Quota(1, "day"))
    meter = SqliteMeter(db, budgets_of(row, keys))
    parking = SqliteParking(db)
    wire = Wire(FOUND, FOUND)
    ring = KeyRing(keys, parking, clock)
    engine = ConfiguredEngine("fake", Fake(), wire, ring, clock, metering=Metering(meter, "fake"))
    for _ in range(2):
        assert (await engine.search(SearchQuery("x"), soon())).hits
    with pytest.raises(BudgetSpent, match=r"budget for fake is spent: 1 of 1/day used \(the row's quota\)"):
        await engine.search(SearchQuery("x"), soon())
    assert wire.sends == 2
    assert [await parking.rest(f"account:{key.id}") for key in keys] == [None, None]
    await db.close()


async def test_a_dead_key_costs_one_call_once_across_restarts(tmp_path: Path) -> None:
    keys = [Account(f"KEY#{n}:abc12{n}", Secret(f"k{n}")) for n in (1, 2)]
    wire = Wire(Reply(401), *[FOUND] * 100)
    for _ in range(2):
        clock = WallClock()
        db = Db(tmp_path / "quota.sqlite3", clock)
        ring = KeyRing(keys, SqliteParking(db), clock)
        metering = Metering(SqliteMeter(db), "fake")
        engine = ConfiguredEngine("fake", Fake(), wire, ring, clock, metering=metering)
        for _ in range(50):
            assert (await engine.search(SearchQuery("x"), soon())).hits
        await db.close()
    assert wire.sends == 101


async def test_a_call_without_a_key_costs_nothing_and_needs_no_store(bank: Bank) -> None:
    wire = Wire(Reply(200))
    async with Metering(bank.meter, "brave").call(KEYLESS, wire) as http:
        await http.send(ASK, soon())
    assert wire.sends == 1
    assert await bank.counts() == (0, 0)
