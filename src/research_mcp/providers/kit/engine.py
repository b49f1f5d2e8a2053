"""A configured search instance: clamping, keys, status table and notes around a pure type."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import ProviderError, QuotaSpent, RateLimited, Rejected
from research_mcp.core.instance import KEYLESS, Account
from research_mcp.core.models import EngineAnswer, Hit, SearchQuery
from research_mcp.core.ports import Clock, EngineFacts, Http, Parking, Rest
from research_mcp.core.wire import Reply
from research_mcp.net.status import error_of, says
from research_mcp.providers.kit.search import SearchType

ASK_FOR_AT_LEAST = 10
"""Depth per engine: its rank 9 may be the list's rank 2."""


class KeyRing:
    """The accounts of one instance in order. A key that rests is passed over, a dead one parked."""

    def __init__(self, accounts: Sequence[Account], parking: Parking, clock: Clock) -> None:
        self._accounts = tuple(accounts) or (KEYLESS,)
        self._parking = parking
        self._clock = clock

    @property
    def keyed(self) -> bool:
        """False when the instance is used without any key."""
        return any(account.key for account in self._accounts)

    async def free(self) -> list[Account]:
        """The accounts that may be used now. Raises the soonest rest's error when there is none."""
        rests: list[Rest] = []
        free: list[Account] = []
        for account in self._accounts:
            rest = await self._parking.rest(f"account:{account.id}") if account.key else None
            if rest is None:
                free.append(account)
            else:
                rests.append(rest)
        if free:
            return free
        soonest = min(rests, key=lambda rest: rest.until if rest.until is not None else float("inf"))
        seconds = None if soonest.until is None else max(0.0, soonest.until - self._clock.now())
        raise RateLimited(
            f"every key rests ({soonest.detail or soonest.reason})", reason=soonest.reason, rest_for=seconds
        )

    async def park(self, account: Account, error: ProviderError) -> bool:
        """Park a key for what is the key's fault; True when the next key may be tried."""
        if account.key is None or not isinstance(error, Rejected | QuotaSpent | RateLimited):
            return False
        until = None if error.rest_for is None else self._clock.now() + error.rest_for
        await self._parking.park(f"account:{account.id}", Rest(until, error.reason, str(error)))
        return True


class ConfiguredEngine:
    """One row of the configuration as the search pipeline sees it (`core.ports.SearchEngine`)."""

    def __init__(self, name: str, type_: SearchType, http: Http, ring: KeyRing, clock: Clock) -> None:
        self._type = type_
        self._http = http
        self._ring = ring
        self._clock = clock
        self.facts = EngineFacts(
            name=name,
            index=type_.index or name,
            metered=type_.spec.metered,
            pace=type_.pace,
            reserve=type_.reserve,
            topics=type_.topics,
            applies=type_.applies,
        )

    async def search(self, query: SearchQuery, deadline: Deadline) -> EngineAnswer:
        """Ask with the first free key; a key that fails for its own reasons costs one more call."""
        fitted, notes = self._fit(query)
        last: ProviderError | None = None
        for account in await self._ring.free():
            try:
                hits = await self._ask(fitted, account, deadline)
            except ProviderError as error:
                if not await self._ring.park(account, error):
                    raise
                last = error
            else:
                unapplied = query.filters() - self._type.applies
                return EngineAnswer(tuple(hits), unapplied, notes)
        raise last or RateLimited("no key is free")

    async def _ask(self, query: SearchQuery, account: Account, deadline: Deadline) -> list[Hit]:
        request = self._type.request(query)
        request = replace(request, headers={**self._type.headers, **request.headers})
        if account.key is not None:
            request = self._type.key_place.apply(request, account.key)
        reply = await self._http.send(request, deadline)
        return self._read(reply)

    def _read(self, reply: Reply) -> list[Hit]:
        if error := self._type.refusal(reply):
            raise error
        if says(reply, self._type.phrases.empty) and reply.status >= 400:
            return []
        if error := error_of(reply, self._clock.now(), self._type.phrases):
            raise error
        return self._type.parse(reply)

    def _fit(self, query: SearchQuery) -> tuple[SearchQuery, tuple[str, ...]]:
        """The query within the type's limits, and a note for each thing that had to give."""
        notes = []
        text, limit = query.text, max(query.limit, ASK_FOR_AT_LEAST)
        if len(text) > self._type.max_query:
            text = text[: self._type.max_query].rsplit(" ", 1)[0]
            notes.append(f"query cut to {len(text)} characters")
        if query.limit > self._type.max_count:
            notes.append(f"count clamped to {self._type.max_count}")
        return replace(query, text=text, limit=min(limit, self._type.max_count)), tuple(notes)
