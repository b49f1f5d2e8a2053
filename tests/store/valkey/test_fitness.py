"""A server that money should not be trusted to is named as such at the start, and used all the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kit.valkey import Server, server
from tests.store.backends import HandClock
from tests.store.valkey.replica import Replica

CLOCKS = "its clock and this machine's differ: set both by NTP"
EVICTS = "it may push out what was spent: set maxmemory-policy to volatile-lru"
FORGETS = "it has no append-only file: after a crash it forgets what was spent since its last snapshot"


async def said(of: Server, caplog: pytest.LogCaptureFixture, clock: HandClock | None = None) -> list[str]:
    replica = Replica(of.address, clock)
    await replica.line.open()
    assert (await replica.meter.health()).ok
    await replica.line.close()
    return [record.getMessage().partition("/0: ")[2] for record in caplog.records]


async def test_nothing_is_said_of_a_server_as_the_compose_file_starts_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    options = {
        "appendonly": "yes",
        "appendfsync": "always",
        "maxmemory": "512mb",
        "maxmemory_policy": "volatile-lru",
    }
    with server("valkey-server", tmp_path / "server", **options) as fit:
        assert await said(fit, caplog) == []


async def test_what_may_lose_money_is_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    options = {"maxmemory": "64mb", "maxmemory_policy": "allkeys-lru"}
    with server("redis-server", tmp_path / "server", **options) as unfit:
        assert await said(unfit, caplog) == [EVICTS, FORGETS]


async def test_clocks_that_differ_are_said(own_server: Server, caplog: pytest.LogCaptureFixture) -> None:
    assert await said(own_server, caplog, HandClock()) == [CLOCKS]


async def test_a_server_that_does_not_tell_is_used(
    own_server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    own_server.command("ACL", "SETUSER", "default", "-info", "-time")
    assert await said(own_server, caplog) == []
