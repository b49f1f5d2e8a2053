"""Several processes on one store: budgets are exact, and a killed process never hides what it spent."""

import asyncio
import random
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kit.valkey import server
from tests.store.worker import meter

ROOT = Path(__file__).parents[2]


@pytest.fixture(params=["sqlite", "redis-server", "valkey-server"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        path = tmp_path / "quota.sqlite3"
        yield str(path)
        connection = sqlite3.connect(path)
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        connection.close()
        return
    with server(request.param, tmp_path / "server", appendonly="yes") as running:
        yield running.url


def start(store: str, limit: int, name: str, count: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.store.worker", store, str(limit), name, str(count)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


async def used(store: str) -> int:
    async with meter(store, 1) as opened:
        return (await opened.usage())[0].used


def run_together(store: str, limit: int, count: int) -> int:
    """Four processes at once; how many calls were granted. None may fail."""
    workers = [start(store, limit, f"w{n}", count) for n in range(4)]
    granted = 0
    for worker in workers:
        out, err = worker.communicate(timeout=50)
        assert (worker.returncode, err) == (0, "")
        granted += len(out.splitlines())
    return granted


async def kill_often(store: str, times: int, seed: int) -> None:
    """Kill the spender at random moments: nothing granted is lost, one call too many per kill at most."""
    moments = random.Random(seed)
    granted = 0
    for kill in range(times):
        worker = start(store, 1_000_000, f"k{kill}", 0)
        assert worker.stdout is not None
        first = worker.stdout.readline()
        await asyncio.sleep(moments.uniform(0.0, 0.2))
        worker.kill()
        with worker, worker.stdout:  # `communicate` would pass over what came with the first line
            granted += len((first + worker.stdout.read()).splitlines())
        assert granted <= await used(store) <= granted + kill + 1


@pytest.mark.slow
async def test_four_processes_share_a_budget_exactly(store: str) -> None:
    assert run_together(store, limit=100, count=40) == 100
    assert await used(store) == 100


@pytest.mark.slow
async def test_a_killed_process_loses_nothing(store: str) -> None:
    await kill_often(store, times=2, seed=1)


@pytest.mark.slow
async def test_a_quota_of_five_thousand_holds_for_four_times_fifteen_hundred(store: str) -> None:
    assert run_together(store, limit=5_000, count=1_500) == 5_000
    assert await used(store) == 5_000


@pytest.mark.slow
async def test_twenty_kills_lose_nothing(store: str) -> None:
    await kill_often(store, times=20, seed=2)
