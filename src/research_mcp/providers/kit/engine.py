"""A configured search instance: clamping, keys, status table and notes around a pure type."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import BadReply, NoContent
from research_mcp.core.instance import Account
from research_mcp.core.models import EngineAnswer, Hit, SearchQuery, TimeRange
from research_mcp.core.ports import EngineFacts
from research_mcp.core.wire import Reply
from research_mcp.net.status import error_of, says
from research_mcp.providers.kit.configured import ConfiguredType
from research_mcp.providers.kit.regions import ISO_NUMBERS
from research_mcp.providers.kit.search import SearchType
from research_mcp.providers.kit.shape import cut_words

ASK_FOR_AT_LEAST = 10
"""Depth per engine: its rank 9 may be the list's rank 2."""

ONCE_MORE = 2.0
"""Seconds that a second try must have left."""

_DAYS: Mapping[TimeRange, int] = {
    TimeRange.DAY: 1,
    TimeRange.WEEK: 7,
    TimeRange.MONTH: 31,
    TimeRange.YEAR: 365,
}


class ConfiguredEngine(ConfiguredType[SearchType]):
    """One row of the configuration as the search pipeline sees it (`core.ports.SearchEngine`)."""

    @cached_property
    def facts(self) -> EngineFacts:
        """What the search pipeline may know of it."""
        pace = self._type.means.pace
        return EngineFacts(
            name=self.name,
            index=self._type.index or self.name,
            metered=self.metered,
            pace=self._type.pace if pace is None else pace,
            reserve=self._type.reserve,
            topics=self._type.topics,
            applies=self._type.applies,
            weight=self._type.means.weight,
            prior=self._type.prior,
        )

    async def search(self, query: SearchQuery, deadline: Deadline) -> EngineAnswer:
        """Ask with the first key that works; the notes say what of the query had to give."""
        fitted, notes = self._fit(query)
        hits = await self._ring.use(lambda account: self._ask(fitted, account, deadline))
        dropped = query.filters() - fitted.filters()
        return EngineAnswer(tuple(hits), self._type.unapplied(query) | dropped, notes)

    async def _ask(self, query: SearchQuery, account: Account, deadline: Deadline) -> list[Hit]:
        request = self._type.signed(self._type.request(query), account)
        async with self._metering.call(account, self._http) as http:
            reply = await http.send(request, deadline)
            if self._type.stumbled(reply) and deadline.remaining() >= ONCE_MORE:
                reply = await http.send(request, deadline)
        return self._read(reply, keyed=account.key is not None)

    def _read(self, reply: Reply, *, keyed: bool) -> list[Hit]:
        if error := self._type.refusal(reply):
            raise error
        if reply.status >= 400 and says(reply, self._type.phrases.empty):
            return []
        error = error_of(reply, self._clock.now(), self._type.phrases, keyed=keyed)
        if isinstance(error, NoContent):
            raise BadReply(f"the vendor has no such endpoint (status {reply.status})")
        if error:
            raise error
        return self._type.parse(reply)

    def _fit(self, query: SearchQuery) -> tuple[SearchQuery, tuple[str, ...]]:
        """The query within the type's limits, and a note for each thing that had to give.

        A code that is no country's (`EN`) is not sent: vendors refuse the whole call for it.
        """
        notes = []
        limit = max(query.limit, ASK_FOR_AT_LEAST)
        text = cut_words(query.text, self._type.max_query, self._type.max_words)
        if text != query.text:
            notes.append(f"query cut to {len(text)} characters")
        if query.limit > self._type.max_count:
            notes.append(f"count clamped to {self._type.max_count}")
        fitted = replace(
            query,
            text=text,
            limit=min(limit, self._type.max_count),
            since=self._since(query.time_range),
            country=query.country if query.country in ISO_NUMBERS else "",
        )
        return fitted, tuple(notes)

    def _since(self, time_range: TimeRange) -> str:
        if time_range not in _DAYS:
            return ""
        today = dt.datetime.fromtimestamp(self._clock.now(), dt.UTC).date()
        return (today - dt.timedelta(days=_DAYS[time_range])).isoformat()
