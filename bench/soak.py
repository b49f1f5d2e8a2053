"""Hours of use in short: agents of both protocol eras, failing engines and pages, clients that leave.

`SOAK_MINUTES` (30) is how long. What counts is that nothing is left behind: memory, tasks, sockets and
workers after the load are those before it, and every call ends with an answer.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import random
import statistics
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from urllib.request import urlopen

import psutil
from mcp import Client
from mcp.shared.exceptions import MCPError

from bench.engines import EIGHT, Engines, engines
from bench.product import product, tree_memory
from bench.site import ARTICLES, site

AGENTS = 6
SETTLE = 12.0
"""Seconds until idle connections are closed and tasks of the last calls have ended."""

WELL = (0.02, 200)
FAULTS: tuple[tuple[float | None, int], ...] = ((None, 200), (0.02, 503), (0.02, 429), (1.0, 200))
"""Seconds (None: never) and status of an engine that is out of order."""


@dataclass(frozen=True, slots=True)
class Sample:
    """The server at one moment: megabytes of the whole tree and of the main process, and what that one holds."""

    memory: float
    server: float
    tasks: int
    sockets: int
    files: int
    workers: int


@dataclass
class Soak:
    """What one run saw. `before` is idle after a warm-up, `after` idle after the load."""

    before: Sample
    after: Sample
    load: list[Sample] = field(default_factory=list)
    calls: Counter[str] = field(default_factory=Counter)
    slowest: float = 0.0

    @property
    def growth(self) -> float:
        """Of the whole tree. In a short run it is mostly what hostile pages hold at the moment."""
        return self._growth([sample.memory for sample in self.load])

    @property
    def server_growth(self) -> float:
        """Of the main process, which alone lives as long as the server does."""
        return self._growth([sample.server for sample in self.load])

    @staticmethod
    def _growth(sizes: list[float]) -> float:
        """The last quarter of the load over the second quarter, minus 1."""
        quarter = len(sizes) // 4
        return statistics.median(sizes[-quarter:]) / statistics.median(sizes[quarter : 2 * quarter]) - 1


class _Load:
    """The agents, and the one who makes things fail."""

    def __init__(self, endpoint: str, base: str, eight: Engines, calls: Counter[str]) -> None:
        self._endpoint = endpoint
        self._base = base
        self._eight = eight
        self._calls = calls
        self._dice = random.Random(7)
        self._fresh = itertools.count()
        self.slowest = 0.0

    async def run(self, seconds: float, agents: int) -> None:
        """Until `seconds` are over; calls in flight are waited for."""
        ends = time.monotonic() + seconds
        modes = itertools.cycle(("auto", "legacy"))
        everyone = [self._agent(next(modes), ends) for _ in range(agents)]
        await asyncio.gather(*everyone, self._leaver(ends), self._trouble(ends))

    async def _agent(self, mode: str, ends: float) -> None:
        while time.monotonic() < ends:  # a client for some calls, as agents come and go
            async with Client(self._endpoint, mode=mode) as client:
                for _ in range(20):
                    if time.monotonic() < ends:
                        await self._call(client)

    async def _call(self, client: Client) -> None:
        name, arguments = self._next()
        started = time.monotonic()
        try:
            outcome = "error" if (await client.call_tool(name, arguments)).is_error else "ok"
        except MCPError:
            outcome = "lost"
        self.slowest = max(self.slowest, time.monotonic() - started)
        self._calls[f"{name} {outcome}"] += 1

    def _next(self) -> tuple[str, dict[str, object]]:
        number = next(self._fresh)
        fresh = f"{self._base}/article/{number % ARTICLES}?n={number}"
        odd = [f"{self._base}/{path}/{number}" for path in ("reset", "nothing", "hostile")]
        choices: list[tuple[str, dict[str, object]]] = [
            ("web_search", {"query": f"tides {number}"}),
            ("web_search", {"query": f"tides {number % 7}"}),
            ("read_page", {"url": fresh}),
            ("read_page", {"url": self._dice.choice(odd)}),
            ("read_page", {"url": f"{self._base}/hostile/{number % 8}?n={number}", "max_chars": 1000}),
            ("read_pages", {"urls": [fresh, odd[0], f"{self._base}/article/{number % 3}", "not a url"]}),
            ("search_and_read", {"query": f"sediment {number}", "num_results": 2}),
            ("web_search", {"query": ""}),
        ]
        return self._dice.choices(choices, weights=(4, 3, 4, 2, 1, 3, 1, 1))[0]

    async def _leaver(self, ends: float) -> None:
        """Clients that drop in the middle of a call whose page never comes."""
        host, port = self._endpoint.removeprefix("http://").removesuffix("/mcp").split(":")
        while time.monotonic() < ends:
            call = {
                "jsonrpc": "2.0",
                "id": 1,
                "method": "tools/call",
                "params": {
                    "name": "read_page",
                    "arguments": {"url": f"{self._base}/hang/{next(self._fresh)}"},
                },
            }
            body = json.dumps(call).encode()
            head = (
                f"POST /mcp HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Type: application/json\r\n"
                f"Accept: application/json, text/event-stream\r\nContent-Length: {len(body)}\r\n\r\n"
            )
            with suppress(OSError):
                _, writer = await asyncio.open_connection(host, int(port))
                writer.write(head.encode() + body)
                await asyncio.sleep(0.5)
                writer.transport.abort()
                self._calls["clients that left"] += 1

    async def _trouble(self, ends: float) -> None:
        for fault in itertools.cycle(FAULTS):
            if time.monotonic() >= ends:
                return
            engine = self._dice.choice(EIGHT)
            self._eight.delay(engine, *fault)
            await asyncio.sleep(min(5.0, max(0.0, ends - time.monotonic())))
            self._eight.delay(engine, *WELL)


def _sample(endpoint: str, pid: int) -> Sample:
    process = psutil.Process(pid)
    with urlopen(f"{endpoint.removesuffix('/mcp')}/metrics", timeout=20) as answer:
        lines = answer.read().decode().splitlines()
    tasks = next(
        float(line.split()[1]) for line in lines if line.startswith("research_mcp_event_loop_tasks ")
    )
    return Sample(
        memory=tree_memory(pid)["proportional"],
        server=process.memory_full_info().uss / 1e6,
        tasks=int(tasks),
        sockets=len(process.net_connections()),
        files=process.num_fds(),
        workers=len(process.children(recursive=True)),
    )


@asynccontextmanager
async def _sampled(endpoint: str, pid: int, every: float, into: list[Sample]) -> AsyncIterator[None]:
    async def watch() -> None:
        while True:
            await asyncio.sleep(every)
            into.append(await asyncio.to_thread(_sample, endpoint, pid))

    task = asyncio.create_task(watch())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def soak(seconds: float, *, warm_up: float, agents: int = AGENTS, **variables: str) -> Soak:
    """One run of `seconds` after a warm-up that fills caches and pools."""
    with (
        site() as base,
        engines(*EIGHT, seconds=WELL[0]) as eight,
        product(sys.executable, **eight.variables(), ROBOTS="ignore", **variables) as (endpoint, process, _),
    ):
        return asyncio.run(_soak(seconds, warm_up, agents, (endpoint, base, eight), process.pid))


async def _soak(
    seconds: float, warm_up: float, agents: int, where: tuple[str, str, Engines], pid: int
) -> Soak:
    endpoint = where[0]
    await _Load(*where, Counter()).run(warm_up, agents)
    await asyncio.sleep(SETTLE)
    before = await asyncio.to_thread(_sample, endpoint, pid)
    seen = Soak(before, before)
    load = _Load(*where, seen.calls)
    async with _sampled(endpoint, pid, max(1.0, seconds / 120), seen.load):
        await load.run(seconds, agents)
    await asyncio.sleep(SETTLE)
    seen.after = await asyncio.to_thread(_sample, endpoint, pid)
    seen.slowest = load.slowest
    return seen


def run() -> list[dict[str, object]]:
    """One row for each thing that must not be left behind."""
    minutes = float(os.environ.get("SOAK_MINUTES", "30"))
    seen = soak(minutes * 60, warm_up=min(120.0, minutes * 6))
    before, after = seen.before, seen.after
    lost = sum(count for name, count in seen.calls.items() if name.endswith(" lost"))
    return [
        _row(f"calls in {minutes:g} minutes", sum(seen.calls.values()), ""),
        _row("calls without an answer", lost, "0"),
        _row("slowest call, s", round(seen.slowest, 1), "55"),
        _row("memory of all processes, last quarter over second", f"{seen.growth:+.1%}", "+5%"),
        _row("memory of the main process, last quarter over second", f"{seen.server_growth:+.1%}", "+5%"),
        _row("memory idle before and after, MB", f"{before.memory:.0f}, {after.memory:.0f}", ""),
        _row("tasks idle before and after", f"{before.tasks}, {after.tasks}", "equal"),
        _row("sockets idle before and after", f"{before.sockets}, {after.sockets}", "not more"),
        _row("open files idle before and after", f"{before.files}, {after.files}", "not more"),
        _row("processes below, before and after", f"{before.workers}, {after.workers}", "equal"),
        *(_row(name, count, "") for name, count in sorted(seen.calls.items())),
    ]


def _row(figure: str, value: object, bar: str) -> dict[str, object]:
    return {"figure": figure, "value": value, "bar": bar}
