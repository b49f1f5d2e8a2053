"""Spans of OpenTelemetry: which provider was called for how long, and the reason when it failed.

They cost next to nothing until somebody sets a tracer provider. A span holds names, reasons and figures;
never a query, an address, a key or anything a page or a vendor said. It is not handed on to vendors.
The library loads slowly and comes with the server; commands pay for it at their first call of a provider.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from research_mcp.core.errors import Reason, ResearchError
from research_mcp.observe.events import ToolCall

_SCOPE = "research_mcp"
_ERROR = "error.type"


@contextmanager
def provider_span(operation: str, provider: str) -> Iterator[None]:
    """Around one call of a provider, a child of whatever runs here. Passes every error on."""
    from opentelemetry import trace

    if isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider):  # nobody set one
        yield
        return
    attributes = {f"{_SCOPE}.operation": operation, f"{_SCOPE}.provider": provider}
    with trace.get_tracer(_SCOPE).start_as_current_span(
        f"{operation} {provider}",
        kind=trace.SpanKind.CLIENT,
        attributes=attributes,
        record_exception=False,
        set_status_on_exception=False,
    ) as span:
        try:
            yield
        except (ResearchError, TimeoutError, asyncio.CancelledError) as error:
            span.set_attribute(_ERROR, _reason(error))
            span.set_status(trace.StatusCode.ERROR)
            raise


def mark_tool_call(call: ToolCall) -> None:
    """Write how a tool call went on the span that runs here: that of its request."""
    from opentelemetry import trace

    trace.get_current_span().set_attributes(
        {
            f"{_SCOPE}.outcome": call.outcome,
            f"{_SCOPE}.count": call.count,
            f"{_SCOPE}.billed": call.billed,
        }
    )


@contextmanager
def continued(headers: Mapping[str, str]) -> Iterator[None]:
    """What runs inside belongs to the trace that the header `traceparent` names, if there is one."""
    from opentelemetry import context
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    token = context.attach(TraceContextTextMapPropagator().extract(headers))
    try:
        yield
    finally:
        context.detach(token)


def _reason(error: BaseException) -> str:
    if isinstance(error, ResearchError):
        return error.reason.value
    return (Reason.TIMEOUT if isinstance(error, TimeoutError) else Reason.CANCELLED).value
