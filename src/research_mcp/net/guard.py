"""What may be fetched: names, ports and addresses. `Guard` is the one place that decides.

A url is judged three times: as text (`target`), when its name is resolved (`addresses`), and when the
connection stands (`net.backend` compares the peer with the checked address). No message ever tells a
resolved address, or the tool would be a scanner of the network behind it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

from research_mcp.core.errors import ConfigError, Reason, UrlRefused
from research_mcp.core.urls import within_domain
from research_mcp.net.addresses import (
    Address,
    AddressRules,
    Verdict,
    parse_addresses,
    parse_nat64,
    parse_networks,
)
from research_mcp.net.normal import Target, host_address, normal_form
from research_mcp.net.resolver import Resolver

WEB_PORTS = frozenset({80, 443, 8000, 8080, 8443})

_LOCAL_SUFFIXES = frozenset(
    "localhost local localdomain internal intranet private lan home corp test svc".split()  # noqa: SIM905
)
_NEVER_SUFFIXES = frozenset(("onion", "invalid", "arpa"))
_METADATA_NAMES = (
    "metadata",
    "instance-data",
    "metadata.goog",
    "metadata.google.internal",
    "instance-data.ec2.internal",
    "metadata.tencentyun.com",
    "metadata.oraclecloud.com",
    "metadata.azure.internal",
    "metadata.packet.net",
    "metadata.platformequinix.com",
    "api.metadata.cloud.ibm.com",
)
_REMEMBERED = 256
_BELOW_METADATA = tuple("." + name for name in _METADATA_NAMES)


@dataclass(frozen=True, slots=True)
class GuardPolicy:
    """What the operator opens and closes. The default is the public web on its usual ports.

    `allow_private` opens private addresses, local names and every port, never metadata.
    """

    addresses: AddressRules = field(default_factory=AddressRules)
    ports: frozenset[int] = WEB_PORTS

    @classmethod
    def parse(
        cls,
        *,
        ports: Iterable[str] = (),
        allow_private: bool = False,
        fake_ip_ranges: Iterable[str] = (),
        own_addresses: Iterable[str] = (),
        nat64_prefixes: Iterable[str] = (),
    ) -> GuardPolicy:
        """The policy as settings state it. Raises `ConfigError` naming the setting and the odd value."""
        return cls(
            addresses=AddressRules(
                allow_private=allow_private,
                fake_ips=parse_networks("FAKE_IP_RANGES", fake_ip_ranges),
                own=parse_addresses("OWN_ADDRESSES", own_addresses),
                nat64=parse_nat64("NAT64_PREFIXES", nat64_prefixes),
            ),
            ports=_parse_ports(ports) or WEB_PORTS,
        )


class Guard:
    """The policy with a resolver. Stateless beside the resolver's cache and its own; safe to share."""

    def __init__(self, policy: GuardPolicy, resolver: Resolver) -> None:
        self._policy = policy
        self._resolver = resolver
        # One read asks about its url at every step; the answer depends on the text alone.
        self._judged = lru_cache(maxsize=_REMEMBERED)(self._judge)

    @cached_property
    def public(self) -> Guard:
        """The guard that opens nothing private, whatever this one's operator wants."""
        if not self._policy.addresses.allow_private:
            return self
        addresses = replace(self._policy.addresses, allow_private=False)
        return Guard(replace(self._policy, addresses=addresses), self._resolver)

    def target(self, url: str) -> Target:
        """The normal form of `url`, its name, port and literal address checked; resolves nothing.

        The result is the only thing that later code may use. Raises `UrlRefused`.
        """
        return self._judged(url)

    def _judge(self, url: str) -> Target:
        target = normal_form(url)
        self._check(target.host, target.port, target.address)
        return target

    async def addresses(self, host: str, port: int) -> tuple[Address, ...]:
        """Where to connect for a host in normal form: every answer of its name is checked.

        Raises `UrlRefused`, and `NoContent` (`dns_failed`) for a name without addresses.
        """
        address = host_address(host)
        self._check(host, port, address)
        if address is not None:
            return (address,)
        addresses = await self._resolver.resolve(host)
        verdicts = {self._policy.addresses.judge(found, literal=False) for found in addresses}
        if Verdict.FAKE_IP in verdicts and Verdict.REFUSED not in verdicts:
            raise _refused(
                f"{host} resolves into 198.18.0.0/15, which no public site uses but fake-IP proxies do. "
                "The operator of this server can set FAKE_IP_RANGES to allow such names"
            )
        if verdicts != {Verdict.ALLOWED}:
            raise _refused(f"{host} does not resolve to public addresses alone")
        return addresses

    def _check(self, host: str, port: int, address: Address | None) -> None:
        policy = self._policy
        if port not in policy.ports and not policy.addresses.allow_private:
            raise _refused(
                f"port {port} is not one of the web's ({', '.join(map(str, sorted(policy.ports)))})"
            )
        if address is None:
            self._check_name(host)
        elif policy.addresses.judge(address, literal=True) is not Verdict.ALLOWED:
            raise _refused(f"{host} is not a public address")

    def _check_name(self, host: str) -> None:
        """The rules of names, which hold before any name server is asked."""
        last = host.rpartition(".")[2]
        local = last in _LOCAL_SUFFIXES or host == last or within_domain(host, "home.arpa")
        if host in _METADATA_NAMES or host.endswith(_BELOW_METADATA):
            raise _refused(f"{host} is a cloud metadata service")
        if local and self._policy.addresses.allow_private:
            return
        if local or last in _NEVER_SUFFIXES:
            raise _refused(f"{host} is not a name of the public internet")


def _refused(why: str) -> UrlRefused:
    return UrlRefused(
        f"Refused: {why}. Only public web pages are read here, whatever the reader.",
        reason=Reason.ADDRESS_REFUSED,
    )


def _parse_ports(texts: Iterable[str]) -> frozenset[int]:
    ports = set()
    for text in texts:
        if not (text.isascii() and text.isdigit() and 0 < int(text) < 65_536):
            raise ConfigError(f"PAGE_PORTS: {text!r} is no port; write numbers from 1 to 65535 like 80,443")
        ports.add(int(text))
    return frozenset(ports)
