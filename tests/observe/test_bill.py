"""Every settled unit is told once and stands on the bill that was open where the work began."""

from __future__ import annotations

import asyncio

from research_mcp.core.ports import Reservation, Spent, StoreHealth, Usage
from research_mcp.observe.bill import TellingMeter, billing
from research_mcp.observe.events import Charge, Event


class PaperMeter:
    """A meter that only remembers what it was told."""

    def __init__(self) -> None:
        self.said: list[tuple[str, int]] = []

    async def reserve(self, account: str, instance: str, units: int, key: str) -> Reservation:
        return Reservation(key, account, instance, units)

    async def settle(self, reservation: Reservation, units: int) -> None:
        self.said.append(("settled", units))

    async def refund(self, reservation: Reservation) -> None:
        self.said.append(("refunded", reservation.units))

    async def usage(self) -> tuple[Usage, ...]:
        return (Usage("exa", 1, 5, "day", "2026-09-01", None, 1),)

    async def spent(self) -> tuple[Spent, ...]:
        return (Spent("exa", 1, 2),)

    async def health(self) -> StoreHealth:
        return StoreHealth(ok=True)


async def pay(meter: TellingMeter, instance: str, units: int, *, sent: bool = True) -> None:
    reservation = await meter.reserve("a", instance, units, "k")
    await (meter.settle(reservation, units) if sent else meter.refund(reservation))


async def test_what_is_settled_is_told_and_billed_and_what_is_refunded_is_not() -> None:
    paper, told = PaperMeter(), list[Event]()
    meter = TellingMeter(paper, told.append)
    with billing() as bill:
        await pay(meter, "exa", 2)
        await pay(meter, "exa", 7, sent=False)
        await asyncio.gather(pay(meter, "brave", 1), pay(meter, "kagi", 1))
    assert bill.units == 4
    assert told == [Charge("exa", 2), Charge("brave", 1), Charge("kagi", 1)]
    assert paper.said == [("settled", 2), ("refunded", 7), ("settled", 1), ("settled", 1)]


async def test_a_task_that_outlives_another_call_stays_on_the_bill_it_was_begun_under() -> None:
    meter = TellingMeter(PaperMeter(), lambda _: None)

    async def late() -> None:
        await asyncio.sleep(0)
        await pay(meter, "exa", 3)

    with billing() as first:
        task = asyncio.create_task(late())
    with billing() as second:
        await task
    assert (first.units, second.units) == (3, 0)


async def test_without_an_open_bill_the_charge_is_told_all_the_same() -> None:
    told: list[Event] = []
    await pay(TellingMeter(PaperMeter(), told.append), "exa", 1)
    assert told == [Charge("exa", 1)]


async def test_the_rest_of_the_meter_is_the_inner_one() -> None:
    paper = PaperMeter()
    meter = TellingMeter(paper, lambda _: None)
    assert await meter.usage() == await paper.usage()
    assert await meter.spent() == await paper.spent()
    assert (await meter.health()).ok
