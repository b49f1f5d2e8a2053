"""The address on this machine to which a login page sends the browser back, for one login."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from urllib.parse import parse_qsl, urlsplit

from research_mcp.core.instance import Secret
from research_mcp.providers.kit.login.oauth import LoginFailed
from research_mcp.providers.kit.login.sign_in import Read

_LONGEST_HEAD = 16_384
_HEAD_SECONDS = 10.0
_PAGE = (
    "<!doctype html><meta charset=utf-8><title>research-mcp</title>"
    "<p style='font:1.2em sans-serif;margin:4em'>{text}"
)


class Callback:
    """Waits at `redirect` (an `http://127.0.0.1:port/path`) for what `read` takes.

    Requests for anything else, be it a favicon or a probe, get 404 and end nothing. The browser is told
    what became of the login, after it was checked.
    """

    def __init__(self, redirect: str, read: Read) -> None:
        parts = urlsplit(redirect)
        self._address = (parts.hostname or "127.0.0.1", parts.port or 0)
        self._path = parts.path
        self._read = read
        self._code: asyncio.Future[Secret] = asyncio.get_running_loop().create_future()

    async def code(self, seconds: float) -> Secret:
        """The code that came. Raises `LoginFailed`: busy port, nothing in time, or what `read` raises."""
        try:
            server = await asyncio.start_server(self._connected, *self._address, limit=_LONGEST_HEAD)
        except OSError as error:
            raise LoginFailed(
                "oauth_callback_bind_failed",
                f"port {self._address[1]} is not free ({error.strerror}): use --paste",
            ) from None
        try:
            async with asyncio.timeout(seconds):
                return await self._code
        except TimeoutError:
            raise LoginFailed(
                "oauth_callback_timeout", f"no browser came back within {seconds:.0f} s"
            ) from None
        finally:
            server.close()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            async with asyncio.timeout(_HEAD_SECONDS):
                head = await reader.readuntil(b"\r\n\r\n")
                await self._answer(head.split(b"\r\n", 1)[0].decode("latin-1"), writer)
        writer.close()

    async def _answer(self, line: str, writer: asyncio.StreamWriter) -> None:
        method, _, rest = line.partition(" ")
        path, _, query = rest.partition(" ")[0].partition("?")
        if method != "GET" or path != self._path or self._code.done():
            await _say(writer, "404 Not Found", "Nothing is here.")
            return
        try:
            found: Secret | LoginFailed = self._read(dict(parse_qsl(query)))
            said = "200 OK", "You are logged in. This window can be closed."
        except LoginFailed as failed:
            found = failed
            said = "400 Bad Request", "The login failed: the terminal says why."
        try:
            await _say(writer, *said)
        finally:
            self._settle(found)

    def _settle(self, found: Secret | LoginFailed) -> None:
        if self._code.done():
            return
        if isinstance(found, LoginFailed):
            self._code.set_exception(found)
        else:
            self._code.set_result(found)


async def _say(writer: asyncio.StreamWriter, status: str, text: str) -> None:
    body = _PAGE.format(text=text).encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {len(body)}"
    writer.write(f"{head}\r\nConnection: close\r\n\r\n".encode() + body)
    await writer.drain()


def pasted(address: str, read: Read) -> Secret:
    """The code in the address at which the browser ended. Raises `LoginFailed`."""
    try:
        query = urlsplit(address.strip()).query
    except ValueError:
        query = ""
    return read(dict(parse_qsl(query)))
