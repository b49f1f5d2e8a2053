"""The store's versions: upgraded in one step, never opened by a program that is too old."""

import sqlite3
from pathlib import Path

import pytest

from research_mcp.core.errors import ConfigError
from research_mcp.store.db import Db
from research_mcp.store.quota import SqliteMeter
from research_mcp.store.schema import MIGRATIONS, migrate
from tests.store.backends import HandClock

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
