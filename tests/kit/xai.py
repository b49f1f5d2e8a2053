"""xAI's login server and API as a fake wire under their real names: tokens rotate, old ones are refused."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import httpx

from research_mcp.core.grant import Grant
from research_mcp.core.instance import Account, Secret
from research_mcp.net.policy import CallLimits, VendorClient
from research_mcp.providers.kit.answer.configured import ConfiguredAnswer
from research_mcp.providers.kit.login.sign_in import SignIn
from research_mcp.providers.kit.login.tokens import Login, LoginHttp, LoginRing
from research_mcp.providers.vendors.grok import LOGIN, GrokAnswer
from research_mcp.store.grant_file import GrantFile
from research_mcp.store.memory import MemoryParking
from tests.kit.answers import message
from tests.kit.wire import Wire

AUTH, API = "https://auth.x.ai", "https://api.x.ai"
NOW = 1_800_000_000.0


class SetClock:
    """A clock that a test sets."""

    def __init__(self, at: float = NOW) -> None:
        self.at = at

    def now(self) -> float:
        return self.at


def jwt(**claims: Any) -> str:
    part = base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("=")
    return f"head.{part}.sign"


def grant(access: str = "access-0", refresh: str | None = "refresh-0", **facts: Any) -> Grant:
    base = Grant(
        access=Secret(access),
        refresh=Secret(refresh) if refresh else None,
        client_id=LOGIN.client_id,
        token_endpoint=LOGIN.token,
        issued_at=NOW - 3_600,
        expires_at=NOW + 3_600,
    )
    return replace(base, **facts)


Handler = Callable[[dict[str, str]], httpx.Response]


def says(status: int, **body: Any) -> httpx.Response:
    return httpx.Response(status, json=body)


@dataclass
class FakeXai:
    """`tokens` answers at the token endpoint, `device` starts a device flow, `api` answers calls.

    By default a refresh rotates both tokens, and a refresh token that was used before ends the login.
    """

    folder: Path
    tokens: Handler | None = None
    device: Handler | None = None
    discovery: dict[str, str] = field(default_factory=dict)
    api: Callable[[str], httpx.Response] | None = None
    lives: int = 3_600
    clock: SetClock = field(default_factory=SetClock)
    refreshed: int = 0
    forms: list[dict[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.wire = Wire(self._answer)
        self.store = GrantFile(self.folder / "login" / "grok.json")
        self.parking = MemoryParking(self.clock)

    def login(self) -> Login:
        return Login(LOGIN, self.client("login", AUTH), self.store, self.clock)

    def sign_in(self, clock: Any = None) -> SignIn:
        return SignIn(LOGIN, self.client("login", AUTH, clock), clock or self.clock)

    def model(self, login: Login | None = None) -> ConfiguredAnswer:
        """Grok as the composition root builds it with `GROK_OAUTH=on`."""
        login = login or self.login()
        http = LoginHttp(self.client("grok", GrokAnswer.endpoint), login, GrokAnswer.phrases)
        ring = LoginRing(Account("GROK_OAUTH#1"), login, self.parking, self.clock)
        return ConfiguredAnswer("grok", GrokAnswer(), http, ring, self.clock)

    def client(self, name: str, endpoint: str, clock: Any = None) -> VendorClient:
        return VendorClient(
            self.wire,  # type: ignore[arg-type]  # the two methods of Network that a client uses
            name,
            clock=clock or self.clock,
            user_agent="research-mcp/0 (test)",
            endpoint=endpoint,
            limits=CallLimits(retries=2, pause=(0.0, 0.0)),
        )

    def asked(self, path: str) -> list[httpx.Request]:
        return [sent for sent in self.wire.sent if sent.url.path == path]

    def _answer(self, request: httpx.Request) -> httpx.Response:
        assert request.url.host in ("auth.x.ai", "api.x.ai"), request.url
        if request.url.host == "api.x.ai":
            return self._called(request.headers.get("authorization", "").removeprefix("Bearer "))
        if request.url.path == "/.well-known/openid-configuration":
            return says(200, **self.discovery) if self.discovery else httpx.Response(404)
        form = dict(parse_qsl(request.content.decode()))
        self.forms.append(form)
        if request.url.path == "/oauth2/device/code":
            return self.device(form) if self.device else httpx.Response(404)
        return (self.tokens or self.rotate)(form)

    def _called(self, token: str) -> httpx.Response:
        if self.api:
            return self.api(token)
        if token != f"access-{self.refreshed}":
            return says(401, error="token expired")
        return httpx.Response(200, json=message("Tides rise [[1]](https://a.dev/1).", "https://a.dev/1"))

    def rotate(self, form: dict[str, str]) -> httpx.Response:
        """What the token endpoint answers when a test has nothing else in mind."""
        if form.get("refresh_token") != f"refresh-{self.refreshed}":
            return says(400, error="invalid_grant")
        self.refreshed += 1
        return says(
            200,
            access_token=f"access-{self.refreshed}",
            refresh_token=f"refresh-{self.refreshed}",
            expires_in=self.lives,
        )
