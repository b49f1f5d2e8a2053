"""Optional bearer tokens, and the end of patience with who keeps sending wrong ones."""

from __future__ import annotations

import hmac
import logging
import math
import time
from base64 import b64decode
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import IPv6Address, IPv6Network, ip_address

from cachetools import LRUCache, TTLCache
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from research_mcp.core.bearer import digest, digests
from research_mcp.core.instance import Secret
from research_mcp.server.http.security import PROBES
from research_mcp.server.status.routes import PATHS

logger = logging.getLogger(__name__)

WELL_KNOWN = "/.well-known/"
MOST_ADDRESSES = 10_000
"""Addresses that are remembered at once; the one that was quiet for longest is forgotten first."""

LONGEST_ADDRESS = 64
"""Characters kept of what a proxy states as an address."""

_V6_SITE = 64
"""Bits of an IPv6 address that one client cannot change at will."""


@dataclass(slots=True)
class _Window:
    until: float
    failures: int = 0


class Failures:
    """Wrong tokens of each address: at most `most` within `seconds`, in bounded memory."""

    def __init__(self, most: int, seconds: float, timer: Callable[[], float] = time.monotonic) -> None:
        self._most = most
        self._seconds = seconds
        self._timer = timer
        self._windows: TTLCache[str, _Window] = TTLCache(MOST_ADDRESSES, seconds, timer)

    def wait(self, address: str) -> float:
        """Seconds until a token of `address` is looked at again; 0 when it is now."""
        window = self._windows.get(address)
        if window is None or window.failures < self._most:
            return 0.0
        return max(0.0, window.until - self._timer())

    def count(self, address: str) -> None:
        """One more wrong token from `address`."""
        if address not in self._windows:
            self._windows[address] = _Window(self._timer() + self._seconds)
        window = self._windows[address]
        window.failures += 1
        if window.failures == self._most:
            logger.warning(
                "%s sent %d wrong tokens: others are not looked at for %.0f s",
                address,
                self._most,
                window.until - self._timer(),
            )


class TokenCheck:
    """ASGI layer for `MCP_BEARER_TOKENS`: 401 with a plain Bearer challenge for all failures alike.

    After too many wrong tokens, an address gets 429 until its minute is over, whatever it sends, so
    that guessing is slow. What it used rightly before stays good meanwhile: who shares an address with
    a stubborn client is not locked out. Requests without any credentials are no guesses and not counted.

    Well-known paths answer 404 without a token: clients that look for OAuth there must not take a
    server with fixed tokens for one. Without tokens every request passes. Browsers send no bearer tokens,
    so the status page asks for one as a password.
    """

    def __init__(self, app: ASGIApp, *, tokens: Iterable[Secret], failures: Failures) -> None:
        self._app = app
        self._digests = digests(tokens)
        self._failures = failures
        self._proved: LRUCache[tuple[str, bytes], bool] = LRUCache(MOST_ADDRESSES)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the request through or refuse it."""
        refusal = None if scope["type"] != "http" or self._open(scope["path"]) else self._refusal(scope)
        await (refusal or self._app)(scope, receive, send)

    def _open(self, path: str) -> bool:
        return not self._digests or path in PROBES or path.startswith(WELL_KNOWN)

    def _refusal(self, scope: Scope) -> PlainTextResponse | None:
        credentials = Headers(scope=scope).get("authorization", "")
        address = client_address(scope)
        on_page = scope["path"] in PATHS
        token = _token(credentials, basic=on_page)
        sent = digest(token or b"")
        known = token is not None and self._knows(sent)
        if known and (address, sent) in self._proved:
            return None
        if (wait := self._failures.wait(address)) > 0:
            return _too_many(wait)
        if known:
            self._proved[address, sent] = True
            return None
        if credentials:
            self._failures.count(address)
        return _asked_in_the_browser() if on_page else _asked()

    def _knows(self, sent: bytes) -> bool:
        matches = [hmac.compare_digest(sent, known) for known in self._digests]  # all, in equal time
        return any(matches)


def _token(credentials: str, *, basic: bool) -> bytes | None:
    """The token as its bytes came; None without any. With `basic`, it may also be a password."""
    scheme, _, rest = credentials.partition(" ")
    token = rest.strip().encode("latin-1")
    if scheme.lower() == "bearer":
        return token
    if basic and scheme.lower() == "basic":
        with suppress(ValueError):
            return b64decode(token, validate=True).partition(b":")[2]
    return None


def client_address(scope: Scope) -> str:
    """Who sends: the address, or the network of an IPv6 client. Forwarded addresses are already in
    the scope where a trusted proxy stated them."""
    host = (scope.get("client") or ("", 0))[0]
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return host[:LONGEST_ADDRESS]
    if not isinstance(address, IPv6Address):
        return str(address)
    return str(address.ipv4_mapped or IPv6Network((address, _V6_SITE), strict=False))


def _asked() -> PlainTextResponse:
    return _plain(
        401,
        "The Authorization header must be 'Bearer' and a token that this server knows.",
        {"WWW-Authenticate": "Bearer"},
    )


def _asked_in_the_browser() -> PlainTextResponse:
    challenge = 'Basic realm="research-mcp", charset="UTF-8"'
    return _plain(
        401, "Enter a bearer token as the password, with any name.", {"WWW-Authenticate": challenge}
    )


def _too_many(wait: float) -> PlainTextResponse:
    seconds = math.ceil(wait)
    text = f"Too many wrong tokens came from this address: wait {seconds} s."
    return _plain(429, text, {"Retry-After": str(seconds)})


def _plain(status: int, text: str, headers: dict[str, str]) -> PlainTextResponse:
    return PlainTextResponse(text + "\n", status_code=status, headers=headers)
