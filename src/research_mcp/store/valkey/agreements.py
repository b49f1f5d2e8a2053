"""How often engines were confirmed, on Valkey: all replicas learn from each other."""

from __future__ import annotations

from research_mcp.core.models import Topic
from research_mcp.core.ports import Confirmed
from research_mcp.core.wire import JsonValue
from research_mcp.store.agreements import PATIENCE, Seen, SharedAgreements
from research_mcp.store.memory import SPAN
from research_mcp.store.valkey.line import Line
from research_mcp.store.valkey.scripts import LEARN, call


class ValkeyAgreements(SharedAgreements):
    """`SharedAgreements` on a `Line`."""

    def __init__(self, line: Line, span: int = SPAN) -> None:
        super().__init__(line.clock, span)
        self._line = line

    def _usable(self) -> bool:
        return self._line.usable()

    async def _all(self) -> Seen:
        """Fields of topics that this program does not know are a newer program's."""
        reply = await self._line.ask(("HGETALL", f"{self._line.prefix}agreements"), patience=PATIENCE)
        words = [bytes(word).decode() for word in reply] if isinstance(reply, list) else []
        found: dict[tuple[Topic, str], Confirmed] = {}
        for name, seen in zip(words[::2], words[1::2], strict=True):
            topic, _, engine = name.partition("|")
            share, _, lists = seen.partition(" ")
            if topic in list(Topic):
                found[Topic(topic), engine] = Confirmed(float(share), int(lists))
        return found

    def _add(self, news: Seen) -> None:
        seen: list[JsonValue] = [
            {"name": f"{topic}|{engine}", "share": one.share, "lists": one.lists}
            for (topic, engine), one in news.items()
        ]
        self._line.post(call(LEARN, self._line.prefix, {"seen": seen, "span": self._span}))
