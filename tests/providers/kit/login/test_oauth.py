"""OAuth without the network: what is sent and how answers are read."""

from __future__ import annotations

import base64
import hashlib
import json
from urllib.parse import parse_qs, urlsplit

import pytest

from research_mcp.core.errors import BadReply
from research_mcp.core.grant import Grant
from research_mcp.core.instance import Secret
from research_mcp.core.wire import Reply
from research_mcp.providers.kit.login.oauth import (
    DEVICE_GRANT,
    LoginFailed,
    NotYet,
    Pkce,
    authorize_url,
    callback_code,
    device_code,
    device_request,
    exchange_request,
    granted,
    is_ended,
    new_state,
    poll_request,
    polled,
    refresh_request,
)
from research_mcp.providers.vendors.grok import LOGIN
from tests.kit.xai import NOW, grant, jwt

DEVICE = {
    "device_code": "dev-1",
    "user_code": "ABCD-1234",
    "verification_uri": "https://accounts.x.ai/device",
    "verification_uri_complete": "https://accounts.x.ai/device?code=ABCD-1234",
    "expires_in": 900,
    "interval": 7,
}
TOKENS = {"access_token": "a", "refresh_token": "r", "expires_in": 3600}


def reply(body: object, status: int = 200) -> Reply:
    return Reply(status, {"content-type": "application/json"}, json.dumps(body).encode())


def test_the_authorization_page_gets_the_documented_fields_and_no_other() -> None:
    pkce = Pkce.new()
    url = authorize_url(LOGIN, pkce, "state-1")
    fields = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
    assert url.startswith("https://auth.x.ai/oauth2/authorize?")
    assert fields == {
        "response_type": "code",
        "client_id": "b1a00492-073a-47ea-816f-4c329264a828",
        "redirect_uri": "http://127.0.0.1:56121/callback",
        "scope": "openid profile email offline_access grok-cli:access api:access",
        "code_challenge": pkce.challenge,
        "code_challenge_method": "S256",
        "state": "state-1",
        "plan": "generic",
        "referrer": "research-mcp",
    }


def test_the_challenge_is_the_hash_of_a_verifier_of_32_octets() -> None:
    pkce = Pkce.new()
    verifier = pkce.verifier.reveal()
    assert len(verifier) == 43
    hashed = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode()
    assert pkce.challenge == hashed.rstrip("=")
    assert Pkce.new() != pkce
    assert new_state() != new_state()
    assert verifier not in repr(pkce)


def test_forms_are_those_of_the_standards() -> None:
    code = device_code(reply(DEVICE))
    assert device_request(LOGIN).form == {
        "client_id": LOGIN.client_id,
        "scope": LOGIN.scope,
        "referrer": "research-mcp",
    }
    assert poll_request(LOGIN, code).form == {
        "grant_type": DEVICE_GRANT,
        "device_code": "dev-1",
        "client_id": LOGIN.client_id,
    }
    pkce = Pkce.new()
    assert exchange_request(LOGIN, Secret("c"), pkce).form == {
        "grant_type": "authorization_code",
        "code": "c",
        "redirect_uri": LOGIN.redirect,
        "client_id": LOGIN.client_id,
        "code_verifier": pkce.verifier.reveal(),
    }
    assert refresh_request(LOGIN.token, "id", Secret("r")).form == {
        "grant_type": "refresh_token",
        "client_id": "id",
        "refresh_token": "r",
    }


def test_a_device_code_is_read_with_the_usual_values_where_it_is_silent() -> None:
    assert (device_code(reply(DEVICE)).interval, device_code(reply(DEVICE)).lives) == (7, 900)
    bare = {name: DEVICE[name] for name in ("device_code", "user_code", "verification_uri")}
    read = device_code(reply(bare))
    assert (read.interval, read.lives, read.whole_url) == (5, 600, "https://accounts.x.ai/device")
    assert "dev-1" not in repr(read)


@pytest.mark.parametrize("lacks", ["device_code", "user_code", "verification_uri"])
def test_half_a_device_code_is_a_stale_adapter(lacks: str) -> None:
    with pytest.raises(BadReply):
        device_code(reply({**DEVICE, lacks: None}))
    with pytest.raises(BadReply):
        device_code(reply({**DEVICE, "verification_uri": "javascript:alert(1)"}))


def test_polls_wait_slow_down_end_or_bring_tokens() -> None:
    assert polled(LOGIN, reply({"error": "authorization_pending"}, 400), NOW) == NotYet()
    assert polled(LOGIN, reply({"error": "slow_down"}, 400), NOW) == NotYet(5)
    with pytest.raises(LoginFailed, match="oauth_denied: authorization denied"):
        polled(LOGIN, reply({"error": "access_denied"}, 400), NOW)
    with pytest.raises(LoginFailed, match="oauth_expired"):
        polled(LOGIN, reply({"error": "expired_token"}, 400), NOW)
    with pytest.raises(LoginFailed, match=r"oauth_token_exchange_failed.*\(unsupported\)"):
        polled(LOGIN, reply({"error": "unsupported"}, 400), NOW)
    grant = polled(LOGIN, reply(TOKENS), NOW)
    assert isinstance(grant, Grant)
    assert (grant.access, grant.refresh) == (Secret("a"), Secret("r"))


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"state": "other", "code": "c"}, "oauth_state_mismatch"),
        ({"code": "c"}, "oauth_state_mismatch"),
        ({"state": "sünde", "code": "c"}, "oauth_state_mismatch"),
        ({"state": "s", "error": "access_denied"}, "oauth_denied"),
        ({"state": "s", "error": "server_error", "code": "c"}, "oauth_authorization_failed"),
        ({"state": "s"}, "oauth_code_missing"),
    ],
)
def test_a_callback_is_checked_before_its_code_counts(fields: dict[str, str], code: str) -> None:
    with pytest.raises(LoginFailed) as caught:
        callback_code(fields, "s")
    assert caught.value.code == code
    assert str(caught.value).startswith(f"{code}: ")
    assert callback_code({"state": "s", "code": "c"}, "s") == Secret("c")


def test_tokens_end_when_they_say_and_otherwise_when_the_answer_says() -> None:
    assert granted(LOGIN, reply(TOKENS), NOW).expires_at == NOW + 3600
    assert granted(LOGIN, reply({**TOKENS, "access_token": jwt(exp=NOW + 9)}), NOW).expires_at == NOW + 9
    assert granted(LOGIN, reply({**TOKENS, "expires_in": "60"}), NOW).expires_at == NOW + 60
    for nothing in (None, -5, True, "soon", 1e300):
        assert granted(LOGIN, reply({**TOKENS, "expires_in": nothing}), NOW).expires_at is None


def test_a_refresh_keeps_its_token_where_no_other_comes() -> None:
    before = grant(id="login-1", client_id="mine", token_endpoint="https://auth.x.ai/t")
    kept = granted(LOGIN, reply({"access_token": "a2"}), NOW, before)
    assert (kept.refresh, kept.client_id, kept.token_endpoint) == (
        before.refresh,
        "mine",
        "https://auth.x.ai/t",
    )
    assert granted(LOGIN, reply(TOKENS), NOW, before).refresh == Secret("r")
    assert kept.id == "login-1"
    assert granted(LOGIN, reply(TOKENS), NOW).id != granted(LOGIN, reply(TOKENS), NOW).id


@pytest.mark.parametrize("body", [{}, {"access_token": "a"}, {"refresh_token": "r"}, {"access_token": 5}])
def test_a_login_without_both_tokens_is_none(body: dict[str, object]) -> None:
    with pytest.raises(LoginFailed, match="lacks a token"):
        granted(LOGIN, reply(body), NOW)
    with pytest.raises(BadReply):
        granted(LOGIN, reply([]), NOW)


@pytest.mark.parametrize(
    ("status", "error", "ended"),
    [
        (400, "invalid_grant", True),
        (401, "invalid_client", True),
        (400, "invalid_request", False),
        (500, "invalid_grant", False),
        (429, "slow_down", False),
    ],
)
def test_only_two_errors_end_a_login(status: int, error: str, ended: bool) -> None:
    assert is_ended(reply({"error": error}, status)) is ended
    assert not is_ended(Reply(400, {}, b"<html>"))


@pytest.mark.parametrize(
    ("url", "owned"),
    [
        ("https://api.x.ai/v1", True),
        ("https://x.ai", True),
        ("HTTPS://API.X.AI", True),
        ("http://api.x.ai/v1", False),
        ("https://max.ai/v1", False),
        ("https://api.x.ai.evil.example", False),
        ("https://evil.example/api.x.ai", False),
        ("https://api.x.ai@evil.example", False),
        ("https://[x", False),
        ("", False),
    ],
)
def test_tokens_belong_to_hosts_of_the_vendor_by_https(url: str, owned: bool) -> None:
    assert LOGIN.owns(url) is owned


def test_discovered_endpoints_must_be_the_issuers_own() -> None:
    own = {"token_endpoint": "https://auth.x.ai/v2/token", "authorization_endpoint": ""}
    found = LOGIN.discovered(reply(own))
    assert (found.token, found.authorize, found.device) == (
        "https://auth.x.ai/v2/token",
        LOGIN.authorize,
        LOGIN.device,
    )
    for foreign in ("https://auth.x.ai.evil.example/t", "http://auth.x.ai/t", "https://api.x.ai/t"):
        with pytest.raises(LoginFailed, match="oauth_discovery_failed"):
            LOGIN.discovered(reply({"token_endpoint": foreign}))
