"""A process that spends: `worker.py PATH LIMIT NAME COUNT`. Writes each granted key as it is durable.

COUNT 0: one call after the other until it is killed; else COUNT reserves, eight at a time.
"""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path

from research_mcp.core.budget import Budget
from research_mcp.core.errors import BudgetSpent
from research_mcp.core.instance import Quota
from research_mcp.store.db import Db
from research_mcp.store.quota import SqliteMeter


class WallClock:
    def now(self) -> float:
        return time.time()


async def main(path: str, limit: str, name: str, count: str) -> None:
    db = Db(Path(path), WallClock())
    await db.open()
    meter = SqliteMeter(db, [Budget("brave", Quota(int(limit), "total"), "BRAVE_BUDGET")])

    async def call(key: str) -> None:
        try:
            held = await meter.reserve("k", "brave", 1, key)
        except BudgetSpent:
            return
        sys.stdout.write(f"{key}\n")
        sys.stdout.flush()
        await meter.settle(held, 1)

    at, total = 0, int(count)
    while not total or at < total:
        width = min(8, total - at) if total else 1
        await asyncio.gather(*(call(f"{name}-{at + i}") for i in range(width)))
        at += width
    await db.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
