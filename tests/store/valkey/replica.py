"""One replica's store, as bootstrap puts it together, and what it does all day."""

from __future__ import annotations

import asyncio
import itertools
import time

import pytest

from research_mcp.core.budget import Budget
from research_mcp.core.errors import Reason, StoreUnavailable
from research_mcp.core.instance import Quota
from research_mcp.core.ports import Rest
from research_mcp.store.valkey.address import Address
from research_mcp.store.valkey.line import Line
from research_mcp.store.valkey.meter import ValkeyMeter
from research_mcp.store.valkey.paces import ValkeyPaces
from research_mcp.store.valkey.parking import ValkeyParking
from tests.store.backends import HandClock

TEN = Budget("brave", Quota(10, "month"), "BRAVE_BUDGET")
CALLS = itertools.count()


class WallClock:
    def now(self) -> float:
        return time.time()


class Replica:
    def __init__(self, address: Address, clock: HandClock | WallClock | None = None) -> None:
        self.line = Line(address, "research-mcp:", clock or WallClock())
        self.meter = ValkeyMeter(self.line, [TEN])
        self.parking = ValkeyParking(self.line)
        self.paces = ValkeyPaces(self.line)

    async def spend(self, times: int = 1) -> None:
        for _ in range(times):
            held = await self.meter.reserve("k", "brave", 1, f"call-{next(CALLS)}")
            await self.meter.settle(held, 1)

    async def refused(self) -> str:
        with pytest.raises(StoreUnavailable) as refusal:
            await self.spend()
        assert refusal.value.rest_for == 0.0
        assert not refusal.value.sent
        return str(refusal.value)

    async def free_work(self) -> float:
        """What every search does, paid or not; the seconds it took."""
        began = time.monotonic()
        name = f"engine-{next(CALLS)}"
        await self.parking.park(f"instance:{name}", Rest(self.line.clock.now() + 60, Reason.BLOCKED))
        assert await self.parking.rest(f"instance:{name}")
        await self.parking.release(f"instance:{name}")
        assert await self.parking.rest(f"instance:{name}") is None
        assert await self.paces.take(name, 45) == 0.0
        assert await self.paces.take(name, 45) > 0.0
        return time.monotonic() - began

    async def used(self) -> int:
        return (await self.meter.usage())[0].used

    async def healed(self) -> float:
        """Wait until the store is healthy again; the seconds that took."""
        began = time.monotonic()
        while not (await self.meter.health()).ok:
            assert time.monotonic() - began < 10
            await asyncio.sleep(0.05)
        return time.monotonic() - began
