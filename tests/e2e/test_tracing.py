"""Traces of the product as a process, at a collector on loopback: one tree from the client's span down."""

from __future__ import annotations

import asyncio
import gzip
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from tests.kit.vendors import FakeVendor, Served, rows
from tests.kit.whole import Whole, key, whole
from tests.server.fakes import FakePipelines
from tests.server.serving import Running, call

pytestmark = pytest.mark.slow

TRACE, CALLER = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
SAMPLED = {"traceparent": f"00-{TRACE}-{CALLER}-01"}
LEFT_OUT = {"traceparent": f"00-{TRACE}-{CALLER}-00"}
HITS = rows("a", "b", "c", "d", "e", "f", "g", "h")


class Collector(FakeVendor):
    """Takes spans by OTLP over HTTP."""

    def __init__(self) -> None:
        super().__init__(
            "collector", answer=lambda _: Served(b"", headers={"content-type": "application/x-protobuf"})
        )

    @property
    def spans(self) -> list[Span]:
        """In the order in which they ended."""
        found = []
        for sent in self.calls:
            body = gzip.decompress(sent.body) if sent.headers.get("content-encoding") == "gzip" else sent.body
            for group in ExportTraceServiceRequest.FromString(body).resource_spans:
                found += [span for scope in group.scope_spans for span in scope.spans]
        return sorted(found, key=lambda span: span.end_time_unix_nano)


@asynccontextmanager
async def serving(house: Whole, collector: Collector, **more: str) -> AsyncIterator[Running]:
    """`research-mcp serve` over the house's vendors. Left, it has been stopped and has sent its spans."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    variables = house.environment(MCP_PORT=str(port), OTEL_EXPORTER_OTLP_ENDPOINT=collector.url, **more)
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "research_mcp", cwd=house.folder, env={"PATH": os.environ["PATH"], **variables}
    )
    running = Running(port, FakePipelines(), None)
    try:
        async with asyncio.timeout(30):
            while not await answers(running):  # noqa: ASYNC110 - the process sets no event of ours
                await asyncio.sleep(0.1)
        yield running
        process.send_signal(signal.SIGTERM)
        assert await process.wait() in (0, -signal.SIGTERM)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def answers(running: Running) -> bool:
    try:
        return (await running.ask("GET", "/healthz")).status == 200
    except OSError:
        return False


async def search(
    running: Running, headers: Mapping[str, str], question: str, *, modern: bool = False
) -> None:
    answer = await running.rpc(
        "tools/call", call("web_search", query=question), modern=modern, headers=headers
    )
    assert answer.status == 200


async def test_one_tree_of_spans_in_both_eras_and_nothing_that_was_said(tmp_path: Path) -> None:
    collector, exa = Collector(), FakeVendor("exa", HITS)
    brave = FakeVendor("brave", answer=lambda _: Served({"message": "canary words"}, status=401))
    secret = {"OTEL_EXPORTER_OTLP_HEADERS": "x-key=collectors-key"}
    async with (
        whole(tmp_path, exa, brave) as house,
        collector.serving(),
        serving(house, collector, **secret) as running,
    ):
        await search(running, SAMPLED, "canary tidal power")
        await search(running, SAMPLED, "canary tidal waves", modern=True)
    found = [span for span in collector.spans if span.trace_id.hex() == TRACE]
    tools = [span for span in found if span.name == "tools/call web_search"]
    assert [span.parent_span_id.hex() for span in tools] == [CALLER, CALLER]
    for tool in tools:
        below = {span.name for span in found if span.parent_span_id == tool.span_id}
        assert "search exa" in below
        assert attributes(tool)["research_mcp.outcome"] == "ok"
    failed = next(span for span in found if span.name == "search brave")
    assert (attributes(failed)["error.type"], failed.status.message) == ("bad_key", "")
    assert {call.headers["x-key"] for call in collector.calls} == {"collectors-key"}
    said = b"".join(call.body for call in collector.calls)
    assert not any(word in said for word in (b"canary", b"sea.example", key("exa").encode()))
    assert not any(name in exa.calls[0].headers for name in ("traceparent", "tracestate")), (
        "vendors hear nothing"
    )


async def test_the_client_decides_whether_its_call_is_traced_and_the_owner_for_the_rest(
    tmp_path: Path,
) -> None:
    collector, exa = Collector(), FakeVendor("exa", HITS)
    async with (
        whole(tmp_path, exa) as house,
        collector.serving(),
        serving(house, collector, OTEL_TRACES_SAMPLER_ARG="0") as running,
    ):
        await search(running, LEFT_OUT, "tidal power")
        await search(running, {}, "tidal waves")
        await search(running, SAMPLED, "tidal range")
    tools = [span for span in collector.spans if span.name == "tools/call web_search"]
    assert len(tools) == 1


async def test_a_collector_that_is_gone_costs_neither_answers_nor_the_stop(tmp_path: Path) -> None:
    collector, exa = Collector(), FakeVendor("exa", HITS)
    async with whole(tmp_path, exa) as house:
        async with collector.serving():
            pass
        async with asyncio.timeout(50), serving(house, collector) as running:
            await search(running, SAMPLED, "tidal power")


def attributes(span: Span) -> Mapping[str, str]:
    return {pair.key: pair.value.string_value for pair in span.attributes}
