"""A small web for a real browser: public names that lead to loopback servers, and canaries that must not be reached.

The guard stays on: names resolve to public numbers here, and only the sockets below it lead to loopback. What
got past it would reach a canary, whose port the policy allows.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace

import psutil
import pytest

from research_mcp.core.errors import ConfigError
from research_mcp.net.addresses import AddressRules
from research_mcp.net.browser.limits import BrowserLimits
from research_mcp.net.browser.local import LocalBrowser
from research_mcp.net.browser.program import AUTO, usable_program
from research_mcp.net.client import Network
from research_mcp.net.guard import WEB_PORTS, Guard, GuardPolicy
from research_mcp.net.resolver import Resolver
from tests.net.fakes import AGENT, PUBLIC, PUBLIC_2, LoopbackNet, Names, listening, page, shared_tls

SITE = "http://site.example.com"
PROSE = "Moss grows on the north side of the old stone wall behind the mill. " * 10

Answer = bytes | Callable[[bytes], AsyncIterator[bytes]]


def chromium() -> str:
    """The program, or the test is skipped."""
    try:
        return usable_program(AUTO, sandbox=False)
    except ConfigError:
        pytest.skip("needs the package chromium (or chromium-headless-shell)")


def script(code: str, body: str = "") -> bytes:
    """A page that is filled by `code`."""
    return page(f"<!doctype html><title>Mill</title><body>{body}<main id=main></main><script>{code}</script>")


def saying(text: str = PROSE) -> str:
    """Code that shows `text`."""
    return f"document.getElementById('main').innerHTML = '<p>' + {text!r} + '</p>';"


@dataclass
class Canary:
    """A loopback server that nobody may reach, over TCP and UDP."""

    port: int
    hits: list[bytes] = field(default_factory=list)
    datagrams: list[bytes] = field(default_factory=list)

    @property
    def quiet(self) -> bool:
        return not self.hits and not self.datagrams


@asynccontextmanager
async def canary() -> AsyncIterator[Canary]:
    seen = Canary(0)

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.hits.append(b"")
        seen.hits[-1] = await reader.read(1_000)
        writer.write(page("the secret"))

    class Datagrams(asyncio.DatagramProtocol):
        def datagram_received(self, data: bytes, addr: object) -> None:
            seen.datagrams.append(data)

    async with listening(talk) as port:
        seen.port = port
        transport, _ = await asyncio.get_running_loop().create_datagram_endpoint(
            Datagrams, local_addr=("127.0.0.1", port)
        )
        try:
            yield seen
        finally:
            transport.close()


@dataclass
class Web:
    """What a test has in hand. `pages` answers by path, for every public name."""

    browser: LocalBrowser
    network: Network
    net: LoopbackNet
    names: Names
    canary: Canary
    pages: dict[str, Answer]
    asked: list[str] = field(default_factory=list)
    heads: list[bytes] = field(default_factory=list)


@asynccontextmanager
async def web(
    pages: Mapping[str, Answer] | None = None, *, allow_private: bool = False, **limits: object
) -> AsyncIterator[Web]:
    """The web and a browser that starts on the first page."""
    served: dict[str, Answer] = dict(pages or {})
    asked: list[str] = []
    heads: list[bytes] = []

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while head := await reader.readuntil(b"\r\n\r\n"):
            path = head.split(b" ")[1].decode()
            asked.append(path)
            heads.append(head)
            answer = served.get(path, page("<h1>Not found</h1>", "404 Not Found"))
            async for piece in _pieces(answer, head):
                writer.write(piece)
                await writer.drain()
            if callable(answer):
                return

    async with AsyncExitStack() as stack:
        port = await stack.enter_async_context(listening(talk))
        watched = await stack.enter_async_context(canary())
        names = Names({"inner.example.com": ["127.0.0.1"]}, default=[PUBLIC])
        resolver = Resolver(names.lookup, keep=0)
        policy = GuardPolicy(AddressRules(allow_private=allow_private), WEB_PORTS | {watched.port})
        net = LoopbackNet({PUBLIC: port, PUBLIC_2: port})
        network = Network(Guard(policy, resolver), resolver, inner=net, tls=shared_tls())
        stack.push_async_callback(network.aclose)
        chosen = replace(BrowserLimits(chromium(), AGENT, sandbox=False), **limits)
        browser = LocalBrowser(network, chosen)
        stack.push_async_callback(browser.close)
        yield Web(browser, network, net, names, watched, served, asked, heads)


async def _pieces(answer: Answer, head: bytes) -> AsyncIterator[bytes]:
    if isinstance(answer, bytes):
        yield answer
        return
    async for piece in answer(head):
        yield piece


def browsers(parent: int | None = None) -> list[psutil.Process]:
    """The processes of Chromium below a process, this one by default."""
    found = []
    for process in psutil.Process(parent).children(recursive=True):
        try:
            if process.status() != psutil.STATUS_ZOMBIE and "chrom" in process.name():
                found.append(process)
        except psutil.NoSuchProcess:
            continue
    return found
