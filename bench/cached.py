"""What the facade costs where it has nothing to do: a cached answer beside a bare tool of the SDK.

    python -m bench cached

Both servers return the same structure to the same client, in turns, so that a busy machine slows both.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psutil
from mcp import Client

from bench.engines import EIGHT, engines
from bench.product import ROOT, free_port, interpreter, product, wait_open

CALLS = 150
ROUNDS = 4
AT_ONCE = 8
LEAST = 0.6
ARGUMENTS = {"query": "tidal power"}
Row = dict[str, object]


def run() -> list[Row]:
    """One row for each server; the note of the first tells the ratio."""
    # SearXNG stands in for DuckDuckGo, which is not there: a list that lacks an engine is not kept
    with engines("searxng", *EIGHT) as found, product(**found.variables()) as (ours, process, _):
        answer = asyncio.run(_answer(ours))
        with _bare(answer) as (theirs, pid):
            return asyncio.run(_compared({ours: process.pid, theirs: pid}))


async def _answer(endpoint: str) -> dict[str, object]:
    """The product's answer, which is in its cache from now on."""
    async with Client(endpoint) as client:
        await client.call_tool("web_search", ARGUMENTS)
        found = await client.call_tool("web_search", ARGUMENTS)
    structure: dict[str, Any] | None = found.structured_content
    if found.is_error or structure is None or "reused" not in " ".join(structure["notes"]):
        raise RuntimeError("the product did not answer from its cache")
    return structure


async def _compared(servers: dict[str, int]) -> list[Row]:
    seconds, cpu = dict.fromkeys(servers, 0.0), dict.fromkeys(servers, 0.0)
    for endpoint in servers:
        await _ask(endpoint, AT_ONCE)
    for _ in range(ROUNDS):
        for endpoint, pid in servers.items():
            before, started = _cpu(pid), time.perf_counter()
            await _ask(endpoint, CALLS)
            seconds[endpoint] += time.perf_counter() - started
            cpu[endpoint] += _cpu(pid) - before
    ours, theirs = servers
    calls = CALLS * ROUNDS
    share = f"{seconds[theirs] / seconds[ours]:.0%} of the bare tool's calls, {cpu[theirs] / cpu[ours]:.0%} by CPU"
    return [
        _row("this server, a cached search", calls, seconds[ours], cpu[ours], f">= {LEAST:.0%}", share),
        _row("the SDK alone, the same answer", calls, seconds[theirs], cpu[theirs], "", ""),
    ]


async def _ask(endpoint: str, calls: int) -> None:
    """`calls` of one client, some at once. Raises `RuntimeError` for an answer that is none."""
    places = asyncio.Semaphore(AT_ONCE)
    async with Client(endpoint) as client:

        async def once() -> None:
            async with places:
                if (await client.call_tool("web_search", ARGUMENTS)).is_error:
                    raise RuntimeError(f"{endpoint} failed")

        await asyncio.gather(*(once() for _ in range(calls)))


def _cpu(pid: int) -> float:
    times = psutil.Process(pid).cpu_times()
    return float(times.user + times.system)


def _row(what: str, calls: int, seconds: float, cpu: float, aim: str, note: str) -> Row:
    return {
        "what": what,
        "n": calls,
        "calls a second": round(calls / seconds),
        "CPU ms a call": round(cpu / calls * 1_000, 2),
        "aim": aim,
        "note": note,
    }


@contextmanager
def _bare(answer: dict[str, object]) -> Iterator[tuple[str, int]]:
    """(endpoint, process id) of a server that knows one answer."""
    port = free_port()
    with TemporaryDirectory() as folder:
        kept = Path(folder) / "answer.json"
        kept.write_text(json.dumps(answer))
        program = [interpreter(), str(ROOT / "bench" / "bare.py"), str(port), str(kept)]
        process = subprocess.Popen(program, stderr=subprocess.DEVNULL)
        try:
            wait_open(port)
            yield f"http://127.0.0.1:{port}/mcp", process.pid
        finally:
            process.terminate()
            process.wait(10)
