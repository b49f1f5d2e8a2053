"""What `/metrics` shows of the overview of the moment, set anew at each scrape."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping

from prometheus_client import CollectorRegistry, Gauge
from prometheus_client.core import CounterMetricFamily
from prometheus_client.registry import Collector

from research_mcp.observe.overview import BreakerState, Overview, Provider

_BREAKER = {BreakerState.CLOSED: 0, BreakerState.HALF_OPEN: 1, BreakerState.OPEN: 2}


class _Replaced(Collector):
    """A counter that someone else counts."""

    def __init__(self, name: str, registry: CollectorRegistry) -> None:
        self.by_cause: Mapping[str, int] = {}
        self._name = name
        registry.register(self)

    def collect(self) -> Iterator[CounterMetricFamily]:
        family = CounterMetricFamily(self._name, "Workers that were replaced.", labels=["cause"])
        for cause, count in self.by_cause.items():
            family.add_metric([cause], count)
        yield family


class Gauges:
    """Registered once; `show` replaces every value, so what is gone leaves no series behind."""

    def __init__(self, prefix: str, registry: CollectorRegistry) -> None:
        def gauge(name: str, help_: str, *labels: str) -> Gauge:
            made = Gauge(f"{prefix}_{name}", help_, labels, registry=registry)
            self._all.append(made)
            return made

        self._all: list[Gauge] = []
        self._build = gauge("build_info", "The running version.", "version")
        self._started = gauge("start_time_seconds", "Epoch second of the start.")
        self._degraded = gauge("degraded", "1 while something is impaired, such as the store.")
        self._tasks = gauge("event_loop_tasks", "Tasks of the event loop.")
        self._on = gauge("provider_on", "1 for an instance that is switched on.", "provider", "kind")
        self._rest = gauge(
            "provider_rest_seconds",
            "Seconds that a resting instance still rests; +Inf until a new key or `quota reset`.",
            "provider",
            "reason",
        )
        self._breaker = gauge("breaker_state", "0 closed, 1 half open, 2 open.", "provider")
        self._used = gauge("budget_used_units", "Used of a budget.", "provider", "per", "source")
        self._limit = gauge("budget_limit_units", "Its limit.", "provider", "per", "source")
        self._workers = gauge("extraction_workers", "Worker processes.", "state")
        self._waiting = gauge("extraction_waiting", "Pages that wait for a worker.")
        self._replaced = _Replaced(f"{prefix}_extraction_workers_replaced", registry)

    def show(self, overview: Overview) -> None:
        """Set every gauge to what `overview` says. Does not await, so scrapes cannot mix."""
        for one in self._all:
            one.clear()
        self._build.labels(overview.version).set(1)
        self._started.set(overview.started)
        self._degraded.set(bool(overview.degraded))
        self._tasks.set(overview.tasks)
        for provider in overview.providers:
            self._show_provider(provider, overview.at)
        self._show_budgets(overview)
        workers = overview.workers
        for state in ("busy", "idle", "starting"):
            self._workers.labels(state).set(getattr(workers, state))
        self._waiting.set(workers.waiting)
        self._replaced.by_cause = workers.replaced

    def _show_provider(self, provider: Provider, now: float) -> None:
        self._on.labels(provider.name, provider.kind).set(provider.on)
        if provider.on:
            self._breaker.labels(provider.name).set(_BREAKER[provider.breaker])
        if rest := provider.rest:
            left = math.inf if rest.until is None else max(0.0, rest.until - now)
            self._rest.labels(provider.name, rest.reason.value).set(left)

    def _show_budgets(self, overview: Overview) -> None:
        """A row's quota counts for each key: the sum over its keys is shown."""
        sums: defaultdict[tuple[str, str, str], list[int]] = defaultdict(lambda: [0, 0])
        for line in overview.budgets:
            if line.limit is not None:
                total = sums[line.instance, line.per, line.source]
                total[0] += line.used
                total[1] += line.limit
        for labels, (used, limit) in sums.items():
            self._used.labels(*labels).set(used)
            self._limit.labels(*labels).set(limit)
