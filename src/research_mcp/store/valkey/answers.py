"""Answers that every replica can give back by their id."""

from __future__ import annotations

import hashlib

from research_mcp.core.answers import AnswerReport, Lost
from research_mcp.core.errors import StoreUnavailable
from research_mcp.store.codec import Codec
from research_mcp.store.memory import MemoryAnswers
from research_mcp.store.valkey.line import Line
from research_mcp.store.valkey.scripts import FIND, KEEP, call

PATIENCE = 2.5
"""Seconds to wait for the store; one that fails is known as such sooner."""
LARGEST = 1_000_000
"""Bytes of the largest answer that is kept."""
REMEMBERED = 86_400.0
"""Seconds after its end for which an id is still told from a wrong one."""


class ValkeyAnswers:
    """`core.ports.AnswerStore` on a `Line`: at most `items` answers, each for `seconds`; the oldest go first.

    Ids are hashed before they become keys: who can list the keys cannot read an answer by them. What
    cannot be kept in the store is kept by this process.
    """

    def __init__(
        self, line: Line, codec: Codec[AnswerReport], *, seconds: float = 3_600.0, items: int = 4_096
    ) -> None:
        self.seconds = seconds
        self._line = line
        self._codec = codec
        self._items = items
        self._here = MemoryAnswers(line.clock, seconds=seconds)

    async def keep(self, session_id: str, report: AnswerReport) -> None:
        """Keep `report` from now on. One that is larger than `LARGEST` is evicted at once."""
        now = self._line.clock.now()
        written = self._codec.encode(report)
        command = call(
            KEEP,
            self._line.prefix,
            {
                "id": _hashed(session_id),
                "answer": written.decode() if len(written) <= LARGEST else "",
                "now": now,
                "expires": now + self.seconds,
                "milliseconds": round(self.seconds * 1_000),
                "remembered": REMEMBERED,
                "most": self._items,
            },
        )
        try:
            await self._line.ask(command, patience=PATIENCE)
        except StoreUnavailable:
            await self._here.keep(session_id, report)

    async def find(self, session_id: str) -> AnswerReport | Lost:
        """The report, or why it is not there."""
        here = await self._here.find(session_id)
        if isinstance(here, AnswerReport):
            return here
        command = call(FIND, self._line.prefix, {"id": _hashed(session_id), "now": self._line.clock.now()})
        try:
            found = await self._line.ask(command, patience=PATIENCE)
        except StoreUnavailable:
            return Lost.OUT_OF_REACH
        match found:
            case b"expired":
                return Lost.EXPIRED
            case b"unknown":
                return here
            case [kept]:
                return self._codec.decode(kept) or Lost.EVICTED
            case _:
                return Lost.OUT_OF_REACH


def _hashed(session_id: str) -> str:
    return hashlib.sha256(session_id.encode()).hexdigest()
