"""One connection to the server: made when first needed, thrown away when anything about it is odd."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from valkey.asyncio.connection import (
    AbstractConnection,
    Connection,
    ConnectionPool,
    SSLConnection,
    UnixDomainSocketConnection,
)
from valkey.exceptions import ResponseError

from research_mcp.core.errors import ConfigError
from research_mcp.store.valkey.address import Address

Command = tuple[str | bytes | int, ...]
Reply = object
"""What a command is answered with: bytes, an integer, None, a list of these, or a `ResponseError`."""

SCHEMA = 1
"""Version of what the keys hold. A program never works on a newer one."""

CONNECT_SECONDS = 2.0


class Link:
    """Sends commands in one go and reads their replies. For one task at a time.

    `prefix` stands before every key. Raises what the client raises: `ValkeyError`, `OSError`,
    `TimeoutError`; and `ConfigError` when the keys belong to a newer program.
    """

    def __init__(self, address: Address, prefix: str) -> None:
        self.address = address
        self.prefix = prefix
        self._pool = _pool(address)
        self._connection: AbstractConnection | None = None

    @property
    def fresh(self) -> bool:
        """True when the next exchange begins with a new connection."""
        return self._connection is None or not self._connection.is_connected

    async def exchange(self, commands: Sequence[Command]) -> list[Reply]:
        """The reply to each command, in order; errors of single commands stand among them."""
        if self.fresh:
            await self._connect()
        return await self._sent(commands)

    async def close(self) -> None:
        """Hang up."""
        if self._connection is not None:
            await self._connection.disconnect(nowait=True)
        self._connection = None

    async def _connect(self) -> None:
        await self.close()
        connection: AbstractConnection = self._pool.make_connection()
        self._connection = connection
        await connection.connect()
        key = f"{self.prefix}schema"
        _, found = await self._sent([("SET", key, SCHEMA, "NX"), ("GET", key)])
        if isinstance(found, ResponseError):
            raise found
        if isinstance(found, bytes) and found.isdigit() and int(found) > SCHEMA:
            await self.close()
            raise ConfigError(
                f"the store has schema version {int(found)} and this program knows {SCHEMA}: "
                "run the newer program, or choose another VALKEY_PREFIX"
            )

    async def _sent(self, commands: Sequence[Command]) -> list[Reply]:
        connection = self._connection
        if connection is None:
            raise ConnectionError("not connected")
        replies: list[Reply] = []
        await connection.send_packed_command(connection.pack_commands(commands))
        for _ in commands:
            try:
                replies.append(await connection.read_response())
            except ResponseError as error:
                replies.append(error)
        return replies


def _pool(at: Address) -> ConnectionPool:
    """What makes connections: the client's own time-outs beside the one for connecting are off, since
    each would cost a timer for each reply."""
    options: dict[str, Any] = {
        "db": at.database,
        "username": at.user or None,
        "password": at.password.reveal() if at.password else None,
        "socket_timeout": None,
        "socket_connect_timeout": CONNECT_SECONDS,
        "lib_name": "research-mcp",
    }
    if at.socket:
        return ConnectionPool(UnixDomainSocketConnection, path=at.socket, **options)
    options |= {"host": at.host, "port": at.port, "socket_keepalive": True}
    if not at.tls:
        return ConnectionPool(Connection, **options)
    # the client compares no names unless it is told to
    return ConnectionPool(SSLConnection, ssl_ca_certs=at.ca_file or None, ssl_check_hostname=True, **options)
