"""A way through a proxy. For pages it is told the checked number: a name it would resolve anew."""
# ruff: noqa: D102, ASYNC109  (names and signatures are httpcore's)

from __future__ import annotations

import base64
import ssl
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

import httpcore
from socksio import ProtocolError, SOCKSError, socks5

from research_mcp.core.errors import ConfigError
from research_mcp.net.backend import Find
from research_mcp.net.stream import Stream

_DEFAULT_PORTS = {"http": 80, "https": 443, "socks5": 1080, "socks5h": 1080}
_MOST_HEAD = 16_384


@dataclass(frozen=True, slots=True)
class ProxyAddress:
    """A proxy as the configuration states it. User and password stay out of the repr."""

    scheme: str
    host: str
    port: int
    auth: tuple[bytes, bytes] | None = field(default=None, repr=False)

    @classmethod
    def parse(cls, url: str, whose: str = "an instance") -> ProxyAddress:
        """`socks5://user:pw@host:port`, socks5h, http or https. Raises `ConfigError` without the value."""
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError:
            parts, port = urlsplit(""), None
        if parts.scheme not in _DEFAULT_PORTS or not parts.hostname:
            raise ConfigError(
                f"the proxy of {whose} cannot be used: write it like socks5://host:1080, "
                "socks5h://user:password@host:1080 or http://host:3128"
            )
        auth = None
        if parts.username is not None:
            auth = (unquote(parts.username).encode(), unquote(parts.password or "").encode())
        return cls(parts.scheme, parts.hostname, port or _DEFAULT_PORTS[parts.scheme], auth)

    @property
    def url(self) -> str:
        """The address without user and password."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"


class TunnelBackend(httpcore.AsyncNetworkBackend):
    """Checks with `find` here, then lets the proxy connect to the number. `way` leads to the proxy.

    Without `find` the proxy gets the name, for hosts that the configuration vouches for.
    """

    def __init__(
        self, find: Find | None, way: httpcore.AsyncNetworkBackend, proxy: ProxyAddress, tls: ssl.SSLContext
    ) -> None:
        self._find = find
        self._way = way
        self._proxy = proxy
        self._tls = tls

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        if self._find is not None:
            addresses = await self._find(host, port)
            host = str(min(addresses, key=lambda found: found.version))  # fewer proxies speak IPv6
        stream = await self._way.connect_tcp(
            self._proxy.host, self._proxy.port, timeout, local_address, socket_options
        )
        try:
            if self._proxy.scheme == "https":
                stream = await stream.start_tls(self._tls, self._proxy.host, timeout)
            if self._proxy.scheme in ("http", "https"):
                await _http_connect(stream, host, port, self._proxy.auth, timeout)
            else:
                await _socks_connect(stream, host, port, self._proxy.auth, timeout)
        except BaseException:
            await stream.aclose()
            raise
        return Stream(stream)


async def _http_connect(
    stream: httpcore.AsyncNetworkStream,
    host: str,
    port: int,
    auth: tuple[bytes, bytes] | None,
    timeout: float | None,
) -> None:
    """CONNECT (RFC 9110 9.3.6). Raises `httpcore.ProxyError`."""
    authority = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    head = f"CONNECT {authority} HTTP/1.1\r\nHost: {authority}\r\n".encode()
    if auth:
        head += b"Proxy-Authorization: Basic " + base64.b64encode(b":".join(auth)) + b"\r\n"
    await stream.write(head + b"\r\n", timeout)
    answer = b""
    while b"\r\n\r\n" not in answer:
        data = await stream.read(4_096, timeout)
        answer += data
        if not data or len(answer) > _MOST_HEAD:
            raise httpcore.ProxyError("the proxy gave no answer")
    if answer.split(b" ", 2)[1:2] != [b"200"]:
        raise httpcore.ProxyError("the proxy refused the connection")


async def _socks_connect(
    stream: httpcore.AsyncNetworkStream,
    host: str,
    port: int,
    auth: tuple[bytes, bytes] | None,
    timeout: float | None,
) -> None:
    """SOCKS5 (RFC 1928, RFC 1929). Raises `httpcore.ProxyError`."""
    talk = socks5.SOCKS5Connection()
    methods = socks5.SOCKS5AuthMethod
    method = methods.USERNAME_PASSWORD if auth else methods.NO_AUTH_REQUIRED

    async def exchange(size: Callable[[bytes], int] = lambda _: 2) -> object:
        await stream.write(talk.data_to_send(), timeout)
        answer = b""
        while (left := size(answer) - len(answer)) > 0 and (data := await stream.read(left, timeout)):
            answer += data
        return talk.receive_data(answer)

    try:
        talk.send(socks5.SOCKS5AuthMethodsRequest([method]))
        chosen = await exchange()
        if not isinstance(chosen, socks5.SOCKS5AuthReply) or chosen.method != method:
            raise httpcore.ProxyError("the proxy wants another way to sign in")
        if auth:
            talk.send(socks5.SOCKS5UsernamePasswordRequest(*auth))
            signed_in = await exchange()
            if not isinstance(signed_in, socks5.SOCKS5UsernamePasswordReply) or not signed_in.success:
                raise httpcore.ProxyError("the proxy refused its user name and password")
        talk.send(socks5.SOCKS5CommandRequest.from_address(socks5.SOCKS5Command.CONNECT, (host, port)))
        reply = await exchange(_reply_size)
        if not isinstance(reply, socks5.SOCKS5Reply) or reply.reply_code != socks5.SOCKS5ReplyCode.SUCCEEDED:
            raise httpcore.ProxyError("the proxy could not connect")
    except (ProtocolError, SOCKSError):
        raise httpcore.ProxyError("the proxy does not speak SOCKS5") from None


def _reply_size(start: bytes) -> int:
    """Octets of the reply to a request, as far as its start tells (RFC 1928, 6)."""
    if len(start) < 5:
        return 5
    return {1: 10, 4: 22}.get(start[3], 7 + start[4])
