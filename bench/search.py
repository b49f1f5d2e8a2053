"""What the facade adds to its engines: calls one by one, many at once, with one engine hanging; a peer.

    python -m bench search

Eight engines on loopback, 200 ms each. The time over 200 ms is the product's: protocol, turns, money,
eight vendor calls, merge and rendering.
"""

from __future__ import annotations

import asyncio
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass

from mcp import Client, MCPError

from bench.engines import EIGHT, Engines, engines, hits
from bench.peers import PEERS
from bench.product import free_port, product, wait_open
from research_mcp.core.models import Hit
from research_mcp.pipelines.search.fuse import fuse
from research_mcp.pipelines.search.pool import Ballot, pool

ENGINE_MS = 200
CALLS = 100
AT_ONCE = 50
CROWD = 200
HANGING = "exa"
PEER = "mcp-searxng"
_LIMITS = ("MCP_TOOL_RATE_MAX", "MCP_RATE_INIT_MAX", "MCP_RATE_SESSION_MAX", "MCP_HTTP_MAX_SESSIONS")
"""The peer's own limits, which would turn the load away."""

Tool = tuple[str, Callable[[int], dict[str, object]]]
OURS: Tool = ("web_search", lambda number: {"query": f"tidal power question {number}"})
THEIRS: Tool = ("searxng_web_search", lambda number: {"query": f"tidal power question {number}"})
Row = dict[str, object]


@dataclass(frozen=True, slots=True)
class Took:
    """One call: milliseconds, and whether it brought a list."""

    ms: float
    ok: bool = True


def run() -> list[Row]:
    """All figures, one row each."""
    rows = [_fusion()]
    with engines(*EIGHT) as eight:
        with product(SEARCH_CACHE_TTL="0", **eight.variables()) as (endpoint, _, _):
            rows += asyncio.run(_loads("this server, 8 engines", endpoint, OURS))
        with product(SEARCH_CACHE_TTL="0", **eight.variables()) as (endpoint, _, _):
            rows += asyncio.run(_hanging(endpoint, eight))
        with product(SEARCH_CACHE_TTL="0", **eight.variables()) as (endpoint, _, _):
            rows += asyncio.run(_crowd(endpoint))
    with engines("searxng") as one, _peer(one) as endpoint:
        if endpoint:
            rows += asyncio.run(_loads(f"{PEER}, 1 engine", endpoint, THEIRS))
    return rows


async def _loads(who: str, endpoint: str, tool: Tool) -> list[Row]:
    async with Client(endpoint) as client:
        await _timed(client, tool, range(-5, 0))
        single = await _timed(client, tool, range(CALLS))
    many = []
    for start in (1_000, 2_000, 3_000):
        many += await _together(endpoint, tool, range(start, start + AT_ONCE))
    return [
        _row(f"{who}: {CALLS} calls one by one", single, "p50 <= 260"),
        _row(f"{who}: {AT_ONCE} calls at once, 3 times", many, "p95 < 600"),
    ]


async def _timed(client: Client, tool: Tool, numbers: range) -> list[Took]:
    return [await _call(client, tool, number) for number in numbers]


async def _call(client: Client, tool: Tool, number: int) -> Took:
    name, arguments = tool
    started = time.perf_counter()
    try:
        ok = not (await client.call_tool(name, arguments(number))).is_error
    except MCPError:
        ok = False
    return Took((time.perf_counter() - started) * 1_000, ok)


async def _together(endpoint: str, tool: Tool, numbers: range) -> list[Took]:
    """Each call from a client of its own, all of them connected before the first call."""
    async with AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(Client(endpoint)) for _ in numbers]
        calls = (_call(client, tool, number) for client, number in zip(clients, numbers, strict=True))
        return await asyncio.gather(*calls)


async def _hanging(endpoint: str, eight: Engines) -> list[Row]:
    async with Client(endpoint) as client:
        await _timed(client, OURS, range(5_000, 5_005))
        eight.delay(HANGING, None)
        before = eight.calls(HANGING)
        took = await _timed(client, OURS, range(6_000, 6_030))
        wasted = eight.calls(HANGING) - before
        eight.delay(HANGING, ENGINE_MS / 1_000)
    row = _row("this server, one engine of 8 hangs: 30 calls one by one", took, "max <= 1800, 5 wasted calls")
    return [row | {"note": f"{wasted} calls to the hanging engine"}]


async def _crowd(endpoint: str) -> list[Row]:
    async with Client(endpoint) as client:
        await _timed(client, OURS, range(-5, 0))
        alone = _row("", await _timed(client, OURS, range(7_000, 7_040)), "")
    row = _row(
        f"this server: {CROWD} clients, one call each",
        await _together(endpoint, OURS, range(8_000, 8_000 + CROWD)),
        "0 failed, p95 <= 3 x alone",
    )
    ratio = float(str(row["p95 ms"])) / float(str(alone["p95 ms"]))
    return [row | {"note": f"{ratio:.1f} x the p95 of one client alone ({alone['p95 ms']} ms)"}]


def _fusion() -> Row:
    names = [f"{name}{half}" for name in EIGHT for half in ("", "b")][:15]
    ballots = [
        Ballot.of(name, [Hit(title, url, text) for title, url, text in hits(name, "tidal power")])
        for name in names
    ]
    took = []
    for _ in range(30):
        started = time.perf_counter()
        fuse("tidal power cost", ballots, list(pool(ballots).values()))
        took.append(Took((time.perf_counter() - started) * 1_000))
    return _row("merge of 15 lists of 10, CPU", took, "p50 <= 15")


def _row(what: str, took: Sequence[Took], aim: str) -> Row:
    ordered = sorted(one.ms for one in took)
    return {
        "what": what,
        "n": len(ordered),
        "failed": sum(not one.ok for one in took),
        "p50 ms": round(statistics.median(ordered), 1),
        "p95 ms": round(ordered[max(0, round(len(ordered) * 0.95) - 1)], 1),
        "max ms": round(ordered[-1], 1),
        "aim": aim,
        "note": "",
    }


@contextmanager
def _peer(one: Engines) -> Iterator[str]:
    """The peer's endpoint, or "" when the registry does not have it."""
    peer = next(peer for peer in PEERS if peer.name == PEER)
    if not peer.install():
        yield ""
        return
    program, arguments, env = peer.start()
    port = free_port()
    env |= {
        "SEARXNG_URL": f"http://127.0.0.1:{one.ports['searxng']}",
        "MCP_HTTP_PORT": str(port),
        **dict.fromkeys(_LIMITS, "100000"),
    }
    process = subprocess.Popen(
        [program, *arguments], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        wait_open(port)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.terminate()
        process.wait(10)
