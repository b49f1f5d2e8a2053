"""The knobs: all defaulted, none secret. The variable of a field is its name in capitals."""

from __future__ import annotations

import re
from collections.abc import Mapping
from ipaddress import ip_network
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from research_mcp.core.errors import ConfigError


def _listed(value: object) -> object:
    """`a, b;c` as a tuple: commas, full-width commas, semicolons and new lines separate."""
    if not isinstance(value, str):
        return value
    for mark in ("，", ";", "\n"):
        value = value.replace(mark, ",")
    return tuple(part.strip() for part in value.split(",") if part.strip())


def _networks(values: tuple[str, ...]) -> tuple[str, ...]:
    for value in values:
        if value != "*":
            ip_network(value, strict=False)  # its ValueError says what is wrong
    return values


_HOST = r"(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?|\[[0-9a-f:.]+\])(?::(?:[0-9]{1,5}|\*))?/?"
_HOST_ENTRY = re.compile(rf"\*|{_HOST}", re.IGNORECASE)
_ORIGIN_ENTRY = re.compile(rf"\*|(?:https?://)?{_HOST}", re.IGNORECASE)


def _hosts(values: tuple[str, ...]) -> tuple[str, ...]:
    for value in values:
        if not _HOST_ENTRY.fullmatch(value):
            raise ValueError(f"{value!r} is no host name: write names alone, like mcp.example.org")
    return values


def _origins(values: tuple[str, ...]) -> tuple[str, ...]:
    for value in values:
        if not _ORIGIN_ENTRY.fullmatch(value):
            raise ValueError(f"{value!r} is no origin: write scheme and host, like https://app.example.org")
    return values


Listed = Annotated[tuple[str, ...], BeforeValidator(_listed)]
Networks = Annotated[Listed, AfterValidator(_networks)]
Hosts = Annotated[Listed, AfterValidator(_hosts)]
Origins = Annotated[Listed, AfterValidator(_origins)]
Seconds = Annotated[float, Field(gt=0)]
Kept = Annotated[float, Field(ge=0, le=2_592_000)]
"""Seconds up to 30 days."""


class Settings(BaseModel):
    """Every knob with its default, bounds and a sentence."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    # Server
    mcp_host: str = Field(
        "127.0.0.1", description="Address to listen on. 0.0.0.0 only behind a proxy or with tokens."
    )
    mcp_port: int = Field(8000, ge=0, le=65535, description="Port to listen on; 0 takes a free one.")
    mcp_allowed_hosts: Hosts = Field(
        (), description="Host names under which clients reach the server beside loopback; `*` accepts all."
    )
    mcp_allowed_origins: Origins = Field(
        (), description="Browser origins that may call the endpoint, such as `http://localhost:6274`."
    )
    mcp_trusted_proxies: Networks = Field(
        ("127.0.0.1", "::1"),
        description="Proxies whose word about a client's address counts: addresses, networks such as "
        "`172.16.0.0/12`, or `*`.",
    )
    tools: Listed = Field((), description="Only these tools are listed (all when empty).")
    tools_exclude: Listed = Field((), description="These tools are not listed.")
    tool_language: Literal["en", "ru"] = Field(
        "en", description="Language of the texts that the model reads."
    )

    # Search
    search_timeout: Seconds = Field(12.0, le=50, description="Seconds for a whole search.")
    search_grace: float = Field(
        1.5,
        ge=0,
        le=50,
        description="Seconds that late engines get once half have answered and the list is full.",
    )
    search_fanout: Literal["all", "economy"] = Field(
        "all",
        description="`all` asks every engine each time; `economy` asks metered ones only for a short list.",
    )
    search_cache_ttl: Kept = Field(600.0, description="Seconds for which a good answer is reused.")

    search_rerank_enabled: bool = Field(
        False, description="Lets a reranker order the merged list (Jina's with a key, or your own server)."
    )
    search_hosts_file: str = Field(
        "",
        description="File of your wishes about hosts: raise, lower, pin, remove (see `host-rules.example`).",
    )

    # Answer
    answer_timeout: Seconds = Field(50.0, le=50, description="Seconds for one `web_answer`.")
    answer_max_chars: int = Field(
        40_000, ge=1_000, description="Longest answer of `web_answer` at once; `get_sources` pages the rest."
    )
    grok_auth_file: str = Field(
        "", description="File with the tokens of `research-mcp login`; empty: grok-login.json in DATA_DIR."
    )
    grok_oauth_client_id: str = Field(
        "", description="Client id for that login; empty: the public one of xAI's own terminal client."
    )

    # Map
    map_timeout: Seconds = Field(45.0, le=50, description="Seconds for one `map_site`, all mappers together.")

    # Read
    read_timeout: Seconds = Field(45.0, le=50, description="Seconds for one page, all readers together.")
    read_cache_ttl: Kept = Field(
        300.0, description="Seconds for which a good page, or the map of a site, is reused."
    )
    read_page_max_chars: int = Field(
        0, ge=0, description="Longest text of `read_page` at once; 0 gives the whole page."
    )
    read_batch_max_chars: int = Field(
        20_000, ge=500, description="Longest text of each page in `read_pages` and `search_and_read`."
    )
    read_pages_concurrency: int = Field(
        5, ge=1, le=20, description="Pages that one batch call reads at once."
    )
    fallback_min_chars: int = Field(
        400, ge=0, le=100_000, description="Text shorter than this is thin: the next reader is tried."
    )
    robots: Literal["note", "obey", "ignore"] = Field(
        "note",
        description="robots.txt: `note` says so in the head, `obey` refuses, `ignore` never asks (`map_site` "
        "still looks there for site maps).",
    )
    browser_sandbox: bool = Field(
        True,
        description="Chromium's own sandbox around pages; `false` only where a container is the wall.",
    )
    browser_memory_mb: int = Field(
        1_000,
        ge=300,
        description="Megabytes that the browser's processes may take; past them a page is ended.",
    )
    browser_pages: int = Field(2, ge=1, le=20, description="Pages that are open in the browser at once.")
    extract_workers: int = Field(2, ge=1, le=64, description="Processes that turn pages into text.")

    # Network
    request_timeout: Seconds = Field(
        25.0,
        le=50,
        description="Longest single request to a vendor, in seconds. Models have `ANSWER_TIMEOUT`; from 25 "
        "on, slow readers take what they need.",
    )
    retries: int = Field(1, ge=0, le=3, description="More tries after a connection error or a 5xx answer.")
    user_agent: str = Field(
        "", description="User agent for pages; the product's name and contact when empty."
    )
    contact_url: str = Field(
        "https://github.com/research-mcp/research-mcp", description="Contact address inside the user agent."
    )
    allow_private_network: bool = Field(
        False,
        description="Lets pages be read from private addresses, on any port. Metadata addresses stay closed.",
    )
    fake_ip_ranges: Listed = Field(
        (), description="Address ranges that a fake-IP proxy hands out, such as `198.18.0.0/15`."
    )
    ca_file: str = Field(
        "", description="PEM file of certificate authorities to trust beside the public ones."
    )
    own_addresses: Listed = Field((), description="Public addresses of this host: refused like private ones.")
    nat64_prefixes: Listed = Field((), description="NAT64 prefixes of this network, such as `64:ff9b::/96`.")
    page_ports: Listed = Field(
        ("80", "443", "8080", "8443", "8000"), description="Ports that a page's address may name."
    )

    # State and log
    data_dir: str = Field("data", description="Folder for the money store; created when missing.")
    valkey_prefix: str = Field(
        "research-mcp:", description="Beginning of every key on the server that `VALKEY_URL` names."
    )
    valkey_ca_file: str = Field(
        "", description="Certificate authority of that server, as a PEM file; the system's when empty."
    )
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(
        "INFO", description="Least level that is logged."
    )
    log_file: str = Field(
        "data/research-mcp.log", description="Log file (JSON lines); empty writes to stderr alone."
    )
    log_rotation: str = Field("10 MB", description="Size or time at which the log file is rotated.")
    log_retention: str = Field("14 days", description="How long rotated log files are kept.")

    # Tracing
    otel_exporter_otlp_endpoint: str = Field(
        "",
        description="Collector that gets traces by OTLP over HTTP, such as `http://collector:4318` "
        "(extra `otel`).",
    )
    otel_service_name: str = Field("research-mcp", description="Name of this server in traces.")
    otel_traces_sampler_arg: float = Field(
        1.0, ge=0, le=1, description="Share of calls that are traced where the client does not decide it."
    )


GROUPS: Mapping[str, str] = {
    "mcp_host": "Server",
    "search_timeout": "Search",
    "answer_timeout": "Answer",
    "map_timeout": "Map",
    "read_timeout": "Read",
    "request_timeout": "Network",
    "data_dir": "State and log",
    "otel_exporter_otlp_endpoint": "Tracing",
}
"""Headings of the printed tables, each before the named field."""


BLANK_COUNTS = frozenset({"LOG_FILE"})
"""Variables whose blank value says something; that of all others counts as unset."""


def load(env: Mapping[str, str]) -> Settings:
    """The settings that `env` states. Raises `ConfigError`, one sentence."""
    given = {name: env[name.upper()].strip() for name in Settings.model_fields if name.upper() in env}
    stated = {name: value for name, value in given.items() if value or name.upper() in BLANK_COUNTS}
    try:
        return Settings.model_validate(stated)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        name = str(first["loc"][0])
        field = Settings.model_fields[name]
        raise ConfigError(
            f"{name.upper()}={stated[name]!r} is not usable: {first['msg'].removeprefix('Value error, ')}. "
            f"{field.description} The default is {shown(field.default)!r}."
        ) from None


def shown(default: object) -> str:
    """A default as one would write it into `.env`."""
    if isinstance(default, tuple):
        return ",".join(default)
    if isinstance(default, bool):
        return str(default).lower()
    if isinstance(default, float) and default.is_integer():
        return str(int(default))
    return str(default)
