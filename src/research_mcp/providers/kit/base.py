"""What every provider type declares and every instance of one gets, whatever is sold."""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import ClassVar

from research_mcp.core.instance import Account
from research_mcp.core.ports import Browser
from research_mcp.core.wire import Request
from research_mcp.net.status import NO_PHRASES, Phrases
from research_mcp.providers.kit.auth import BEARER, KeyPlace
from research_mcp.providers.kit.legs import Leg
from research_mcp.providers.kit.login.oauth import OAuthServer
from research_mcp.providers.kit.options import Rule


class ProviderKind(StrEnum):
    """What a type can do."""

    SEARCH = "search"
    RERANK = "rerank"
    READ = "read"
    ANSWER = "answer"
    MAP = "map"


@dataclass(frozen=True, slots=True)
class TypeSpec:
    """What `registry.register` was told beside a type's class."""

    name: str
    kind: ProviderKind
    needs: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    metered: bool = False
    rules: Mapping[str, Rule] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Means:
    """What an instance of a type gets: the values of its options, and its base url when it has one.

    The base url is only for types whose requests depend on it (an older version of an API); requests
    find their way to it without the type's help. `keyed`: the instance has a key, for types that may ask
    for more with one. `keyed_legs` are the legs that have a key; addresses, proxies and keys of legs are
    no options of the type itself and do not stand here. `browser` is there for types that render.
    `weight` is the operator's word about the votes of a search engine, `pace` theirs about the seconds
    between two queries to it (None: the type's own pace).
    """

    options: Mapping[str, str] = field(default_factory=dict)
    base_url: str = field(default="", repr=False)
    keyed_legs: frozenset[str] = frozenset()
    keyed: bool = False
    browser: Browser | None = None
    weight: float = 1.0
    pace: float | None = None


class ProviderType(ABC):
    """One thing that a vendor sells, or that a site gives. Facts are class attributes.

    `docs` is the page that the type follows. `endpoint` is the default address; an instance's base url
    replaces its scheme, host and prefix, and the key goes only with requests to it, at `key_place`.
    `headers` go with each of them; `phrases` are the vendor's own words for what a status may mean. `legs`
    are further hosts, each with a way of its own. `usd`: the most dollars that a billed call costs at the
    vendor's list price, for estimates (None: it counts in something else). `account` is a page about the
    key's account that costs nothing, "" where none is documented. `login`: where an owner can log in
    instead of having a key. `spec` is set by `registry.register`.
    """

    spec: ClassVar[TypeSpec]
    docs: ClassVar[str] = ""
    endpoint: ClassVar[str] = ""
    legs: ClassVar[Mapping[str, Leg]] = {}
    usd: ClassVar[float | None] = None
    account: ClassVar[str] = ""
    login: ClassVar[OAuthServer | None] = None
    key_place: ClassVar[KeyPlace] = BEARER
    phrases: ClassVar[Phrases] = NO_PHRASES
    headers: ClassVar[Mapping[str, str]] = {}

    def __init__(self, means: Means | None = None) -> None:
        self.means = means or Means()

    def signed(self, request: Request, account: Account) -> Request:
        """`request` with the type's headers under its own, and with the account's key if it has one."""
        request = replace(request, headers={**self.headers, **request.headers})
        return self.key_place.apply(request, account.key) if account.key else request
