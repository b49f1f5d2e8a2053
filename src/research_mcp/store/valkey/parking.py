"""Who rests until when, on Valkey: known to every replica at once, and after a restart."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from research_mcp.core.ports import Rest
from research_mcp.core.wire import JsonValue
from research_mcp.store.parking import LONGEST_DETAIL, PATIENCE, SharedParking, known_reason
from research_mcp.store.valkey.line import Line
from research_mcp.store.valkey.scripts import PARK, call


class ValkeyParking(SharedParking):
    """`SharedParking` on a `Line`."""

    def __init__(self, line: Line) -> None:
        super().__init__(line.clock)
        self._line = line

    def _usable(self) -> bool:
        return self._line.usable()

    async def _all(self) -> dict[str, Rest]:
        reply = await self._line.ask(("HGETALL", f"{self._line.prefix}rests"), patience=PATIENCE)
        words = [bytes(word) for word in reply] if isinstance(reply, list) else []
        return {
            name.decode(): Rest(until, known_reason(reason), detail)
            for name, (until, reason, detail) in zip(words[::2], map(json.loads, words[1::2]), strict=True)
        }

    def _write(self, name: str, rest: Rest) -> asyncio.Future[Any]:
        written: list[JsonValue] = [rest.until, rest.reason.value, rest.detail[:LONGEST_DETAIL]]
        return self._line.post(
            call(
                PARK,
                self._line.prefix,
                {"name": name, "now": self._clock.now(), "rest": written, "written": json.dumps(written)},
            )
        )

    def _erase(self, name: str) -> asyncio.Future[Any]:
        return self._line.post(("HDEL", f"{self._line.prefix}rests", name))
