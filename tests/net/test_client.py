"""The ways out: pools, and an environment that must not matter."""

from __future__ import annotations

import asyncio

import httpx
import pytest

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import ConfigError, UrlRefused
from research_mcp.net.client import Network
from research_mcp.net.guard import Guard, GuardPolicy
from research_mcp.net.normal import Target
from research_mcp.net.resolver import Resolver
from tests.net.fakes import (
    PUBLIC,
    LoopbackNet,
    MemoryNet,
    Names,
    answering,
    fetching,
    listening,
    page,
    saying,
    shared_tls,
)


async def test_proxies_netrc_and_certificates_of_the_environment_are_not_used(monkeypatch, tmp_path):
    hits = []

    async def canary(reader, writer):
        hits.append(await reader.read(1))

    async with listening(canary) as canary_port, listening(answering(page("direct"))) as port:
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{canary_port}")
            monkeypatch.setenv(name.lower(), f"http://127.0.0.1:{canary_port}")
        (tmp_path / ".netrc").write_text("machine a.example.com login u password p\n")
        monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))
        monkeypatch.setenv("HOME", str(tmp_path))
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "missing.pem"))
        monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path))
        net = LoopbackNet({PUBLIC: port})
        async with fetching(net, tls=None) as kit:
            document = await kit.fetcher.fetch("http://a.example.com/", Deadline.after(5))
    assert document.body == b"direct"
    assert hits == []
    assert net.connects == [PUBLIC]


async def test_no_credentials_and_no_cookies_go_along():
    net = MemoryNet(site=saying(page(Set_Cookie="a=b; Path=/")))
    async with fetching(net) as kit:
        for _ in range(2):
            await kit.fetcher.fetch("http://a.example.com/", Deadline.after(5))
    sent = b"".join(octets for _, octets in net.sent).lower()
    assert b"cookie" not in sent
    assert b"authorization" not in sent


async def test_there_is_one_pool_for_each_way_out():
    async with fetching(MemoryNet()) as kit:
        network = kit.network
        assert network.direct() is network.direct()
        assert network.guarded() is network.guarded()
        assert network.direct() is not network.guarded()
        assert network.direct("socks5://127.0.0.1:1080") is network.direct("socks5://127.0.0.1:1080")
        assert network.direct("socks5://127.0.0.1:1080") is not network.direct()


async def test_an_odd_proxy_is_a_configuration_error():
    async with fetching(MemoryNet()) as kit:
        for way in (kit.network.direct, kit.network.guarded):
            with pytest.raises(ConfigError):
                way("gopher://127.0.0.1")


async def test_closing_the_network_closes_its_connections():
    net = MemoryNet()
    async with fetching(net) as kit:
        await kit.fetcher.fetch("http://a.example.com/", Deadline.after(5))
        assert net.closed == 0
        await kit.network.aclose()
        assert net.closed == 1


@pytest.mark.parametrize("url", ["http://127.0.0.1/", "http://user@example.com/", "http://example.com:22/"])
async def test_the_guarded_transport_judges_every_request_itself(url: str):
    net = MemoryNet()
    async with fetching(net) as kit:
        with pytest.raises(UrlRefused):
            await kit.network.guarded().handle_async_request(httpx.Request("GET", url))
    assert net.connects == []


async def test_a_url_that_the_library_reads_differently_is_not_sent():
    class Misled(Guard):
        def target(self, url: str) -> Target:
            return Target("http://inner.example.com/", "example.com", 80)

    net = MemoryNet()
    resolver = Resolver(Names(default=[PUBLIC]).lookup)
    network = Network(Misled(GuardPolicy(), resolver), resolver, inner=net, tls=shared_tls())
    with pytest.raises(UrlRefused, match="two readings"):
        await network.guarded().handle_async_request(httpx.Request("GET", "http://example.com/"))
    assert net.connects == []


async def test_the_guarded_transport_sends_the_normal_form():
    net = MemoryNet()
    async with fetching(net) as kit:
        request = httpx.Request("GET", "http://example.com./a/../b")
        answer = await kit.network.guarded().handle_async_request(request)
        await answer.aclose()
    assert net.sent[0][1].startswith(b"GET /b HTTP/1.1\r\n")


async def test_a_vendors_private_address_is_reached_on_the_direct_way():
    net = MemoryNet()
    async with fetching(net) as kit:
        for host in ("127.0.0.1", "searxng"):
            answer = await kit.network.direct().handle_async_request(
                httpx.Request("GET", f"http://{host}:8080/")
            )
            await answer.aclose()
    assert net.connects == ["127.0.0.1", PUBLIC]


async def test_each_configured_host_has_connections_of_its_own_and_all_are_closed():
    net = MemoryNet()
    async with fetching(net) as kit:
        async with httpx.AsyncClient(transport=_kept(kit.network)) as client:
            for host in ("10.0.0.1", "10.0.0.2", "10.0.0.1"):
                assert (await client.get(f"http://{host}/")).status_code == 200
        assert net.connects == ["10.0.0.1", "10.0.0.2"]
        await kit.network.aclose()
        assert net.closed == 2


async def test_a_connection_that_the_vendor_closed_meanwhile_is_not_used_again():
    served = 0

    async def once(reader, writer):
        nonlocal served
        served += 1
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
        await writer.drain()
        writer.close()

    async with listening(once) as port:
        network = Network(Guard(GuardPolicy(), Names({})), Names({}))
        async with httpx.AsyncClient(transport=network.direct()) as client:
            for _ in range(3):
                assert (await client.get(f"http://127.0.0.1:{port}/")).text == "hi"
                await asyncio.sleep(0.02)
        assert served == 3


def _kept(network: Network) -> httpx.AsyncBaseTransport:
    """The direct way, which the client does not close."""

    class Kept(httpx.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            return await network.direct().handle_async_request(request)

    return Kept()
