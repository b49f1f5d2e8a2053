"""Whatever happens to the server: free work goes on, paid work stops with a reason, and it heals by itself."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from research_mcp.core.errors import BudgetSpent, ConfigError, Reason, StoreUnavailable
from research_mcp.core.instance import Secret
from research_mcp.core.ports import Rest
from research_mcp.store.valkey import line as line_module
from research_mcp.store.valkey.address import parse_address
from tests.kit.valkey import Server, server
from tests.store.valkey.replica import Replica

pytestmark = pytest.mark.slow  # each waits for the second in which a lost server is asked for again

KEY = "account:BRAVE_API_KEY#1:abc123"
REFUSED = Rest(None, Reason.BAD_KEY, "the key was refused (status 401)")


async def test_a_server_that_is_gone_and_comes_back(
    own_server: Server, replica: Replica, caplog: pytest.LogCaptureFixture
) -> None:
    await replica.spend(2)
    await replica.parking.park(KEY, REFUSED)
    assert await replica.parking.rest(KEY)
    held = await replica.meter.reserve("k", "brave", 1, "in flight when it went")
    own_server.kill()
    assert await replica.refused() == (
        "this server's budget store cannot be used (it cannot be reached): "
        "metered providers pause until it works again"
    )
    assert await replica.free_work() < 2.5
    await replica.meter.settle(held, 3)
    await replica.parking.park("account:late", REFUSED)
    assert await replica.parking.rest(KEY) == REFUSED
    assert await replica.parking.rest("account:late") == REFUSED
    health = await replica.meter.health()
    assert not health.ok
    assert "it cannot be reached" in health.detail
    own_server.start()
    assert await replica.healed() < 8.0
    await replica.spend(2)
    assert await replica.used() == 7
    other = Replica(own_server.address)
    assert await other.parking.rest("account:late") == REFUSED
    await other.line.close()
    assert "works again" in caplog.text
    assert caplog.text.count("cannot be used") == 1


async def test_a_replica_that_starts_before_the_server(own_server: Server) -> None:
    own_server.kill()
    replica = Replica(own_server.address)
    await replica.line.open()
    await replica.refused()
    await replica.free_work()
    own_server.start()
    await replica.healed()
    await replica.spend()
    await replica.line.close()


async def test_a_server_that_comes_back_is_found_though_nobody_asks(
    own_server: Server, replica: Replica
) -> None:
    await replica.spend()
    own_server.kill()
    await replica.refused()
    own_server.start()
    await asyncio.sleep(line_module.AGAIN_AFTER * 3)
    await replica.spend()


async def test_a_server_that_hangs(own_server: Server, replica: Replica) -> None:
    await replica.spend(2)
    with own_server.hanging():
        began = time.monotonic()
        paid = asyncio.create_task(replica.refused())
        assert await replica.free_work() < 6.0
        assert "in time" in await paid
        assert not (await replica.meter.health()).ok
        assert time.monotonic() - began < 15.0
        assert await replica.free_work() < 1.5
    await replica.healed()
    await replica.spend()
    assert await replica.used() == 3, "what was given up while it hung is not charged"


async def test_what_was_given_up_is_not_charged_in_whatever_order_it_arrives(
    own_server: Server, replica: Replica
) -> None:
    with own_server.hanging():
        leaving = [
            asyncio.create_task(replica.meter.reserve("k", "brave", 1, f"leave-{n}")) for n in range(5)
        ]
        await asyncio.sleep(0.05)
        for task in leaving:
            task.cancel()
        await asyncio.gather(*leaving, return_exceptions=True)
    await replica.healed()
    assert await replica.used() == 0
    await replica.spend(10)
    with pytest.raises(BudgetSpent):
        await replica.spend()


@pytest.mark.parametrize(
    ("harm", "heal", "why"),
    [
        (("CONFIG", "SET", "maxmemory", "1"), ("CONFIG", "SET", "maxmemory", "0"), "its memory is full"),
        (("REPLICAOF", "127.0.0.1", "9"), ("REPLICAOF", "NO", "ONE"), "it is a read-only replica"),
        (
            ("ACL", "SETUSER", "default", "-eval", "-set"),
            ("ACL", "SETUSER", "default", "+@all"),
            "its user may not do this",
        ),
    ],
)
async def test_a_server_that_takes_no_writes(
    own_server: Server, replica: Replica, harm: tuple[str, ...], heal: tuple[str, ...], why: str
) -> None:
    await replica.spend(2)
    held = await replica.meter.reserve("k", "brave", 1, "in flight")
    assert own_server.command(*harm).startswith(b"+")
    assert why in await replica.refused()
    await replica.free_work()
    await replica.meter.settle(held, 4)
    health = await replica.meter.health()
    assert not health.ok
    assert why in health.detail
    assert own_server.command(*heal).startswith(b"+")
    await replica.healed()
    assert await replica.used() == 6


async def test_a_connection_that_was_cut_meanwhile_fails_no_call(
    own_server: Server, replica: Replica, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(5):
        await replica.spend()
        own_server.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
    assert await replica.used() == 5
    assert caplog.text == ""


async def test_a_restart_of_the_server_keeps_every_count(own_server: Server, replica: Replica) -> None:
    await replica.spend(6)
    await replica.meter.reserve("k", "brave", 2, "open at the crash")
    own_server.kill()
    own_server.start()
    await replica.healed()
    assert await replica.used() == 8
    await replica.spend(2)
    with pytest.raises(BudgetSpent):
        await replica.spend()


async def test_a_settlement_counts_even_when_the_server_lost_its_reservation(
    own_server: Server, replica: Replica
) -> None:
    held = await replica.meter.reserve("k", "brave", 1, "lost")
    own_server.command("FLUSHALL")
    await replica.meter.settle(held, 3)
    await replica.meter.settle(held, 3)
    row = (await replica.meter.usage())[0]
    assert (row.used, row.billed) == (3, 3)


async def test_a_wrong_password_is_said_and_shown_nowhere(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with server("redis-server", tmp_path / "server", requirepass="right") as locked:
        wrong = Replica(parse_address(Secret(f"redis://:CANARY@127.0.0.1:{locked.port}")))
        await wrong.line.open()
        assert "it refuses the user or the password" in await wrong.refused()
        await wrong.line.close()
        none = Replica(locked.address)
        await none.line.open()
        assert "it refuses the user or the password" in await none.refused()
        await none.line.close()
        right = Replica(parse_address(Secret(f"redis://:right@127.0.0.1:{locked.port}")))
        await right.line.open()
        await right.spend()
        await right.line.close()
    assert "CANARY" not in caplog.text
    assert f"valkey://127.0.0.1:{locked.port}/0" in caplog.text


async def test_keys_of_a_newer_program_stop_the_start_with_one_sentence(own_server: Server) -> None:
    own_server.command("SET", "research-mcp:schema", "2")
    replica = Replica(own_server.address)
    with pytest.raises(ConfigError) as stop:
        await replica.line.open()
    assert str(stop.value) == (
        "the store has schema version 2 and this program knows 1: "
        "run the newer program, or choose another VALKEY_PREFIX"
    )
    assert "schema version 2" in await replica.refused()
    await replica.line.close()


async def test_a_bug_in_a_script_is_logged_and_does_not_stop_the_store(
    own_server: Server, replica: Replica, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(StoreUnavailable, match="answers with an error"):
        await replica.line.ask(("EVAL", "return nonesuch()", 0))
    replica.line.post(("GET",))
    await replica.spend()
    assert (await replica.meter.health()).ok
    assert "nonesuch" in caplog.text


@pytest.mark.parametrize("of", ["used", "billed", "accounts"])
async def test_counts_that_others_have_overwritten_are_no_healthy_store(
    own_server: Server, replica: Replica, of: str
) -> None:
    await replica.spend(2)
    answer = own_server.command("KEYS", f"research-mcp:{of}*").decode().split("\r\n")
    keys = [line for line in answer if line.startswith("research-mcp:")]
    assert keys
    for key in keys:
        own_server.command("DEL", key)
        own_server.command("RPUSH", key, "junk")
    health = await replica.meter.health()
    assert not health.ok
    assert "answers with an error" in health.detail
    if of != "billed":  # which is written only when a call is settled
        assert "answers with an error" in await replica.refused()
    await replica.free_work()
    for key in keys:
        own_server.command("DEL", key)
    assert (await replica.meter.health()).ok
    await replica.spend()


async def test_a_stop_sends_what_is_pending_first_and_later_work_is_refused(own_server: Server) -> None:
    replica = Replica(own_server.address)
    held = await replica.meter.reserve("k", "brave", 5, "last")
    await replica.meter.settle(held, 2)
    await replica.line.close()
    await replica.line.close()
    assert "stopping" in await replica.refused()
    await replica.meter.settle(held, 2)
    again = Replica(own_server.address)
    assert await again.used() == 2
    await again.line.close()


async def test_writes_that_a_stop_leaves_undone_are_said(
    own_server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    replica = Replica(own_server.address)
    held = await replica.meter.reserve("k", "brave", 2, "last")
    own_server.kill()
    await replica.meter.settle(held, 1)
    await replica.line.close()
    assert "closes with 1 writes undone" in caplog.text
    own_server.start()
    again = Replica(own_server.address)
    assert await again.used() == 2
    await again.line.close()


async def test_no_more_than_ten_thousand_writes_wait_for_a_broken_server(
    own_server: Server, replica: Replica, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line_module, "MOST_KEPT", 3)
    held = [await replica.meter.reserve("k", "brave", 1, f"h{i}") for i in range(6)]
    own_server.kill()
    await replica.refused()
    for reservation in held:
        await replica.meter.refund(reservation)
    own_server.start()
    await replica.healed()
    assert 3 <= await replica.used() <= 6
