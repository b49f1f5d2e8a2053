"""The store's versions: upgraded in one step, never opened by a program that is too old."""

import json
import sqlite3
from pathlib import Path

import pytest

from research_mcp.core.budget import Budget
from research_mcp.core.errors import BudgetSpent, ConfigError, Reason
from research_mcp.core.instance import Quota
from research_mcp.core.models import Topic
from research_mcp.core.ports import Confirmed, Reservation, Rest
from research_mcp.store.agreements import SqliteAgreements
from research_mcp.store.db import Db
from research_mcp.store.paces import SqlitePaces
from research_mcp.store.parking import SqliteParking
from research_mcp.store.quota import SqliteMeter
from research_mcp.store.schema import MIGRATIONS, migrate
from tests.store.backends import HandClock

STORES = {
    file.stem: file.read_text()
    for file in sorted((Path(__file__).parents[1] / "fixtures/store").glob("v*.sql"))
}
ACCOUNT = "TAVILY_1_API_KEY#1:abc123"
NEXT = (*MIGRATIONS, ("ALTER TABLE usage ADD COLUMN note TEXT NOT NULL DEFAULT ''", "CREATE TABLE more (a)"))


def connect(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, isolation_level=None)


def version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def names(folder: Path) -> list[str]:
    return [file.name for file in folder.iterdir()]


@pytest.mark.parametrize("earlier", range(len(NEXT)))
def test_every_earlier_version_is_brought_to_the_newest_with_its_rows(tmp_path: Path, earlier: int) -> None:
    connection = connect(tmp_path / "store")
    migrate(connection, migrations=NEXT[:earlier])
    if earlier:
        connection.execute("INSERT INTO usage VALUES ('brave', 'k', 1, 7)")
    migrate(connection, migrations=NEXT)
    assert version(connection) == len(NEXT)
    rows = connection.execute("SELECT instance, units, note FROM usage").fetchall()
    assert rows == ([("brave", 7, "")] if earlier else [])
    connection.close()


def test_there_is_a_store_of_every_version_to_upgrade_from() -> None:
    assert list(STORES) == [f"v{n}" for n in range(1, len(MIGRATIONS) + 1)]


@pytest.mark.parametrize("written", STORES.values(), ids=STORES)
async def test_a_store_of_an_earlier_version_goes_on_with_all_it_knew(tmp_path: Path, written: str) -> None:
    connection = connect(tmp_path / "store")
    connection.executescript(written)
    earlier = version(connection)
    connection.close()
    db = Db(tmp_path / "store", HandClock())
    await db.open()
    month = Budget("tavily-1", Quota(9, "month"), "TAVILY_1_BUDGET")
    total = Budget("tavily-1", Quota(60, "total"), "TAVILY_1_BUDGET")
    meter = SqliteMeter(db, [month, total])
    taken_back = 10 if earlier >= 3 else 0
    rows = [(row.used, row.reserved, row.billed) for row in await meter.usage()]
    assert rows == [(9, 2, 40), (42 - taken_back, 2, 40)]
    with pytest.raises(BudgetSpent):
        await meter.reserve("k", "tavily-1", 1, "more")
    await meter.settle(Reservation("4f1c", ACCOUNT, "tavily-1", 2), 1)
    assert (await meter.usage())[0].used == 8
    await meter.reset("tavily-1")
    assert [row.used for row in await meter.usage()] == [0, 0]
    refused = await SqliteParking(db).rest("account:TAVILY_2_API_KEY#1:def456")
    assert refused == Rest(None, Reason.BAD_KEY, "the key was refused (status 401)")
    assert await SqlitePaces(db).take("duckduckgo", 45) == 40.0
    agreed = await SqliteAgreements(db).known(Topic.GENERAL)
    assert agreed == ({"brave": Confirmed(0.75, 12)} if earlier >= 2 else {})
    await db.close()
    connection = connect(tmp_path / "store")
    assert version(connection) == len(MIGRATIONS)
    connection.close()


@pytest.mark.parametrize("billed", [["brave", "k", 7], ["brave", "k", 7, 3]])
async def test_totals_of_every_version_start_a_new_store(tmp_path: Path, billed: list[object]) -> None:
    content = {"usage": [["brave", "k", 1_790_000_000 // 3_600, 5]], "billed": [billed]}
    (tmp_path / "store.totals").write_text(json.dumps(content))
    db = Db(tmp_path / "store", HandClock())
    rows = await SqliteMeter(db, [Budget("brave", Quota(9, "total"), "")]).usage()
    assert (rows[0].used, rows[0].billed) == (7 - sum(map(int, billed[3:])), 7)
    await db.close()


def test_a_failed_upgrade_changes_nothing(tmp_path: Path) -> None:
    connection = connect(tmp_path / "store")
    migrate(connection)
    with pytest.raises(sqlite3.OperationalError):
        migrate(connection, migrations=(*MIGRATIONS, ("CREATE TABLE more (a)", "DROP TABLE nonesuch")))
    assert version(connection) == len(MIGRATIONS)
    assert connection.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'more'").fetchone() == (0,)
    connection.close()


async def test_a_store_of_a_newer_program_stops_the_start_with_one_sentence(tmp_path: Path) -> None:
    connection = connect(tmp_path / "store")
    migrate(connection, migrations=NEXT)
    connection.close()
    db = Db(tmp_path / "store", HandClock())
    with pytest.raises(ConfigError) as stop:
        await db.open()
    assert str(stop.value) == (
        f"the store has schema version {len(NEXT)} and this program knows {len(MIGRATIONS)}: "
        "run the newer program, or move the store's file away"
    )
    await db.close()
    assert names(tmp_path) == ["store"]


async def test_a_store_that_a_newer_program_upgrades_meanwhile_is_left_alone(tmp_path: Path) -> None:
    db = Db(tmp_path / "store", HandClock())
    await db.open()
    await db.close()
    connection = connect(tmp_path / "store")
    migrate(connection, migrations=NEXT)
    connection.close()
    late = Db(tmp_path / "store", HandClock())
    health = await SqliteMeter(late).health()
    assert not health.ok
    assert f"schema version {len(NEXT)}" in health.detail
    await late.close()
