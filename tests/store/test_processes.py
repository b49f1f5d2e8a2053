"""Several processes on one file: budgets are exact, and a killed process never hides what it spent."""

import asyncio
import random
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from research_mcp.core.budget import Budget
from research_mcp.core.instance import Quota
from research_mcp.store.db import Db
from research_mcp.store.quota import SqliteMeter
from tests.store.worker import WallClock

WORKER = Path(__file__).with_name("worker.py")


def start(path: Path, limit: int, name: str, count: int) -> subprocess.Popen[str]:
    command = [sys.executable, str(WORKER), str(path), str(limit), name, str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


async def used(path: Path) -> int:
    db = Db(path, WallClock())
    await db.open()
    rows = await SqliteMeter(db, [Budget("brave", Quota(1, "total"), "")]).usage()
    await db.close()
    return rows[0].used


def run_together(path: Path, limit: int, count: int) -> int:
    """Four processes at once; how many calls were granted. None may fail."""
    workers = [start(path, limit, f"w{n}", count) for n in range(4)]
    granted = 0
    for worker in workers:
        out, err = worker.communicate(timeout=50)
        assert (worker.returncode, err) == (0, "")
        granted += len(out.splitlines())
    return granted


async def kill_often(path: Path, times: int, seed: int) -> None:
    """Kill the spender at random moments: nothing granted is lost, one call too many per kill at most."""
    moments = random.Random(seed)
    granted = 0
    for kill in range(times):
        worker = start(path, 1_000_000, f"k{kill}", 0)
        assert worker.stdout is not None
        first = worker.stdout.readline()
        await asyncio.sleep(moments.uniform(0.0, 0.2))
        worker.kill()
        out, _ = worker.communicate(timeout=20)
        granted += len((first + out).splitlines())
        assert granted <= await used(path) <= granted + kill + 1
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()


async def test_four_processes_share_a_budget_exactly(tmp_path: Path) -> None:
    path = tmp_path / "quota.sqlite3"
    assert run_together(path, limit=100, count=40) == 100
    assert await used(path) == 100


async def test_a_killed_process_loses_nothing(tmp_path: Path) -> None:
    await kill_often(tmp_path / "quota.sqlite3", times=2, seed=1)


@pytest.mark.slow
async def test_a_quota_of_five_thousand_holds_for_four_times_fifteen_hundred(tmp_path: Path) -> None:
    path = tmp_path / "quota.sqlite3"
    assert run_together(path, limit=5_000, count=1_500) == 5_000
    assert await used(path) == 5_000


@pytest.mark.slow
async def test_twenty_kills_lose_nothing(tmp_path: Path) -> None:
    await kill_often(tmp_path / "quota.sqlite3", times=20, seed=2)
