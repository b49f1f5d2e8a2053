"""The event loop's own sockets for httpcore, whose own cost several turns of the loop for each use.

What a host sent before it broke the connection off is read first, since it may be the whole answer.
"""
# ruff: noqa: D102, ASYNC109  (names and signatures are httpcore's)

from __future__ import annotations

import asyncio
import select
import ssl
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import httpcore

_ENDS = {"server_addr": "peername", "client_addr": "sockname"}
"""What httpcore calls the addresses of both ends, and what asyncio does."""


class Sockets(httpcore.AsyncNetworkBackend):
    """TCP connections. Raises `httpcore.ConnectTimeout` and `httpcore.ConnectError`."""

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> SocketStream:
        loop = asyncio.get_running_loop()
        reader = _Arrivals(loop=loop)
        protocol = asyncio.StreamReaderProtocol(reader, loop=loop)
        local = (local_address, 0) if local_address else None
        with _told_as(httpcore.ConnectTimeout, httpcore.ConnectError):
            async with asyncio.timeout(timeout):
                transport, _ = await loop.create_connection(lambda: protocol, host, port, local_addr=local)
        for option in socket_options or ():
            transport.get_extra_info("socket").setsockopt(*option)
        return SocketStream(reader, asyncio.StreamWriter(transport, protocol, reader, loop))


class SocketStream(httpcore.AsyncNetworkStream):
    """One connection. Raises httpcore's `Read`, `Write` and `Connect` errors, the last from `start_tls`."""

    def __init__(self, reader: _Arrivals, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        with _told_as(httpcore.ReadTimeout, httpcore.ReadError):
            async with asyncio.timeout(timeout):
                data = await self._reader.read(max_bytes)
            if not data and self._reader.broken:
                raise self._reader.broken
            self._reader.unread -= len(data)
            return data

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        with _told_as(httpcore.WriteTimeout, httpcore.WriteError):
            self._writer.write(buffer)
            async with asyncio.timeout(timeout):
                await self._writer.drain()

    async def aclose(self) -> None:
        self._reader.set_exception(ConnectionAbortedError("closed from here"))
        self._writer.transport.abort()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> SocketStream:
        try:
            with _told_as(httpcore.ConnectTimeout, httpcore.ConnectError):
                async with asyncio.timeout(timeout):
                    await self._writer.start_tls(ssl_context, server_hostname=server_hostname)
        except BaseException:
            await self.aclose()
            raise
        return self

    def get_extra_info(self, info: str) -> object:
        if info == "is_readable":
            return self._readable()
        return self._writer.get_extra_info(_ENDS.get(info, info))

    def _readable(self) -> bool:
        """True when something waits to be read: on an idle connection, its end, or what nobody asked for."""
        number = self._writer.get_extra_info("socket").fileno()
        if number < 0 or self._reader.unread or self._reader.at_eof():
            return True
        poll = select.poll()  # what the event loop has not taken in yet
        poll.register(number, select.POLLIN)
        return bool(poll.poll(0))


class _Arrivals(asyncio.StreamReader):
    """asyncio's own forgets what is not read yet when the connection breaks; here that comes after it."""

    broken: Exception | None = None
    unread = 0
    """Bytes."""

    def feed_data(self, data: bytes) -> None:  # type: ignore[override]  # only bytes come
        self.unread += len(data)
        super().feed_data(data)

    def set_exception(self, exc: Exception) -> None:
        self.broken = exc
        self.feed_eof()


@contextmanager
def _told_as(late: type[Exception], broken: type[Exception]) -> Iterator[None]:
    """httpcore's errors for those of sockets and TLS, which stay their causes."""
    try:
        yield
    except TimeoutError as error:
        raise late(str(error)) from error
    except OSError as error:
        raise broken(str(error)) from error
