"""Spans hold who was called and why it failed, and nothing that anyone said."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from research_mcp.core.errors import Reason, Transient
from research_mcp.observe.events import ToolCall
from research_mcp.observe.spans import continued, mark_tool_call, provider_span

TRACE = "0af7651916cd43dd8448eb211c80319c"
PARENT = f"00-{TRACE}-b7ad6b7169203331-01"


@pytest.fixture
def finished(monkeypatch: pytest.MonkeyPatch) -> Iterator[InMemorySpanExporter]:
    exporter = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", provider)  # the public way works once in a process
    yield exporter
    provider.shutdown()


def only(exporter: InMemorySpanExporter) -> ReadableSpan:
    (span,) = exporter.get_finished_spans()
    return span


def test_a_good_call_is_a_span_of_a_client(finished: InMemorySpanExporter) -> None:
    with provider_span("search", "exa"):
        pass
    span = only(finished)
    assert (span.name, span.kind) == ("search exa", trace.SpanKind.CLIENT)
    assert dict(span.attributes or {}) == {"research_mcp.operation": "search", "research_mcp.provider": "exa"}
    assert span.status.status_code is trace.StatusCode.UNSET


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (Transient("said canary", reason=Reason.UNREACHABLE), "unreachable"),
        (TimeoutError("canary"), "timeout"),
        (asyncio.CancelledError("canary"), "cancelled"),
    ],
)
def test_a_failed_call_has_its_reason_and_not_its_words(
    finished: InMemorySpanExporter, error: BaseException, reason: str
) -> None:
    with pytest.raises(type(error)), provider_span("read", "jina"):
        raise error
    span = only(finished)
    assert (span.attributes or {})["error.type"] == reason
    assert span.status.status_code is trace.StatusCode.ERROR
    assert span.events == ()
    assert "canary" not in span.to_json()


def test_it_goes_on_with_the_trace_of_the_header_and_forgets_it_afterwards(
    finished: InMemorySpanExporter,
) -> None:
    with continued({"traceparent": PARENT}), provider_span("search", "exa"):
        pass
    with provider_span("search", "brave"):
        pass
    inside, outside = finished.get_finished_spans()
    assert inside.context is not None
    assert outside.context is not None
    assert trace.format_trace_id(inside.context.trace_id) == TRACE
    assert trace.format_trace_id(outside.context.trace_id) != TRACE
    assert outside.parent is None


@pytest.mark.parametrize("header", ["", "00-zz-zz-01", f"00-{'0' * 32}-b7ad6b7169203331-01", "x" * 10_000])
def test_a_header_that_is_none_starts_a_trace_of_its_own(finished: InMemorySpanExporter, header: str) -> None:
    with continued({"traceparent": header}), provider_span("search", "exa"):
        pass
    assert only(finished).parent is None


def test_the_span_of_the_request_says_how_its_tool_call_went(finished: InMemorySpanExporter) -> None:
    with trace.get_tracer("test").start_as_current_span("tools/call web_search"):
        mark_tool_call(ToolCall("web_search", "a canary question", "ok", count=8, billed=2, detail="canary"))
    span = only(finished)
    assert dict(span.attributes or {}) == {
        "research_mcp.outcome": "ok",
        "research_mcp.count": 8,
        "research_mcp.billed": 2,
    }


def test_without_a_provider_nothing_is_recorded_and_nothing_breaks() -> None:
    with continued({"traceparent": PARENT}), provider_span("search", "exa"):
        mark_tool_call(ToolCall("web_search", "q", "ok"))
        assert not trace.get_current_span().is_recording()
