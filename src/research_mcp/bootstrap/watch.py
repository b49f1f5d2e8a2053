"""What happens and how things stand: the sinks of all events, and the overview made at any moment."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace

from research_mcp import __version__
from research_mcp.bootstrap.configure import Configuration
from research_mcp.bootstrap.instances import Resolved
from research_mcp.bootstrap.login import accounts_behind
from research_mcp.bootstrap.prices import prices
from research_mcp.core.errors import Reason, StoreUnavailable
from research_mcp.core.instance import Account, Status
from research_mcp.core.ports import Clock, Meter, Parking, Rest, Spent, Usage
from research_mcp.observe.events import Emit, Event
from research_mcp.observe.lag import LoopLag
from research_mcp.observe.overview import BreakerState, Overview, Provider, Spending, Workers
from research_mcp.observe.recent import Recent
from research_mcp.observe.redact import one_line
from research_mcp.providers.kit.registry import REGISTRY, ProviderKind
from research_mcp.server.config import Health

_DETAIL = 300
"""Characters shown of why something rests or is impaired."""

Breakers = Callable[[], Mapping[str, BreakerState]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """Where the overview looks: each is asked anew every time."""

    parking: Parking
    meter: Meter
    workers: Callable[[], Workers]
    health: Callable[[], Awaitable[Health]]
    breakers: Sequence[Breakers]


class Watch:
    """`emit` is the sink for every producer; `overview` says how things stand."""

    def __init__(self, configuration: Configuration, clock: Clock, emit: Emit) -> None:
        self._configuration = configuration
        self._clock = clock
        self._started = clock.now()
        self._on = {one.instance.name: one for one in configuration.on}
        self._prices = prices(status.instance for status in configuration.statuses)
        self._recent = Recent(clock, self._on, configuration.redact)
        self._sinks = [emit, self._recent.emit]
        self._lag_sinks: list[Callable[[float], None]] = []
        self._lag = LoopLag(self._late)

    def emit(self, event: Event) -> None:
        """Hand one event to everyone who listens."""
        for sink in self._sinks:
            sink(event)

    def metrics(self, sources: Sources) -> Callable[[], Awaitable[bytes]]:
        """Count from now on; each call of the result is one scrape."""
        # The library and the tools' schemas load slowly: commands that serve nobody do without.
        from research_mcp.observe.metrics import Metrics
        from research_mcp.server.tools.pages import TOOLS

        legs = (f"{name}-{leg}" for name, one in self._on.items() for leg in _keyed_legs(one))
        metrics = Metrics([tool.name for tool in TOOLS], [*self._on, *legs], self._prices)
        self._sinks.append(metrics.emit)
        self._lag_sinks.append(metrics.lag)

        async def scrape() -> bytes:
            return metrics.exposition(await self.overview(sources))

        return scrape

    @asynccontextmanager
    async def watching(self) -> AsyncIterator[None]:
        """Sample the event loop while inside."""
        task = asyncio.create_task(self._lag.watch(), name="event loop lag")
        try:
            yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def overview(self, sources: Sources) -> Overview:
        """Everything at this moment. Never raises: a store that fails is named in `degraded`."""
        health, (usage, spent) = await asyncio.gather(sources.health(), _money(sources.meter))
        return Overview(
            at=self._clock.now(),
            started=self._started,
            version=__version__,
            ready=health.ready,
            degraded=tuple(map(self._clean, health.degraded)),
            providers=tuple(await self._providers(sources, usage)),
            budgets=tuple(line for line in usage if line.limit is not None),
            spending=tuple(Spending(line, self._prices.get(line.instance)) for line in spent),
            workers=sources.workers(),
            lag=self._lag.worst,
            tasks=len(asyncio.all_tasks()),
            minutes=self._recent.minutes(),
            failures=self._recent.failures(),
        )

    def _late(self, seconds: float) -> None:
        for sink in self._lag_sinks:
            sink(seconds)

    async def _providers(self, sources: Sources, usage: Sequence[Usage]) -> Sequence[Provider]:
        breakers = {name: state for states in sources.breakers for name, state in states().items()}
        rests = await asyncio.gather(*(self._rest(name, sources.parking, usage) for name in self._on))
        resting = dict(zip(self._on, rests, strict=True))
        return [
            Provider(
                name=status.instance.name,
                kind=REGISTRY[status.instance.type].spec.kind.value,
                on=status.instance.name in self._on,
                why=self._why_off(status),
                rest=resting.get(status.instance.name),
                breaker=breakers.get(status.instance.name, BreakerState.CLOSED),
                record=self._recent.record(status.instance.name),
            )
            for status in self._configuration.statuses
        ]

    def _why_off(self, status: Status) -> str:
        if not status.on or status.instance.name in self._on:
            return status.why
        unwanted = not self._configuration.settings.search_rerank_enabled and _is_reranker(status)
        return "SEARCH_RERANK_ENABLED is not true" if unwanted else "no pipeline asks it"

    async def _rest(self, name: str, parking: Parking, usage: Sequence[Usage]) -> Rest | None:
        """Its own rest, or that of its keys when all of them rest: the soonest that ends.

        Nothing is parked when a budget of ours is spent, but until it renews nobody is asked either.
        """
        own = await parking.rest(f"instance:{name}")
        if own := own or _spent(line for line in usage if line.instance == name and not line.account):
            return self._shown(own)
        rests = [
            await parking.rest(f"account:{account.id}")
            or _spent(line for line in usage if line.account == account.id)
            for account in await self._accounts(self._on[name])
        ]
        known = [rest for rest in rests if rest is not None]
        if not known or len(known) < len(rests):
            return None
        return self._shown(min(known, key=_ends))

    async def _accounts(self, resolved: Resolved) -> Sequence[Account]:
        try:
            return await accounts_behind(resolved, self._configuration.settings)
        except StoreUnavailable:  # its calls say so
            return ()

    def _shown(self, rest: Rest) -> Rest:
        return replace(rest, detail=self._clean(rest.detail))

    def _clean(self, text: str) -> str:
        return one_line(self._configuration.redact(text), _DETAIL)


def _ends(rest: Rest) -> float:
    return math.inf if rest.until is None else rest.until


def _spent(lines: Iterable[Usage]) -> Rest | None:
    """The rest that spent budgets make, until the last of them renews."""
    rests = [
        Rest(
            line.renews_at,
            Reason.OUT_OF_CREDITS,
            f"this server's own budget is spent: {line.used} of {line.limit}/{line.per} used ({line.source})",
        )
        for line in lines
        if line.limit is not None and line.used >= line.limit
    ]
    return max(rests, key=_ends, default=None)


def _keyed_legs(resolved: Resolved) -> Iterable[str]:
    legs = REGISTRY[resolved.instance.type].legs
    return [name for name, leg in legs.items() if leg.keyed]


def _is_reranker(status: Status) -> bool:
    return REGISTRY[status.instance.type].spec.kind is ProviderKind.RERANK


async def _money(meter: Meter) -> tuple[tuple[Usage, ...], tuple[Spent, ...]]:
    try:
        return await meter.usage(), await meter.spent()
    except StoreUnavailable:
        return (), ()
