"""What the environment means: settings, instances, budgets, secrets. Opens no connection and no store."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from textwrap import wrap
from urllib.parse import parse_qs, unquote, urlsplit

from research_mcp import __version__, pipeline_config
from research_mcp.bootstrap.browser import browser_limits
from research_mcp.bootstrap.environment import Environment
from research_mcp.bootstrap.hosts import owner_rules
from research_mcp.bootstrap.idle import idle
from research_mcp.bootstrap.instances import Resolved, is_switched_off, ordered, resolve
from research_mcp.bootstrap.tracing import HEADERS, trace_headers, traces_url
from research_mcp.bootstrap.values import keys_in
from research_mcp.core.bearer import digests, easy_tokens
from research_mcp.core.budget import BUDGET, Budget, budgets_of
from research_mcp.core.instance import Secret, Status
from research_mcp.net.browser.limits import BrowserLimits
from research_mcp.net.guard import GuardPolicy
from research_mcp.observe.redact import Redactor
from research_mcp.pipelines.search.hosts import HostRules
from research_mcp.providers import load as load_types
from research_mcp.providers.kit.registry import ProviderKind
from research_mcp.settings import Settings, load
from research_mcp.store.valkey.address import Address, parse_address

PRODUCT = "research-mcp"


_TITLES = (
    ("search", ProviderKind.SEARCH),
    ("read", ProviderKind.READ),
    ("answer", ProviderKind.ANSWER),
    ("map", ProviderKind.MAP),
)


@dataclass(frozen=True, slots=True)
class Configuration:
    """The environment, understood. `search`, `read`, `answer` and `map` are what is on, in order.

    `answers`: questions are answered, be it with sources alone, because the owner switched a model off.
    """

    settings: Settings
    policy: GuardPolicy
    search: tuple[Resolved, ...]
    read: tuple[Resolved, ...]
    answer: tuple[Resolved, ...]
    answers: bool
    map: tuple[Resolved, ...]
    browser: BrowserLimits | None
    reranker: Resolved | None
    host_rules: HostRules
    statuses: tuple[Status, ...]
    budgets: tuple[Budget, ...]
    bearer_tokens: tuple[Secret, ...]
    trace_headers: Mapping[str, Secret]
    valkey: Address | None
    login_proxy: str = field(repr=False)
    warnings: tuple[str, ...]
    redact: Redactor = field(repr=False)

    @property
    def on(self) -> tuple[Resolved, ...]:
        """Every instance that some pipeline may ask."""
        rerankers = (self.reranker,) if self.reranker else ()
        return (*self.search, *self.read, *self.answer, *self.map, *rerankers)

    @property
    def user_agent(self) -> str:
        """What pages and keyless services are told: product, version, contact."""
        return _user_agent(self.settings)

    def summary(self) -> Iterator[str]:
        """For people at a terminal: what is on, why the rest is not, and what was odd."""
        for title, kind in _TITLES:
            rows = [s for s in self.statuses if s.instance.type.startswith(f"{kind}.")]
            yield f"{title}: " + (", ".join(s.instance.name for s in rows if s.on) or "nothing is on")
            if off := [f"{s.instance.name} ({s.why})" for s in rows if not s.on]:
                yield from wrap(
                    f"off: {', '.join(off)}",
                    110,
                    initial_indent="  ",
                    subsequent_indent="    ",
                    break_on_hyphens=False,
                )
        if self.valkey:
            yield f"state: on {self.valkey}, keys behind {self.settings.valkey_prefix!r}"
        yield from (f"warning: {text}" for text in self.warnings)


def configure(environment: Environment) -> Configuration:
    """Understand `environment` against `pipeline_config`. Raises `ConfigError` with one sentence."""
    values = environment.values
    settings = load(values)
    strangers = load_types()
    rows = pipeline_config.INSTANCES
    on, statuses = resolve(rows, values)
    search = ordered(pipeline_config.SEARCH_PIPELINE, rows, ProviderKind.SEARCH, "SEARCH_PIPELINE")
    read = ordered(pipeline_config.READ_PIPELINE, rows, ProviderKind.READ, "READ_PIPELINE")
    answer = ordered(pipeline_config.ANSWER_PIPELINE, rows, ProviderKind.ANSWER, "ANSWER_PIPELINE")
    mappers = ordered(pipeline_config.MAP_PIPELINE, rows, ProviderKind.MAP, "MAP_PIPELINE")
    reranker = _reranker(on, settings)
    readers = tuple(on[name] for name in read if name in on)
    tokens = tuple(map(Secret, keys_in(values.get("MCP_BEARER_TOKENS", ""))))
    valkey_url = values.get("VALKEY_URL", "")
    valkey = parse_address(Secret(valkey_url), settings.valkey_ca_file) if valkey_url else None
    headers = _trace_headers(settings, values)
    digests(tokens)  # a hash that is none stops every command, not only the server
    return Configuration(
        settings=settings,
        policy=GuardPolicy.parse(
            ports=settings.page_ports,
            allow_private=settings.allow_private_network,
            fake_ip_ranges=settings.fake_ip_ranges,
            own_addresses=settings.own_addresses,
            nat64_prefixes=settings.nat64_prefixes,
        ),
        search=tuple(on[name] for name in search if name in on),
        read=readers,
        answer=tuple(on[name] for name in answer if name in on),
        answers=any(row.name in on or is_switched_off(row, values) for row in rows if row.name in answer),
        map=tuple(on[name] for name in mappers if name in on),
        browser=browser_limits(readers, settings, _user_agent(settings)),
        reranker=reranker,
        host_rules=owner_rules(settings.search_hosts_file),
        statuses=tuple(statuses),
        budgets=tuple(_budgets(on, values)),
        bearer_tokens=tokens,
        trace_headers=headers,
        valkey=valkey,
        login_proxy=next((values.get(row.proxy_env, "") for row in rows if row.login_env), ""),
        warnings=(
            *environment.warnings,
            *strangers,
            *easy_tokens(tokens),
            *idle(on, reranker, settings, values),
        ),
        redact=Redactor([*_secrets(on.values(), *tokens, *headers.values()), *_passwords(valkey_url)]),
    )


def _trace_headers(settings: Settings, values: Mapping[str, str]) -> Mapping[str, Secret]:
    """What the collector wants; an address that is none stops every command, too."""
    if settings.otel_exporter_otlp_endpoint:
        traces_url(settings.otel_exporter_otlp_endpoint)
    return trace_headers(values.get(HEADERS, ""))


def _user_agent(settings: Settings) -> str:
    return settings.user_agent or f"{PRODUCT}/{__version__} (+{settings.contact_url})"


def _reranker(on: Mapping[str, Resolved], settings: Settings) -> Resolved | None:
    """The first reranker with a key or an address of its own, when the owner wants one."""
    usable = (r for r in on.values() if r.spec.kind is ProviderKind.RERANK and (r.accounts or r.url))
    return next(usable, None) if settings.search_rerank_enabled else None


def _budgets(on: Mapping[str, Resolved], values: Mapping[str, str]) -> Iterator[Budget]:
    for resolved in on.values():
        if resolved.spec.metered:
            written = values.get(resolved.instance.own_variable(BUDGET), "")
            yield from budgets_of(resolved.instance, resolved.accounts, written)


def _secrets(instances: Iterable[Resolved], *others: Secret) -> Iterator[str]:
    yield from (secret.reveal() for secret in others)
    for resolved in instances:
        yield from (account.key.reveal() for account in resolved.accounts if account.key)
        options = resolved.options
        yield from (key for name in options if name.endswith("_api_key") for key in keys_in(options[name]))
        if user := options.get("user"):
            yield user
        proxies = (options[name] for name in options if name.endswith("_proxy"))
        for url in (resolved.url, resolved.proxy, *resolved.key_proxies.values(), *proxies):
            yield from _passwords(url)


def _passwords(url: str) -> Iterator[str]:
    """The password in a url, as written and as meant, before the host or as an option."""
    parts = urlsplit(url)
    for password in (parts.password, *parse_qs(parts.query).get("password", ())):
        if password:
            yield from {password, unquote(password)}
