"""Bearer tokens: which open the door, and what becomes of who guesses."""

from __future__ import annotations

import logging
from base64 import b64encode

import pytest

from research_mcp.core.bearer import hashed
from research_mcp.core.errors import ConfigError
from research_mcp.core.instance import Secret
from research_mcp.observe.overview import Minute, Overview
from research_mcp.server.app import build_app
from research_mcp.server.config import Listen, ServerConfig
from research_mcp.server.http.tokens import MOST_ADDRESSES, Failures, client_address
from tests.server.fakes import FakePipelines
from tests.server.serving import Answer, Running, serving

TOKENS = (Secret("first-token"), Secret("zweites-Töken"), Secret(hashed(Secret("third-token"))))
CONFIG = ServerConfig(bearer_tokens=TOKENS, token_failures=3, token_failure_seconds=60)
REAL = "X-Forwarded-For"


async def send(running: Running, token: str, address: str = "203.0.113.7") -> Answer:
    headers = {REAL: address, **({"Authorization": f"Bearer {token}"} if token else {})}
    return await running.rpc("tools/list", headers=headers)


@pytest.mark.parametrize(
    "header",
    [
        "",
        "Bearer wrong",
        "Basic Zmlyc3QtdG9rZW4=",
        "Bearer",
        "Bearer ünïcode",
        "first-token",
        "Bearer first-toke",
        "Bearer " + hashed(Secret("third-token")),
    ],
)
async def test_without_a_good_token_every_request_gets_the_same_401(header: str) -> None:
    async with serving(config=CONFIG) as running:
        answer = await running.rpc("tools/list", headers={"Authorization": header} if header else {})
        assert answer.status == 401
        assert answer.headers["www-authenticate"] == "Bearer"
        assert (
            answer.text == "The Authorization header must be 'Bearer' and a token that this server knows.\n"
        )
        assert (await running.ask("GET", "/")).status == 401


@pytest.mark.parametrize("token", ["first-token", "zweites-Töken".encode().decode("latin-1"), "third-token"])
async def test_each_configured_token_opens_the_door_plain_or_hashed(token: str) -> None:
    async with serving(config=CONFIG) as running:
        for modern in (False, True):
            headers = {"Authorization": f"bearer {token}"}
            assert (await running.rpc("tools/list", headers=headers, modern=modern)).status == 200


async def test_probes_and_well_known_paths_need_no_token() -> None:
    async with serving(config=CONFIG) as running:
        assert (await running.ask("GET", "/healthz", {"Host": "10.1.2.3"})).status == 200
        assert (await running.ask("GET", "/.well-known/oauth-protected-resource")).status == 404
        assert (await running.ask("GET", "/.well-known/oauth-authorization-server/mcp")).status == 404


async def test_after_too_many_wrong_tokens_an_address_is_told_to_wait(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.WARNING)
    async with serving(config=CONFIG) as running:
        assert [(await send(running, f"guess-{n}")).status for n in range(5)] == [401, 401, 401, 429, 429]
        refused = await send(running, "guess-6")
        assert 55 <= int(refused.headers["retry-after"]) <= 60
        assert refused.text.startswith("Too many wrong tokens came from this address: wait ")
        assert (await send(running, "first-token")).status == 429  # or guessing would go on
        assert (await send(running, "first-token", "203.0.113.8")).status == 200
    assert caplog.text.count("203.0.113.7 sent 3 wrong tokens") == 1
    assert "guess" not in caplog.text


async def test_who_was_let_in_before_is_not_locked_out_by_a_neighbour() -> None:
    async with serving(config=CONFIG) as running:
        assert (await send(running, "first-token")).status == 200
        for n in range(5):
            await send(running, f"guess-{n}")
        assert (await send(running, "first-token")).status == 200
        assert (await send(running, "third-token")).status == 429


async def test_requests_without_credentials_are_no_guesses() -> None:
    async with serving(config=CONFIG) as running:
        assert {(await send(running, "")).status for _ in range(6)} == {401}
        assert (await send(running, "first-token")).status == 200


async def test_an_address_is_taken_from_trusted_proxies_only() -> None:
    async with serving(config=CONFIG, listen=Listen(trusted_proxies=("10.0.0.0/8",))) as running:
        statuses = [(await send(running, "wrong", f"203.0.113.{n}")).status for n in range(5)]
    assert statuses == [401, 401, 401, 429, 429]


def test_patience_comes_back_when_the_window_is_over() -> None:
    now = 0.0
    failures = Failures(2, 60, timer=lambda: now)
    failures.count("a")
    now = 40.0
    assert failures.wait("a") == 0
    failures.count("a")
    assert (failures.wait("a"), failures.wait("b")) == (20.0, 0.0)
    now = 61.0
    assert failures.wait("a") == 0
    failures.count("a")
    assert failures.wait("a") == 0


@pytest.mark.slow
def test_addresses_are_remembered_in_bounded_memory() -> None:
    failures = Failures(1, 60, timer=lambda: 0.0)
    for n in range(MOST_ADDRESSES + 10):
        failures.count(str(n))
    assert failures.wait("0") == 0
    assert failures.wait(str(MOST_ADDRESSES)) == 60


@pytest.mark.parametrize(
    ("client", "address"),
    [
        (("203.0.113.7", 1), "203.0.113.7"),
        (("2001:db8:1:2:3:4:5:6", 1), "2001:db8:1:2::/64"),
        (("fe80::1%eth0", 1), "fe80::/64"),
        (("::ffff:203.0.113.7", 1), "203.0.113.7"),
        (("no address " * 100, 1), ("no address " * 100)[:64]),
        (None, ""),
    ],
)
def test_a_client_cannot_change_its_address_at_will(client: tuple[str, int] | None, address: str) -> None:
    assert client_address({"type": "http", "client": client}) == address


def test_an_entry_that_is_no_hash_stops_the_server() -> None:
    with pytest.raises(ConfigError, match="entry 1 of MCP_BEARER_TOKENS"):
        build_app(FakePipelines().services(), ServerConfig(bearer_tokens=(Secret("sha256:x"),)))


def basic(password: str, name: str = "anyone") -> str:
    return "Basic " + b64encode(f"{name}:{password}".encode()).decode()


async def calm() -> Overview:
    return Overview(at=1_800_000_000.0, started=1_800_000_000.0, version="1", minutes=(Minute(0.0),))


async def test_a_browser_is_asked_for_a_token_as_the_password_of_the_status_page() -> None:
    async with serving(config=CONFIG, overview=calm) as running:
        refused = await running.ask("GET", "/")
        assert (refused.status, refused.headers["www-authenticate"]) == (
            401,
            'Basic realm="research-mcp", charset="UTF-8"',
        )
        for path in ("/", "/status", "/status.json"):
            for good in (basic("zweites-Töken"), basic("third-token", ""), "Bearer first-token"):
                assert (await running.ask("GET", path, {"Authorization": good})).status == 200


@pytest.mark.parametrize(
    "header", [basic("wrong"), basic("first-token") + "!", "Basic", "Basic ZmZm", "Digest x"]
)
async def test_the_status_page_opens_to_no_other_password(header: str) -> None:
    async with serving(config=CONFIG, overview=calm) as running:
        assert (await running.ask("GET", "/", {"Authorization": header})).status == 401


async def test_a_password_opens_the_status_page_alone_and_guesses_are_counted() -> None:
    async with serving(config=CONFIG, overview=calm) as running:
        headers = {"Authorization": basic("first-token")}
        assert (await running.rpc("tools/list", headers=headers)).status == 401
        assert (await running.ask("GET", "/metrics", headers)).status == 401
        assert (await running.ask("GET", "/", {"Authorization": basic("guess")})).status == 401
        assert (await running.ask("GET", "/", {"Authorization": basic("first-token")})).status == 429
