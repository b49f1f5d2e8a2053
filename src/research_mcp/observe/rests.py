"""Keys that stop working, told as events: the owner has to renew them, and should not have to look."""

from __future__ import annotations

from datetime import UTC, datetime

from research_mcp.core.errors import Reason
from research_mcp.core.ports import Parking, Rest
from research_mcp.observe.events import Emit, Parked

_KEY = "account:"


class TellingParking:
    """`core.ports.Parking` around another one: a key that is refused or spent is an event.

    Limits of a minute are not, nor rests of engines: they end by themselves, and often.
    """

    def __init__(self, parking: Parking, emit: Emit) -> None:
        self._parking = parking
        self._emit = emit

    async def rest(self, name: str) -> Rest | None:
        """As the inner parking does."""
        return await self._parking.rest(name)

    async def park(self, name: str, rest: Rest) -> None:
        """Park, and tell."""
        if name.startswith(_KEY) and rest.reason is not Reason.RATE_LIMITED:
            until = "" if rest.until is None else datetime.fromtimestamp(rest.until, UTC).isoformat()
            self._emit(Parked(name.removeprefix(_KEY), rest.reason.value, until, rest.detail))
        await self._parking.park(name, rest)

    async def release(self, name: str) -> None:
        """As the inner parking does."""
        await self._parking.release(name)
