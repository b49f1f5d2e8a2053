"""Whatever happens to the store: free work goes on, paid work stops with a reason, and it heals."""

import asyncio
import logging
import os
import resource
import sqlite3
import stat
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from research_mcp.core.budget import Budget
from research_mcp.core.errors import BudgetSpent, Reason, StoreUnavailable
from research_mcp.core.instance import Quota
from research_mcp.core.ports import Rest, Usage
from research_mcp.store import db as db_module
from research_mcp.store.db import Db
from research_mcp.store.faults import Damaged
from research_mcp.store.paces import SqlitePaces
from research_mcp.store.parking import SqliteParking
from research_mcp.store.quota import SqliteMeter
from tests.store.backends import START, HandClock

KEY = "account:BRAVE_API_KEY#1:abc123"
REFUSED = Rest(None, Reason.BAD_KEY, "the key was refused (status 401)")
TEN = Budget("brave", Quota(10, "month"), "BRAVE_BUDGET")


class Disk:
    """SQLite's way to the disk, with a switch that makes each new connection read-only."""

    def __init__(self) -> None:
        self.read_only = False

    def connect(self, path: Path) -> sqlite3.Connection:
        connection = db_module.connect(path)
        if self.read_only:
            connection.close()
            return sqlite3.connect(f"file:{path}?mode=ro", uri=True, isolation_level=None)
        return connection


class Server:
    """One process's store, as bootstrap puts it together."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "data" / "quota.sqlite3"
        self.clock = HandClock()
        self.disk = Disk()
        self.start()

    def start(self) -> None:
        self.db = Db(self.path, self.clock, connect=self.disk.connect)
        self.meter = SqliteMeter(self.db, [TEN])
        self.parking = SqliteParking(self.db)
        self.paces = SqlitePaces(self.db)
        self.calls = 0

    async def spend(self, times: int = 1) -> None:
        for _ in range(times):
            self.calls += 1
            held = await self.meter.reserve("k", "brave", 1, f"{id(self.db)}-{self.calls}")
            await self.meter.settle(held, 1)

    async def refused(self) -> str:
        with pytest.raises(StoreUnavailable) as refusal:
            await self.spend()
        assert refusal.value.rest_for == 0.0
        assert not refusal.value.sent
        assert str(self.path) not in str(refusal.value)
        return str(refusal.value)

    async def free_work(self) -> None:
        """What every search does, paid or not."""
        await self.parking.park("instance:duckduckgo", Rest(self.clock.time + 60, Reason.BLOCKED))
        assert await self.parking.rest("instance:duckduckgo")
        await self.parking.release("instance:duckduckgo")
        assert await self.parking.rest("instance:duckduckgo") is None
        name = f"engine-{time.monotonic_ns()}"
        assert await self.paces.take(name, 45) == 0.0
        assert await self.paces.take(name, 45) > 0.0

    async def used(self) -> int:
        rows: tuple[Usage, ...] = await self.meter.usage()
        return rows[0].used

    def set_aside(self) -> list[str]:
        names = [file.name for file in self.path.parent.glob("quota.sqlite3.damaged-*")]
        return [name for name in names if not name.endswith(("-wal", "-shm"))]


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Server]:
    server = Server(tmp_path)
    await server.db.open()
    yield server
    await server.db.close()


@contextmanager
def locked(path: Path) -> Iterator[None]:
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        other.execute("ROLLBACK")
        other.close()


@contextmanager
def no_space() -> Iterator[None]:
    """No file of this process may grow: SQLite's writes fail as on a broken or full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def break_file(path: Path) -> None:
    """Overwrite the file's first pages behind everybody's back, with nothing left in the log."""
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("INSERT OR REPLACE INTO probes VALUES ('breaker', 1)")
    other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    other.close()
    with path.open("r+b") as handle:
        handle.write(os.urandom(8_192))


async def test_the_store_and_its_folder_are_created_for_their_owner_alone(server: Server) -> None:
    await server.spend()
    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in server.path.parent.iterdir()}
    assert set(modes) >= {"quota.sqlite3", "quota.sqlite3-wal", "quota.sqlite3.totals"}
    assert set(modes.values()) == {0o600}
    assert stat.S_IMODE(server.path.parent.stat().st_mode) == 0o700


async def test_a_store_that_others_could_read_is_closed_to_them(tmp_path: Path) -> None:
    path = tmp_path / "quota.sqlite3"
    path.touch(mode=0o644)
    db = Db(path, HandClock())
    await db.open()
    await db.close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


async def test_read_only(server: Server, caplog: pytest.LogCaptureFixture) -> None:
    await server.spend(2)
    await server.parking.park(KEY, REFUSED)
    await server.db.close()
    server.disk.read_only = True
    server.start()
    await server.db.open()
    assert await server.refused() == (
        "this server's budget store cannot be used (it is read-only): "
        "metered providers pause until it works again"
    )
    await server.free_work()
    assert not (await server.meter.health()).ok
    server.disk.read_only = False
    assert (await server.meter.health()).ok
    await server.spend(2)
    assert await server.used() == 4
    assert await server.parking.rest(KEY) == REFUSED
    assert "works again" in caplog.text


async def test_full_disk(server: Server) -> None:
    await server.spend(2)
    await server.parking.park(KEY, REFUSED)
    assert await server.parking.rest(KEY)
    held = await server.meter.reserve("k", "brave", 1, "in flight when it filled")
    with no_space():
        assert "the disk" in await server.refused()
        await server.free_work()
        await server.meter.settle(held, 3)
        await server.parking.park("account:late", REFUSED)
        assert await server.parking.rest(KEY) == REFUSED
        assert await server.parking.rest("account:late") == REFUSED
        health = await server.meter.health()
        assert not health.ok
        assert "the disk" in health.detail
    assert (await server.meter.health()).ok
    assert await server.used() == 5
    await server.spend()
    await server.db.close()
    server.start()
    assert await server.parking.rest("account:late") == REFUSED


async def test_locked(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(db_module, "LOCK_WAIT_MS", 300)
    await server.spend()
    with locked(server.path):
        began = time.monotonic()
        paid = asyncio.create_task(server.refused())
        await server.free_work()
        assert "another process keeps it locked" in await paid
        assert not (await server.meter.health()).ok
        await server.free_work()
        assert time.monotonic() - began < 5.0
    assert (await server.meter.health()).ok
    await server.spend()
    assert await server.used() == 2


@pytest.mark.slow
async def test_locked_for_ten_seconds(server: Server) -> None:
    await server.spend()
    with locked(server.path):
        began = time.monotonic()
        paid = [asyncio.create_task(server.refused()) for _ in range(5)]
        health = await server.meter.health()
        assert not health.ok
        assert time.monotonic() - began < 5.0
        slowest = 0.0
        while time.monotonic() - began < 10.0:
            once = time.monotonic()
            await server.free_work()
            slowest = max(slowest, time.monotonic() - once)
            await asyncio.sleep(0.05)
        assert slowest < 3.0
        await asyncio.gather(*paid)
    began = time.monotonic()
    assert (await server.meter.health()).ok
    await server.spend()
    assert time.monotonic() - began < 5.0
    assert await server.used() == 2


async def test_a_short_lock_only_delays(server: Server) -> None:
    with locked(server.path):
        paid = asyncio.create_task(server.spend())
        await asyncio.sleep(0.1)
        assert not paid.done()
    await paid
    assert await server.used() == 1


async def test_damaged_at_the_start(server: Server, caplog: pytest.LogCaptureFixture) -> None:
    await server.spend(4)
    await server.meter.reserve("k", "brave", 2, "open at the crash")
    await server.db.close()
    break_file(server.path)
    server.start()
    await server.db.open()
    assert server.set_aside() == ["quota.sqlite3.damaged-20260921T141320"]
    assert await server.used() == 6
    health = await server.meter.health()
    assert health.ok
    assert "damaged at 20260921T141320" in health.detail
    assert "starts at the last known totals (brave 6)" in caplog.text
    await server.spend(4)
    with pytest.raises(BudgetSpent):
        await server.spend()


async def test_damaged_while_running(server: Server) -> None:
    await server.spend(4)
    await server.used()
    break_file(server.path)
    await server.spend(5)
    assert await server.used() == 9
    assert len(server.set_aside()) == 1
    await server.free_work()
    await server.db.close()
    server.start()
    assert await server.used() == 9


async def test_another_process_finds_the_new_file_after_a_damage(server: Server) -> None:
    other = Db(server.path, server.clock)
    meter = SqliteMeter(other, [TEN])
    await meter.settle(await meter.reserve("k", "brave", 1, "other"), 1)
    await server.spend()
    break_file(server.path)
    await server.spend()
    held = await meter.reserve("k", "brave", 1, "other again")
    await meter.settle(held, 1)
    assert await server.used() == 4
    assert (await meter.usage())[0].used == 4
    assert len(server.set_aside()) == 1
    await other.close()
    await server.db.close()
    server.start()
    assert await server.used() == 4


async def test_removed_while_running(server: Server) -> None:
    await server.spend(3)
    await server.used()
    for file in server.path.parent.glob("quota.sqlite3*"):
        if not file.name.endswith(".totals"):
            file.unlink()
    await server.spend()
    assert server.path.exists()
    assert await server.used() == 4


async def test_a_folder_that_cannot_be_made_and_then_can(tmp_path: Path) -> None:
    blocker = tmp_path / "data"
    blocker.write_text("a file where the folder should be")
    server = Server(tmp_path)
    await server.db.open()
    assert "folder or file" in await server.refused()
    await server.free_work()
    assert not (await server.meter.health()).ok
    blocker.unlink()
    assert (await server.meter.health()).ok
    await server.spend()
    await server.db.close()


@pytest.mark.parametrize("content", ["", "{}", '{"usage": [[1]], "billed": []}', '{"usage": 3, "billed": 4}'])
async def test_unreadable_totals_are_said_and_not_fatal(
    tmp_path: Path, content: str, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "quota.sqlite3.totals").write_text(content)
    server = Server(tmp_path)
    await server.spend()
    assert await server.used() == 1
    assert "counts from zero" in caplog.text
    await server.db.close()


async def test_totals_that_cannot_be_written_do_not_stop_money(
    server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    server.path.with_name("quota.sqlite3.totals").mkdir()
    with caplog.at_level(logging.WARNING):
        await server.spend(2)
        assert await server.used() == 2
    assert "totals beside the store cannot be written" in caplog.text


async def test_everything_that_waited_is_written_before_what_comes_next(tmp_path: Path) -> None:
    server = Server(tmp_path)
    meter = SqliteMeter(server.db)
    held = await asyncio.gather(*(meter.reserve("k", "brave", 1, f"h{i}") for i in range(150)))
    with no_space():
        with pytest.raises(StoreUnavailable):
            await meter.reserve("k", "brave", 1, "no room")
        for reservation in held:
            await meter.settle(reservation, 2)
    rows = await meter.usage()
    assert (rows[0].used, rows[0].billed) == (300, 300)
    await server.db.close()


async def test_no_more_than_ten_thousand_writes_wait_for_a_broken_store(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(db_module, "MOST_KEPT", 3)
    held = [await server.meter.reserve("k", "brave", 1, f"h{i}") for i in range(6)]
    with no_space():
        await server.refused()
        for reservation in held:
            await server.meter.refund(reservation)
    assert (await server.meter.health()).ok
    assert 3 <= await server.used() <= 6


async def test_a_closed_store_refuses_and_pending_writes_are_done_first(server: Server) -> None:
    held = await server.meter.reserve("k", "brave", 5, "last")
    await server.meter.settle(held, 2)
    await server.db.close()
    await server.db.close()
    assert "stopping" in await server.refused()
    await server.meter.settle(held, 2)
    server.start()
    assert await server.used() == 2


async def test_a_bug_in_the_store_is_logged_and_does_not_stop_it(
    server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(StoreUnavailable, match=r"did not answer in 0\.2 s"):
        await server.db.write(lambda _: 1 // 0, patience=0.2)
    await server.spend()
    assert await server.used() == 1
    assert "ZeroDivisionError" in caplog.text


async def test_a_reason_of_a_later_program_is_understood(server: Server) -> None:
    await server.db.write(lambda c: c.execute("INSERT INTO rests VALUES ('account:x', NULL, 'novel', 'why')"))
    assert await server.parking.rest("account:x") == Rest(None, Reason.UPSTREAM_ERROR, "why")


async def test_the_clock_is_the_stores_own(server: Server) -> None:
    await server.spend()
    server.clock.time = START + 86_400 * 20
    assert await server.used() == 0


async def test_a_pace_is_kept_while_the_store_is_slow(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(db_module, "LOCK_WAIT_MS", 900)
    with locked(server.path):
        assert await server.paces.take("brave", 45) == 0.0
        assert await server.paces.take("brave", 45) == 45.0


async def test_a_file_whose_inner_pages_are_damaged_is_set_aside_too(server: Server) -> None:
    await server.spend(3)
    await server.db.close()
    size = server.path.stat().st_size
    with server.path.open("r+b") as handle:
        handle.seek(4_096)
        handle.write(bytes(size - 4_096))
    server.start()
    assert await server.used() == 3
    assert len(server.set_aside()) == 1


async def test_a_new_file_of_another_process_is_not_set_aside(server: Server) -> None:
    await server.spend(2)

    def replaced_meanwhile(connection: sqlite3.Connection) -> int:
        if not (server.path.parent / "old").exists():
            server.path.rename(server.path.parent / "old")
            server.path.touch()
            raise Damaged("seen just after another process had started anew")
        return 7

    assert await server.db.write(replaced_meanwhile) == 7
    assert server.set_aside() == []
    assert await server.used() == 2


async def test_writes_that_a_stop_leaves_undone_are_said(
    server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    held = await server.meter.reserve("k", "brave", 2, "last")
    with no_space():
        await server.meter.settle(held, 1)
        await server.db.close()
    assert "closes with 1 writes undone" in caplog.text
    server.start()
    assert await server.used() == 2
