"""How often engines were confirmed: the contract of every back-end, and what outlives a restart."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from research_mcp.core.models import Topic
from research_mcp.core.ports import Confirmed
from research_mcp.store.agreements import EVERY, SqliteAgreements
from research_mcp.store.db import Db
from tests.store.backends import HandClock, World

GENERAL = Topic.GENERAL


async def test_nothing_is_known_at_first(world: World) -> None:
    store = await world.process()
    assert await store.agreements.known(GENERAL) == {}


async def test_shares_are_averaged_for_each_engine_and_topic(world: World) -> None:
    store = await world.process()
    await store.agreements.learn(GENERAL, {"one": 1.0})
    await store.agreements.learn(GENERAL, {"one": 0.0, "two": 0.5})
    await store.agreements.learn(Topic.NEWS, {"two": 1.0})
    assert await store.agreements.known(GENERAL) == {"one": Confirmed(0.5, 2), "two": Confirmed(0.5, 1)}
    assert await store.agreements.known(Topic.NEWS) == {"two": Confirmed(1.0, 1)}


async def test_the_far_past_fades(world: World) -> None:
    store = await world.process()
    for share in (1.0, 0.0):
        for _ in range(400):
            await store.agreements.learn(GENERAL, {"one": share})
        world.clock.time += EVERY + 1
        await store.agreements.known(GENERAL)
    one = (await store.agreements.known(GENERAL))["one"]
    assert one.lists == 300
    assert one.share < 0.3


async def test_what_was_learned_is_known_after_a_restart(lasting: World) -> None:
    first = await lasting.process()
    await first.agreements.known(GENERAL)
    for share in (1.0, 0.5, 0.0):
        await first.agreements.learn(GENERAL, {"one": share})
    await lasting.stop([first])
    second = await lasting.process()
    seen = await second.agreements.known(GENERAL)
    assert (seen["one"].share, seen["one"].lists) == (pytest.approx(0.5), 3)


async def test_processes_learn_from_each_other_within_a_minute(lasting: World) -> None:
    one, other = await lasting.process(), await lasting.process()
    for store, share in ((one, 1.0), (other, 0.0)):
        await store.agreements.known(GENERAL)
        for _ in range(10):
            await store.agreements.learn(GENERAL, {"brave": share})
    for _ in range(2):
        lasting.clock.time += EVERY + 1
        await one.agreements.known(GENERAL)
        seen = await other.agreements.known(GENERAL)
    assert (seen["brave"].share, seen["brave"].lists) == (pytest.approx(0.5), 20)
    assert await one.agreements.known(GENERAL) == seen


async def test_fifty_searches_write_nothing_until_the_next_meeting(tmp_path: Path) -> None:
    db = Db(tmp_path / "store", HandClock())
    await db.open()
    agreements = SqliteAgreements(db)
    await agreements.known(GENERAL)
    before = await db.read(lambda c: c.total_changes)
    for _ in range(50):
        await agreements.learn(GENERAL, {"one": 1.0, "two": 0.0})
        await agreements.known(GENERAL)
    assert await db.read(lambda c: c.total_changes) == before
    await agreements.save()
    assert await db.read(lambda c: c.total_changes) == before + 2
    await db.close()


async def test_a_clock_that_was_set_back_delays_no_meeting(tmp_path: Path) -> None:
    clock = HandClock()
    db = Db(tmp_path / "store", clock)
    await db.open()
    agreements = SqliteAgreements(db)
    await agreements.known(GENERAL)
    await agreements.learn(GENERAL, {"one": 1.0})
    clock.time -= 86_400
    await agreements.known(GENERAL)
    rows = await db.read(lambda c: c.execute("SELECT engine, lists FROM agreements").fetchall())
    assert rows == [("one", 1)]
    await db.close()


async def test_rows_of_a_topic_that_only_a_newer_program_knows_are_left_alone(tmp_path: Path) -> None:
    db = Db(tmp_path / "store", HandClock())
    await db.open()
    await db.write(lambda c: c.execute("INSERT INTO agreements VALUES ('shopping', 'one', 0.5, 3)"))
    assert await SqliteAgreements(db).known(GENERAL) == {}
    await db.close()


async def test_without_its_store_a_process_remembers_and_writes_later(tmp_path: Path) -> None:
    clock = HandClock()
    broken = True

    def connect(path: Path) -> sqlite3.Connection:
        if broken:
            raise sqlite3.OperationalError("unable to open")
        return sqlite3.connect(path, isolation_level=None, check_same_thread=False)

    db = Db(tmp_path / "store", clock, connect=connect)
    await db.open()
    agreements = SqliteAgreements(db)
    await agreements.learn(GENERAL, {"one": 1.0})
    assert await agreements.known(GENERAL) == {"one": Confirmed(1.0, 1)}
    clock.time += EVERY + 1
    assert await agreements.known(GENERAL) == {"one": Confirmed(1.0, 1)}
    broken = False
    assert (await db.health()).ok
    clock.time += EVERY + 1
    assert await agreements.known(GENERAL) == {"one": Confirmed(1.0, 1)}
    rows = await db.read(lambda c: c.execute("SELECT engine, lists FROM agreements").fetchall())
    assert rows == [("one", 1)]
    await db.close()
