"""One HTTP/1.1 connection, for one exchange after the other.

The library puts locks, traces and cancel scopes around each step of an exchange, which cost more than the
exchange. Here they are left out: `Lines` hands a connection to one call at a time.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable
from contextlib import nullcontext, suppress
from typing import cast

import anyio
import h11
import httpcore

Connect = Callable[[httpcore.Request], Awaitable[httpcore.AsyncNetworkStream]]

_READ_AT_ONCE = 65_536
_MOST_HEAD = 102_400


class Line(httpcore.AsyncHTTPConnection):
    """The library's connection to `origin`: it connects, and leaves the exchanges to `_Exchanges`."""

    def __init__(
        self,
        origin: httpcore.Origin,
        tls: ssl.SSLContext,
        backend: httpcore.AsyncNetworkBackend,
        keep_alive: float,
    ) -> None:
        super().__init__(origin=origin, ssl_context=tls, network_backend=backend)
        self._request_lock = nullcontext()  # type: ignore[assignment]  # nobody else has this connection
        self._connection = _Exchanges(self._connect, keep_alive)  # type: ignore[assignment]  # as far as it is used


class _Exchanges:
    """The exchanges on one connection, which the first of them opens. Names are httpcore's."""

    def __init__(self, connect: Connect, keep_alive: float) -> None:
        self._connect = connect
        self._keep_alive = keep_alive
        self._http = h11.Connection(h11.CLIENT, max_incomplete_event_size=_MOST_HEAD)
        self._stream: httpcore.AsyncNetworkStream | None = None
        self._idle = False
        self._expires = 0.0

    async def handle_async_request(self, request: httpcore.Request) -> httpcore.Response:
        """The answer to `request`; its body must be closed. Raises httpcore's errors."""
        self._idle = False
        stream = self._stream = self._stream or await self._connect(request)
        try:
            with suppress(httpcore.WriteError):  # the host may have answered all the same
                await stream.write(await self._written(request))
            while not isinstance(event := await self._next(stream), h11.Response):
                pass  # an interim answer
        except BaseException:
            await self.aclose()
            raise
        headers = event.headers.raw_items()
        return httpcore.Response(event.status_code, headers=headers, content=_Content(self, stream))

    async def body(self, stream: httpcore.AsyncNetworkStream) -> AsyncIterator[bytes]:
        """The rest of the answer as it comes. Raises httpcore's errors."""
        while not isinstance(event := await self._next(stream), h11.EndOfMessage):
            if isinstance(event, h11.Data):
                yield bytes(event.data)

    async def end(self) -> None:
        """The exchange is over: a connection on which nothing is owed falls idle, any other is closed."""
        done = self._http.our_state is h11.DONE and self._http.their_state is h11.DONE
        if done and not self._http.trailing_data[0]:
            self._http.start_next_cycle()
            self._expires = asyncio.get_running_loop().time() + self._keep_alive
            self._idle = True
        else:
            await self.aclose()

    async def aclose(self) -> None:
        """Close the connection, even when the task is being cancelled."""
        self._idle = False
        if self._stream is not None:
            with anyio.CancelScope(shield=True):
                await self._stream.aclose()

    def is_available(self) -> bool:
        """True between two exchanges."""
        return self._idle

    def has_expired(self) -> bool:
        """True when it lay idle for too long, or the host has closed it."""
        late = asyncio.get_running_loop().time() > self._expires
        return late or (self._stream is not None and bool(self._stream.get_extra_info("is_readable")))

    async def _written(self, request: httpcore.Request) -> bytes:
        content = cast("AsyncIterable[bytes]", request.stream)
        try:
            head = h11.Request(method=request.method, target=request.url.target, headers=request.headers)
            sent = [self._http.send(head)]
            sent += [self._http.send(h11.Data(data=chunk)) async for chunk in content]
            sent.append(self._http.send(h11.EndOfMessage()))
        except h11.LocalProtocolError as error:
            raise httpcore.LocalProtocolError(str(error)) from None
        return b"".join(filter(None, sent))

    async def _next(self, stream: httpcore.AsyncNetworkStream) -> h11.Event | type[h11.PAUSED]:
        while True:
            try:
                event = self._http.next_event()
            except h11.RemoteProtocolError as error:
                raise httpcore.RemoteProtocolError(str(error)) from None
            if event is not h11.NEED_DATA:
                return cast("h11.Event | type[h11.PAUSED]", event)
            data = await stream.read(_READ_AT_ONCE)
            if not data and self._http.their_state is h11.SEND_RESPONSE:
                raise httpcore.RemoteProtocolError("Server disconnected without sending a response.")
            self._http.receive_data(data)


class _Content:
    """An answer's body; closing it ends the exchange."""

    def __init__(self, exchanges: _Exchanges, stream: httpcore.AsyncNetworkStream) -> None:
        self._exchanges = exchanges
        self._stream = stream

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self._exchanges.body(self._stream)

    async def aclose(self) -> None:
        await self._exchanges.end()
