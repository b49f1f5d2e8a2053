"""What `bootstrap` hands to the server: the services behind the tools, and the knobs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field

from research_mcp.core.instance import Secret, Status
from research_mcp.core.ports import Answerer, BatchReader, Clock, Mapper, Reader, Searcher
from research_mcp.observe.events import Emit, ignore
from research_mcp.observe.overview import Overview

Limits = Mapping[str, str | int | float]


@dataclass(frozen=True, slots=True)
class Health:
    """Whether calls can be answered. `degraded` names what is impaired while the rest goes on."""

    ready: bool
    degraded: tuple[str, ...] = ()


async def _always_ready() -> Health:
    return Health(ready=True)


def _nothing_to_open() -> AbstractAsyncContextManager[None]:
    return nullcontext()


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """Everything behind the tools.

    `statuses` lists every configured row with its state and `limits` the operator's knobs, both free
    of secrets; `health` may raise, the probe answers all the same; `metrics` and `overview` never do;
    `running` is entered when the server starts and left when it stops (pools, workers, stores). Without
    an `answerer`, the tools that need one are not listed.
    """

    searcher: Searcher
    reader: Reader
    batch: BatchReader
    mapper: Mapper
    clock: Clock
    answerer: Answerer | None = None
    emit: Emit = ignore
    statuses: Callable[[], tuple[Status, ...]] = tuple
    limits: Limits = field(default_factory=dict)
    health: Callable[[], Awaitable[Health]] = _always_ready
    metrics: Callable[[], Awaitable[bytes]] | None = None
    overview: Callable[[], Awaitable[Overview]] | None = None
    running: Callable[[], AbstractAsyncContextManager[None]] = _nothing_to_open


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerConfig:
    """The knobs of tools, endpoint and doors. Seconds and bytes as named.

    `allowed_hosts` and `allowed_origins` come on top of the loopback names; `*` opens either check.
    An address that sent `token_failures` wrong tokens within `token_failure_seconds` is refused until
    they are over. `call_seconds` is the hard end of every call: the pipelines' own deadlines lie below it.
    """

    language: str = "en"
    tools: tuple[str, ...] = ()
    tools_exclude: tuple[str, ...] = ()
    allowed_hosts: tuple[str, ...] = ()
    allowed_origins: tuple[str, ...] = ()
    bearer_tokens: tuple[Secret, ...] = field(default=(), repr=False)
    token_failures: int = 10
    token_failure_seconds: float = 60.0
    read_page_max_chars: int = 0
    read_batch_max_chars: int = 20_000
    answer_max_chars: int = 40_000
    call_seconds: float = 54.0
    heartbeat_seconds: float = 4.5
    max_body_bytes: int = 256 * 1024
    body_seconds: float = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Listen:
    """Where and how to listen.

    `drain_seconds`: how long calls in flight may finish after SIGTERM. `header_seconds`: how long a
    connection may take to state its request. `stall_seconds`: how long a client may stop reading.
    `trusted_proxies`: whose word counts about the client's address, as addresses, networks or `*`.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    drain_seconds: int = 25
    keep_alive_seconds: int = 75
    header_seconds: float = 10.0
    stall_seconds: float = 60.0
    max_connections: int = 1000
    trusted_proxies: tuple[str, ...] = ("127.0.0.1", "::1")
