"""Who pays for what: each charge of the meter, told as an event and added to the bill that is open.

    with billing() as bill:
        await work()
    bill.units

What is charged inside is on the bill, in tasks that were begun there too.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from research_mcp.core.ports import Meter, Reservation, Spent, StoreHealth, Usage
from research_mcp.observe.events import Charge, Emit


@dataclass(slots=True)
class Bill:
    """Units charged so far."""

    units: int = 0


_OPEN: ContextVar[Bill | None] = ContextVar("open bill", default=None)


@contextmanager
def billing() -> Iterator[Bill]:
    """A new bill for what happens inside. Work that several callers share is on the first one's bill."""
    bill = Bill()
    token = _OPEN.set(bill)
    try:
        yield bill
    finally:
        _OPEN.reset(token)


class TellingMeter:
    """`core.ports.Meter` around another one: every settled unit is an event and stands on a bill."""

    def __init__(self, meter: Meter, emit: Emit) -> None:
        self._meter = meter
        self._emit = emit

    async def reserve(self, account: str, instance: str, units: int, key: str) -> Reservation:
        """As the inner meter does."""
        return await self._meter.reserve(account, instance, units, key)

    async def settle(self, reservation: Reservation, units: int) -> None:
        """Settle, add to the bill that is open here, and tell."""
        if bill := _OPEN.get():
            bill.units += units
        self._emit(Charge(reservation.instance, units))
        await self._meter.settle(reservation, units)

    async def refund(self, reservation: Reservation) -> None:
        """As the inner meter does: nothing was billed."""
        await self._meter.refund(reservation)

    async def usage(self) -> tuple[Usage, ...]:
        """As the inner meter does."""
        return await self._meter.usage()

    async def spent(self) -> tuple[Spent, ...]:
        """As the inner meter does."""
        return await self._meter.spent()

    async def health(self) -> StoreHealth:
        """As the inner meter does."""
        return await self._meter.health()
