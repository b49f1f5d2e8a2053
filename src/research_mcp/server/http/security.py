"""Who may talk to the server: Host and Origin checks.

The Host check stops DNS rebinding, the Origin check foreign browser pages. Both know names in bare
form (any port) and with a port. Requests are refused before anything of them is read.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

logger = logging.getLogger(__name__)

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
PROBES = frozenset({"/healthz", "/health", "/readyz"})
METRICS = "/metrics"


class Names:
    """A list of host names, bare (any port) or with a port; `*` covers every name."""

    def __init__(self, entries: Iterable[str]) -> None:
        entries = {entry.strip().lower().removesuffix(":*").rstrip("/.") for entry in entries} - {""}
        self.any = "*" in entries
        self._entries = frozenset(entries)

    def cover(self, authority: str) -> bool:
        """True when `authority` (`host` or `host:port`, any case) is on the list."""
        authority = authority.strip().lower()
        return self.any or authority in self._entries or _without_port(authority).rstrip(".") in self._entries


class Origins:
    """Allowed browser origins: whole ones, or host names that stand for http and https."""

    def __init__(self, entries: Iterable[str]) -> None:
        entries = tuple(entry.strip().lower() for entry in entries)
        self._whole = frozenset(entry.rstrip("/") for entry in entries if "://" in entry)
        self._names = Names(entry for entry in entries if "://" not in entry)
        self._any_port = Names(
            entry.partition("://")[2].removesuffix(":*") for entry in entries if entry.endswith(":*")
        )

    @property
    def any(self) -> bool:
        """True when every origin passes."""
        return self._names.any

    def cover(self, origin: str) -> bool:
        """True when a page of `origin` may call the server."""
        if self.any:
            return True
        origin = origin.strip().lower()
        try:
            parts = urlsplit(origin)
        except ValueError:
            return False
        if parts.scheme not in ("http", "https") or not parts.netloc:
            return False
        return origin in self._whole or self._names.cover(parts.netloc) or self._any_port.cover(parts.netloc)


class Door:
    """Outermost ASGI layer: 421 for a foreign Host, 403 for a foreign Origin.

    Health probes pass without a check: they are asked by address and tell nothing. Metrics may be asked
    by address as well, as scrapers do that find replicas by DNS: only a name can be rebound.
    """

    def __init__(self, app: ASGIApp, *, hosts: Iterable[str] = (), origins: Origins) -> None:
        self._app = app
        self._hosts = Names((*LOOPBACK, *hosts))
        self._origins = origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the request through or refuse it."""
        if scope["type"] != "http" or scope["path"] in PROBES:
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope["path"], Headers(scope=scope))
        await (refusal or self._app)(scope, receive, send)

    def _refusal(self, path: str, headers: Headers) -> PlainTextResponse | None:
        host, origin = headers.get("host", ""), headers.get("origin", "")
        if not (self._hosts.cover(host) or (path == METRICS and _is_address(host))):
            name = ascii(host[:200])
            logger.warning("refused Host %s: MCP_ALLOWED_HOSTS does not name it", name)
            return _plain(421, f"This server does not answer to the host {name}: MCP_ALLOWED_HOSTS adds it.")
        if origin and not self._origins.cover(origin) and not self._same_origin(origin, host):
            name = ascii(origin[:200])
            logger.warning("refused Origin %s: MCP_ALLOWED_ORIGINS does not name it", name)
            return _plain(403, f"Pages of {name} may not call this server: MCP_ALLOWED_ORIGINS adds them.")
        return None

    def _same_origin(self, origin: str, host: str) -> bool:
        # With the Host check open, a rebound name would pass as its own origin.
        return not self._hosts.any and origin.lower().partition("://")[2] == host.lower()


class Cors(CORSMiddleware):
    """Lets pages of the allowed origins, such as a browser inspector, read the answers."""

    def __init__(self, app: ASGIApp, *, origins: Origins) -> None:
        super().__init__(
            app,
            allow_methods=["POST"],
            allow_headers=["*"],
            expose_headers=["Mcp-Session-Id", "Mcp-Protocol-Version", "WWW-Authenticate"],
        )
        self._origins = origins

    def is_allowed_origin(self, origin: str) -> bool:
        """True for what the Origin check lets pass."""
        return self._origins.cover(origin)


def _without_port(authority: str) -> str:
    host, _, port = authority.rpartition(":")
    return host if not port or (port.isascii() and port.isdigit()) else authority


def _is_address(authority: str) -> bool:
    try:
        ip_address(_without_port(authority).removeprefix("[").removesuffix("]"))
    except ValueError:
        return False
    return True


def _plain(status: int, text: str) -> PlainTextResponse:
    return PlainTextResponse(text + "\n", status_code=status)


def exposure_warning(host: str, allowed_hosts: tuple[str, ...]) -> str:
    """What to log at start when `host` is reachable from outside without a host list; "" when fine."""
    if host in ("127.0.0.1", "localhost", "::1") or allowed_hosts:
        return ""
    return (
        f"listening on {host} without MCP_ALLOWED_HOSTS: only loopback names are answered, "
        "others get 421; name the public host there, or * behind a proxy that checks it"
    )
