"""OAuth 2 for public clients, without the network: requests are built here, replies are read here.

RFC 6749 (code, refresh), RFC 7636 (PKCE), RFC 8628 (device flow). A vendor states its `OAuthServer`.
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import urlencode, urlsplit

from research_mcp.core.errors import BadReply, Reason, ResearchError
from research_mcp.core.grant import Grant
from research_mcp.core.hygiene import clean_line
from research_mcp.core.instance import Secret
from research_mcp.core.wire import JsonValue, Reply, Request

DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"
SLOWER = 5.0
"""Seconds that `slow_down` adds to the wait between two polls."""

_ENDED = frozenset({"invalid_grant", "invalid_client"})
_USUAL_INTERVAL, _LONGEST_INTERVAL = 5.0, 60.0
_USUAL_LIFE = 600.0


class LoginFailed(ResearchError):
    """A login that did not come about. The sentence starts with a stable code, `oauth_...`."""

    default_reason = Reason.BAD_KEY

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code


@dataclass(frozen=True, slots=True)
class OAuthServer:
    """Where and as whom a vendor's users log in.

    Every endpoint stands under `issuer`; a token goes to `domain` and below and nowhere else, by https.
    `extra` are fields that the authorization page wants besides the standard's.
    """

    name: str
    issuer: str
    domain: str
    client_id: str
    scope: str
    authorize: str
    token: str
    device: str
    redirect: str
    referrer: str
    extra: Mapping[str, str] = field(default_factory=dict)

    def owns(self, url: str) -> bool:
        """True for addresses that may see a token."""
        try:
            parts = urlsplit(url)
        except ValueError:
            return False
        host = parts.hostname or ""
        return parts.scheme == "https" and (host == self.domain or host.endswith(f".{self.domain}"))

    def discovery(self) -> Request:
        """Asks the issuer for its endpoints."""
        return Request("GET", f"{self.issuer}/.well-known/openid-configuration")

    def discovered(self, reply: Reply) -> OAuthServer:
        """The server with the endpoints that the issuer states. Raises `LoginFailed` for foreign ones."""
        stated = _object(reply)
        found = replace(
            self,
            authorize=_text(stated, "authorization_endpoint") or self.authorize,
            token=_text(stated, "token_endpoint") or self.token,
            device=_text(stated, "device_authorization_endpoint") or self.device,
        )
        for url in (found.authorize, found.token, found.device):
            if not self.issued_by(url):
                raise LoginFailed(
                    "oauth_discovery_failed", f"{self.issuer} names an endpoint that is not its own"
                )
        return found

    def issued_by(self, url: str) -> bool:
        """True for endpoints of the issuer itself."""
        return url.startswith(f"{self.issuer}/")


@dataclass(frozen=True, slots=True)
class Pkce:
    """A secret for one login and the challenge that proves it later."""

    verifier: Secret
    challenge: str

    @classmethod
    def new(cls) -> Pkce:
        """32 random octets, S256."""
        verifier = _base64url(secrets.token_bytes(32))
        return cls(Secret(verifier), _base64url(hashlib.sha256(verifier.encode()).digest()))


@dataclass(frozen=True, slots=True)
class DeviceCode:
    """What the user must confirm, where, and how long it may take. Seconds."""

    code: Secret
    user_code: str
    url: str
    whole_url: str
    interval: float
    lives: float


@dataclass(frozen=True, slots=True)
class NotYet:
    """The user has not confirmed. `slower`: seconds to add to the wait."""

    slower: float = 0.0


def new_state() -> str:
    """16 random octets that tie a callback to the login it belongs to."""
    return _base64url(secrets.token_bytes(16))


def device_request(server: OAuthServer) -> Request:
    """Starts a login that is confirmed on another device."""
    form = {"client_id": server.client_id, "scope": server.scope, "referrer": server.referrer}
    return Request("POST", server.device, form=form)


def device_code(reply: Reply) -> DeviceCode:
    """What a good answer to `device_request` states. Raises `BadReply`."""
    stated = _object(reply)
    code, user_code = _text(stated, "device_code"), clean_line(_text(stated, "user_code"), 40)
    url = clean_line(_text(stated, "verification_uri"), 300)
    if not (code and user_code and url.startswith("https://")):
        raise BadReply("the device flow's answer lacks its code or its address")
    whole = clean_line(_text(stated, "verification_uri_complete"), 500)
    return DeviceCode(
        code=Secret(code),
        user_code=user_code,
        url=url,
        whole_url=whole if whole.startswith("https://") else url,
        interval=min(_number(stated, "interval") or _USUAL_INTERVAL, _LONGEST_INTERVAL),
        lives=_number(stated, "expires_in") or _USUAL_LIFE,
    )


def poll_request(server: OAuthServer, code: DeviceCode) -> Request:
    """Asks whether the user has confirmed."""
    form = {"grant_type": DEVICE_GRANT, "device_code": code.code.reveal(), "client_id": server.client_id}
    return Request("POST", server.token, form=form)


def polled(server: OAuthServer, reply: Reply, now: float) -> Grant | NotYet:
    """The grant, or that it takes longer. Raises `LoginFailed` when it will not come."""
    error = error_code(reply)
    if error == "authorization_pending":
        return NotYet()
    if error == "slow_down":
        return NotYet(SLOWER)
    if error == "access_denied":
        raise LoginFailed("oauth_denied", "authorization denied")
    if error == "expired_token":
        raise LoginFailed("oauth_expired", "the code was not confirmed in time: log in again")
    return granted(server, reply, now)


def authorize_url(server: OAuthServer, pkce: Pkce, state: str) -> str:
    """The page on which the user confirms in a browser on this machine."""
    fields = {
        "response_type": "code",
        "client_id": server.client_id,
        "redirect_uri": server.redirect,
        "scope": server.scope,
        "code_challenge": pkce.challenge,
        "code_challenge_method": "S256",
        "state": state,
        "referrer": server.referrer,
        **server.extra,
    }
    return f"{server.authorize}?{urlencode(fields)}"


def callback_code(fields: Mapping[str, str], state: str) -> Secret:
    """The code in the query of the callback. Raises `LoginFailed`."""
    if not secrets.compare_digest(fields.get("state", "").encode(), state.encode()):
        raise LoginFailed("oauth_state_mismatch", "the answer belongs to another login: start again")
    if error := fields.get("error", ""):
        denied = error == "access_denied"
        raise LoginFailed(
            "oauth_denied" if denied else "oauth_authorization_failed",
            "authorization denied" if denied else f"the login page says {clean_line(error, 80)!r}",
        )
    if not fields.get("code"):
        raise LoginFailed("oauth_code_missing", "the answer holds no code: start again")
    return Secret(fields["code"])


def exchange_request(server: OAuthServer, code: Secret, pkce: Pkce) -> Request:
    """Changes the callback's code into tokens."""
    form = {
        "grant_type": "authorization_code",
        "code": code.reveal(),
        "redirect_uri": server.redirect,
        "client_id": server.client_id,
        "code_verifier": pkce.verifier.reveal(),
    }
    return Request("POST", server.token, form=form)


def refresh_request(endpoint: str, client_id: str, refresh: Secret) -> Request:
    """Asks for a fresh access token. A refresh token may count once only."""
    form = {"grant_type": "refresh_token", "client_id": client_id, "refresh_token": refresh.reveal()}
    return Request("POST", endpoint, form=form)


def granted(server: OAuthServer, reply: Reply, now: float, before: Grant | None = None) -> Grant:
    """The tokens of a good answer, issued `now`; a refresh may keep the refresh token of `before`.

    Raises `LoginFailed` for a refused or incomplete answer.
    """
    if not 200 <= reply.status < 300:
        said = error_code(reply) or f"status {reply.status}"
        raise LoginFailed("oauth_token_exchange_failed", f"{server.name} gave no tokens ({said})")
    stated = _object(reply)
    access, refresh = _text(stated, "access_token"), _text(stated, "refresh_token")
    kept = Secret(refresh) if refresh else before.refresh if before else None
    if not access or kept is None:
        raise LoginFailed("oauth_token_exchange_failed", f"{server.name}'s answer lacks a token")
    lives = _number(stated, "expires_in")
    return Grant(
        access=Secret(access),
        refresh=kept,
        client_id=before.client_id if before else server.client_id,
        token_endpoint=before.token_endpoint if before else server.token,
        issued_at=now,
        expires_at=jwt_expiry(access) or (now + lives if lives else None),
        id=before.id if before else secrets.token_hex(4),
    )


def is_ended(reply: Reply) -> bool:
    """True when only a new login helps: everything else may be tried again."""
    return reply.status in (400, 401) and error_code(reply) in _ENDED


def error_code(reply: Reply) -> str:
    """The standard's `error` of a refusal, one short line; "" when there is none."""
    try:
        return clean_line(_text(_object(reply), "error"), 60)
    except BadReply:
        return ""


def jwt_expiry(token: str) -> float | None:
    """The `exp` of a token that is a JWT, unverified: it only decides when to ask for a new one."""
    parts = token.split(".")
    if len(parts) != 3:
        return None
    try:
        claims = json.loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    except (ValueError, RecursionError):
        return None
    return _number(claims, "exp") or None if isinstance(claims, dict) else None


def _base64url(octets: bytes) -> str:
    return base64.urlsafe_b64encode(octets).decode().rstrip("=")


def _object(reply: Reply) -> dict[str, JsonValue]:
    value = reply.json()
    if not isinstance(value, dict):
        raise BadReply("expected a JSON object from the login server")
    return value


def _text(stated: Mapping[str, JsonValue], name: str) -> str:
    value = stated.get(name)
    return value.strip() if isinstance(value, str) else ""


def _number(stated: Mapping[str, JsonValue], name: str) -> float:
    """A positive number, be it written as text; 0 for anything else."""
    value = stated.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return 0.0
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return 0.0
    return number if 0 < number < 1e12 else 0.0
