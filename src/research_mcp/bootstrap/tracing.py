"""Sending spans to a collector: the extra `otel`, and only when a collector is named."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from urllib.parse import unquote, urlsplit

from research_mcp import __version__
from research_mcp.core.errors import ConfigError
from research_mcp.core.instance import Secret
from research_mcp.settings import Settings

_ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"
HEADERS = "OTEL_EXPORTER_OTLP_HEADERS"
_TRACES = "/v1/traces"
_SECONDS = 3.0
"""How long one attempt to send, and the last one at the stop, may take."""

_LONGEST = 200
"""Characters of an attribute: some are the client's own, such as the id of its request."""


def start_tracing(settings: Settings, headers: Mapping[str, Secret]) -> Callable[[], None]:
    """From now on spans go to the collector; the result sends what is left and stops.

    Without a collector nothing is set up. Sets the process's tracer provider, so it is called once.
    Raises `ConfigError` for an address that cannot be used, and without the extra.
    """
    if not settings.otel_exporter_otlp_endpoint:
        return _nothing
    endpoint = traces_url(settings.otel_exporter_otlp_endpoint)
    try:
        from opentelemetry import trace
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import SpanLimits, TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
        from opentelemetry.sdk.trace.sampling import ParentBasedTraceIdRatio
    except ImportError:
        raise ConfigError(
            f"{_ENDPOINT} is set, but the packages for it are missing: install the extra otel "
            "(`pip install 'research-mcp[otel]'`)"
        ) from None
    # Events would hold the words and stacks of exceptions: the log has them, with secrets taken out.
    provider = TracerProvider(
        sampler=ParentBasedTraceIdRatio(settings.otel_traces_sampler_arg),
        resource=Resource.create(
            {"service.name": settings.otel_service_name, "service.version": __version__}
        ),
        span_limits=SpanLimits(max_events=0, max_attribute_length=_LONGEST),
        shutdown_on_exit=False,
    )
    revealed = {name: value.reveal() for name, value in headers.items()}
    exporter = OTLPSpanExporter(endpoint=endpoint, headers=revealed, timeout=_SECONDS)
    provider.add_span_processor(BatchSpanProcessor(exporter, export_timeout_millis=_SECONDS * 1000))
    trace.set_tracer_provider(provider)
    return provider.shutdown


def then(
    running: Callable[[], AbstractAsyncContextManager[None]], stop: Callable[[], None]
) -> Callable[[], AbstractAsyncContextManager[None]]:
    """`running`, and `stop` in a thread when it is left."""

    @asynccontextmanager
    async def both() -> AsyncIterator[None]:
        try:
            async with running():
                yield
        finally:
            await asyncio.to_thread(stop)

    return both


def _nothing() -> None:
    """There is nothing to stop."""


def traces_url(endpoint: str) -> str:
    """Where a collector at `endpoint` takes spans. Raises `ConfigError` for what is no address."""
    parts = urlsplit(endpoint)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise ConfigError(
            f"{_ENDPOINT} is {endpoint!r}: write the collector's address, like http://collector:4318"
        )
    base = endpoint.rstrip("/")
    return base if base.endswith(_TRACES) else base + _TRACES


def trace_headers(stated: str) -> Mapping[str, Secret]:
    """The value of `HEADERS`: pairs between commas, values percent-encoded. Raises `ConfigError`."""
    pairs = [pair.partition("=") for pair in stated.split(",") if pair.strip()]
    if any(not name.strip() or not mark for name, mark, _ in pairs):
        raise ConfigError(f"{HEADERS} cannot be read: write name=value pairs with commas between them")
    return {name.strip().lower(): Secret(unquote(value.strip())) for name, _, value in pairs}
