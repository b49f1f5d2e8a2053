"""From rows to resolved instances: types looked up, variables read, what is missing named.

A row that cannot mean anything (unknown type, name or option) stops the start with one sentence; a
row whose variables are unset is off and says which one is missing.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from research_mcp.bootstrap.values import ALL, check_values, check_vendors, keys_in, listed, vendor_of
from research_mcp.core.errors import ConfigError
from research_mcp.core.fingerprint import key_mark
from research_mcp.core.instance import Account, Instance, Secret, Status
from research_mcp.providers.kit.registry import REGISTRY, ProviderKind, TypeSpec

WEIGHT = "WEIGHT"
"""Ending of the variable that weighs a search engine's votes (`Instance.own_variable`)."""

PACE = "PACE"
"""Ending of the variable that sets the seconds between two queries to a search engine."""

_HEAVIEST = 10.0
_SLOWEST = 3_600.0
_ON = frozenset({"on", "true", "yes", "1", "oauth"})
_OFF = frozenset({"off", "false", "no", "0", "api_key"})
"""Switches of a login; the last word of each is an earlier tool's."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """A row with the values of its variables: ready to be built.

    `key_proxies`: by account id the proxy ("" for none) of each key that does not share `proxy`.
    `weight`: the operator's word about the votes of a search engine. `pace`: theirs about the seconds
    between two queries to it, None for none.
    """

    instance: Instance
    spec: TypeSpec
    accounts: tuple[Account, ...] = ()
    url: str = field(default="", repr=False)
    proxy: str = field(default="", repr=False)
    key_proxies: Mapping[str, str] = field(default_factory=dict, repr=False)
    options: Mapping[str, str] = field(default_factory=dict, repr=False)
    by_login: bool = False
    weight: float = 1.0
    pace: float | None = None


def resolve(rows: Sequence[Instance], env: Mapping[str, str]) -> tuple[dict[str, Resolved], list[Status]]:
    """The instances that are on, by name, and a status for every row. Raises `ConfigError`."""
    on: dict[str, Resolved] = {}
    statuses = []
    seen: set[str] = set()
    for variable in {row.listed_in for row in rows if row.listed_in}:
        check_vendors(variable, rows, env)
    for row in rows:
        if row.name in seen:
            raise ConfigError(f"pipeline_config: two instances are named {row.name!r}; names must differ")
        seen.add(row.name)
        spec = _spec(row)
        why = _why_off(row, spec, env)
        statuses.append(Status(row, on=not why, why=why))
        if not why:
            check_values(row, spec, env)
            on[row.name] = _resolved(row, spec, env)
    return on, statuses


def ordered(pipeline: Sequence[str], rows: Sequence[Instance], kind: ProviderKind, setting: str) -> list[str]:
    """The pipeline's names, each checked to be a row of `kind`. Raises `ConfigError`."""
    kinds = {row.name: _spec(row).kind for row in rows}
    for name in pipeline:
        if name not in kinds:
            raise ConfigError(
                f"pipeline_config: {setting} names {name!r}, which is no instance{_near(name, kinds)}"
            )
        if kinds[name] is not kind:
            raise ConfigError(
                f"pipeline_config: {setting} names {name!r}, a {kinds[name]} instance, not {kind}"
            )
    if repeated := sorted({name for name in pipeline if pipeline.count(name) > 1}):
        raise ConfigError(f"pipeline_config: {setting} names {repeated[0]!r} more than once")
    return list(pipeline)


def _spec(row: Instance) -> TypeSpec:
    cls = REGISTRY.get(row.type)
    if cls is None:
        raise ConfigError(
            f"pipeline_config: instance {row.name!r} has unknown type {row.type!r}{_near(row.type, REGISTRY)}"
        )
    spec = cls.spec
    for option in row.options:
        if option not in spec.options and option not in spec.needs:
            known = (*spec.options, *spec.needs)
            raise ConfigError(
                f"pipeline_config: instance {row.name!r} sets option {option!r}, "
                f"which type {row.type!r} does not have{_near(option, known)}"
            )
    for need in spec.needs:
        if not _variable(row, need):
            raise ConfigError(
                f"pipeline_config: instance {row.name!r} names no variable for {need!r}, "
                f"which type {row.type!r} needs"
            )
    return spec


def _variable(row: Instance, need: str) -> tuple[str, ...]:
    """The variables that can satisfy `need` for this row."""
    if need == "api_key":
        return row.key_names
    name = row.url_env if need == "url" else row.options.get(need, "")
    return (name,) if name else ()


def _why_off(row: Instance, spec: TypeSpec, env: Mapping[str, str]) -> str:
    if is_switched_off(row, env):
        return f"{row.enabled_env} is off"
    if row.unless_env and row.unless_env in env:
        return f"{row.unless_env} is set and takes its place"
    if row.listed_in and not {vendor_of(row), ALL} & set(listed(row.listed_in, env)):
        return f"{row.listed_in} does not name it"
    for need in spec.needs:
        if need == "api_key" and (row.optional_api_key or is_on(row.login_env, env)):
            continue
        names = _variable(row, need)
        if not any(name in env for name in names):
            instead = (row.login_env,) if need == "api_key" and row.login_env else ()
            return f"{' or '.join((*names, *instead))} is not set"
    return ""


def _resolved(row: Instance, spec: TypeSpec, env: Mapping[str, str]) -> Resolved:
    accounts = [account for name in row.key_names for account in accounts_of(name, env.get(name, ""))]
    url = env.get(row.url_env, "") or env.get(row.base_url_env, "")
    by_login = not accounts and is_on(row.login_env, env)
    if by_login:
        _check_login(row, spec, url)
        accounts = [Account(f"{row.login_env}#1")]
    of_search = spec.kind is ProviderKind.SEARCH
    return Resolved(
        instance=row,
        spec=spec,
        accounts=tuple(accounts),
        url=url,
        proxy=env.get(row.proxy_env, ""),
        key_proxies=dict(_key_proxies(row, env)),
        options={option: env[name] for option, name in row.options.items() if name in env},
        by_login=by_login,
        weight=_number(row.own_variable(WEIGHT), _HEAVIEST, env, unset="1") if of_search else 1.0,
        pace=_pace(row, env) if of_search else None,
    )


def _pace(row: Instance, env: Mapping[str, str]) -> float | None:
    name = row.own_variable(PACE)
    return _number(name, _SLOWEST, env) if name in env else None


def _number(name: str, most: float, env: Mapping[str, str], unset: str = "") -> float:
    written = env.get(name, unset)
    try:
        number = float(written)
    except ValueError:
        number = -1.0
    if not 0 <= number <= most:
        raise ConfigError(f"{name}={written!r} is not usable: write a number from 0 to {most:g}")
    return number


def _key_proxies(row: Instance, env: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for variable, proxy in zip(row.key_names, row.key_proxies, strict=False):
        for account in accounts_of(variable, env.get(variable, "")):
            yield account.id, env.get(proxy, "")


def is_switched_off(row: Instance, env: Mapping[str, str]) -> bool:
    """Whether the owner wants none of this vendor, key or not. Raises `ConfigError` for other words."""
    return bool(row.enabled_env) and not is_on(row.enabled_env, env, unset="on")


def is_on(variable: str, env: Mapping[str, str], unset: str = "off") -> bool:
    """Whether `variable` says yes, or `unset` does in its place. Raises `ConfigError` for other words."""
    word = env.get(variable, unset).lower()
    if word not in _ON | _OFF:
        raise ConfigError(f"{variable}={word!r} is not usable: set on or off")
    return word in _ON


def _check_login(row: Instance, spec: TypeSpec, url: str) -> None:
    """A login's token goes to the vendor's own hosts only. Raises `ConfigError`."""
    server = REGISTRY[spec.name].login
    if server is None:
        raise ConfigError(f"pipeline_config: {row.name!r} names a login, which {spec.name!r} does not have")
    if url and not server.owns(url):
        raise ConfigError(
            f"{row.login_env} is on and {row.base_url_env} leads elsewhere: the token of a login is only "
            f"ever sent to {server.domain} by https. Unset one of the two, or set {row.key_names[0]}"
        )


def accounts_of(variable: str, value: str) -> tuple[Account, ...]:
    """An account for each key in the value of `variable`."""
    keys = map(Secret, keys_in(value))
    return tuple(Account(_account_id(variable, place, key), key) for place, key in enumerate(keys))


def _account_id(variable: str, place: int, key: Secret) -> str:
    """Variable, place and a short one-way mark of the key: a changed key is another account."""
    return f"{variable}#{place + 1}:{key_mark(variable, key)}"


def _near(name: str, known: Iterable[str]) -> str:
    names = sorted(known)
    close = difflib.get_close_matches(name, names, 1)
    if close:
        return f"; did you mean {close[0]!r}?"
    return f"; known: {', '.join(names)}" if names else ""
