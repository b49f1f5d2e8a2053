"""From a resolved row to a configured instance: type, client, keys, meter, and the ways of its legs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from research_mcp.bootstrap.browser import renders
from research_mcp.bootstrap.configure import Configuration
from research_mcp.bootstrap.instances import Resolved, accounts_of
from research_mcp.core.ports import Clock, Http, Meter, Parking
from research_mcp.net.browser.local import LocalBrowser
from research_mcp.net.client import Network
from research_mcp.net.policy import CallLimits, VendorClient
from research_mcp.providers.kit.answer.configured import RETRIED, AnswerType, api_root
from research_mcp.providers.kit.base import Means, ProviderType
from research_mcp.providers.kit.configured import ConfiguredType
from research_mcp.providers.kit.keys import KeyRing
from research_mcp.providers.kit.legs import KeyedHttp, Leg, Legs
from research_mcp.providers.kit.login.tokens import Login, LoginHttp, LoginRing
from research_mcp.providers.kit.map import MapType
from research_mcp.providers.kit.metering import Metering
from research_mcp.providers.kit.read import ReadType
from research_mcp.providers.kit.registry import REGISTRY
from research_mcp.settings import Settings

_USUAL: float = Settings.model_fields["request_timeout"].default

Configured = TypeVar("Configured", bound=ConfiguredType[Any])


@dataclass(frozen=True, slots=True)
class Shared:
    """What every instance is built with."""

    network: Network
    clock: Clock
    parking: Parking
    meter: Meter
    configuration: Configuration
    login: Login
    browser: LocalBrowser | None = None


def configured(wrapper: type[Configured], resolved: Resolved, shared: Shared) -> Configured:
    """The instance: its type with its options, behind its clients, its keys and its meter.

    `wrapper` must be of the row's kind, which `instances.ordered` sees to.
    """
    name = resolved.instance.name
    cls = REGISTRY[resolved.instance.type]
    keyed_legs = frozenset(leg for leg in cls.legs if f"{leg}_api_key" in resolved.options)
    means = Means(
        options={o: value for o, value in resolved.options.items() if not _is_of_leg(o, cls.legs)},
        base_url=resolved.url,
        keyed_legs=keyed_legs,
        keyed=bool(resolved.accounts),
        browser=shared.browser if renders(resolved) else None,
        weight=resolved.weight,
        pace=resolved.pace,
    )
    type_ = cls(means)
    limits = limits_of(cls, shared.configuration.settings)
    main: Http = _client(name, shared, type_.endpoint, resolved.url, resolved.proxy, limits)
    ring = KeyRing(resolved.accounts, shared.parking, shared.clock)
    if resolved.by_login:
        main = LoginHttp(main, shared.login, type_.phrases)
        ring = LoginRing(resolved.accounts[0], shared.login, shared.parking, shared.clock)
    return wrapper(
        name,
        type_,
        Legs(main, dict(_ways(resolved, cls.legs, shared, limits))) if cls.legs else main,
        ring,
        shared.clock,
        metering=Metering(
            shared.meter if resolved.spec.metered else None,
            name,
            ways={
                account: _client(name, shared, type_.endpoint, resolved.url, proxy, limits)
                for account, proxy in resolved.key_proxies.items()
            },
        ),
    )


def _is_of_leg(option: str, legs: Mapping[str, Leg]) -> bool:
    return any(option in (f"{leg}_url", f"{leg}_proxy", f"{leg}_api_key") for leg in legs)


def _ways(
    resolved: Resolved, legs: Mapping[str, Leg], shared: Shared, limits: CallLimits
) -> Iterator[tuple[str, Http]]:
    """The way of each leg by its default address, with its own address, proxy and keys where stated."""
    row, options = resolved.instance, resolved.options
    for name, leg in legs.items():
        own_proxy = f"{name}_proxy" in row.options
        proxy = options.get(f"{name}_proxy", "") if own_proxy else resolved.proxy
        base = options.get(f"{name}_url", "")
        within = replace(limits, body=leg.body)
        way: Http = _client(f"{row.name} ({name})", shared, leg.endpoint, base, proxy, within)
        if leg.keyed:
            key = f"{name}_api_key"
            accounts = accounts_of(row.options[key], options.get(key, "")) if key in row.options else ()
            ring = KeyRing(accounts, shared.parking, shared.clock)
            metering = Metering(shared.meter, f"{row.name}-{name}")
            way = KeyedHttp(leg, way, ring, shared.clock, metering=metering)
        yield leg.endpoint, way


def limits_of(cls: type[ProviderType], settings: Settings) -> CallLimits:
    """How long and how often a type's vendor is asked.

    A model may take as long as its answer. Readers and mappers may take the time that they declare, unless
    the operator gives every vendor less than the usual.
    """
    if issubclass(cls, AnswerType):
        return CallLimits(timeout=settings.answer_timeout, retries=settings.retries, retried=RETRIED)
    timeout = settings.request_timeout
    if timeout >= _USUAL and issubclass(cls, ReadType | MapType):
        timeout = max(timeout, cls.cap)
    return CallLimits(timeout=timeout, retries=settings.retries)


def _client(
    name: str, shared: Shared, endpoint: str, base: str, proxy: str, limits: CallLimits
) -> VendorClient:
    return VendorClient(
        shared.network,
        name,
        clock=shared.clock,
        user_agent=shared.configuration.user_agent,
        endpoint=endpoint,
        base_url=api_root(base),
        proxy=proxy,
        limits=limits,
    )
