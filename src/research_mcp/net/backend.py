"""Connections: where to is decided here, once, and the socket is compared with the decision.

httpcore asks a network backend for a stream to a name; ours finds the addresses, connects to one of
them by number and leaves the name for TLS, so that certificates and pooling stay by name.
"""
# ruff: noqa: D102, ASYNC109  (names and signatures are httpcore's)

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from contextlib import suppress
from ipaddress import ip_address
from itertools import zip_longest
from typing import Any

import httpcore

from research_mcp.core.errors import UrlRefused
from research_mcp.net.addresses import Address
from research_mcp.net.sockets import Sockets
from research_mcp.net.stream import Stream

Find = Callable[[str, int], Awaitable[Sequence[Address]]]
"""The addresses for a host and port, checked; raises `UrlRefused` or `NoContent` (`dns_failed`)."""

MOST_ADDRESSES = 4
STAGGER = 0.25
"""Seconds that one address has before the next is tried beside it (RFC 8305)."""

PAUSE = 0.1
"""Seconds before addresses that all refused are tried again."""


class Backend(httpcore.AsyncNetworkBackend):
    """Connects to what `find` finds, in `tries` rounds without asking again.

    `inner` does the socket work. Unix sockets stay unimplemented, and so refused.
    """

    def __init__(
        self, find: Find, inner: httpcore.AsyncNetworkBackend | None = None, *, tries: int = 1
    ) -> None:
        self._find = find
        self._inner = inner or Sockets()
        self._tries = tries

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> Stream:
        addresses = spread(await self._find(host, port))

        async def connect(address: Address) -> httpcore.AsyncNetworkStream:
            stream = await self._inner.connect_tcp(str(address), port, timeout, local_address, socket_options)
            return await _verified(stream, address)

        try:
            async with asyncio.timeout(timeout):
                for _ in range(self._tries - 1):
                    with suppress(httpcore.ConnectError):
                        return Stream(await first_to_connect(addresses, connect))
                    await asyncio.sleep(PAUSE)
                return Stream(await first_to_connect(addresses, connect))
        except TimeoutError:
            raise httpcore.ConnectTimeout from None


async def _verified(stream: httpcore.AsyncNetworkStream, address: Address) -> httpcore.AsyncNetworkStream:
    """`stream`, whose other end is `address`. Closes it and raises `UrlRefused` when it is not."""
    peer = stream.get_extra_info("server_addr")
    if peer is None:  # reset already, so that the socket no longer knows
        await stream.aclose()
        raise httpcore.ConnectError("the connection was reset")
    if ip_address(str(peer[0])) == address:
        return stream
    await stream.aclose()
    raise UrlRefused("Refused: the connection did not end where it was meant to.")


def spread(addresses: Sequence[Address]) -> list[Address]:
    """At most four addresses, the families in turn, so that a dead one costs one stagger only."""
    first = [address for address in addresses if address.version == addresses[0].version]
    other = [address for address in addresses if address.version != addresses[0].version]
    return [address for pair in zip_longest(first, other) for address in pair if address][:MOST_ADDRESSES]


async def first_to_connect(
    addresses: Sequence[Address],
    connect: Callable[[Address], Coroutine[Any, Any, httpcore.AsyncNetworkStream]],
) -> httpcore.AsyncNetworkStream:
    """The first stream that stands. Attempts start a stagger apart, or when one before has failed.

    Raises what the last attempt raised when none stands. Leaves no attempt and no stream behind.
    """
    waiting = list(addresses)
    running: set[asyncio.Task[httpcore.AsyncNetworkStream]] = set()
    failure: BaseException = httpcore.ConnectError("no address")
    try:
        while waiting or running:
            if waiting:
                running.add(asyncio.create_task(connect(waiting.pop(0))))
            done, _ = await asyncio.wait(
                running, timeout=STAGGER if waiting else None, return_when=asyncio.FIRST_COMPLETED
            )
            for task in done:
                running.discard(task)
                if (error := task.exception()) is None:
                    return task.result()
                failure = error
        raise failure
    finally:
        await _drop(running)


async def _drop(tasks: set[asyncio.Task[httpcore.AsyncNetworkStream]]) -> None:
    """Cancel what still connects, and close what connected after all."""
    for task in tasks:
        task.cancel()
    for outcome in await asyncio.gather(*tasks, return_exceptions=True):
        if isinstance(outcome, httpcore.AsyncNetworkStream):
            await outcome.aclose()
