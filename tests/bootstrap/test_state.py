"""Where state lives is the environment's word, and the server's password is nobody's business."""

from __future__ import annotations

import logging
import subprocess
import sys
from pathlib import Path

import pytest

from research_mcp.bootstrap import Configuration, configure, read_environment
from research_mcp.bootstrap.assemble import SystemClock
from research_mcp.bootstrap.state import state_of
from research_mcp.core.answers import AnswerReport, Lost, Question
from research_mcp.core.errors import ConfigError
from research_mcp.core.models import Page, SearchQuery, SearchReport
from tests.kit.valkey import server

PAGE = Page("https://a.test/", "https://a.test/", "text " * 100, "trafilatura")


def configuration(folder: Path, **variables: str) -> Configuration:
    return configure(read_environment(folder / "none", {"DATA_DIR": str(folder / "data"), **variables}))


async def test_without_a_url_state_is_a_file_and_memory(tmp_path: Path) -> None:
    state = state_of(configuration(tmp_path), SystemClock())
    await state.opened()
    assert (await state.meter.health()).ok
    await state.pages.put(PAGE.url, PAGE)
    assert await state.pages.get(PAGE.url) == PAGE
    await state.closed()
    assert (tmp_path / "data" / "quota.sqlite3").exists()


async def test_with_a_url_everything_is_on_the_server_behind_the_prefix(tmp_path: Path) -> None:
    with server("redis-server", tmp_path / "server") as redis:
        variables = {"VALKEY_URL": redis.url, "VALKEY_PREFIX": "mine:"}
        one, other = (state_of(configuration(tmp_path, **variables), SystemClock()) for _ in range(2))
        for state in (one, other):
            await state.opened()
        report = SearchReport(SearchQuery("tides"), (), ())
        await one.pages.put(PAGE.url, PAGE)
        await one.searches("searches").put("tides", report)
        await one.answers.keep("id", AnswerReport(Question("x"), content="Yes."))
        assert await one.pages.get(PAGE.url) == PAGE
        assert await other.pages.get(PAGE.url) == PAGE
        assert await one.searches("searches").get("tides") == report
        assert await other.searches("searches").get("tides") == report
        assert await other.searches("searches-for-answers").get("tides") is None
        assert not isinstance(await other.answers.find("id"), Lost)
        private = configuration(tmp_path, **variables, ALLOW_PRIVATE_NETWORK="true")
        opener = state_of(private, SystemClock())
        await opener.opened()
        assert await opener.pages.get(PAGE.url) is None
        for state in (one, other, opener):
            await state.closed()
        keys = redis.command("KEYS", "*").decode().split("\r\n")
        assert all(key.startswith("mine:") for key in keys if key and key[0] not in "*$")
        assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    "url", ["redis://:CANARY%40pw@127.0.0.1:9/0", "unix:///nonesuch.sock?password=CANARY%40pw"]
)
async def test_the_password_is_shown_nowhere(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, url: str
) -> None:
    configured = configuration(tmp_path, VALKEY_URL=url)
    state = state_of(configured, SystemClock())
    with caplog.at_level(logging.DEBUG):
        await state.opened()
        health = await state.meter.health()
        await state.closed()
    assert not health.ok
    shown = [caplog.text, health.detail, repr(configured), *configured.summary()]
    assert not [text for text in shown if "CANARY" in text]
    assert f"state: on {configured.valkey}, keys behind 'research-mcp:'" in shown
    assert (
        configured.redact(f"said {url} and CANARY@pw") == f"said {url.replace('CANARY%40pw', '***')} and ***"
    )


def test_an_unusable_url_stops_every_command_with_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="VALKEY_URL is not usable") as stop:
        configuration(tmp_path, VALKEY_URL="http://:CANARY@cache")
    assert "CANARY" not in str(stop.value)


def test_the_client_is_loaded_only_for_a_shared_store() -> None:
    program = "import sys, research_mcp.cli; sys.exit('valkey' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], timeout=60, check=False).returncode == 0
