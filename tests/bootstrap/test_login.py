"""The owner's login in the place of a key: off by default, on x.ai alone, counted like a key."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest
import respx

from research_mcp.bootstrap import Configuration, assemble, configure, read_environment
from research_mcp.bootstrap.instances import resolve
from research_mcp.bootstrap.login import grant_file
from research_mcp.core.answers import AnswerReport, Question
from research_mcp.core.errors import ConfigError
from research_mcp.core.instance import Instance
from tests.kit.answers import message
from tests.kit.xai import grant

NOWHERE = dict.fromkeys(
    ("DUCKDUCKGO_API_URL", "WIKIPEDIA_API_URL", "MARGINALIA_API_URL"), "http://127.0.0.1:9"
)


def configuration(folder: Path, **variables: str) -> Configuration:
    env = {"DATA_DIR": str(folder / "data"), **NOWHERE, **variables}
    return configure(read_environment(folder / "no.env", env))


def on(here: Configuration) -> dict[str, bool]:
    return {
        one.instance.name: one.by_login for one in (*here.search, *here.answer) if "grok" in one.instance.name
    }


async def answered(here: Configuration) -> AnswerReport:
    product = assemble(here)
    assert product.answerer is not None
    async with product.running():
        return await product.answerer.answer(Question("Is tidal power growing?", extra_sources=0))


def test_a_login_is_not_used_unless_it_is_switched_on(tmp_path: Path) -> None:
    assert on(configuration(tmp_path)) == {}
    assert on(configuration(tmp_path, GROK_OAUTH="off")) == {}
    off = next(status for status in configuration(tmp_path).statuses if status.instance.name == "grok")
    assert off.why == "GROK_API_KEY or GROK_OAUTH is not set"
    for word in ("on", "ON", "true", "1"):
        assert on(configuration(tmp_path, GROK_OAUTH=word)) == {"grok": True, "grok-search": True}
    assert on(configuration(tmp_path, GROK_SEARCH_AUTH_MODE="oauth")) == {"grok": True, "grok-search": True}
    assert on(configuration(tmp_path, GROK_SEARCH_AUTH_MODE="api_key")) == {}


def test_a_key_wins_over_a_login_and_says_so_once(tmp_path: Path) -> None:
    here = configuration(tmp_path, GROK_OAUTH="on", GROK_API_KEY="xai-k")
    assert on(here) == {"grok": False, "grok-search": False}
    assert [text for text in here.warnings if "GROK_OAUTH" in text] == [
        "GROK_API_KEY is set and wins: GROK_OAUTH has no effect"
    ]
    assert not any("GROK_OAUTH" in text for text in configuration(tmp_path, GROK_OAUTH="on").warnings)


@pytest.mark.parametrize(
    "url",
    [
        "https://gateway.example/v1",
        "http://api.x.ai/v1",
        "https://api.x.ai.evil.example",
        "http://127.0.0.1:1",
    ],
)
def test_the_token_of_a_login_has_no_way_to_another_host(tmp_path: Path, url: str) -> None:
    with pytest.raises(ConfigError, match="GROK_OAUTH is on and GROK_API_URL leads elsewhere"):
        configuration(tmp_path, GROK_OAUTH="on", GROK_API_URL=url)
    assert on(configuration(tmp_path, GROK_OAUTH="on", GROK_API_URL="https://eu.api.x.ai/v1/responses"))
    assert on(configuration(tmp_path, GROK_API_KEY="k", GROK_OAUTH="on", GROK_API_URL=url))


def test_another_word_and_a_type_without_logins_stop_the_start(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"GROK_OAUTH=.maybe. is not usable"):
        configuration(tmp_path, GROK_OAUTH="maybe")
    row = Instance("brave", "search.brave", api_key_env="BRAVE_API_KEY", login_env="BRAVE_LOGIN")
    with pytest.raises(ConfigError, match=r"'brave' names a login, which 'search.brave' does not have"):
        resolve([row], {"BRAVE_LOGIN": "on"})


def test_where_the_tokens_lie_follows_the_settings(tmp_path: Path) -> None:
    assert grant_file(configuration(tmp_path).settings).place == str(tmp_path / "data" / "grok-login.json")
    stated = configuration(tmp_path, GROK_SEARCH_AUTH_FILE="/x/auth.json")
    assert grant_file(stated.settings).place == "/x/auth.json"


async def test_an_answer_is_asked_with_the_token_and_counts_in_the_budget(tmp_path: Path) -> None:
    here = configuration(tmp_path, GROK_OAUTH="on", GROK_BUDGET="1/day")
    await grant_file(here.settings).keep(grant("acc-CANARY", expires_at=time.time() + 3_600))
    cited = message("Tides rise [[1]](https://a.dev/1).", "https://a.dev/1")
    with respx.mock(using="httpcore") as router:
        asked = router.post("https://api.x.ai/v1/responses").respond(json=cited)
        first, second = await answered(here), await answered(here)
    assert "Tides rise" in first.content
    assert [call.request.headers["authorization"] for call in asked.calls] == ["Bearer acc-CANARY"]
    assert "budget" in second.attempts[0].detail
    assert "CANARY" not in f"{first!r}{second!r}{here!r}"


async def test_without_a_login_the_answer_says_what_to_run(tmp_path: Path) -> None:
    report = await answered(configuration(tmp_path, GROK_OAUTH="on"))
    assert report.attempts[0].detail == "nobody is logged in to xAI: run `research-mcp login` on this machine"


async def test_a_stop_waits_for_the_refresh_under_way(tmp_path: Path) -> None:
    here = configuration(tmp_path, GROK_OAUTH="on")
    store = grant_file(here.settings)
    await store.keep(grant(expires_at=time.time() - 1))
    asked = asyncio.Event()

    async def slowly(request: object) -> object:
        asked.set()
        await asyncio.sleep(0.2)
        return respx.MockResponse(200, json={"access_token": "acc-1", "refresh_token": "ref-1"})

    product = assemble(here)
    assert product.answerer is not None
    with respx.mock(using="httpcore", assert_all_called=False) as router:
        router.post("https://auth.x.ai/oauth2/token").mock(side_effect=slowly)
        async with product.running():
            call = asyncio.create_task(product.answerer.answer(Question("x", extra_sources=0)))
            await asked.wait()
            call.cancel()
    held = await store.held()
    assert held is not None
    assert held.access.reveal() == "acc-1"
