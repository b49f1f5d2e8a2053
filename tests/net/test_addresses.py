"""The address table at its edges, and what settings open."""

from __future__ import annotations

from ipaddress import ip_address, ip_network

import pytest

from research_mcp.core.errors import ConfigError
from research_mcp.net.addresses import (
    AddressRules,
    Verdict,
    parse_addresses,
    parse_nat64,
    parse_networks,
)

ALLOWED, REFUSED, FAKE_IP = Verdict.ALLOWED, Verdict.REFUSED, Verdict.FAKE_IP
SPECIAL = [
    *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"),
    *("192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15"),
    *("198.51.100.0/24", "203.0.113.0/24", "168.63.129.16/32"),
    *("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"),
]


def judge(address: str, rules: AddressRules | None = None, *, literal: bool = True) -> Verdict:
    return (rules or AddressRules()).judge(ip_address(address), literal=literal)


@pytest.mark.parametrize("block", SPECIAL)
def test_a_special_block_is_closed_to_its_edges_and_open_beyond(block: str):
    network = ip_network(block)
    first, last = network.network_address, network.broadcast_address
    assert judge(str(first)) is judge(str(last)) is REFUSED
    beyond = {judge(str(first - 1)) if int(first) else ALLOWED, judge(str(last + 1))}
    if block not in ("2002::/16", "2001::/23"):  # neighbours of theirs are special too
        assert beyond == {ALLOWED}


@pytest.mark.parametrize(
    "address", ["1fff:ffff::1", "4000::1", "::1", "::", "fec0::1", "ff02::1", "64:ff9b::1"]
)
def test_outside_the_global_unicast_space_every_ipv6_address_is_refused(address: str):
    assert judge(address) is REFUSED


@pytest.mark.parametrize("address", ["224.0.0.0", "239.255.255.255", "240.0.0.1", "255.255.255.255"])
def test_multicast_reserved_and_broadcast_are_refused(address: str):
    assert judge(address) is REFUSED


@pytest.mark.parametrize("identifier", ["5efe:808:808", "200:5efe:c0a8:101"])
def test_isatap_identifiers_are_refused_in_any_network(identifier: str):
    assert judge(f"2606:4700::{identifier}") is REFUSED


@pytest.mark.parametrize("address", ["10.0.0.1", "127.0.0.1", "192.168.1.1", "100.64.0.1", "::1", "fd12::1"])
def test_allow_private_opens_private_space(address: str):
    assert judge(address, AddressRules(allow_private=True)) is ALLOWED


@pytest.mark.parametrize(
    "address",
    [
        *("169.254.169.254", "169.254.170.2", "169.254.0.23", "100.100.100.200", "192.0.0.192"),
        *("168.63.129.16", "fd00:ec2::254", "fd20:ce::254", "fd00:42::42", "fe80::1"),
        *("::ffff:169.254.169.254", "::ffff:10.0.0.1", "64:ff9b::a9fe:a9fe", "0.0.0.0", "224.0.0.1"),
    ],
)
def test_nothing_opens_metadata_and_forms_that_hide_it(address: str):
    fakes = (ip_network("0.0.0.0/0"), ip_network("fc00::/6"))
    assert judge(address, AddressRules(allow_private=True)) is REFUSED
    if address not in ("0.0.0.0", "224.0.0.1"):
        assert judge(address, AddressRules(allow_private=True, fake_ips=fakes), literal=False) is REFUSED


def test_names_may_resolve_into_a_declared_fake_ip_range_but_urls_may_not_name_it():
    rules = AddressRules(fake_ips=parse_networks("FAKE_IP_RANGES", ["198.18.0.0/15", "fc00::/18"]))
    assert judge("198.18.3.4", rules, literal=False) is ALLOWED
    assert judge("fc00::3", rules, literal=False) is ALLOWED
    assert judge("198.18.3.4", rules, literal=True) is REFUSED
    assert judge("198.18.3.4", literal=False) is FAKE_IP
    assert judge("198.18.3.4", literal=True) is REFUSED


def test_the_hosts_own_addresses_are_refused():
    rules = AddressRules(own=parse_addresses("OWN_ADDRESSES", ["198.35.26.96", "2620:0:861::1"]))
    assert judge("198.35.26.96", rules) is judge("2620:0:861::1", rules) is REFUSED
    assert judge("198.35.26.97", rules) is ALLOWED


def test_an_address_with_a_zone_is_refused():
    assert judge("2606:4700:4700::1111%eth0", literal=False) is REFUSED


@pytest.mark.parametrize(
    ("prefix", "public", "private"),
    [
        ("2001:db8::/32", "2001:db8:808:808::", "2001:db8:a00:1::"),
        ("2001:db8:100::/40", "2001:db8:108:808:8::", "2001:db8:10a:0:1::"),
        ("2001:db8:122::/48", "2001:db8:122:808:8:800::", "2001:db8:122:a00:0:100::"),
        ("2001:db8:122:300::/56", "2001:db8:122:308:8:808::", "2001:db8:122:30a:0:1::"),
        ("2001:db8:122:344::/64", "2001:db8:122:344:8:808:800::", "2001:db8:122:344:a:0:100::"),
        ("64:ff9b::/96", "64:ff9b::808:808", "64:ff9b::a00:1"),
    ],
)
def test_behind_a_declared_nat64_prefix_the_embedded_ipv4_address_decides(
    prefix: str, public: str, private: str
):
    rules = AddressRules(nat64=parse_nat64("NAT64_PREFIXES", [prefix]))
    assert judge(public) is REFUSED
    assert judge(public, rules) is ALLOWED
    assert judge(private, rules) is REFUSED


@pytest.mark.parametrize(
    ("parse", "text", "says"),
    [
        (parse_networks, "198.18/15x", "is no address range"),
        (parse_nat64, "64:ff9b::/90", "is no NAT64 prefix"),
        (parse_nat64, "10.0.0.0/8", "is no NAT64 prefix"),
        (parse_addresses, "example.com", "is no IP address"),
    ],
)
def test_an_odd_setting_is_named_with_its_value(parse, text: str, says: str):
    with pytest.raises(ConfigError, match=says) as error:
        parse("THE_SETTING", [text])
    assert str(error.value).startswith("THE_SETTING: ")
