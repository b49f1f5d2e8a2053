"""The only way out of the browser: a proxy for one page, with the guard inside.

It listens on loopback for as long as the page is open and serves who knows its password. Each request
and each tunnel is checked like a page of its own, and connected to the address that was checked. Redirects,
frames, scripts, workers, WebSockets and what a script asks for: the browser has no other way.
"""

from __future__ import annotations

import asyncio
import secrets
from base64 import b64encode
from collections.abc import Callable, Coroutine
from contextlib import suppress
from http import HTTPStatus
from types import TracebackType

import h11
import httpcore
import httpx

from research_mcp.core.errors import NoContent, Overloaded, ResearchError, UrlRefused
from research_mcp.net.browser.limits import ProxyLimits
from research_mcp.net.client import Network, raw_chunks
from research_mcp.net.decode import size_text
from research_mcp.net.faults import fault_of, no_content
from research_mcp.net.normal import Target, normal_form
from research_mcp.net.stream import Stream

Take = Callable[[int], None]
"""Is told of octets that pass. Raises `ConnectionError` when they were too many."""

_CHUNK = 65_536
_BROKEN = (
    h11.ProtocolError,
    httpx.HTTPError,
    httpcore.NetworkError,
    httpcore.TimeoutException,
    httpcore.ProtocolError,
    OSError,
)
"""How a connection ends that one of the ends gave up: nobody is left to tell."""

_OWN_HOP = frozenset(
    b"connection keep-alive proxy-connection proxy-authorization proxy-authenticate te trailer "
    b"transfer-encoding upgrade".split()
)
"""Header fields between the browser and this proxy, or this proxy and the site, that go no further."""


class PageProxy:
    """A proxy for one page over `network`'s guard. Use as an async context: leaving it cuts everything.

    `faults` holds, by host and port, why a connection was not made; `spent`: the page loaded all the
    octets that it may.
    """

    def __init__(self, network: Network, limits: ProxyLimits | None = None) -> None:
        self._network = network
        self._limits = limits or ProxyLimits()
        self._left = self._limits.octets
        self._closed = False
        self._open: dict[asyncio.Task[None], asyncio.StreamWriter] = {}
        self.username = "page"
        self.password = secrets.token_urlsafe(24)
        self._token = b"Basic " + b64encode(f"{self.username}:{self.password}".encode())
        self.faults: dict[tuple[str, int], ResearchError] = {}

    async def __aenter__(self) -> PageProxy:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self._port = int(self._server.sockets[0].getsockname()[1])
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closed = True
        self._server.close()
        for task, writer in self._open.items():
            writer.transport.abort()
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    @property
    def address(self) -> str:
        """Where the browser finds it."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def spent(self) -> bool:
        """Whether the page has used up its octets."""
        return self._left <= 0

    def fault(self, target: Target) -> ResearchError | None:
        """Why the page got no connection to `target`."""
        return self.faults.get((target.host, target.port))

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None  # noqa: S101  (start_server runs this in a task)
        self._open[task] = writer
        try:
            with suppress(*_BROKEN):
                await self._talk(_Browser(reader, writer, self._take))
        except asyncio.CancelledError:
            pass  # the page is closed
        finally:
            del self._open[task]
            writer.close()

    async def _talk(self, browser: _Browser) -> None:
        """One request or tunnel; then the connection is closed, so that nothing slips in behind it."""
        request = await browser.request()
        if request is None or self._closed:
            return
        if not secrets.compare_digest(_field(request, b"proxy-authorization"), self._token):
            await browser.refuse(HTTPStatus.PROXY_AUTHENTICATION_REQUIRED, "")
            return
        if len(self._open) > self._limits.connections or self.spent:
            await browser.refuse(HTTPStatus.SERVICE_UNAVAILABLE, str(self._over()))
            return
        try:
            if request.method == b"CONNECT":
                await self._tunnel(request, browser)
            else:
                await self._forward(request, browser)
        except (UrlRefused, Overloaded) as error:
            await browser.refuse(HTTPStatus.FORBIDDEN, str(error))
        except NoContent as error:
            await browser.refuse(HTTPStatus.BAD_GATEWAY, str(error))

    def _take(self, octets: int) -> None:
        """Count what passes. Raises `ConnectionError` when the page has had enough."""
        self._left -= octets
        if self.spent:
            raise ConnectionError

    def _over(self) -> Overloaded:
        most = f"{size_text(self._limits.octets)} over {self._limits.connections} connections"
        return Overloaded(f"a page may load {most}")

    # https, WebSockets

    async def _tunnel(self, request: h11.Request, browser: _Browser) -> None:
        target = normal_form(f"https://{request.target.decode('ascii', 'replace')}/")
        stream = await self._connected(target)
        try:
            await browser.accept()
            await _first_to_end(browser.to(stream), browser.come_from(stream))
        finally:
            await stream.aclose()

    async def _connected(self, target: Target) -> Stream:
        try:
            return await self._network.connect(target, self._limits.connect)
        except (UrlRefused, NoContent) as error:
            raise self._noted(target, error) from None
        except httpcore.ConnectError:
            raise self._noted(target, no_content(target.host, fault_of(httpx.ConnectError("")))) from None
        except httpcore.TimeoutException:
            raise self._noted(target, no_content(target.host, fault_of(httpx.ConnectTimeout("")))) from None

    def _noted(self, target: Target, error: ResearchError) -> ResearchError:
        self.faults[target.host, target.port] = error
        return error

    # http

    async def _forward(self, request: h11.Request, browser: _Browser) -> None:
        target = normal_form(request.target.decode("ascii", "replace"))
        body = await browser.body(self._limits.upload)
        onward = httpx.Request(
            request.method.decode("ascii"),
            target.url,
            headers=[field for field in request.headers if field[0] not in _OWN_HOP],
            content=body,
            extensions={"timeout": {"connect": self._limits.connect}},
        )
        try:
            answer = await self._network.guarded().handle_async_request(onward)
        except (UrlRefused, NoContent) as error:
            raise self._noted(target, error) from None
        except httpx.HTTPError as error:
            raise self._noted(target, no_content(target.host, fault_of(error))) from None
        try:
            await browser.pass_on(answer)
        finally:
            await answer.aclose()


class _Browser:
    """The browser's end of one connection. `take` is told of every octet that passes."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, take: Take) -> None:
        self._reader = reader
        self._writer = writer
        self._take = take
        self._talk = h11.Connection(h11.SERVER, max_incomplete_event_size=_CHUNK)

    async def request(self) -> h11.Request | None:
        """What it wants; None when it hangs up."""
        event = await self._next()
        return event if isinstance(event, h11.Request) else None

    async def body(self, most: int) -> bytes:
        """What it sends along. Raises `Overloaded` past `most` octets."""
        data = b""
        while isinstance(event := await self._next(), h11.Data):
            data += event.data
            if len(data) > most:
                raise Overloaded(f"a page may send {size_text(most)} at a time")
        return data

    async def accept(self) -> None:
        """A tunnel stands."""
        await self._send(h11.Response(status_code=200, headers=[], reason=b"Connected"))

    async def refuse(self, status: HTTPStatus, why: str) -> None:
        """The answer of the proxy itself, where an answer is still possible."""
        if self._talk.our_state is not h11.SEND_RESPONSE:
            return
        headers = [("Content-Type", "text/plain"), ("Content-Length", str(len(why.encode())))]
        if status is HTTPStatus.PROXY_AUTHENTICATION_REQUIRED:
            headers.append(("Proxy-Authenticate", 'Basic realm="page"'))
        headers.append(("Connection", "close"))
        await self._send(h11.Response(status_code=status, headers=headers))
        await self._send(h11.Data(data=why.encode()))
        await self._send(h11.EndOfMessage())

    async def pass_on(self, answer: httpx.Response) -> None:
        """A site's answer, as it comes."""
        headers = [field for field in answer.headers.raw if field[0].lower() not in _OWN_HOP]
        headers.append((b"Connection", b"close"))
        await self._send(h11.Response(status_code=answer.status_code, headers=headers))
        async with raw_chunks(answer) as chunks:
            async for chunk in chunks:
                self._take(len(chunk))
                await self._send(h11.Data(data=chunk))
        await self._send(h11.EndOfMessage())

    async def to(self, stream: Stream) -> None:
        """Carry what the browser says."""
        data = self._talk.trailing_data[0] or await self._reader.read(_CHUNK)
        while data:
            self._take(len(data))
            await stream.push(data)
            data = await self._reader.read(_CHUNK)

    async def come_from(self, stream: Stream) -> None:
        """Carry what the site says."""
        while data := await stream.read(_CHUNK):
            self._take(len(data))
            self._writer.write(data)
            await self._writer.drain()

    async def _next(self) -> object:
        while (event := self._talk.next_event()) is h11.NEED_DATA:
            self._talk.receive_data(await self._reader.read(_CHUNK))
        return event

    async def _send(self, event: h11.Event) -> None:
        if data := self._talk.send(event):
            self._writer.write(data)
            await self._writer.drain()


def _field(request: h11.Request, name: bytes) -> bytes:
    return next((value for field, value in request.headers if field == name), b"")


async def _first_to_end(*ways: Coroutine[None, None, None]) -> None:
    """Run until one ends; a half-open tunnel is of no use to a browser."""
    tasks = [asyncio.create_task(way) for way in ways]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
