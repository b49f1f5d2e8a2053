"""All connections of the process: pools for each way out, opened on first use, closed at stop.

There are two kinds. `guarded` may go to what `Guard` allows and nowhere else: pages, and whatever an
answer points to. `direct` goes where the configuration says, private addresses included: vendors.
Neither reads the environment, keeps cookies or follows redirects.
"""

from __future__ import annotations

import ssl
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from typing import cast

import httpcore
import httpx

from research_mcp.core.errors import Reason, UrlRefused
from research_mcp.net.addresses import Address
from research_mcp.net.backend import Backend
from research_mcp.net.guard import Guard
from research_mcp.net.lines import Lines
from research_mcp.net.normal import Target, host_address
from research_mcp.net.resolver import Resolver
from research_mcp.net.stream import Stream
from research_mcp.net.trust import trust
from research_mcp.net.tunnel import ProxyAddress, TunnelBackend

MOST_CONNECTIONS = 100
KEEP_ALIVE = 5.0
"""Seconds: a kept connection outlives a change of policy or name by no more than this."""


class PoolTransport(httpx.AsyncHTTPTransport):
    """httpx's transport around a pool with our network backend."""

    def __init__(
        self, backend: httpcore.AsyncNetworkBackend, tls: ssl.SSLContext, proxy: httpcore.Proxy | None = None
    ) -> None:
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=tls,
            proxy=proxy,
            max_connections=MOST_CONNECTIONS,
            max_keepalive_connections=MOST_CONNECTIONS // 2,
            keepalive_expiry=KEEP_ALIVE,
            network_backend=backend,
        )


class GuardedTransport(PoolTransport):
    """Runs the normal form on every request, so that a warm connection changes nothing."""

    def __init__(self, guard: Guard, backend: httpcore.AsyncNetworkBackend, tls: ssl.SSLContext) -> None:
        super().__init__(backend, tls)
        self._guard = guard

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send `request` to its url's normal form. Raises `UrlRefused` before a byte is sent."""
        target = self._guard.target(str(request.url))
        url = request.url if str(request.url) == target.url else httpx.URL(target.url)
        if url.raw_host.decode("ascii") != target.host or (url.port or target.port) != target.port:
            raise UrlRefused("Refused: two readings of the url differ.", reason=Reason.INVALID_URL)
        request.url = url
        return await super().handle_async_request(request)


class LineTransport(httpx.AsyncHTTPTransport):
    """httpx's transport around the connections to one host."""

    def __init__(self, backend: httpcore.AsyncNetworkBackend, tls: ssl.SSLContext) -> None:
        lines = Lines(backend, tls, most=MOST_CONNECTIONS, keep_alive=KEEP_ALIVE)
        self._pool = cast("httpcore.AsyncConnectionPool", lines)  # as far as the transport uses it


class HostPools(httpx.AsyncBaseTransport):
    """A pool for each host: only for hosts that the configuration names, which are few."""

    def __init__(self, open_pool: Callable[[], httpx.AsyncHTTPTransport]) -> None:
        self._open = open_pool
        self._pools: dict[tuple[str, str, int | None], httpx.AsyncHTTPTransport] = {}

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send `request` over a connection to its host."""
        url = request.url
        host = (url.scheme, url.host, url.port)
        if host not in self._pools:
            self._pools[host] = self._open()
        return await self._pools[host].handle_async_request(request)

    async def aclose(self) -> None:
        """Close every connection."""
        while self._pools:
            _, pool = self._pools.popitem()
            await pool.aclose()


class Network:
    """The ways out. `inner` replaces the sockets and `tls` the trust store, for tests and private CAs."""

    def __init__(
        self,
        guard: Guard,
        resolver: Resolver,
        *,
        inner: httpcore.AsyncNetworkBackend | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.guard = guard
        self._resolver = resolver
        self._inner = inner
        self._checked = Backend(guard.addresses, inner, tries=2)
        self._tls = tls or trust()
        self._guarded: dict[str, PoolTransport] = {}
        self._direct: dict[str, HostPools] = {}

    def guarded(self, proxy: str = "") -> httpx.AsyncBaseTransport:
        """The way for addresses that nobody vouches for. Raises `ConfigError` for an odd `proxy`."""
        if proxy not in self._guarded:
            self._guarded[proxy] = self._open_guarded(proxy)
        return self._guarded[proxy]

    def direct(self, proxy: str = "") -> httpx.AsyncBaseTransport:
        """The way for configured addresses. Raises `ConfigError` for an odd `proxy`."""
        if proxy not in self._direct:
            self._direct[proxy] = HostPools(self._opener(proxy))
        return self._direct[proxy]

    async def connect(self, target: Target, timeout: float) -> Stream:  # noqa: ASYNC109
        """A bare connection to where the guard lets `target` be. `timeout` in seconds.

        Raises `UrlRefused`, `NoContent` (`dns_failed`) and httpcore's connection errors.
        """
        return await self._checked.connect_tcp(target.host, target.port, timeout)

    def under(self, guard: Guard) -> Network:
        """The same sockets and trust under another guard, with connections of its own."""
        return Network(guard, self._resolver, inner=self._inner, tls=self._tls)

    async def aclose(self) -> None:
        """Close every connection."""
        ways: list[httpx.AsyncBaseTransport] = [*self._guarded.values(), *self._direct.values()]
        self._guarded.clear()
        self._direct.clear()
        for way in ways:
            await way.aclose()

    def _open_guarded(self, proxy: str) -> PoolTransport:
        backend: httpcore.AsyncNetworkBackend = self._checked
        if proxy:
            way = Backend(self._configured, self._inner)
            backend = TunnelBackend(self.guard.addresses, way, ProxyAddress.parse(proxy), self._tls)
        return GuardedTransport(self.guard, backend, self._tls)

    def _opener(self, proxy: str) -> Callable[[], httpx.AsyncHTTPTransport]:
        way = Backend(self._configured, self._inner)
        if not proxy:
            return lambda: LineTransport(way, self._tls)
        address = ProxyAddress.parse(proxy)
        if address.scheme.startswith("socks"):
            # the library's own SOCKS leaves the connection open when the proxy refuses
            tunnel = TunnelBackend(None, way, address, self._tls)
            return lambda: LineTransport(tunnel, self._tls)
        tls = self._tls if address.scheme == "https" else None
        through = httpcore.Proxy(address.url, auth=address.auth, ssl_context=tls)
        return lambda: PoolTransport(way, self._tls, through)

    async def _configured(self, host: str, port: int) -> Sequence[Address]:
        address = host_address(host)
        return (address,) if address is not None else await self._resolver.resolve(host)


def raw_chunks(answer: httpx.Response) -> aclosing[AsyncGenerator[bytes, None]]:
    """The body as it comes, still encoded; leaving the block early drops the rest at once."""
    return aclosing(cast("AsyncGenerator[bytes, None]", answer.aiter_raw()))
