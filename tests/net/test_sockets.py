"""Connections of the event loop, and what httpcore is told when they fail."""

from __future__ import annotations

import asyncio
import socket
import ssl
from asyncio.trsock import TransportSocket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpcore
import pytest

from research_mcp.net.sockets import Sockets, SocketStream
from tests.net.fakes import listening

HERE = "127.0.0.1"


@asynccontextmanager
async def connected(port: int) -> AsyncIterator[SocketStream]:
    stream = await Sockets().connect_tcp(HERE, port, 5)
    yield stream
    await stream.aclose()


async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await asyncio.Event().wait()


async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(100):
        writer.write(data)


async def test_what_is_sent_arrives_and_the_end_is_empty() -> None:
    async def once(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"you said " + await reader.read(100))
        writer.close()

    async with listening(once) as port, connected(port) as stream:
        await stream.write(b"hello", 5)
        assert await stream.read(100, 5) == b"you said hello"
        assert await stream.read(100, 5) == b""


async def test_an_answer_that_came_before_a_reset_is_read_before_the_error() -> None:
    reset = asyncio.Event()

    async def rude(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"too large")
        await reader.read(100)
        writer.transport.get_extra_info("socket").setsockopt(
            socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0"
        )
        writer.transport.abort()
        reset.set()

    async with listening(rude) as port, connected(port) as stream:
        await stream.write(b"a large body")
        await reset.wait()
        await asyncio.sleep(0.02)
        assert await stream.read(100) == b"too large"
        with pytest.raises(httpcore.ReadError):
            await stream.read(100)
        with pytest.raises(httpcore.WriteError):
            await stream.write(b"more")


async def test_closing_ends_a_read_that_waits() -> None:
    async with listening(silent) as port, connected(port) as stream:
        reading = asyncio.create_task(stream.read(100))
        await asyncio.sleep(0)
        await stream.aclose()
        with pytest.raises(httpcore.ReadError):
            await reading


async def test_nobody_at_the_port_is_a_connect_error() -> None:
    with socket.socket() as unused:
        unused.bind((HERE, 0))
        with pytest.raises(httpcore.ConnectError):
            await Sockets().connect_tcp(HERE, unused.getsockname()[1], 5)


async def test_each_wait_ends_with_its_own_timeout() -> None:
    async with listening(silent) as port:
        with pytest.raises(httpcore.ConnectTimeout):
            await Sockets().connect_tcp(HERE, port, 0)
        async with connected(port) as stream:
            with pytest.raises(httpcore.ReadTimeout):
                await stream.read(100, 0.01)
            with pytest.raises(httpcore.WriteTimeout):
                await stream.write(bytes(20_000_000), 0.01)
        async with connected(port) as stream:
            with pytest.raises(httpcore.ConnectTimeout):
                await stream.start_tls(ssl.create_default_context(), "a.example.com", 0.01)


async def test_a_host_that_speaks_no_tls_is_a_connect_error_and_its_connection_closed() -> None:
    async with listening(echo) as port, connected(port) as stream:
        with pytest.raises(httpcore.ConnectError) as failure:
            await stream.start_tls(ssl.create_default_context(), "a.example.com", 5)
        assert isinstance(failure.value.__cause__, ssl.SSLError)
        with pytest.raises(httpcore.WriteError):
            await stream.write(b"more")


async def test_addresses_and_options_are_those_of_the_socket() -> None:
    async with listening(silent) as port:
        keep_alive = (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        stream = await Sockets().connect_tcp(HERE, port, 5, "127.0.0.2", [keep_alive])
        assert stream.get_extra_info("server_addr") == (HERE, port)
        assert str(stream.get_extra_info("client_addr")).startswith("('127.0.0.2', ")
        its_socket = stream.get_extra_info("socket")
        assert isinstance(its_socket, TransportSocket)
        assert its_socket.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
        assert stream.get_extra_info("ssl_object") is None
        await stream.aclose()
