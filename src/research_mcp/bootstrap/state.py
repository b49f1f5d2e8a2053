"""Where state lives: in a file and memory of this machine, or on a Valkey server that replicas share."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from research_mcp.bootstrap.configure import Configuration
from research_mcp.core.answers import AnswerReport
from research_mcp.core.models import Page, SearchReport
from research_mcp.core.ports import Agreements, AnswerStore, Cache, Clock, Meter, Paces, Parking
from research_mcp.core.sitemaps import MapReport
from research_mcp.store.agreements import SqliteAgreements
from research_mcp.store.db import Db
from research_mcp.store.memory import MemoryAnswers, MemoryCache, weight_of_page
from research_mcp.store.paces import SqlitePaces
from research_mcp.store.parking import SqliteParking
from research_mcp.store.quota import SqliteMeter
from research_mcp.store.valkey.address import Address

PAGES_BYTES = 64_000_000
"""Most bytes of pages that one process keeps by itself."""


class OperatedMeter(Meter, Protocol):
    """A meter whose budgets the operator may let count anew. `reset` raises `StoreUnavailable`."""

    async def reset(self, instance: str) -> None:
        """Let the budgets of `instance` count from zero; what is billed stays."""


@dataclass(frozen=True, slots=True)
class State:
    """Everything that outlives a call. `opened` before the first use, `closed` after the last.

    `opened` raises `ConfigError` for a store of a newer program, nothing else. `searches` makes the
    cache for one set of engines, which has a name.
    """

    parking: Parking
    paces: Paces
    meter: OperatedMeter
    agreements: Agreements
    answers: AnswerStore
    pages: Cache[Page]
    maps: Cache[MapReport]
    searches: Callable[[str], Cache[SearchReport]]
    opened: Callable[[], Awaitable[None]]
    closed: Callable[[], Awaitable[None]]


def state_of(configuration: Configuration, clock: Clock) -> State:
    """The state that the configuration asks for."""
    if configuration.valkey is None:
        return _local(configuration, clock)
    return _shared(configuration, configuration.valkey, clock)


def _local(configuration: Configuration, clock: Clock) -> State:
    """One SQLite file for the processes of this machine, and memory."""
    settings = configuration.settings
    db = Db(Path(settings.data_dir) / "quota.sqlite3", clock)
    agreements = SqliteAgreements(db)

    async def close() -> None:
        await agreements.save()
        await db.close()

    return State(
        parking=SqliteParking(db),
        paces=SqlitePaces(db),
        meter=SqliteMeter(db, configuration.budgets),
        agreements=agreements,
        answers=MemoryAnswers(clock),
        pages=MemoryCache(clock, seconds=settings.read_cache_ttl, room=PAGES_BYTES, weigh=weight_of_page),
        maps=MemoryCache(clock, seconds=settings.read_cache_ttl),
        searches=lambda _: MemoryCache(clock, seconds=settings.search_cache_ttl),
        opened=db.open,
        closed=close,
    )


def _shared(configuration: Configuration, address: Address, clock: Clock) -> State:
    """A server for any number of replicas. Small steps and large values have a line of their own each."""
    # the client loads slowly, and only replicas need it
    from research_mcp.store.codec import Codec
    from research_mcp.store.valkey.agreements import ValkeyAgreements
    from research_mcp.store.valkey.answers import ValkeyAnswers
    from research_mcp.store.valkey.cache import ValkeyCache
    from research_mcp.store.valkey.line import Line
    from research_mcp.store.valkey.meter import ValkeyMeter
    from research_mcp.store.valkey.paces import ValkeyPaces
    from research_mcp.store.valkey.parking import ValkeyParking

    settings = configuration.settings
    steps, values = (Line(address, settings.valkey_prefix, clock) for _ in range(2))
    agreements = ValkeyAgreements(steps)
    reports = Codec(SearchReport)
    # a replica that may not read private pages must not get them from one that may
    kept = "private-" if settings.allow_private_network else ""

    async def close() -> None:
        await agreements.save()
        await steps.close()
        await values.close()

    return State(
        parking=ValkeyParking(steps),
        paces=ValkeyPaces(steps),
        meter=ValkeyMeter(steps, configuration.budgets),
        agreements=agreements,
        answers=ValkeyAnswers(values, Codec(AnswerReport)),
        pages=ValkeyCache(values, f"{kept}pages", Codec(Page), seconds=settings.read_cache_ttl),
        maps=ValkeyCache(values, f"{kept}maps", Codec(MapReport), seconds=settings.read_cache_ttl),
        searches=lambda name: ValkeyCache(values, name, reports, seconds=settings.search_cache_ttl),
        opened=steps.open,
        closed=close,
    )
