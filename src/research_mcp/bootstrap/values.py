"""What the values of a row's variables must look like: a mistake is one sentence that names its variable."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from research_mcp.core.errors import ConfigError
from research_mcp.core.instance import Instance
from research_mcp.net.base_url import check_base
from research_mcp.net.tunnel import ProxyAddress
from research_mcp.providers.kit.registry import TypeSpec

ALL = "all"
_SEPARATORS = re.compile(r"[,，;\n]")


def check_values(row: Instance, spec: TypeSpec, env: Mapping[str, str]) -> None:
    """Hold the options, addresses and proxies of a row that is on against their rules.

    Raises `ConfigError`. Addresses and proxies are never repeated: a password may stand in them.
    """
    for option, variable in row.options.items():
        value = env.get(variable, "")
        if value and (rule := spec.rules.get(option)) and not rule.fits(value):
            shown = f"={value[:80]!r}" if rule.shown else ""
            raise ConfigError(f"{variable}{shown} is not usable: {rule.says}")
    for variable in (row.url_env, row.base_url_env, *_legs(row, "_url")):
        _check(variable, env, lambda url: check_base(row.name, url))
    for variable in (row.proxy_env, *row.key_proxies, *_legs(row, "_proxy")):
        _check(variable, env, lambda proxy: ProxyAddress.parse(proxy, row.name))


def check_vendors(variable: str, rows: Sequence[Instance], env: Mapping[str, str]) -> None:
    """Hold the list that `listed_in` of some rows names against their vendors. Raises `ConfigError`."""
    known = list(dict.fromkeys(vendor_of(row) for row in rows if row.listed_in == variable))
    for name in listed(variable, env):
        if name not in (*known, ALL):
            raise ConfigError(
                f"{variable} names {name!r}, which has no tier without a key; write some of "
                f"{', '.join(known)}, or {ALL}"
            )


def listed(variable: str, env: Mapping[str, str]) -> list[str]:
    """The vendors that a list names, in small letters."""
    return keys_in(env.get(variable, "").lower())


def vendor_of(row: Instance) -> str:
    """The vendor that a row's name begins with."""
    return row.name.partition("-")[0]


def keys_in(value: str) -> list[str]:
    """The keys of a list, each once: commas, full-width commas, semicolons and new lines separate."""
    return list(dict.fromkeys(key.strip() for key in _SEPARATORS.split(value) if key.strip()))


def _legs(row: Instance, ending: str) -> list[str]:
    """The variables of a type's further hosts."""
    return [variable for option, variable in row.options.items() if option.endswith(ending)]


def _check(variable: str, env: Mapping[str, str], check: Callable[[str], object]) -> None:
    value = env.get(variable, "")
    if not value:
        return
    try:
        check(value)
    except ConfigError as error:
        raise ConfigError(f"{variable}: {error}") from None
