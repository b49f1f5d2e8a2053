"""A process that spends: `python -m tests.store.worker STORE LIMIT NAME COUNT`. Writes each granted key as it is durable.

STORE: the path of an SQLite file or the url of a server. COUNT 0: one call after the other until it is
killed; else COUNT reserves, eight at a time.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from research_mcp.core.budget import Budget
from research_mcp.core.errors import BudgetSpent
from research_mcp.core.instance import Quota, Secret
from research_mcp.store.db import Db
from research_mcp.store.quota import SqliteMeter
from research_mcp.store.valkey.address import parse_address
from research_mcp.store.valkey.line import Line
from research_mcp.store.valkey.meter import ValkeyMeter


class WallClock:
    def now(self) -> float:
        return time.time()


@asynccontextmanager
async def meter(store: str, limit: int) -> AsyncIterator[SqliteMeter | ValkeyMeter]:
    budgets = [Budget("brave", Quota(limit, "total"), "BRAVE_BUDGET")]
    if "://" in store:
        line = Line(parse_address(Secret(store)), "research-mcp:", WallClock())
        await line.open()
        yield ValkeyMeter(line, budgets)
        await line.close()
        return
    db = Db(Path(store), WallClock())
    await db.open()
    yield SqliteMeter(db, budgets)
    await db.close()


async def main(store: str, limit: str, name: str, count: str) -> None:
    async with meter(store, int(limit)) as opened:

        async def call(key: str) -> None:
            try:
                held = await opened.reserve("k", "brave", 1, key)
            except BudgetSpent:
                return
            sys.stdout.write(f"{key}\n")
            sys.stdout.flush()
            await opened.settle(held, 1)

        at, total = 0, int(count)
        while not total or at < total:
            width = min(8, total - at) if total else 1
            await asyncio.gather(*(call(f"{name}-{at + i}") for i in range(width)))
            at += width


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
