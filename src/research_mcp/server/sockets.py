"""Listening: what stands in the way is told before anything else starts."""

from __future__ import annotations

import errno
import os
import socket

from research_mcp.core.errors import ConfigError

_BACKLOG = 2048
_TAKEN = "another program listens there. Stop it, or choose another port; 0 takes a free one"
_FORBIDDEN = "this user may not listen there. Choose a port from 1024 on; 0 takes a free one"
_FOREIGN = "this machine has no such address. Write 127.0.0.1 for itself alone, 0.0.0.0 for every network"


def bound(host: str, port: int) -> list[socket.socket]:
    """A listening socket for each address of `host`, all on one port (0: a free one).

    Raises `ConfigError`: one sentence that names the variable, its value and what to do.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError):
        raise ConfigError(f"MCP_HOST={host!r} is not usable: {_FOREIGN}") from None
    sockets: list[socket.socket] = []
    try:
        for family, _, _, _, address in dict.fromkeys(found):
            place = (str(address[0]), port or (sockets[0].getsockname()[1] if sockets else 0), *address[2:])
            sockets += _listening(family, place)
    except OSError as error:
        for one in sockets:
            one.close()
        raise _refusal(host, port, error) from None
    if not sockets:
        raise ConfigError(f"MCP_HOST={host!r} is not usable: {_FOREIGN}")
    return sockets


def _listening(family: int, address: tuple[object, ...]) -> list[socket.socket]:
    """One socket, none where the machine lacks the family. Raises `OSError`."""
    try:
        # The protocol's number too: asyncio turns Nagle's delay off only where it is stated, and each
        # answer of two segments would wait 40 ms for the client's acknowledgement.
        one = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    except OSError:  # no IPv6 here: the other family serves
        return []
    try:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        one.bind(address)
        one.listen(_BACKLOG)
    except OSError:
        one.close()
        raise
    return [one]


def _refusal(host: str, port: int, error: OSError) -> ConfigError:
    if error.errno == errno.EADDRINUSE:
        return ConfigError(f"MCP_PORT={port} is not usable on {host}: {_TAKEN}")
    if error.errno in (errno.EACCES, errno.EPERM):
        return ConfigError(f"MCP_PORT={port} is not usable on {host}: {_FORBIDDEN}")
    if error.errno == errno.EADDRNOTAVAIL:
        return ConfigError(f"MCP_HOST={host!r} is not usable: {_FOREIGN}")
    why = os.strerror(error.errno or 0)
    return ConfigError(f"MCP_HOST={host!r} with MCP_PORT={port} is not usable ({why}): choose others")
