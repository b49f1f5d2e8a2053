"""Logging in: the device flow's patience, the browser's answer, and what ends either."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from research_mcp.core.errors import BadReply, StoreUnavailable, Transient
from research_mcp.core.grant import Grant
from research_mcp.core.instance import Secret
from research_mcp.providers.kit.login.oauth import DEVICE_GRANT, DeviceCode, LoginFailed
from research_mcp.providers.kit.login.sign_in import NoDeviceFlow, Read, explained
from tests.kit.virtual_time import VirtualClock, run
from tests.kit.xai import FakeXai, says

DEVICE = {"device_code": "d", "user_code": "AB-12", "verification_uri": "https://x.ai/d", "expires_in": 60}
TOKENS = {"access_token": "a", "refresh_token": "r", "expires_in": 3600}


@pytest.fixture
def xai(tmp_path: Path) -> FakeXai:
    return FakeXai(tmp_path, device=lambda form: says(200, **DEVICE))


def by_device(xai: FakeXai, *polls: httpx.Response) -> tuple[Grant, list[float]]:
    """The grant, and when the token endpoint was asked."""
    clock, at, told = VirtualClock(0.0), [], []
    waiting = list(polls)

    def poll(form: dict[str, str]) -> httpx.Response:
        at.append(clock.now())
        assert form["grant_type"] == DEVICE_GRANT
        return waiting.pop(0) if len(waiting) > 1 else waiting[0]

    xai.tokens = poll

    async def log_in() -> Grant:
        return await xai.sign_in(clock).by_device(told.append)

    grant = run(log_in())
    assert [code.user_code for code in told if isinstance(code, DeviceCode)] == ["AB-12"]
    return grant, at


def test_polls_keep_the_pace_that_is_asked_for(xai: FakeXai) -> None:
    pending, slower = says(400, error="authorization_pending"), says(400, error="slow_down")
    grant, at = by_device(xai, pending, slower, pending, says(200, **TOKENS))
    assert at == [5, 10, 20, 30]
    assert (grant.access, grant.refresh, grant.expires_at) == (Secret("a"), Secret("r"), 3_630)


def test_a_failing_network_does_not_end_the_wait(xai: FakeXai) -> None:
    xai.device = lambda form: says(200, **{**DEVICE, "expires_in": 120})
    grant, at = by_device(xai, *[httpx.Response(502)] * 3, *[httpx.Response(500)] * 1, says(200, **TOKENS))
    assert grant.access == Secret("a")
    assert at == [5, 5, 5, 10, 15]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (says(400, error="access_denied"), "oauth_denied: authorization denied"),
        (says(400, error="expired_token"), "oauth_expired"),
        (says(400, error="authorization_pending"), "oauth_expired"),
        (says(400, error="invalid_client"), r"oauth_token_exchange_failed.*\(invalid_client\)"),
    ],
)
def test_what_cannot_succeed_ends_with_its_reason(xai: FakeXai, answer: httpx.Response, said: str) -> None:
    with pytest.raises(LoginFailed, match=said):
        by_device(xai, answer)


def test_a_vendor_without_a_device_flow_says_so(xai: FakeXai) -> None:
    xai.device = None
    with pytest.raises(NoDeviceFlow, match="oauth_no_device_flow: xAI offers no device flow"):
        run(xai.sign_in(VirtualClock()).by_device(print))


def test_a_refused_device_flow_quotes_the_reason(xai: FakeXai) -> None:
    xai.device = lambda form: says(400, error="invalid_scope")
    with pytest.raises(LoginFailed, match=r"oauth_device_failed.*it says invalid_scope"):
        run(xai.sign_in(VirtualClock()).by_device(print))


async def test_the_browsers_code_is_exchanged_with_the_verifier_of_the_same_login(xai: FakeXai) -> None:
    xai.tokens = lambda form: says(200, **TOKENS)
    shown = {}

    async def receive(address: str, read: Read) -> Secret:
        shown.update({name: values[0] for name, values in parse_qs(urlsplit(address).query).items()})
        return read({"code": "c-1", "state": shown["state"]})

    grant = await xai.sign_in().by_browser(receive)
    assert grant.access == Secret("a")
    (form,) = xai.forms
    assert (form["code"], form["redirect_uri"]) == ("c-1", shown["redirect_uri"])
    assert len(form["code_verifier"]) == 43


async def test_an_answer_of_another_login_is_refused_before_anything_is_sent(xai: FakeXai) -> None:
    async def receive(address: str, read: Read) -> Secret:
        return read({"code": "c-1", "state": "mine"})

    with pytest.raises(LoginFailed, match="oauth_state_mismatch"):
        await xai.sign_in().by_browser(receive)
    assert xai.forms == []


async def test_discovered_endpoints_are_used_and_a_missing_page_changes_nothing(xai: FakeXai) -> None:
    attempt = xai.sign_in()
    await attempt.discover()
    before = attempt.server
    xai.discovery = {"token_endpoint": "https://auth.x.ai/v9/token"}
    await attempt.discover()
    assert before.token == "https://auth.x.ai/oauth2/token"
    assert attempt.server.token == "https://auth.x.ai/v9/token"


def test_failures_on_the_way_have_codes() -> None:
    assert explained(Transient("x")).code == "oauth_unreachable"
    assert explained(BadReply("x")).code == "oauth_bad_reply"
    assert explained(StoreUnavailable("x")).code == "oauth_file_failed"
