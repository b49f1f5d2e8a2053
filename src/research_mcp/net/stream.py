"""A connection that knows why TLS failed and how often a server said "go on" instead of answering."""
# ruff: noqa: D102, ASYNC109  (names and signatures are httpcore's)

from __future__ import annotations

import re
import ssl
from contextlib import suppress

import httpcore

from research_mcp.core.errors import NoContent, Reason

MOST_INFORMATIONAL = 10

_MOST_HELD = 65_536
_MOST_HEAD = 100_000
_INFORMATIONAL = re.compile(rb"HTTP/1\.\d 1(?!01)\d\d")
_STATUS_LENGTH = len(b"HTTP/1.1 100")
_HEAD_END = re.compile(rb"\r?\n\r?\n")


class AnswerHead:
    """The 1xx answers before the one that counts. httpcore would read them without end."""

    def __init__(self) -> None:
        self._text = bytearray()
        self._count = 0
        self._over = False

    def take(self, data: bytes) -> None:
        """Look at what was read. Raises `httpcore.RemoteProtocolError` at the eleventh 1xx answer."""
        if self._over:
            return
        self._text += data
        while len(self._text) >= _STATUS_LENGTH:
            if not _INFORMATIONAL.match(self._text):
                self._over = True
                self._text.clear()
                return
            end = _HEAD_END.search(self._text)
            if end is None:
                break
            self._count += 1
            del self._text[: end.end()]
        if self._count > MOST_INFORMATIONAL or len(self._text) > _MOST_HEAD:
            raise httpcore.RemoteProtocolError("too many informational answers")


class Stream(httpcore.AsyncNetworkStream):
    """Passes everything on to `inner`. `start_tls` raises `NoContent` (`tls_failed`).

    What is written is held until an answer is asked for, so that the head of a small request and its
    body leave together.
    """

    def __init__(self, inner: httpcore.AsyncNetworkStream) -> None:
        self._inner = inner
        self._held = bytearray()
        self._head = AnswerHead()

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        with suppress(httpcore.WriteError):  # the host may have answered all the same
            await self._send(timeout)
        data = await self._inner.read(max_bytes, timeout)
        self._head.take(data)
        return data

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._head = AnswerHead()
        self._held += buffer
        if len(self._held) > _MOST_HELD:
            await self._send(timeout)

    async def push(self, data: bytes) -> None:
        """Write at once: for a tunnel, whose ends speak when they like."""
        await self._inner.write(data)

    async def _send(self, timeout: float | None) -> None:
        if self._held:
            held, self._held = bytes(self._held), bytearray()
            await self._inner.write(held, timeout)

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.AsyncNetworkStream:
        try:
            return Stream(await self._inner.start_tls(ssl_context, server_hostname, timeout))
        except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
            raise NoContent(
                f"no safe connection to {server_hostname}: {_tls_fault(error)}", reason=Reason.TLS_FAILED
            ) from None

    def get_extra_info(self, info: str) -> object:
        return self._inner.get_extra_info(info)


def _tls_fault(error: BaseException) -> str:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return f"its certificate is not valid ({cause.verify_message})"
        cause = cause.__cause__ or cause.__context__
    return "the TLS handshake failed"
