"""Where traces go: an address, headers that are secret, and the extra that brings the packages."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from opentelemetry import trace

from research_mcp.bootstrap import configure, read_environment
from research_mcp.bootstrap.configure import Configuration
from research_mcp.bootstrap.tracing import start_tracing
from research_mcp.core.errors import ConfigError

COLLECTOR = "http://127.0.0.1:9"


def configured(folder: Path, **variables: str) -> Configuration:
    return configure(read_environment(folder / ".env", {"DATA_DIR": str(folder), **variables}))


def start(folder: Path, **variables: str) -> None:
    configuration = configured(folder, **variables)
    start_tracing(configuration.settings, configuration.trace_headers)()


def test_without_a_collector_nothing_is_set_up(tmp_path: Path) -> None:
    before = trace.get_tracer_provider()
    start(tmp_path)
    assert trace.get_tracer_provider() is before


@pytest.mark.parametrize("address", ["collector:4318", "grpc://collector:4317", "http://"])
def test_an_address_that_is_none_stops_the_start(tmp_path: Path, address: str) -> None:
    with pytest.raises(ConfigError, match=r"OTEL_EXPORTER_OTLP_ENDPOINT is .* like http://collector:4318"):
        start(tmp_path, OTEL_EXPORTER_OTLP_ENDPOINT=address)


def test_without_the_extra_the_sentence_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http.trace_exporter", None)
    with pytest.raises(ConfigError, match=r"research-mcp\[otel\]"):
        start(tmp_path, OTEL_EXPORTER_OTLP_ENDPOINT=COLLECTOR)


def test_headers_are_secret_and_percent_encoded(tmp_path: Path) -> None:
    made = configured(tmp_path, OTEL_EXPORTER_OTLP_HEADERS="Api-Key=canary%20key, x-team = a ")
    assert {name: value.reveal() for name, value in made.trace_headers.items()} == {
        "api-key": "canary key",
        "x-team": "a",
    }
    assert "canary" not in repr(made)
    assert made.redact("sent canary key") == "sent ***"


@pytest.mark.parametrize("stated", ["canary", "=canary", "a=b,canary"])
def test_headers_that_cannot_be_read_are_refused_without_being_shown(tmp_path: Path, stated: str) -> None:
    with pytest.raises(ConfigError, match="name=value") as refused:
        configured(tmp_path, OTEL_EXPORTER_OTLP_HEADERS=stated)
    assert "canary" not in str(refused.value)


@pytest.mark.parametrize("share", ["2", "-1", "some"])
def test_a_share_lies_between_none_and_all(tmp_path: Path, share: str) -> None:
    with pytest.raises(ConfigError, match="OTEL_TRACES_SAMPLER_ARG"):
        configured(tmp_path, OTEL_TRACES_SAMPLER_ARG=share)
