"""Configured providers: rows that name variables, and the accounts behind them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


class Secret:
    """A key or password. Prints as `***` everywhere; `reveal()` is for the header that needs it."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """The value itself."""
        return self._value

    def __repr__(self) -> str:
        return "Secret(***)"

    __str__ = __repr__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._value == self._value

    def __hash__(self) -> int:
        return hash(("Secret", self._value))


@dataclass(frozen=True, slots=True)
class Quota:
    """At most `limit` billed calls per `per`: "hour", "day", "month" or "total" (UTC)."""

    limit: int
    per: str = "month"


@dataclass(frozen=True, slots=True)
class Instance:
    """One row of `pipeline_config`: a provider type under a name, with NAMES of variables.

    `api_key_env` may name several variables: the keys form a ring. `url_env` names the address of a
    self-hosted service, `base_url_env` one that replaces a vendor's own host. `options` maps an option
    of the type to the variable that sets it. `unless_env`: the row is off while that variable is set.
    `listed_in`: the row is on only while that variable's list names its vendor (or `all`). `login_env`:
    while that variable is on and no key is set, the owner's own login takes the place of a key.
    `key_proxies`, where stated, has the proxy of each variable of `api_key_env` in place of `proxy_env`.
    `enabled_env`: the row is off while that variable says `false`, whatever else is set.
    """

    name: str
    type: str
    api_key_env: str | tuple[str, ...] = ()
    url_env: str = ""
    base_url_env: str = ""
    proxy_env: str = ""
    key_proxies: tuple[str, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)
    optional_api_key: bool = False
    unless_env: str = ""
    listed_in: str = ""
    login_env: str = ""
    enabled_env: str = ""
    quota: Quota | None = None

    @property
    def key_names(self) -> tuple[str, ...]:
        """The key variables as a tuple, however they were written."""
        return (self.api_key_env,) if isinstance(self.api_key_env, str) else self.api_key_env

    def own_variable(self, ending: str) -> str:
        """A variable that every row has under its own name: `tavily-1`, `BUDGET` -> `TAVILY_1_BUDGET`."""
        return f"{self.name.upper().replace('-', '_')}_{ending}"


@dataclass(frozen=True, slots=True)
class Account:
    """One key of a vendor. Quota and parking belong to it, whatever it is used for.

    `id` is made of the variable's name and a place in its list, never of the key.
    """

    id: str
    key: Secret | None = None


KEYLESS = Account(id="keyless")


@dataclass(frozen=True, slots=True)
class Status:
    """Whether a row is on, and if not, why: for the start-up banner, `check` and the admin page."""

    instance: Instance
    on: bool
    why: str = ""
