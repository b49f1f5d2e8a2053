"""The figures at `/metrics`, in Prometheus' text format.

Counters and histograms are fed by events; gauges are set from the overview at each scrape. Every label
comes from a closed set (tools, rows of the configuration, reasons): what is not in it counts as "other".
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from prometheus_client import CollectorRegistry, Counter, Histogram, disable_created_metrics, generate_latest
from prometheus_client.gc_collector import GCCollector
from prometheus_client.process_collector import ProcessCollector

from research_mcp.observe.events import CacheLook, Charge, Event, ProviderCall, ToolCall
from research_mcp.observe.gauges import Gauges
from research_mcp.observe.outcomes import outcome_of, reason_of
from research_mcp.observe.overview import Overview

PREFIX = "research_mcp"
OTHER = "other"
_CALL_SECONDS = (0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 12, 20, 30, 45, 60)
_LAG_SECONDS = (0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5)


class Metrics:
    """A registry of its own with everything in it; a sink of events.

    `tools` and `instances` are the names that labels may hold; `prices` are dollars for a billed unit
    of an instance, where declared.
    """

    def __init__(self, tools: Iterable[str], instances: Iterable[str], prices: Mapping[str, float]) -> None:
        self._tools = frozenset(tools)
        self._instances = frozenset(instances)
        self._prices = prices
        # It would be a second series for each, which nothing asks for.
        disable_created_metrics()  # type: ignore[no-untyped-call]  # the library left its annotation out
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        GCCollector(registry=self._registry)
        self._gauges = Gauges(PREFIX, self._registry)
        self._count_calls()
        self._count_money()
        self.lag = self._histogram(
            "event_loop_lag_seconds", "How late the event loop woke up.", (), _LAG_SECONDS
        ).observe
        for tool in sorted(self._tools):  # a series that is there from the start can be compared at once
            self._tool_calls.labels(tool, "ok", "")

    def emit(self, event: Event) -> None:
        """Count one event."""
        match event:
            case ToolCall():
                self._tool_call(event)
            case ProviderCall():
                self._provider_call(event)
            case Charge(instance, units):
                self._charge(instance, units)
            case CacheLook(cache, hit):
                self._cache_looks.labels(cache, "hit" if hit else "miss").inc()

    def exposition(self, overview: Overview) -> bytes:
        """The text of one scrape."""
        self._gauges.show(overview)
        return generate_latest(self._registry)

    def _tool_call(self, event: ToolCall) -> None:
        tool = event.tool if event.tool in self._tools else OTHER
        self._tool_calls.labels(tool, outcome_of(event), reason_of(event)).inc()
        self._tool_seconds.labels(tool).observe(event.ms / 1000)
        self._tool_billed.labels(tool).inc(event.billed)

    def _provider_call(self, event: ProviderCall) -> None:
        instance, outcome = self._named(event.instance), outcome_of(event)
        self._provider_calls.labels(instance, event.operation, outcome, reason_of(event)).inc()
        if outcome != "resting":
            self._provider_seconds.labels(instance, event.operation).observe(event.ms / 1000)

    def _charge(self, instance: str, units: int) -> None:
        self._billed.labels(self._named(instance)).inc(units)
        price = self._prices.get(instance, math.nan)
        if not math.isnan(price):
            self._cost.labels(self._named(instance)).inc(units * price)

    def _named(self, instance: str) -> str:
        return instance if instance in self._instances else OTHER

    def _count_calls(self) -> None:
        outcome = ("outcome", "reason")
        self._tool_calls = self._counter("tool_calls", "Tool calls that ended.", ("tool", *outcome))
        self._tool_seconds = self._histogram("tool_call_seconds", "Seconds a tool call took.", ("tool",))
        where = ("provider", "operation")
        self._provider_calls = self._counter("provider_calls", "Calls of instances.", (*where, *outcome))
        self._provider_seconds = self._histogram("provider_call_seconds", "Seconds they took.", where)
        self._cache_looks = self._counter("cache_lookups", "Looks into a cache.", ("cache", "result"))

    def _count_money(self) -> None:
        self._tool_billed = self._counter("tool_billed_units", "Units billed for tool calls.", ("tool",))
        self._billed = self._counter("billed_units", "Units that instances were billed.", ("provider",))
        self._cost = self._counter(
            "cost_dollars", "Estimate at the list price, where one is declared.", ("provider",)
        )

    def _counter(self, name: str, help_: str, labels: tuple[str, ...]) -> Counter:
        return Counter(f"{PREFIX}_{name}", help_, labels, registry=self._registry)

    def _histogram(
        self,
        name: str,
        help_: str,
        labels: tuple[str, ...],
        buckets: tuple[float, ...] = _CALL_SECONDS,
    ) -> Histogram:
        return Histogram(f"{PREFIX}_{name}", help_, labels, registry=self._registry, buckets=buckets)
