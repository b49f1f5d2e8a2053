"""The doors: hosts, origins, tokens, browser rules."""

from __future__ import annotations

import logging

import pytest

from research_mcp.core.instance import Secret
from research_mcp.server.config import ServerConfig
from research_mcp.server.http.security import Names, Origins, exposure_warning
from tests.server.serving import serving

TOKENS = (Secret("first-token"), Secret("zweites-Töken"))


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]", "localhost:8000", "LOCALHOST:1"])
async def test_loopback_names_are_always_answered_with_and_without_a_port(host: str) -> None:
    async with serving() as running:
        assert (await running.rpc("tools/list", headers={"Host": host})).status == 200


@pytest.mark.parametrize(
    ("allowed", "served", "refused"),
    [
        (
            "mcp.example.com",
            ["mcp.example.com", "MCP.example.com:8443", "mcp.example.com."],
            ["x.example.com"],
        ),
        ("mcp.example.com:*", ["mcp.example.com", "mcp.example.com:1"], ["mcp.example.com.evil.example"]),
        (
            "mcp.example.com",
            ["mcp.example.com:"],
            [
                "mcp.example.com:80@evil.example",
                "mcp.example.com:80/x",
                "mcp.example.com:x",
                "a@mcp.example.com",
            ],
        ),
        ("mcp.example.com:8443", ["mcp.example.com:8443"], ["mcp.example.com", "mcp.example.com:80"]),
        ("*", ["anything.example", "10.0.0.1:80"], []),
    ],
)
def test_host_entries_cover_bare_and_port_forms(allowed: str, served: list[str], refused: list[str]) -> None:
    names = Names([allowed])
    assert all(names.cover(host) for host in served)
    assert not any(names.cover(host) for host in refused)


async def test_a_foreign_host_gets_421_that_names_the_setting(caplog: pytest.LogCaptureFixture) -> None:
    async with serving() as running:
        for modern in (False, True):
            with caplog.at_level(logging.WARNING):
                answer = await running.rpc("tools/list", headers={"Host": "mcp.example.com"}, modern=modern)
            assert answer.status == 421
            assert "MCP_ALLOWED_HOSTS" in answer.text
    assert "refused Host 'mcp.example.com': MCP_ALLOWED_HOSTS does not name it" in caplog.text


async def test_an_allowed_host_is_served() -> None:
    config = ServerConfig(allowed_hosts=("mcp.example.com",))
    async with serving(config=config) as running:
        for host in ("mcp.example.com", "mcp.example.com:443", "localhost"):
            assert (await running.rpc("tools/list", headers={"Host": host})).status == 200


async def test_a_scraper_may_ask_for_the_metrics_by_address_and_nobody_by_a_foreign_name() -> None:
    async def figures() -> bytes:
        return b"figures"

    async with serving(metrics=figures) as running:
        for host in ("172.18.0.5:8000", "10.1.2.3", "[fd00::5]:8000"):
            assert (await running.ask("GET", "/metrics", {"Host": host})).status == 200
            assert (await running.rpc("tools/list", headers={"Host": host})).status == 421
            assert (await running.ask("GET", "/", {"Host": host})).status == 421
        for host in ("evil.example", "10.1.2.3.evil.example", "10.1.2.3:80@evil.example", "1.2.3.4:x"):
            assert (await running.ask("GET", "/metrics", {"Host": host})).status == 421


async def test_a_star_turns_the_host_check_off() -> None:
    async with serving(config=ServerConfig(allowed_hosts=("*",))) as running:
        assert (await running.rpc("tools/list", headers={"Host": "what.ever"})).status == 200
        foreign = {"Host": "evil.example", "Origin": "http://evil.example"}
        assert (await running.rpc("tools/list", headers=foreign)).status == 403


async def test_a_foreign_origin_gets_403_and_an_absent_one_passes(caplog: pytest.LogCaptureFixture) -> None:
    async with serving() as running:
        for origin in (
            "http://evil.example",
            "null",
            "http://localhost.evil.example",
            "file://",
            "http://[x",
        ):
            answer = await running.rpc("tools/list", headers={"Origin": origin})
            assert (answer.status, "MCP_ALLOWED_ORIGINS" in answer.text) == (403, True)
        assert (await running.rpc("tools/list")).status == 200
    assert "refused Origin 'null'" in caplog.text


@pytest.mark.parametrize("origin", ["http://localhost:6274", "http://127.0.0.1", "https://[::1]:9"])
async def test_pages_on_loopback_may_call_and_read(origin: str) -> None:
    async with serving() as running:
        answer = await running.rpc("tools/list", headers={"Origin": origin})
        assert answer.status == 200
        assert answer.headers["access-control-allow-origin"] == origin
        assert "Mcp-Session-Id" in answer.headers["access-control-expose-headers"]


async def test_a_page_of_an_allowed_host_may_call_its_own_server() -> None:
    async with serving(config=ServerConfig(allowed_hosts=("mcp.example.com",))) as running:
        same = {"Host": "mcp.example.com", "Origin": "https://mcp.example.com"}
        assert (await running.rpc("tools/list", headers=same)).status == 200


@pytest.mark.parametrize(
    ("allowed", "served", "refused"),
    [
        ("https://app.example", ["https://app.example", "HTTPS://APP.example"], ["http://app.example"]),
        ("app.example", ["https://app.example", "http://app.example:8080"], ["https://b.app.example"]),
        ("https://app.example:*", ["https://app.example:5"], ["https://other.example"]),
        ("*", ["https://any.example", "null"], []),
    ],
)
def test_origin_entries_may_be_whole_or_bare(allowed: str, served: list[str], refused: list[str]) -> None:
    origins = Origins([allowed])
    assert all(origins.cover(origin) for origin in served)
    assert not any(origins.cover(origin) for origin in refused)


async def test_a_browser_inspector_passes_its_preflight() -> None:
    async with serving(config=ServerConfig(bearer_tokens=TOKENS)) as running:
        answer = await running.ask(
            "OPTIONS",
            headers={
                "Origin": "http://localhost:6274",
                "Access-Control-Request-Method": "POST",
                "Access-Control-Request-Headers": "mcp-protocol-version, mcp-method, content-type",
            },
        )
        assert answer.status == 200
        assert "mcp-method" in answer.headers["access-control-allow-headers"].lower()
        refused = await running.rpc("tools/list", headers={"Origin": "http://localhost:6274"})
        assert refused.status == 401
        assert refused.headers["access-control-allow-origin"] == "http://localhost:6274"


def test_tokens_show_in_no_repr() -> None:
    assert "first-token" not in repr(ServerConfig(bearer_tokens=TOKENS))


def test_listening_beyond_loopback_without_a_host_list_is_warned_about() -> None:
    assert "MCP_ALLOWED_HOSTS" in exposure_warning("0.0.0.0", ())
    assert exposure_warning("0.0.0.0", ("mcp.example.com",)) == ""
    assert exposure_warning("127.0.0.1", ()) == ""
