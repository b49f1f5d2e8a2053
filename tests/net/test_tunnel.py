"""Pages through a proxy: it is told the checked number, the name stays for TLS and Host."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest
import trustme

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import ConfigError, NoContent, Reason, UrlRefused
from research_mcp.net.tunnel import ProxyAddress
from tests.net.fakes import PUBLIC, PUBLIC_6, LoopbackNet, Names, answering, fetching, listening, page
from tests.net.test_stream import client_tls, server_tls


@dataclass
class Proxy:
    """A SOCKS5 and HTTP CONNECT proxy that leads everything to one port."""

    port: int = 0
    target: int = 0
    user: bytes = b""
    told: list[str] = field(default_factory=list)
    answer: bytes | None = None
    connections: int = 0
    piecemeal: bool = False

    async def _say(self, writer: asyncio.StreamWriter, answer: bytes) -> None:
        for octet in answer if self.piecemeal else ():
            writer.write(bytes([octet]))
            await asyncio.sleep(0.002)  # or the octets would arrive together
        writer.write(b"" if self.piecemeal else answer)

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        first = await reader.readexactly(1)
        if first == b"\x05":
            await self._socks(reader, writer)
        else:
            await self._connect(reader, writer)

    async def _socks(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        methods = await reader.readexactly((await reader.readexactly(1))[0])
        method = b"\x02" if self.user else b"\x00"
        await self._say(writer, b"\x05" + (method if method in methods else b"\xff"))
        if method not in methods:
            return
        if self.user:
            _, length = await reader.readexactly(2)
            user = await reader.readexactly(length)
            password = await reader.readexactly((await reader.readexactly(1))[0])
            good = user + b":" + password == self.user
            await self._say(writer, b"\x01" + (b"\x00" if good else b"\x01"))
            if not good:
                return
        kind = (await reader.readexactly(4))[3]
        size = {1: 4, 4: 16}.get(kind) or (await reader.readexactly(1))[0]
        host = await reader.readexactly(size)
        await reader.readexactly(2)
        self.told.append({1: "number ", 4: "number6 "}.get(kind, "name ") + host.hex())
        await self._say(writer, self.answer or b"\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00")
        if self.answer is None:
            await self._pipe(reader, writer)

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = b"C" + await reader.readuntil(b"\r\n\r\n")
        self.told.append(head.split(b"\r\n")[0].decode())
        self.told += [line.decode() for line in head.split(b"\r\n") if line.startswith(b"Proxy-Auth")]
        writer.write(self.answer or b"HTTP/1.1 200 OK\r\n\r\n")
        if self.answer is None:
            await self._pipe(reader, writer)

    async def _pipe(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.target)

        async def copy(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
            while data := await source.read(65_536):
                sink.write(data)

        try:
            await asyncio.gather(copy(reader, far_writer), copy(far_reader, writer))
        finally:
            far_writer.close()


@asynccontextmanager
async def proxied(proxy: Proxy, tls=None) -> AsyncIterator[Proxy]:
    async with listening(answering(page("through")), **({"ssl": tls} if tls else {})) as target:
        proxy.target = target
        async with listening(proxy.talk) as proxy.port:
            yield proxy


async def read(
    proxy: Proxy, scheme: str, url: str = "http://a.example.com/", user: str = "", **options
) -> bytes:
    async with fetching(LoopbackNet(), proxy=f"{scheme}://{user}127.0.0.1:{proxy.port}", **options) as kit:
        return (await kit.fetcher.fetch(url, Deadline.after(5))).body


@pytest.mark.parametrize("scheme", ["socks5", "socks5h"])
async def test_a_socks_proxy_is_told_the_checked_number_and_never_the_name(scheme: str):
    async with proxied(Proxy()) as proxy:
        assert await read(proxy, scheme) == b"through"
    assert proxy.told == ["number 5db8d70e"]


async def test_a_socks_proxy_may_answer_in_pieces():
    async with proxied(Proxy(user=b"me:pass", piecemeal=True)) as proxy:
        assert await read(proxy, "socks5", user="me:pass@") == b"through"


async def test_an_http_proxy_is_told_the_checked_number_and_never_the_name():
    async with proxied(Proxy()) as proxy:
        assert await read(proxy, "http", user="me:p%40ss@") == b"through"
    assert proxy.told == [f"CONNECT {PUBLIC}:80 HTTP/1.1", "Proxy-Authorization: Basic bWU6cEBzcw=="]


async def test_ipv4_goes_before_ipv6_which_fewer_proxies_speak():
    async with proxied(Proxy()) as proxy:
        await read(proxy, "socks5", names=Names(default=[PUBLIC_6, PUBLIC]))
        await read(proxy, "socks5", names=Names(default=[PUBLIC_6]))
        await read(proxy, "http", names=Names(default=[PUBLIC_6]))
    assert proxy.told == [
        "number 5db8d70e",
        "number6 " + "26064700470000000000000000001111",
        f"CONNECT [{PUBLIC_6}]:80 HTTP/1.1",
    ]


async def test_the_name_stays_for_tls():
    authority = trustme.CA()
    async with proxied(Proxy(), server_tls(authority, "a.example.com")) as proxy:
        tls = client_tls(authority)
        assert await read(proxy, "socks5", "https://a.example.com/", tls=tls) == b"through"
        with pytest.raises(NoContent) as failure:
            await read(proxy, "socks5", "https://b.example.com/", tls=tls)
    assert failure.value.reason is Reason.TLS_FAILED


async def test_a_socks_proxy_with_a_user_is_signed_in_to():
    async with proxied(Proxy(user=b"me:p@ss")) as proxy:
        assert await read(proxy, "socks5", user="me:p%40ss@") == b"through"


@pytest.mark.parametrize("url", ["http://127.0.0.1/", "http://localhost/", "http://inner.example.com/"])
@pytest.mark.parametrize("scheme", ["socks5", "http"])
async def test_what_is_refused_is_not_told_to_the_proxy(scheme: str, url: str):
    async with proxied(Proxy()) as proxy:
        with pytest.raises(UrlRefused):
            await read(proxy, scheme, url, names=Names(default=["10.0.0.9"]))
    assert proxy.connections == 0


@pytest.mark.parametrize(
    ("scheme", "proxy", "user"),
    [
        ("socks5", Proxy(answer=b"\x05\x05\x00\x01\x00\x00\x00\x00\x00\x00"), ""),
        ("socks5", Proxy(answer=b"nonsense"), ""),
        ("socks5", Proxy(user=b"me:pw"), ""),
        ("socks5", Proxy(user=b"me:pw"), "me:wrong@"),
        ("http", Proxy(answer=b"HTTP/1.1 403 Forbidden\r\n\r\n"), ""),
        ("http", Proxy(answer=b"HTTP/1.1 200"), ""),
        ("http", Proxy(answer=b"x" * 100_000), ""),
    ],
)
async def test_a_proxy_that_does_not_do_its_part_is_named_as_the_cause(scheme: str, proxy: Proxy, user: str):
    async with proxied(proxy):
        with pytest.raises(NoContent, match="through the proxy") as failure:
            await read(proxy, scheme, user=user)
    assert failure.value.reason is Reason.UNREACHABLE
    assert "wrong" not in str(failure.value)


async def test_a_tls_proxy_is_spoken_to_over_tls():
    authority = trustme.CA()
    proxy = Proxy()
    async with (
        listening(answering(page("through"))) as proxy.target,
        listening(proxy.talk, ssl=server_tls(authority, "127.0.0.1")) as proxy.port,
    ):
        assert await read(proxy, "https", tls=client_tls(authority)) == b"through"


async def test_tls_to_a_page_runs_inside_that_to_the_proxy():
    authority = trustme.CA()
    proxy = Proxy()
    async with (
        listening(answering(page("through")), ssl=server_tls(authority, "a.example.com")) as proxy.target,
        listening(proxy.talk, ssl=server_tls(authority, "127.0.0.1")) as proxy.port,
    ):
        tls = client_tls(authority)
        assert await read(proxy, "https", "https://a.example.com/", tls=tls) == b"through"


@pytest.mark.parametrize(
    "url", ["ftp://host:1", "socks5://", "host:1080", "socks5://host:x", "socks4://host:1"]
)
def test_an_odd_proxy_address_stops_the_start_without_being_repeated(url: str):
    with pytest.raises(ConfigError, match="the proxy of an instance cannot be used") as error:
        ProxyAddress.parse(url.replace("host", "me:hunter2@host"))
    assert "hunter2" not in str(error.value)


def test_a_proxy_address_keeps_its_secrets_out_of_its_repr():
    address = ProxyAddress.parse("socks5://me:hunter2@[2001:db8::1]")
    assert address.url == "socks5://[2001:db8::1]:1080"
    assert address.auth == (b"me", b"hunter2")
    assert "hunter2" not in repr(address)
