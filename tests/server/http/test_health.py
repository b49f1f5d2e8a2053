"""The probes: they answer whatever happens."""

from __future__ import annotations

import asyncio

import pytest

from research_mcp import __version__
from research_mcp.server.config import Health
from research_mcp.server.http import health
from research_mcp.store import db
from research_mcp.store.valkey import line
from tests.server.serving import serving


async def test_a_running_server_is_alive_and_ready() -> None:
    async with serving() as running:
        for path in ("/healthz", "/health"):
            assert (await running.ask("GET", path)).json() == {"status": "ok", "version": __version__}
        assert (await running.ask("GET", "/readyz")).json() == {"status": "ready", "degraded": []}
        assert (await running.rpc("tools/list")).status == 200


async def test_a_degraded_server_is_ready_and_says_what_is_impaired() -> None:
    async def state() -> Health:
        return Health(ready=True, degraded=("store: disk full",))

    async with serving(health=state) as running:
        answer = await running.ask("GET", "/readyz")
    assert (answer.status, answer.json()) == (200, {"status": "degraded", "degraded": ["store: disk full"]})


async def test_a_server_that_is_not_ready_answers_503() -> None:
    async def state() -> Health:
        return Health(ready=False)

    async with serving(health=state) as running:
        answer = await running.ask("GET", "/readyz")
    assert (answer.status, answer.json()["status"]) == (503, "not ready")


async def test_a_broken_or_hanging_check_is_not_ready_but_never_a_500(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(health, "PROBE_SECONDS", 0.05)

    async def broken() -> Health:
        raise OSError("canary path /secret")

    async def hanging() -> Health:
        await asyncio.sleep(60)
        return Health(ready=True)

    for check in (broken, hanging):
        async with serving(health=check) as running:
            answer = await running.ask("GET", "/readyz")
            assert (answer.status, "canary" in answer.text) == (503, False)
            assert (await running.ask("GET", "/healthz")).status == 200
    assert "the health check failed" in caplog.text


async def test_metrics_are_served_when_there_are_some() -> None:
    async def figures() -> bytes:
        return b"calls_total 1\n"

    async with serving(metrics=figures) as running:
        answer = await running.ask("GET", "/metrics")
    assert answer.body == b"calls_total 1\n"
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    async with serving() as running:
        assert (await running.ask("GET", "/metrics")).status == 404


async def test_people_are_told_where_they_are() -> None:
    async with serving() as running:
        answer = await running.ask("GET", "/")
    assert answer.status == 200
    assert "/mcp" in answer.text


@pytest.mark.parametrize("patience", [db.HEALTH_PATIENCE, line.HEALTH_PATIENCE])
def test_a_store_that_does_not_answer_is_told_as_degraded_before_the_probe_gives_up(patience: float) -> None:
    assert patience <= health.PROBE_SECONDS - 0.5
