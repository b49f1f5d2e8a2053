"""Fake networks for tests of `net`: name servers, sockets in memory, real sockets behind public numbers.

The guard stays on in all of them: only what lies below the network backend is replaced.
"""

# ruff: noqa: ASYNC109  (signatures are httpcore's)

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import cache

import httpcore
import httpx

from research_mcp.net.client import Network
from research_mcp.net.download import FetchLimits, GuardedFetcher
from research_mcp.net.guard import Guard, GuardPolicy
from research_mcp.net.resolver import Resolver
from research_mcp.net.sockets import Sockets

PUBLIC, PUBLIC_2, PUBLIC_6 = "93.184.215.14", "151.101.1.69", "2606:4700:4700::1111"
AGENT = "research-mcp/0.0 (+https://example.org/contact)"

Site = Callable[[bytes], AsyncIterator[bytes]]
"""What a host says to the octets of one request."""


def page(body: str | bytes = "hello " * 100, status: str = "200 OK", **headers: str) -> bytes:
    """A whole HTTP/1.1 answer; header names are written with underscores."""
    octets = body.encode() if isinstance(body, str) else body
    stated = {"Content-Type": "text/html", "Content-Length": str(len(octets))}
    stated |= {name.replace("_", "-"): value for name, value in headers.items()}
    lines = "".join(f"{name}: {value}\r\n" for name, value in stated.items())
    return f"HTTP/1.1 {status}\r\n{lines}\r\n".encode() + octets


def redirect(location: str, status: str = "302 Found") -> bytes:
    return page("", status, Location=location)


def saying(*answers: bytes) -> Site:
    """A site that gives its answers in turn, the last one for ever."""
    waiting = list(answers)

    async def site(request: bytes) -> AsyncIterator[bytes]:
        yield waiting.pop(0) if len(waiting) > 1 else waiting[0]

    return site


def trickle(start: bytes, piece: bytes, every: float, count: int = 100_000) -> Site:
    """A site that says `start` and then `piece` again and again."""

    async def site(request: bytes) -> AsyncIterator[bytes]:
        if start:
            yield start
        for _ in range(count):
            await asyncio.sleep(every)
            yield piece

    return site


@dataclass
class Names:
    """A name server. A list of lists is answered in turn, the last one for ever."""

    known: dict[str, list[str] | list[list[str]]] = field(default_factory=dict)
    default: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def lookup(self, name: str) -> Sequence[str]:
        self.asked.append(name)
        answers = self.known.get(name, self.default)
        if answers and isinstance(answers[0], list):
            return answers.pop(0) if len(answers) > 1 else answers[0]
        return answers


class MemoryStream(httpcore.AsyncNetworkStream):
    def __init__(self, net: MemoryNet, peer: tuple[str, int], site: Site) -> None:
        self._net, self._peer, self._site = net, peer, site
        self._request = b""
        self._answer: AsyncIterator[bytes] | None = None
        self._buffer = b""

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        if buffer:
            self._request += buffer
            self._net.sent.append((self._peer[0], bytes(buffer)))

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        while not self._buffer:
            if self._request:
                self._answer, self._request = self._site(self._request), b""
            if self._answer is None:
                return b""
            try:
                self._buffer = await anext(self._answer)
            except StopAsyncIteration:
                self._answer = None
        data, self._buffer = self._buffer[:max_bytes], self._buffer[max_bytes:]
        self._net.read += len(data)
        return data

    async def aclose(self) -> None:
        self._net.closed += 1

    async def start_tls(self, ssl_context, server_hostname=None, timeout=None):
        self._net.server_names.append(server_hostname)
        return self

    def get_extra_info(self, info: str) -> object:
        return {"server_addr": self._net.peer or self._peer, "is_readable": False}.get(info)


@dataclass
class MemoryNet(httpcore.AsyncNetworkBackend):
    """Sockets in memory. `refusing` and `silent` are addresses that do not connect."""

    site: Site = field(default_factory=lambda: saying(page()))
    sites: dict[str, Site] = field(default_factory=dict)
    refusing: set[str] = field(default_factory=set)
    refuse_first: int = 0
    silent: set[str] = field(default_factory=set)
    peer: tuple[str, int] | None = None
    connects: list[str] = field(default_factory=list)
    sent: list[tuple[str, bytes]] = field(default_factory=list)
    server_names: list[str | None] = field(default_factory=list)
    read: int = 0
    closed: int = 0

    async def connect_tcp(self, host, port, timeout=None, local_address=None, socket_options=None):
        self.connects.append(host)
        if host in self.silent:
            await asyncio.sleep(timeout or 3_600)
            raise httpcore.ConnectTimeout
        if host in self.refusing or len(self.connects) <= self.refuse_first:
            raise httpcore.ConnectError("refused")
        return MemoryStream(self, (host, port), self.sites.get(host, self.site))


class _Renamed(httpcore.AsyncNetworkStream):
    """A loopback connection that gives the public number it stands for as its peer."""

    def __init__(self, inner: httpcore.AsyncNetworkStream, peer: tuple[str, int]) -> None:
        self._inner, self._peer = inner, peer
        self.read, self.write, self.aclose = inner.read, inner.write, inner.aclose

    async def start_tls(self, ssl_context, server_hostname=None, timeout=None):
        return _Renamed(await self._inner.start_tls(ssl_context, server_hostname, timeout), self._peer)

    def get_extra_info(self, info: str) -> object:
        return self._peer if info == "server_addr" else self._inner.get_extra_info(info)


@dataclass
class LoopbackNet(httpcore.AsyncNetworkBackend):
    """Real sockets: each public address leads to a loopback port, others connect as they are."""

    ports: dict[str, int] = field(default_factory=dict)
    connects: list[str] = field(default_factory=list)

    async def connect_tcp(self, host, port, timeout=None, local_address=None, socket_options=None):
        self.connects.append(host)
        there, at = ("127.0.0.1", self.ports[host]) if host in self.ports else (host, port)
        stream = await Sockets().connect_tcp(there, at, timeout)
        return _Renamed(stream, (host, port)) if host in self.ports else stream


@asynccontextmanager
async def listening(
    talk: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]], **options: object
) -> AsyncIterator[int]:
    """A raw TCP server on a loopback port, its connections dropped at the end."""
    open_ones: dict[asyncio.Task[None], asyncio.StreamWriter] = {}

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        open_ones[asyncio.current_task()] = writer
        with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            await talk(reader, writer)
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, **options)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for task, writer in open_ones.items():
            writer.transport.abort()
            task.cancel()
        await asyncio.gather(*open_ones)


def answering(answer: bytes) -> Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]:
    """A talk that answers each request on a connection with `answer`."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await reader.readuntil(b"\r\n\r\n"):
            writer.write(answer)
            await writer.drain()

    return talk


@cache
def shared_tls() -> ssl.SSLContext:
    """Loading the trust store takes longer than most tests."""
    return httpx.create_ssl_context(trust_env=False)


@dataclass
class Kit:
    """A fetcher over a fake network."""

    fetcher: GuardedFetcher
    network: Network
    names: Names
    net: httpcore.AsyncNetworkBackend


@asynccontextmanager
async def fetching(
    net: httpcore.AsyncNetworkBackend,
    names: Names | None = None,
    policy: GuardPolicy | None = None,
    *,
    limits: FetchLimits | None = None,
    proxy: str = "",
    keep: float = 0.0,
    **options: object,
) -> AsyncIterator[Kit]:
    """A `GuardedFetcher` whose names resolve to a public address unless `names` says otherwise."""
    names = names or Names(default=[PUBLIC])
    options.setdefault("tls", shared_tls())
    resolver = Resolver(names.lookup, keep=keep)
    network = Network(Guard(policy or GuardPolicy(), resolver), resolver, inner=net, **options)
    try:
        yield Kit(GuardedFetcher(network, user_agent=AGENT, limits=limits, proxy=proxy), network, names, net)
    finally:
        await network.aclose()
