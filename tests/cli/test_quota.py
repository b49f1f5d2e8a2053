"""`research-mcp quota`: on each store, while servers use it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from research_mcp.bootstrap import configure, read_environment
from research_mcp.bootstrap.assemble import SystemClock
from research_mcp.bootstrap.state import State, state_of
from research_mcp.cli import program
from research_mcp.core.errors import ConfigError, Reason, Rejected
from research_mcp.core.instance import Account
from research_mcp.core.ports import Rest
from research_mcp.providers.kit.login.tokens import LoginRing
from tests.kit.valkey import server
from tests.kit.xai import FakeXai, SetClock, grant

ACCOUNT = "TAVILY_1_API_KEY#1"


@dataclass
class Desk:
    """An operator at a terminal, and a server that runs meanwhile, on one store."""

    variables: Mapping[str, str]
    folder: Path

    def run(self, *words: str, answer: str = "") -> Result:
        env = {**self.variables, "DATA_DIR": str(self.folder / "data")}
        return CliRunner(env=env).invoke(program, ["quota", *words], input=answer)

    def server(self, work: Callable[[State], Coroutine[Any, Any, None]]) -> None:
        env = {**self.variables, "DATA_DIR": str(self.folder / "data")}

        async def inside() -> None:
            state = state_of(configure(read_environment(self.folder / "none", env)), SystemClock())
            await state.opened()
            await work(state)
            await state.closed()

        asyncio.run(inside())


@pytest.fixture(params=["sqlite", "redis"])
def desk(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    monkeypatch.chdir(tmp_path)
    keys = {
        "TAVILY_1_API_KEY": "CANARY-tavily",
        "TAVILY_SEARCH_BUDGET": "5/month",
        "EXA_API_KEY": "CANARY-exa",
        "EXA_BUDGET": "3/total",
    }
    if request.param == "sqlite":
        yield Desk(keys, tmp_path)
        return
    with server("redis-server", tmp_path / "server") as redis:
        yield Desk({**keys, "VALKEY_URL": redis.url}, tmp_path)


async def spend(state: State, instance: str, units: int, key: str) -> None:
    await state.meter.settle(await state.meter.reserve(f"{instance}#1:aaaaaa", instance, units, key), units)


def account(desk: Desk) -> str:
    configuration = configure(read_environment(desk.folder / "none", desk.variables))
    (tavily,) = [one for one in configuration.search if one.instance.name == "tavily-search"]
    return tavily.accounts[0].id


def rows(shown: str) -> dict[str, list[str]]:
    """Cells by instance; the head is no row."""
    lines = [line.split() for line in shown.splitlines() if "rests until" not in line]
    return {cells[0]: cells[1:] for cells in lines[1:]}


def test_what_is_spent_and_who_rests_is_shown_without_a_secret(desk: Desk) -> None:
    async def work(state: State) -> None:
        await spend(state, "tavily-search", 2, "a")
        await state.meter.reserve("k", "tavily-search", 1, "open")
        await spend(state, "exa", 1, "b")
        until = datetime(2199, 1, 1, tzinfo=UTC).timestamp()
        await state.parking.park(f"account:{account(desk)}", Rest(until, Reason.OUT_OF_CREDITS, "status 432"))
        await state.parking.park("instance:duckduckgo", Rest(until, Reason.BLOCKED))

    desk.server(work)
    shown = desk.run("show")
    assert shown.exit_code == 0
    month = f"{datetime.now(UTC):%Y-%m}"
    found = rows(shown.output)
    assert found["tavily-search"][:6] == ["all", month, "3", "1", "5/month", "(TAVILY_SEARCH_BUDGET)"]
    assert found["tavily-search"][-1] == "2"
    assert found["exa"] == ["all", "total", "1", "0", "3/total", "(EXA_BUDGET)", "1"]
    resting = [line for line in shown.output.splitlines() if "rests until" in line]
    assert f"tavily-search: {ACCOUNT} rests until 2199-01-01 00:00: out_of_credits (status 432)" in resting
    assert "duckduckgo: duckduckgo rests until 2199-01-01 00:00: blocked" in resting
    assert "CANARY" not in shown.output
    one = desk.run("show", "exa")
    assert list(rows(one.output)) == ["exa"]


def test_an_instance_that_was_never_used_is_shown_too(desk: Desk) -> None:
    assert rows(desk.run("show").output)["exa"] == ["all", "total", "0", "0", "3/total", "(EXA_BUDGET)", "0"]


def test_a_reset_counts_from_zero_and_wakes_the_key_for_running_servers(desk: Desk) -> None:
    key = f"account:{account(desk)}"

    async def used(state: State, name: str) -> tuple[int, int]:
        (line,) = [line for line in await state.meter.usage() if line.instance == name]
        return line.used, line.billed

    async def work(state: State) -> None:
        await spend(state, "exa", 3, "b")
        await spend(state, "tavily-search", 5, "a")
        await state.parking.park(key, Rest(None, Reason.BAD_KEY))
        await state.meter.reserve("k", "exa", 0, "open")
        for name in ("exa", "tavily-search"):
            done = await asyncio.to_thread(desk.run, "reset", name, "--yes")
            assert (done.exit_code, done.output) == (0, f"{name} counts from zero\n")
        assert await used(state, "exa") == (0, 3)
        assert await used(state, "tavily-search") == (0, 5)
        assert await state.parking.rest(key) is None
        await spend(state, "exa", 3, "c")
        assert await used(state, "exa") == (3, 6)

    desk.server(work)


def test_a_reset_asks_first(desk: Desk) -> None:
    desk.server(lambda state: spend(state, "exa", 2, "a"))
    assert desk.run("reset", "exa", answer="n\n").exit_code == 1
    assert rows(desk.run("show", "exa").output)["exa"][2] == "2"
    assert desk.run("reset", "exa", answer="y\n").exit_code == 0
    assert rows(desk.run("show", "exa").output)["exa"][2] == "0"


def test_a_name_that_spends_nothing_is_refused_with_those_that_do(desk: Desk) -> None:
    shown = desk.run("show", "exxa")
    assert shown.exit_code == 1
    assert "exxa spends nothing here: known are " in shown.output
    for arguments in (("--yes",), ()):
        refused = desk.run("reset", "exxa", *arguments)
        assert isinstance(refused.exception, ConfigError)
        assert "count from zero?" not in refused.output


def test_without_any_key_nothing_is_spent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(program, ["quota", "show"])
    assert (done.exit_code, done.output) == (0, "nothing is spent here: no provider with a key is on\n")


def test_without_its_store_the_command_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner(env={"VALKEY_URL": "redis://:CANARY@127.0.0.1:9"}).invoke(program, ["quota", "show"])
    assert done.exit_code == 1
    assert "it cannot be reached" in done.output
    assert "CANARY" not in done.output


def test_a_login_that_rests_is_shown_and_a_reset_wakes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    xai = FakeXai(tmp_path, clock=SetClock(SystemClock().now()))
    desk = Desk({"GROK_OAUTH": "on", "GROK_AUTH_FILE": xai.store.place}, tmp_path)

    async def work(state: State) -> None:
        await xai.store.keep(grant(expires_at=None, id="1a2b3c4d"))
        ring = LoginRing(Account("GROK_OAUTH#1"), xai.login(), state.parking, xai.clock)
        (login,) = await ring.free()
        await ring.park(login, Rejected("the plan may not use the API", rest_for=86_400))
        shown = await asyncio.to_thread(desk.run, "show", "grok")
        assert "grok: GROK_OAUTH#1 rests until" in shown.output
        await asyncio.to_thread(desk.run, "reset", "grok", "--yes")
        assert await ring.free() == [login]

    desk.server(work)
