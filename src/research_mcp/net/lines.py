"""The connections to one host: the last one that fell idle is taken again, or a new one opened.

The library's own pool goes through all its connections at each request and at each answer, which with
fifty calls at once costs more than the calls. Here a request touches one connection.
"""

from __future__ import annotations

import asyncio
import ssl
from collections import deque
from collections.abc import AsyncIterable, AsyncIterator, Callable
from typing import cast

import httpcore


class Lines:
    """What `httpcore.AsyncConnectionPool` is for one host, without HTTP proxies and HTTP/2.

    At most `most` calls run at once, further ones wait. A connection is kept for `keep_alive` seconds.
    """

    def __init__(
        self, backend: httpcore.AsyncNetworkBackend, tls: ssl.SSLContext, *, most: int, keep_alive: float
    ) -> None:
        self._backend = backend
        self._tls = tls
        self._keep_alive = keep_alive
        self._places = asyncio.Semaphore(most)
        self._idle: deque[httpcore.AsyncHTTPConnection] = deque()
        self._busy: set[httpcore.AsyncHTTPConnection] = set()

    async def handle_async_request(self, request: httpcore.Request) -> httpcore.Response:
        """The answer to `request`; its body must be closed. Raises httpcore's errors."""
        await self._places.acquire()
        line: httpcore.AsyncHTTPConnection | None = None
        try:
            line = await self._free() or self._opened(request.url.origin)
            self._busy.add(line)
            answer = await line.handle_async_request(request)
        except BaseException:
            self._give_back(line)
            raise
        return httpcore.Response(
            answer.status,
            headers=answer.headers,
            content=_Content(answer, lambda: self._give_back(line)),
            extensions=answer.extensions,
        )

    async def aclose(self) -> None:
        """Close every connection."""
        for line in (*self._idle, *self._busy):
            await line.aclose()
        self._idle.clear()
        self._busy.clear()

    async def _free(self) -> httpcore.AsyncHTTPConnection | None:
        while self._idle and self._idle[0].has_expired():
            await self._idle.popleft().aclose()
        while self._idle:
            line = self._idle.pop()
            if not line.has_expired():
                return line
            await line.aclose()
        return None

    def _opened(self, origin: httpcore.Origin) -> httpcore.AsyncHTTPConnection:
        return httpcore.AsyncHTTPConnection(
            origin=origin,
            ssl_context=self._tls,
            keepalive_expiry=self._keep_alive,
            network_backend=self._backend,
        )

    def _give_back(self, line: httpcore.AsyncHTTPConnection | None) -> None:
        """One that failed or was left early has closed itself by now."""
        self._places.release()
        if line in self._busy:
            self._busy.remove(line)
            if line.is_available():
                self._idle.append(line)


class _Content:
    """An answer's body that gives its connection back when it is closed."""

    def __init__(self, answer: httpcore.Response, give_back: Callable[[], None]) -> None:
        self._answer = answer
        self._give_back = give_back
        self._closed = False

    def __aiter__(self) -> AsyncIterator[bytes]:
        return aiter(cast("AsyncIterable[bytes]", self._answer.stream))

    async def aclose(self) -> None:
        if not self._closed:
            self._closed = True
            try:
                await self._answer.aclose()
            finally:
                self._give_back()
