"""What state on a server costs: each step, and all that one search asks for, on loopback.

    python -m bench state

On Debian's Redis and on Valkey: in memory, which is what the way there costs, and with the append-only
file, where the disk's own time comes on top. SQLite flushes before each answer too. Garbage is collected
as the running server does.
"""

from __future__ import annotations

import asyncio
import statistics
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from research_mcp.bootstrap import configure, read_environment
from research_mcp.bootstrap.assemble import SystemClock
from research_mcp.bootstrap.state import State, state_of
from research_mcp.cli.run import imports_done
from research_mcp.core.models import EngineRow, EngineState, MergedHit, Page, SearchQuery, SearchReport, Topic
from tests.kit.valkey import server

TIMES = 500
STORES = (
    ("Redis 7 in memory", "redis-server", "no"),
    ("Valkey 9 in memory", "valkey-server", "no"),
    ("Valkey 9, disk each second", "valkey-server", "everysec"),
    ("Valkey 9, disk before each answer", "valkey-server", "always"),
)
ACCOUNT = "EXA_API_KEY#1:aaaaaa"
REPORT = SearchReport(
    SearchQuery("tidal power"),
    tuple(
        MergedHit(
            f"Tidal power {n}", f"https://sea.example/{n}", "About tidal power. " * 8, engines={"exa": n}
        )
        for n in range(1, 31)
    ),
    tuple(EngineRow(name, EngineState.OK, 10) for name in ("exa", "brave", "duckduckgo")),
)
PAGE = Page("https://sea.example/", "https://sea.example/", "Tidal power. " * 1_600, "trafilatura")
Step = Callable[[int], Awaitable[object]]


def run() -> list[dict[str, object]]:
    """Each store's steps, and a whole search's, as milliseconds."""
    imports_done()
    rows = []
    for label, program, fsync in STORES:
        with (
            TemporaryDirectory() as folder,
            server(program, Path(folder) / "s", **_disk(fsync)) as store,
        ):
            # a month of usage behind it: that is what a budget has to add up
            now = int(SystemClock().now())
            fields = [f"h{now // 3_600 - back}" for back in range(48)]
            fields += [f"d{now // 86_400 - back}" for back in range(31)]
            for field in fields:
                store.command("HSET", f"research-mcp:used:exa|{ACCOUNT}", field, "3")
            store.command("SADD", "research-mcp:accounts:exa", ACCOUNT)
            rows += asyncio.run(_measured(label, Path(folder), VALKEY_URL=store.url))
    with TemporaryDirectory() as folder:
        rows += asyncio.run(_measured("SQLite", Path(folder)))
    return rows


def _disk(fsync: str) -> dict[str, str]:
    return {"appendonly": "no"} if fsync == "no" else {"appendonly": "yes", "appendfsync": fsync}


@asynccontextmanager
async def _opened(folder: Path, variables: dict[str, str]) -> AsyncIterator[State]:
    environment = {"DATA_DIR": str(folder), "EXA_API_KEY": "k", "EXA_BUDGET": "1000000/month", **variables}
    state = state_of(configure(read_environment(folder / "none", environment)), SystemClock())
    await state.opened()
    try:
        yield state
    finally:
        await state.closed()


async def _measured(label: str, folder: Path, **variables: str) -> list[dict[str, object]]:
    async with _opened(folder, variables) as state:
        searches = state.searches("searches")
        await searches.put("kept", REPORT)
        await state.pages.put("kept", PAGE)

        async def reserve(_: int) -> None:
            reservation = await state.meter.reserve(ACCOUNT, "exa", 1, uuid.uuid4().hex)
            await state.meter.settle(reservation, 1)

        async def search(number: int) -> None:
            """With a metered and a paced engine: what `web_search` asks of the store, in its order."""
            await searches.get(f"question {number}")
            await asyncio.gather(state.parking.rest("instance:exa"), state.parking.rest("instance:brave"))
            await asyncio.gather(state.paces.take(f"engine-{number}", 45), reserve(number))
            await state.agreements.learn(Topic.GENERAL, {"exa": 0.5})
            await state.agreements.known(Topic.GENERAL)
            await searches.put(f"question {number}", REPORT)

        steps: dict[str, Step] = {
            "who rests": lambda _: state.parking.rest("instance:exa"),
            "a pace": lambda number: state.paces.take(f"pace-{number}", 45),
            "reserve, settle": reserve,
            "a cached search of 30 hits": lambda _: searches.get("kept"),
            "a cached page of 20 KB": lambda _: state.pages.get("kept"),
            "all state of one search": search,
        }
        return [_row(f"{label}: {name}", await _times(step)) for name, step in steps.items()]


async def _times(step: Step) -> list[float]:
    for number in range(-20, 0):
        await step(number)
    times = []
    for number in range(TIMES):
        began = time.perf_counter()
        await step(number)
        times.append(1_000 * (time.perf_counter() - began))
        await asyncio.sleep(0)
    return times


def _row(name: str, times: list[float]) -> dict[str, object]:
    cuts = statistics.quantiles(times, n=100)
    return {
        "figure": name,
        "p50 ms": round(cuts[49], 2),
        "p95 ms": round(cuts[94], 2),
        "p99 ms": round(cuts[98], 2),
        "bar": "p99 < 2" if "in memory" in name else "",
    }
