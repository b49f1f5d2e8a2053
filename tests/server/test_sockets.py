"""What stands in the way of listening is one sentence that names variable, value and remedy."""

from __future__ import annotations

import asyncio
import errno
import os
import socket

import pytest

from research_mcp.core.errors import ConfigError
from research_mcp.server.sockets import bound


def test_port_0_takes_a_free_one_that_answers() -> None:
    (one,) = bound("127.0.0.1", 0)
    with one, socket.create_connection(one.getsockname(), timeout=2):
        assert one.getsockname()[1] > 0


async def test_answers_do_not_wait_for_the_clients_acknowledgement() -> None:
    """Nagle's delay is off on a connection that an event loop accepts from there."""
    delays: asyncio.Queue[int] = asyncio.Queue()

    def accepted(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = writer.get_extra_info("socket")
        delays.put_nowait(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        writer.close()

    (one,) = bound("127.0.0.1", 0)
    async with await asyncio.start_server(accepted, sock=one):
        _, writer = await asyncio.open_connection(*one.getsockname())
        assert await delays.get() != 0
        writer.close()


def test_every_address_of_a_name_is_served_on_one_port() -> None:
    sockets = bound("localhost", 0)
    assert len({one.getsockname()[1] for one in sockets}) == 1
    for one in sockets:
        one.close()


@pytest.mark.parametrize("host", ["nonsense.invalid", "no host at all", "192.0.2.7", "x" * 300])
def test_a_host_that_is_not_this_machines_is_told_with_the_remedy(host: str) -> None:
    with pytest.raises(ConfigError, match=f"^MCP_HOST='{host}' is not usable: .* Write 127.0.0.1"):
        bound(host, 0)


def test_a_taken_port_is_told_with_the_remedy() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(
            ConfigError, match=f"^MCP_PORT={port} is not usable on 127.0.0.1: another program"
        ):
            bound("127.0.0.1", port)


@pytest.mark.parametrize(
    ("number", "told"),
    [
        (errno.EACCES, "MCP_PORT=80 is not usable on 127.0.0.1: this user may not listen there"),
        (
            errno.ENOBUFS,
            f"MCP_HOST='127.0.0.1' with MCP_PORT=80 is not usable ({os.strerror(errno.ENOBUFS)})",
        ),
    ],
)
def test_what_the_system_refuses_is_told(number: int, told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: socket.socket, address: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(socket.socket, "bind", refuse)
    with pytest.raises(ConfigError) as stopped:
        bound("127.0.0.1", 80)
    assert str(stopped.value).startswith(told)


def test_a_machine_without_a_family_of_addresses_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def lack(*_: object, **__: object) -> socket.socket:
        raise OSError(errno.EAFNOSUPPORT, os.strerror(errno.EAFNOSUPPORT))

    monkeypatch.setattr(socket, "socket", lack)
    with pytest.raises(ConfigError, match="MCP_HOST='::1' is not usable"):
        bound("::1", 0)
