"""The back-ends of the store's contract. A new one joins with one entry in `BACKENDS`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Protocol

from research_mcp.core.budget import Budget
from research_mcp.core.ports import Agreements, Paces, Parking
from research_mcp.store.agreements import SqliteAgreements
from research_mcp.store.db import Db
from research_mcp.store.memory import MemoryAgreements, MemoryPaces, MemoryParking
from research_mcp.store.paces import SqlitePaces
from research_mcp.store.parking import SqliteParking
from research_mcp.store.quota import SqliteMeter
from research_mcp.store.valkey.agreements import ValkeyAgreements
from research_mcp.store.valkey.line import Line
from research_mcp.store.valkey.meter import ValkeyMeter
from research_mcp.store.valkey.paces import ValkeyPaces
from research_mcp.store.valkey.parking import ValkeyParking
from tests.kit.valkey import Server

START = 1_790_000_000.0  # Monday, 2026-09-21 14:13:20 UTC


class HandClock:
    """A `core.ports.Clock` that stands still until it is moved. Any thread may read it."""

    def __init__(self, start: float = START) -> None:
        self.time = start

    def now(self) -> float:
        return self.time


class Store(Protocol):
    """One process's view of a back-end. `close` is an orderly stop: nothing held back is lost."""

    parking: Parking
    paces: Paces
    agreements: Agreements

    def meter(self, *budgets: Budget) -> SqliteMeter | ValkeyMeter: ...

    async def close(self) -> None: ...


Start = Callable[[str], Server]
"""The running server of that program, the same for a whole session."""

Open = Callable[["World"], Awaitable[Store]]


@dataclass
class Backend:
    """`lasting`: what it keeps outlives a process and is seen by others; then it also has a meter."""

    name: str
    open: Open
    lasting: bool = True


class _Memory:
    def __init__(self, clock: HandClock) -> None:
        self.parking = MemoryParking(clock)
        self.paces = MemoryPaces(clock)
        self.agreements = MemoryAgreements()

    def meter(self, *budgets: Budget) -> SqliteMeter | ValkeyMeter:
        raise NotImplementedError("money is never kept in memory alone")

    async def close(self) -> None:
        pass


class _Sqlite:
    def __init__(self, db: Db) -> None:
        self.db = db
        self.parking = SqliteParking(db)
        self.paces = SqlitePaces(db)
        self.agreements = SqliteAgreements(db)

    def meter(self, *budgets: Budget) -> SqliteMeter | ValkeyMeter:
        return SqliteMeter(self.db, budgets)

    async def close(self) -> None:
        await self.agreements.save()
        await self.db.close()


class _Valkey:
    def __init__(self, line: Line) -> None:
        self.line = line
        self.parking = ValkeyParking(line)
        self.paces = ValkeyPaces(line)
        self.agreements = ValkeyAgreements(line)

    def meter(self, *budgets: Budget) -> SqliteMeter | ValkeyMeter:
        return ValkeyMeter(self.line, budgets)

    async def close(self) -> None:
        await self.agreements.save()
        await self.line.close()


async def _memory(world: World) -> Store:
    return _Memory(world.clock)


async def _sqlite(world: World) -> Store:
    db = Db(world.folder / "data" / "quota.sqlite3", world.clock)
    await db.open()
    return _Sqlite(db)


async def _valkey(program: str, world: World) -> Store:
    line = Line(world.start(program).address, f"{world.folder}:", world.clock)
    await line.open()
    return _Valkey(line)


BACKENDS = (
    Backend("memory", _memory, lasting=False),
    Backend("sqlite", _sqlite),
    Backend("redis", partial(_valkey, "redis-server")),
    Backend("valkey", partial(_valkey, "valkey-server")),
)
LASTING = tuple(backend for backend in BACKENDS if backend.lasting)


@dataclass
class World:
    """Processes that come and go around one store; on servers, the folder's name keeps worlds apart."""

    backend: Backend
    folder: Path
    start: Start
    clock: HandClock = field(default_factory=HandClock)
    _open: list[Store] = field(default_factory=list)

    async def process(self) -> Store:
        store = await self.backend.open(self)
        self._open.append(store)
        return store

    async def stop(self, stores: Sequence[Store] = ()) -> None:
        for store in stores or tuple(self._open):
            self._open.remove(store)
            await store.close()
