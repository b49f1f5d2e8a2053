"""Each instance by its own way out, through a real proxy server."""

from __future__ import annotations

import ssl
from pathlib import Path

import httpx
import pytest
import trustme

from research_mcp.core.errors import Reason
from research_mcp.net.client import Network
from research_mcp.net.guard import Guard, GuardPolicy
from research_mcp.net.resolver import Resolver
from tests.kit.proxies import real_proxy
from tests.kit.vendors import FakeVendor, Served, rows
from tests.kit.whole import ask, by_name, key, states, whole
from tests.server.serving import until

pytestmark = pytest.mark.slow

LOGIN = "owner:CANARY%20word"
"""As it stands in an address; the proxy knows the decoded one."""


def named(vendor: FakeVendor) -> str:
    """The vendor's address by name, which the proxy has to look up."""
    return f"http://localhost:{vendor.port}"


@pytest.mark.parametrize(
    ("scheme", "spoken"), [("socks5", "socks5"), ("socks5h", "socks5"), ("http", "http")]
)
@pytest.mark.parametrize("login", ["", LOGIN])
async def test_a_vendor_is_asked_through_its_proxy_which_looks_up_the_name(
    tmp_path: Path, scheme: str, spoken: str, login: str
) -> None:
    exa, serper = FakeVendor("exa", rows("a", "b")), FakeVendor("serper", rows("c"))
    at = f"{login}@" if login else ""
    async with real_proxy(login.replace("%20", " ")) as proxy, whole(tmp_path, exa, serper) as house:
        way = {"EXA_PROXY": f"{scheme}://{at}127.0.0.1:{proxy.port}", "EXA_API_URL": named(exa)}
        async with house.started(**way) as product:
            for number in range(3):
                report = await ask(product, f"tidal power {number}")
                assert states(report)["exa"] == states(report)["serper"] == "ok"
        await until(lambda: bool(proxy.targets(spoken)))
        assert {target.rpartition("/")[0] or target for target in proxy.targets(spoken)} <= {
            f"localhost:{exa.port}",
            f"http://localhost:{exa.port}",
        }
        assert exa.connections == 1, "one connection is kept for the calls through one proxy"
        assert not any(str(serper.port) in line for line in proxy.lines)


async def test_the_calls_of_each_key_of_a_ring_go_through_that_keys_own_proxy(tmp_path: Path) -> None:
    spent = Served({"detail": {"error": "This request exceeds your plan's set usage limit"}}, status=432)
    tavily = FakeVendor("tavily", rows("a", "b"))
    tavily.script = [spent, spent]
    keys = {f"TAVILY_{number}_API_KEY": key("tavily", number) for number in (2, 3)}
    async with real_proxy() as first, real_proxy() as third, whole(tmp_path, tavily, **keys) as house:
        ways = {"TAVILY_1_PROXY": first, "TAVILY_3_PROXY": third}
        urls = {name: f"socks5://127.0.0.1:{proxy.port}" for name, proxy in ways.items()}
        async with house.started(**urls) as product:
            assert states(await ask(product))["tavily-search"] == "ok"
            assert states(await ask(product, "more tidal power"))["tavily-search"] == "ok"
        await until(lambda: bool(first.targets("socks5") and third.targets("socks5")))
        assert tavily.keys == [key("tavily", number) for number in (1, 2, 3, 3)]
        assert tavily.connections == 3, "the second key has no proxy"
        assert len(first.targets("socks5")) == len(third.targets("socks5")) == 1


@pytest.mark.parametrize("scheme", ["socks5", "http"])
async def test_a_proxy_that_refuses_is_named_as_the_cause_without_its_password(
    tmp_path: Path, scheme: str
) -> None:
    exa, serper = FakeVendor("exa", rows("a", "b")), FakeVendor("serper", rows("c"))
    async with real_proxy("owner:right") as proxy, whole(tmp_path, exa, serper) as house:
        way = {"EXA_PROXY": f"{scheme}://owner:CANARY-wrong@127.0.0.1:{proxy.port}"}
        async with house.started(**way) as product:
            report = await ask(product)
            assert states(report)["serper"] == "ok"
            assert by_name(report)["exa"].state.value == "failed"
            assert exa.calls == []
            assert "CANARY" not in repr(report) + repr(house.events) + repr(product.configuration)


async def test_a_proxy_that_is_down_fails_its_vendor_alone(tmp_path: Path) -> None:
    exa, serper = FakeVendor("exa", rows("a", "b")), FakeVendor("serper", rows("c"))
    async with real_proxy() as gone:
        port = gone.port
    async with (
        whole(tmp_path, exa, serper, EXA_PROXY=f"socks5://127.0.0.1:{port}") as house,
        house.started() as product,
    ):
        report = await ask(product)
        row = by_name(report)["exa"]
        assert (row.state.value, row.reason) == ("failed", Reason.UNREACHABLE)
        assert states(report)["serper"] == "ok"


async def test_an_https_vendor_is_reached_by_connect_and_tls_is_with_the_vendor() -> None:
    authority = trustme.CA()
    theirs = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("localhost").configure_cert(theirs)
    ours = ssl.create_default_context()
    authority.configure_trust(ours)
    vendor = FakeVendor("exa", rows("a"))
    resolver = Resolver()
    async with real_proxy("owner:word") as proxy, vendor.serving(theirs):
        for scheme in ("http", "socks5h"):
            network = Network(Guard(GuardPolicy(), resolver), resolver, tls=ours)
            way = network.direct(f"{scheme}://owner:word@127.0.0.1:{proxy.port}")
            async with httpx.AsyncClient(transport=way) as client:
                answer = await client.get(f"https://localhost:{vendor.port}/search")
            assert answer.status_code == 200
        await until(lambda: len(proxy.lines) >= 2)
        assert proxy.targets("http") == proxy.targets("socks5") == [f"localhost:{vendor.port}"]
