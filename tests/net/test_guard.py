"""The guard under the operator's settings."""

from __future__ import annotations

import time

import pytest

from research_mcp.core.errors import ConfigError, Reason, UrlRefused
from research_mcp.net.guard import Guard, GuardPolicy
from research_mcp.net.resolver import Resolver
from tests.net.fakes import PUBLIC, Names


def guard(names: Names | None = None, **settings: object) -> Guard:
    resolver = Resolver((names or Names(default=[PUBLIC])).lookup)
    return Guard(GuardPolicy.parse(**settings), resolver)


def refused(the_guard: Guard, url: str) -> str:
    with pytest.raises(UrlRefused) as refusal:
        the_guard.target(url)
    assert refusal.value.reason is Reason.ADDRESS_REFUSED
    return str(refusal.value)


def test_only_the_webs_ports_are_open_unless_others_are_set():
    assert guard().target("http://example.com:8000/").port == 8000
    assert "port 22" in refused(guard(), "http://example.com:22/")
    narrow = guard(ports=["443"])
    assert "port 80" in refused(narrow, "http://example.com/")
    assert narrow.target("https://example.com/").port == 443


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:6379/", "http://10.0.0.1/", "http://searxng:8080/", "http://nas.lan:5000/"]
)
def test_allow_private_opens_private_addresses_local_names_and_any_port(url: str):
    refused(guard(), url)
    assert guard(allow_private=True).target(url).url == url


@pytest.mark.parametrize(
    "url",
    [
        "http://169.254.169.254/",
        "http://[fd00:ec2::254]/",
        "http://metadata.google.internal/",
        "http://metadata/",
        "http://x.metadata.google.internal/",
        "http://metadata.packet.net/",
        "http://api.metadata.cloud.ibm.com/",
        "http://name.onion/",
        "http://name.invalid/",
        "http://1.0.0.127.in-addr.arpa/",
    ],
)
def test_allow_private_never_opens_metadata_or_names_that_lead_nowhere(url: str):
    refused(guard(allow_private=True), url)


async def test_allow_private_never_opens_a_name_that_resolves_to_metadata():
    the_guard = guard(Names(default=["169.254.169.254"]), allow_private=True)
    with pytest.raises(UrlRefused):
        await the_guard.addresses("imds.example.com", 80)


async def test_a_fake_ip_answer_is_refused_by_naming_the_setting_and_allowed_once_it_is_set():
    names = Names(default=["198.18.0.7"])
    with pytest.raises(UrlRefused, match="FAKE_IP_RANGES") as refusal:
        await guard(names).addresses("example.com", 443)
    assert "198.18.0.7" not in str(refusal.value)
    declared = guard(names, fake_ip_ranges=["198.18.0.0/15"])
    assert [str(address) for address in await declared.addresses("example.com", 443)] == ["198.18.0.7"]
    refused(declared, "http://198.18.0.7/")


async def test_a_fake_ip_beside_a_private_answer_is_an_ordinary_refusal():
    with pytest.raises(UrlRefused, match="does not resolve to public addresses alone"):
        await guard(Names(default=["198.18.0.7", "10.0.0.1"])).addresses("example.com", 443)


async def test_a_literal_address_is_checked_without_a_name_server():
    names = Names()
    assert [str(address) for address in await guard(names).addresses("8.8.8.8", 80)] == ["8.8.8.8"]
    with pytest.raises(UrlRefused):
        await guard(names).addresses("10.0.0.1", 80)
    assert names.asked == []


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"ports": ["eighty"]}, "PAGE_PORTS: 'eighty'"),
        ({"ports": ["0"]}, "PAGE_PORTS"),
        ({"fake_ip_ranges": ["x"]}, "FAKE_IP_RANGES: 'x'"),
        ({"own_addresses": ["x"]}, "OWN_ADDRESSES: 'x'"),
        ({"nat64_prefixes": ["x"]}, "NAT64_PREFIXES: 'x'"),
    ],
)
def test_an_odd_setting_stops_the_start_with_its_name(settings: dict, says: str):
    with pytest.raises(ConfigError, match=says):
        GuardPolicy.parse(**settings)


def test_a_refusal_says_what_and_why_and_leaves_the_remedy_to_its_reason():
    assert refused(guard(), "http://10.0.0.1/") == (
        "Refused: 10.0.0.1 is not a public address. Only public web pages are read here, whatever the reader."
    )


def test_judging_a_url_takes_well_under_a_millisecond():
    the_guard = guard()
    took = []
    for _ in range(500):
        begun = time.process_time()
        the_guard.target("https://docs.example.com/a/path?with=a&query=1#part")
        took.append(time.process_time() - begun)
    assert sorted(took)[250] < 0.001


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/",
        "http://10.0.0.1/",
        "http://searxng/",
        "http://nas.lan/",
        "http://example.com:5000/",
    ],
)
def test_what_the_operator_opened_stays_closed_to_the_public_guard(url: str):
    opened = guard(allow_private=True)
    assert opened.target(url).url == url
    refused(opened.public, url)


async def test_the_public_guard_keeps_the_operators_other_rules():
    opened = guard(Names(default=["10.0.0.1"]), allow_private=True, own_addresses=["8.8.8.8"])
    assert "not a public address" in refused(opened.public, "http://8.8.8.8/")
    assert opened.public.target("http://example.org/").host == "example.org"
    with pytest.raises(UrlRefused):
        await opened.public.addresses("example.org", 80)


def test_a_guard_that_opens_nothing_is_the_public_one():
    closed = guard()
    assert closed.public is closed
