"""What Prometheus reads: the right figures under labels that cannot grow."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pytest
from prometheus_client.parser import text_string_to_metric_families

from research_mcp.core.errors import Reason
from research_mcp.core.ports import Rest, Usage
from research_mcp.observe.events import CacheLook, Charge, Event, ProviderCall, ToolCall
from research_mcp.observe.metrics import Metrics
from research_mcp.observe.overview import BreakerState, Overview, Provider, Workers

NOW = 1_800_000_000.0
CALM = Overview(at=NOW, started=NOW - 60, version="9.9.9")


def metrics() -> Metrics:
    return Metrics(["web_search", "read_page"], ["exa", "brave", "jina"], {"exa": 0.007})


def samples(text: bytes) -> dict[tuple[str, ...], float]:
    """Values by name and label values: the provider first, then in the order of the labels' names."""
    return {
        (
            sample.name.removeprefix("research_mcp_"),
            *(v for _, v in sorted(sample.labels.items(), key=lambda pair: (pair[0] != "provider", pair))),
        ): sample.value
        for family in text_string_to_metric_families(text.decode())
        for sample in family.samples
    }


def scraped(*events: Event, overview: Overview = CALM) -> Mapping[tuple[str, ...], float]:
    made = metrics()
    for event in events:
        made.emit(event)
    return samples(made.exposition(overview))


def test_tool_calls_are_counted_by_outcome_and_reason_with_time_and_money() -> None:
    found = scraped(
        ToolCall("web_search", "secret question", "ok", ms=1500, billed=3),
        ToolCall("web_search", "q", "timeout", ms=12_000),
        ToolCall("web_search", "q", "cancelled"),
    )
    assert found["tool_calls_total", "ok", "", "web_search"] == 1
    assert found["tool_calls_total", "failed", "timeout", "web_search"] == 1
    assert found["tool_calls_total", "stopped", "cancelled", "web_search"] == 1
    assert found["tool_call_seconds_sum", "web_search"] == 13.5
    assert found["tool_call_seconds_bucket", "2.0", "web_search"] == 2
    assert found["tool_billed_units_total", "web_search"] == 3


def test_a_tool_that_was_not_called_yet_stands_at_zero() -> None:
    assert scraped()["tool_calls_total", "ok", "", "read_page"] == 0


def test_calls_of_instances_have_outcome_and_reason() -> None:
    found = scraped(
        ProviderCall("exa", "search", "ok", 250),
        ProviderCall("exa", "search", "timed_out", 12_000, "no answer", "timeout"),
        ProviderCall("exa", "search", "not_waited_for", 3_000),
        ProviderCall("exa", "search", "resting", 0, "every key rests", "bad_key"),
        ProviderCall("jina", "read", "blocked", 800, "a captcha", "blocked"),
    )
    assert found["provider_calls_total", "exa", "search", "ok", ""] == 1
    assert found["provider_calls_total", "exa", "search", "failed", "timeout"] == 1
    assert found["provider_calls_total", "exa", "search", "stopped", ""] == 1
    assert found["provider_calls_total", "exa", "search", "resting", "bad_key"] == 1
    assert found["provider_calls_total", "jina", "read", "failed", "blocked"] == 1
    assert found["provider_call_seconds_count", "exa", "search"] == 3, "a call that was not made has no time"


def test_money_is_counted_in_units_and_in_dollars_where_the_price_is_known() -> None:
    found = scraped(Charge("exa", 2), Charge("exa", 1), Charge("brave", 1))
    assert found["billed_units_total", "exa"] == 3
    assert found["cost_dollars_total", "exa"] == pytest.approx(0.021)
    assert found["billed_units_total", "brave"] == 1
    assert ("cost_dollars_total", "brave") not in found


def test_cache_looks_are_hits_and_misses() -> None:
    found = scraped(
        CacheLook("search", hit=True), CacheLook("search", hit=False), CacheLook("read", hit=False)
    )
    assert found["cache_lookups_total", "search", "hit"] == 1
    assert found["cache_lookups_total", "search", "miss"] == 1
    assert found["cache_lookups_total", "read", "miss"] == 1


def test_no_label_grows_with_what_clients_and_pages_say() -> None:
    made = metrics()
    before = len(samples(made.exposition(CALM)))
    for n in range(200):
        made.emit(ToolCall(f"made-up-{n}", f"https://e.org/{n}", f"strange-{n}", detail=f"page text {n}"))
        made.emit(ProviderCall(f"plugin-{n}", "search", f"odd-{n}", n, f"detail {n}", f"because-{n}"))
        made.emit(Charge(f"plugin-{n}", 1))
    after = made.exposition(CALM)
    assert len(samples(after)) - before < 60
    assert not any(word in after.decode() for word in ("made-up", "plugin-", "strange", "e.org", "page text"))
    assert samples(after)["tool_calls_total", "failed", "", "other"] == 200


def test_lag_is_a_histogram() -> None:
    made = metrics()
    made.lag(0.3)
    found = samples(made.exposition(CALM))
    assert found["event_loop_lag_seconds_bucket", "0.25"] == 0
    assert found["event_loop_lag_seconds_bucket", "0.5"] == 1


def test_gauges_show_the_moment_and_forget_what_is_over() -> None:
    busy = Overview(
        at=NOW,
        started=NOW - 60,
        version="9.9.9",
        degraded=("store: disk full",),
        providers=(
            Provider(
                "exa", "search", on=True, rest=Rest(NOW + 90, Reason.RATE_LIMITED), breaker=BreakerState.OPEN
            ),
            Provider(
                "jina", "read", on=True, rest=Rest(None, Reason.BAD_KEY), breaker=BreakerState.HALF_OPEN
            ),
            Provider("brave", "search", on=False, why="BRAVE_API_KEY is not set"),
        ),
        budgets=(
            Usage("exa", 3, 10, "day", "2027-01-15", None, 3, "the row's quota"),
            Usage("exa", 4, 10, "day", "2027-01-15", None, 4, "the row's quota"),
            Usage("brave", 9, None, "month", "2027-01", None, 9),
        ),
        tasks=17,
        workers=Workers(busy=1, idle=2, starting=3, waiting=4, replaced={"worn": 5, "killed": 0}),
    )
    made = metrics()
    found = samples(made.exposition(busy))
    assert found["build_info", "9.9.9"] == 1
    assert found["start_time_seconds",] == NOW - 60
    assert found["degraded",] == 1
    assert found["event_loop_tasks",] == 17
    assert (found["provider_on", "exa", "search"], found["provider_on", "brave", "search"]) == (1, 0)
    assert found["provider_rest_seconds", "exa", "rate_limited"] == 90
    assert found["provider_rest_seconds", "jina", "bad_key"] == math.inf
    assert (found["breaker_state", "exa"], found["breaker_state", "jina"]) == (2, 1)
    assert ("breaker_state", "brave") not in found
    assert found["budget_used_units", "exa", "day", "the row's quota"] == 7, "a quota counts for each key"
    assert found["budget_limit_units", "exa", "day", "the row's quota"] == 20
    assert ("budget_limit_units", "brave", "month", "") not in found
    assert found["extraction_workers", "busy"] == 1
    assert found["extraction_waiting",] == 4
    assert found["extraction_workers_replaced_total", "worn"] == 5
    later = samples(made.exposition(CALM))
    assert later["degraded",] == 0
    assert not any(name[0].startswith(("provider_rest", "breaker", "budget")) for name in later)


def test_two_collections_in_one_process_do_not_meet() -> None:
    first, second = metrics(), metrics()
    first.emit(Charge("exa", 1))
    assert ("billed_units_total", "exa") not in samples(second.exposition(CALM))
