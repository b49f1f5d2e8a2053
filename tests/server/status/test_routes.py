"""The status page over HTTP."""

from __future__ import annotations

import json
from dataclasses import replace

from research_mcp.observe.overview import Overview
from research_mcp.server.config import ServerConfig
from tests.server.serving import serving
from tests.server.status.overviews import FRESH, FULL, NOW


async def full() -> Overview:
    return FULL


async def test_each_answer_is_of_the_moment_and_kept_by_nobody() -> None:
    asked = 0

    async def look() -> Overview:
        nonlocal asked
        asked += 1
        return replace(FRESH, at=NOW + asked)

    async with serving(overview=look) as running:
        for second, path in enumerate(("/", "/status", "/status.json"), 1):
            answer = await running.ask("GET", path)
            assert answer.status == 200
            assert answer.headers["cache-control"] == "no-store"
            assert str(second) in answer.text
    assert asked == 3


async def test_it_can_neither_be_framed_nor_run_or_load_anything_foreign() -> None:
    async with serving(overview=full) as running:
        for path in ("/", "/status", "/status.json"):
            headers = (await running.ask("GET", path)).headers
            assert headers["x-frame-options"] == "DENY"
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["referrer-policy"] == "no-referrer"
            policy = headers["content-security-policy"]
            assert policy.startswith("default-src 'none'; style-src 'sha256-")
            assert "frame-ancestors 'none'" in policy


async def test_the_same_is_there_as_data() -> None:
    async with serving(overview=full) as running:
        answer = await running.ask("GET", "/status.json")
    found = json.loads(answer.text)
    assert answer.headers["content-type"] == "application/json"
    assert found["degraded"] == ["store: the disk is full, so metered calls wait"]
    exa = next(provider for provider in found["providers"] if provider["name"] == "exa")
    assert (exa["rest"]["until"], exa["rest"]["reason"]) == (NOW + 240, "rate_limited")
    assert exa["record"] == {"calls": 200, "good": 194, "p50": 400, "p95": 1_800}
    assert [(line["dollars_month"], line["spent"]["month"]) for line in found["spending"]] == [
        (5.838, 834),
        (None, 90),
    ]


async def test_only_reading_is_possible_and_only_under_an_allowed_name() -> None:
    async with serving(overview=full, config=ServerConfig()) as running:
        assert (await running.ask("POST", "/", body=b"x=1")).status == 405
        assert (await running.ask("GET", "/", {"Host": "evil.example"})).status == 421
        assert (await running.ask("HEAD", "/")).status == 200


async def test_the_page_may_be_asked_to_stand_still() -> None:
    async with serving(overview=full) as running:
        assert "http-equiv" in (await running.ask("GET", "/")).text
        assert "http-equiv" not in (await running.ask("GET", "/?still")).text
