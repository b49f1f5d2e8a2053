"""The least time between two uses, on Valkey: one pace for all replicas."""

from __future__ import annotations

from research_mcp.store.paces import SharedPaces
from research_mcp.store.valkey.line import Line
from research_mcp.store.valkey.scripts import GIVE_BACK, TAKE, call

PATIENCE = 2.5
"""Seconds to wait for the store before this process keeps the pace alone. A server that fails is known
as such sooner, and then nobody waits; one that is only slow must not let every replica ask an engine."""


class ValkeyPaces(SharedPaces):
    """`SharedPaces` on a `Line`. The clocks of replicas should agree: their difference shortens a pace."""

    def __init__(self, line: Line) -> None:
        super().__init__(line.clock)
        self._line = line

    def _usable(self) -> bool:
        return self._line.usable()

    async def _taken(self, name: str, interval: float, holder: str) -> float:
        command = call(
            TAKE,
            self._line.prefix,
            {
                "name": name,
                "holder": holder,
                "interval": interval,
                "now": self._line.clock.now(),
                "milliseconds": max(1, round(interval * 1_000)),
            },
        )
        wait = await self._line.ask(command, patience=PATIENCE)
        return float(wait) if isinstance(wait, bytes) else interval

    def _given_back(self, name: str, holder: str) -> None:
        self._line.post(call(GIVE_BACK, self._line.prefix, {"name": name, "holder": holder}))
