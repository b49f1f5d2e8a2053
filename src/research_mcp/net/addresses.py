"""Which addresses are public: our own table, since Python's `is_global` changes between releases.

IPv4 is open except for the special blocks of the IANA registry. IPv6 is closed except for 2000::/3
without its special blocks, which shuts mapped, translated, NAT64, 6to4 and Teredo forms out at once.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from research_mcp.core.errors import ConfigError

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network
Ranges = tuple[tuple[int, int], ...]


class Verdict(StrEnum):
    """What may be done with an address. `FAKE_IP`: refused, but a setting could explain it."""

    ALLOWED = "allowed"
    REFUSED = "refused"
    FAKE_IP = "fake_ip"


def _ranges(*blocks: str) -> dict[int, Ranges]:
    """First and last address of each block, by IP version."""
    networks = [ip_network(block) for block in blocks]
    return {
        version: tuple(
            (int(network.network_address), int(network.broadcast_address))
            for network in networks
            if network.version == version
        )
        for version in (4, 6)
    }


_SPECIAL = _ranges(
    "0.0.0.0/8",
    "10.0.0.0/8",
    "100.64.0.0/10",
    "127.0.0.0/8",
    "169.254.0.0/16",
    "172.16.0.0/12",
    "192.0.0.0/24",
    "192.0.2.0/24",
    "192.88.99.0/24",
    "192.168.0.0/16",
    "198.18.0.0/15",
    "198.51.100.0/24",
    "203.0.113.0/24",
    "224.0.0.0/3",
    "2001::/23",
    "2001:db8::/32",
    "2002::/16",
    "3fff::/20",
)
_GLOBAL = _ranges("0.0.0.0/0", "2000::/3")
_PRIVATE = _ranges(
    "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "::1/128", "fc00::/7"
)
_NEVER = _ranges(  # cloud metadata, link-local and mapped forms: no setting opens these
    "169.254.0.0/16",
    "100.100.100.200/32",
    "192.0.0.192/32",
    "168.63.129.16/32",  # Azure's platform address, though globally routable
    "fe80::/10",
    "fd00:ec2::/32",
    "fd20:ce::/32",
    "fd00:42::42/128",
    "::ffff:0:0/96",
)
_BENCHMARK = _ranges("198.18.0.0/15")
_ISATAP_MASK, _ISATAP = 0xFDFF_FFFF_0000_0000, 0x0000_5EFE_0000_0000  # in the interface identifier
_NAT64_LENGTHS = (32, 40, 48, 56, 64, 96)


@dataclass(frozen=True, slots=True)
class AddressRules:
    """The operator's part of the policy.

    `allow_private` opens loopback, private, shared and unique-local space. `fake_ips` are ranges that
    a fake-IP name server hands out: names may resolve there, a url may not name them. `own` are this
    host's public addresses. `nat64` are prefixes whose embedded IPv4 address decides.
    """

    allow_private: bool = False
    fake_ips: tuple[Network, ...] = ()
    own: frozenset[Address] = frozenset()
    nat64: tuple[IPv6Network, ...] = ()

    def judge(self, address: Address, *, literal: bool) -> Verdict:
        """The verdict on one address; `literal`: the url names it, no name server did."""
        if getattr(address, "scope_id", None) or address in self.own or _within(address, _NEVER):
            return Verdict.REFUSED
        if any(address in network for network in self.fake_ips):
            return Verdict.REFUSED if literal else Verdict.ALLOWED
        for prefix in self.nat64:
            if address in prefix:
                return self.judge(_embedded(address, prefix.prefixlen), literal=literal)
        if _is_public(address) or (self.allow_private and _within(address, _PRIVATE)):
            return Verdict.ALLOWED
        return Verdict.FAKE_IP if not literal and _within(address, _BENCHMARK) else Verdict.REFUSED


def _within(address: Address, ranges: dict[int, Ranges]) -> bool:
    value = int(address)
    return any(first <= value <= last for first, last in ranges[address.version])


def _is_public(address: Address) -> bool:
    if not _within(address, _GLOBAL) or _within(address, _SPECIAL):
        return False
    return address.version == 4 or int(address) & _ISATAP_MASK != _ISATAP


def _embedded(address: Address, length: int) -> IPv4Address:
    """The IPv4 address inside a NAT64 address (RFC 6052 2.2: octet 8 is skipped)."""
    octets = address.packed
    if length == 96:
        return IPv4Address(octets[12:])
    return IPv4Address((octets[length // 8 : 8] + octets[9:])[:4])


def parse_networks(name: str, texts: Iterable[str]) -> tuple[Network, ...]:
    """The address ranges of the setting `name`. Raises `ConfigError` naming the odd one."""
    networks = []
    for text in texts:
        try:
            networks.append(ip_network(text.strip(), strict=False))
        except ValueError:
            raise ConfigError(
                f"{name}: {text!r} is no address range; write it like 198.18.0.0/15 or fc00::/18"
            ) from None
    return tuple(networks)


def parse_nat64(name: str, texts: Iterable[str]) -> tuple[IPv6Network, ...]:
    """The NAT64 prefixes of the setting `name`. Raises `ConfigError` naming the odd one."""
    prefixes = []
    for network in parse_networks(name, texts):
        if not isinstance(network, IPv6Network) or network.prefixlen not in _NAT64_LENGTHS:
            raise ConfigError(
                f"{name}: {str(network)!r} is no NAT64 prefix; write an IPv6 prefix like 64:ff9b::/96 "
                f"(length {', '.join(map(str, _NAT64_LENGTHS))})"
            )
        prefixes.append(network)
    return tuple(prefixes)


def parse_addresses(name: str, texts: Iterable[str]) -> frozenset[Address]:
    """The addresses of the setting `name`. Raises `ConfigError` naming the odd one."""
    addresses = set()
    for text in texts:
        try:
            addresses.add(ip_address(text.strip()))
        except ValueError:
            raise ConfigError(f"{name}: {text!r} is no IP address; write it like 198.35.26.96") from None
    return frozenset(addresses)
