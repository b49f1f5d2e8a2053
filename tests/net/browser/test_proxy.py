"""The proxy that the browser goes through, asked as a browser or an intruder would ask it."""

from __future__ import annotations

import asyncio
import ssl
from base64 import b64encode
from contextlib import asynccontextmanager, suppress

import pytest
import trustme

from research_mcp.core.errors import NoContent, Reason, UrlRefused
from research_mcp.net.browser.limits import ProxyLimits
from research_mcp.net.browser.proxy import PageProxy
from research_mcp.net.guard import GuardPolicy
from research_mcp.net.normal import normal_form
from tests.net.fakes import PUBLIC, LoopbackNet, Names, answering, fetching, listening, page


class Line:
    """One connection to a proxy."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, token: str) -> None:
        self.reader, self.writer, self.token = reader, writer, token

    def say(self, text: str | bytes) -> None:
        """Send; `{auth}` stands for the header field with the password."""
        octets = text if isinstance(text, bytes) else text.replace("{auth}", self.token).encode()
        self.writer.write(octets)

    async def hear(self, seconds: float = 5) -> bytes:
        """Everything until the other end closes."""
        async with asyncio.timeout(seconds):
            return await self.reader.read()

    async def head(self) -> bytes:
        async with asyncio.timeout(5):
            return await self.reader.readuntil(b"\r\n\r\n")


@asynccontextmanager
async def proxied(talk, names=None, policy=None, limits=None, **ports):
    """A proxy in front of a site, and a way to open lines to it."""
    lines = []
    async with listening(talk) as port:
        net = LoopbackNet({PUBLIC: port, **ports})
        async with fetching(net, names, policy) as kit, PageProxy(kit.network, limits) as proxy:
            host, number = proxy.address.removeprefix("http://").split(":")
            token = b64encode(f"{proxy.username}:{proxy.password}".encode()).decode()

            async def line() -> Line:
                lines.append(await asyncio.open_connection(host, int(number)))
                return Line(*lines[-1], f"Proxy-Authorization: Basic {token}")

            try:
                yield proxy, net, line
            finally:
                for _, writer in lines:
                    writer.close()


SITE = answering(page("the page"))
GET = "GET http://a.example.com/ HTTP/1.1\r\nHost: a.example.com\r\n{auth}\r\n\r\n"


async def test_a_page_is_fetched_and_the_connection_closed():
    async with proxied(SITE) as (_, net, line):
        one = await line()
        one.say(GET)
        heard = await one.hear()
    assert heard.startswith(b"HTTP/1.1 200")
    assert heard.endswith(b"the page")
    assert net.connects == [PUBLIC]


@pytest.mark.parametrize(
    "auth", ["X-Nothing: 1", "Proxy-Authorization: Basic cGFnZTpwYWdl", "Proxy-Authorization: {token}"]
)
@pytest.mark.parametrize(
    "request_line", ["GET http://a.example.com/ HTTP/1.1", "CONNECT a.example.com:443 HTTP/1.1"]
)
async def test_nobody_without_the_password_is_served(auth, request_line):
    async with proxied(SITE) as (_, net, line):
        one = await line()
        one.say(f"{request_line}\r\nHost: a.example.com\r\n{auth}\r\n\r\n")
        heard = await one.hear()
    assert heard.startswith(b"HTTP/1.1 407")
    assert b'Proxy-Authenticate: Basic realm="page"'.lower() in heard.lower()
    assert not net.connects


async def test_the_site_does_not_learn_of_the_proxy():
    seen = []

    async def talk(reader, writer):
        seen.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(page("x"))

    async with proxied(talk) as (_, _, line):
        one = await line()
        one.say(GET.replace("{auth}", "{auth}\r\nProxy-Connection: keep-alive\r\nAccept: text/html"))
        await one.hear()
    assert b"proxy" not in seen[0].lower()
    assert b"accept: text/html" in seen[0].lower()
    assert seen[0].startswith(b"GET / HTTP/1.1")


async def test_what_a_page_sends_reaches_the_site():
    seen = []

    async def talk(reader, writer):
        seen.append(await reader.readuntil(b"the body"))
        writer.write(page("taken"))

    async with proxied(talk) as (_, _, line):
        one = await line()
        one.say(
            "POST http://a.example.com/q HTTP/1.1\r\nHost: a.example.com\r\n{auth}\r\nContent-Length: 8\r\n\r\nthe body"
        )
        assert (await one.hear()).endswith(b"taken")
    assert seen[0].startswith(b"POST /q")


async def test_a_second_request_behind_the_first_is_not_served():
    """Else it could name another host, past the guard."""
    async with proxied(SITE) as (_, net, line):
        one = await line()
        one.say(GET + GET.replace("a.example.com", "127.0.0.1"))
        heard = await one.hear()
    assert heard.count(b"HTTP/1.1") == 1
    assert net.connects == [PUBLIC]


PRIVATE = [
    "127.0.0.1", "localhost", "10.0.0.1", "169.254.169.254", "[::1]", "inner.example.com", "metadata.google.internal",
    "0x7f.1", "127.1", "a.example.com@127.0.0.1", "127.0.0.1\\a.example.com", "a.example.com:22", "a%2eexample.com",
]  # fmt: skip


@pytest.mark.parametrize("host", PRIVATE)
@pytest.mark.parametrize("tunnel", [True, False])
async def test_no_private_host_is_connected_by_request_or_tunnel(host, tunnel):
    names = Names({"inner.example.com": ["10.0.0.7"]}, default=[PUBLIC])
    async with proxied(SITE, names) as (_, net, line):
        one = await line()
        target = (host if host.endswith(":22") else f"{host}:443") if tunnel else f"http://{host}/"
        one.say(f"{'CONNECT' if tunnel else 'GET'} {target} HTTP/1.1\r\nHost: {host}\r\n" + "{auth}\r\n\r\n")
        heard = await one.hear()
    assert heard[:12] in (b"HTTP/1.1 403", b"HTTP/1.1 400", b"")
    assert not net.connects


async def test_a_refusal_is_remembered_by_its_host():
    names = Names({"inner.example.com": ["10.0.0.7"], "gone.example.com": []}, default=[PUBLIC])
    async with proxied(SITE, names) as (proxy, _, line):
        for host, code in (("inner.example.com", b"403"), ("gone.example.com", b"502")):
            one = await line()
            one.say(f"CONNECT {host}:443 HTTP/1.1\r\nHost: {host}\r\n" + "{auth}\r\n\r\n")
            assert code in (await one.hear())[:12]
        assert isinstance(proxy.fault(normal_form("https://inner.example.com/")), UrlRefused)
        gone = proxy.fault(normal_form("https://gone.example.com/"))
        assert isinstance(gone, NoContent)
        assert gone.reason is Reason.DNS_FAILED
        assert proxy.fault(normal_form("https://a.example.com/")) is None


async def test_a_name_is_looked_at_again_for_each_tunnel():
    names = Names({"rebinding.example.com": [[PUBLIC], ["127.0.0.1"]]})
    async with proxied(SITE, names) as (_, net, line):
        statuses = []
        for _ in range(3):
            one = await line()
            one.say("CONNECT rebinding.example.com:80 HTTP/1.1\r\nHost: a\r\n{auth}\r\n\r\n")
            statuses.append((await one.head())[9:12])
    assert statuses == [b"200", b"403", b"403"]
    assert net.connects == [PUBLIC]


async def test_a_host_that_cannot_be_reached_is_told_and_remembered():
    host = "nobody.example.com"
    names = Names({host: ["93.184.215.99"]}, default=[PUBLIC])
    async with proxied(SITE, names, limits=ProxyLimits(connect=0.2), **{"93.184.215.99": 1}) as (
        proxy,
        _,
        line,
    ):
        for request in (
            GET.replace("a.example.com", host),
            f"CONNECT {host}:443 HTTP/1.1\r\nHost: {host}\r\n" + "{auth}\r\n\r\n",
        ):
            one = await line()
            one.say(request)
            assert (await one.hear()).startswith(b"HTTP/1.1 502")
        fault = proxy.fault(normal_form(f"https://{host}/"))
        assert isinstance(fault, NoContent)
        assert fault.reason is Reason.UNREACHABLE


async def test_a_tunnel_carries_tls_and_both_ends_speak_when_they_like():
    authority = trustme.CA()
    theirs = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("a.example.com").configure_cert(theirs)
    ours = ssl.create_default_context()
    authority.configure_trust(ours)

    async def talk(reader, writer):
        writer.write(b"hello first\n")
        writer.write(b"heard " + await reader.readline())
        await writer.drain()

    async with listening(talk, ssl=theirs) as port, proxied(SITE) as (_, net, line):
        net.ports[PUBLIC] = port
        one = await line()
        one.say("CONNECT a.example.com:443 HTTP/1.1\r\nHost: a.example.com:443\r\n{auth}\r\n\r\n")
        assert (await one.head()).startswith(b"HTTP/1.1 200")
        await one.writer.start_tls(ours, server_hostname="a.example.com")
        assert await one.reader.readline() == b"hello first\n"
        one.say("this\n")
        assert await one.reader.readline() == b"heard this\n"


async def test_what_comes_with_the_request_for_a_tunnel_goes_into_it():
    async with proxied(SITE) as (_, _, line):
        one = await line()
        one.say(
            "CONNECT a.example.com:80 HTTP/1.1\r\nHost: a\r\n{auth}\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"
        )
        await one.head()
        assert (await one.head()).startswith(b"HTTP/1.1 200 OK")


@pytest.mark.parametrize("tunnel", [True, False])
async def test_a_page_that_has_had_its_octets_gets_no_more(tunnel):
    async def flood(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")
        while True:
            writer.write(b"x" * 10_000)
            await writer.drain()

    async with proxied(flood, limits=ProxyLimits(octets=200_000)) as (proxy, _, line):
        one = await line()
        if tunnel:
            one.say("CONNECT a.example.com:80 HTTP/1.1\r\nHost: a\r\n{auth}\r\n\r\n")
            await one.head()
        one.say(GET)
        assert len(await one.hear()) < 400_000
        assert proxy.spent
        two = await line()
        two.say(GET)
        assert (await two.hear()).startswith(b"HTTP/1.1 503")


async def test_a_page_that_sends_too_much_is_refused():
    async with proxied(SITE, limits=ProxyLimits(upload=1_000)) as (_, net, line):
        one = await line()
        one.say(
            "POST http://a.example.com/ HTTP/1.1\r\nHost: a.example.com\r\n{auth}\r\nContent-Length: 5000\r\n\r\n"
            + "x" * 5_000
        )
        assert (await one.hear()).startswith(b"HTTP/1.1 403")
    assert not net.connects


async def test_a_page_has_so_many_connections_at_a_time():
    async def mute(reader, writer):
        await reader.read()

    async with proxied(mute, limits=ProxyLimits(connections=2)) as (_, _, line):
        for _ in range(2):
            one = await line()
            one.say("CONNECT a.example.com:80 HTTP/1.1\r\nHost: a\r\n{auth}\r\n\r\n")
            await one.head()
        three = await line()
        three.say(GET)
        assert (await three.hear()).startswith(b"HTTP/1.1 503")


@pytest.mark.parametrize(
    "nonsense",
    [
        b"\x16\x03\x01\x02\x00",
        b"GET / HTTP/9\r\n\r\n",
        b"x" * 200_000,
        b"GET http://a.example.com/ HTTP/1.1\r\n\r\n",
        b"",
    ],
)
async def test_nonsense_ends_the_connection_and_nothing_else(nonsense):
    async with proxied(SITE) as (_, net, line):
        one = await line()
        one.say(nonsense)
        one.writer.write_eof()
        heard = b""
        with suppress(ConnectionError):
            heard = await one.hear()
        assert b" 200 " not in heard
        assert not net.connects
        two = await line()
        two.say(GET)
        assert (await two.hear()).startswith(b"HTTP/1.1 200")


async def test_an_answer_that_breaks_off_breaks_off_for_the_page_as_well():
    async def half(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf")
        await writer.drain()

    async with proxied(half) as (_, _, line):
        one = await line()
        one.say(GET)
        heard = await one.hear()
    assert heard.endswith(b"half")
    assert b"1000" in heard


async def test_everything_is_cut_when_the_page_is_closed():
    ended = asyncio.Event()

    async def mute(reader, writer):
        await reader.read()
        ended.set()

    async with proxied(mute) as (proxy, _, line):
        one = await line()
        one.say("CONNECT a.example.com:80 HTTP/1.1\r\nHost: a\r\n{auth}\r\n\r\n")
        await one.head()
        await proxy.__aexit__(None, None, None)
        async with asyncio.timeout(5):
            await ended.wait()
        with pytest.raises(ConnectionRefusedError):
            await line()


async def test_addresses_that_the_operator_closed_stay_closed():
    policy = GuardPolicy.parse(own_addresses=[PUBLIC])
    async with proxied(SITE, policy=policy) as (_, net, line):
        one = await line()
        one.say(GET)
        assert (await one.hear()).startswith(b"HTTP/1.1 403")
    assert not net.connects
