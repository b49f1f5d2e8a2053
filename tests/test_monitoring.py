"""Alerts and dashboard: the real tools accept them, and they ask only for what `/metrics` has."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.cog.plugins import register_default_plugins
from grafana_foundation_sdk.models.dashboard import Dashboard
from prometheus_client.parser import text_string_to_metric_families

from research_mcp.observe.events import CacheLook, Charge, ProviderCall, ToolCall
from research_mcp.observe.metrics import Metrics
from tests.server.status.overviews import FULL

ROOT = Path(__file__).parent.parent
PROMETHEUS = ROOT / "deploy" / "prometheus"
DASHBOARD = json.loads((ROOT / "deploy" / "grafana" / "research-mcp.json").read_text())
RULES = yaml.safe_load((PROMETHEUS / "alerts.yml").read_text())["groups"][0]["rules"]
ALERTS = {rule["alert"]: rule for rule in RULES}

SELECTOR = re.compile(r"\b((?:research_mcp|process)_\w+)(?:\{([^}]*)\})?")
MATCHER = re.compile(r"(\w+)\s*(?:=~|!~|!=|=)")
TARGET_LABELS = {"instance", "job", "le"}
"""What Prometheus and its histograms add."""


def promtool(*arguments: str | Path, stdin: str = "") -> None:
    """Run the checker; what it says is the failure."""
    program = shutil.which("promtool")
    if program is None:
        pytest.skip("needs promtool: install the package prometheus")
    done = subprocess.run(
        [program, *map(str, arguments)], input=stdin, capture_output=True, text=True, timeout=50, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "error" not in (done.stdout + done.stderr).lower()


def exposed() -> str:
    """A scrape in which everything has happened once."""
    metrics = Metrics(["web_search"], ["exa"], {"exa": 0.007})
    metrics.emit(ToolCall("web_search", "q", "ok", ms=1, billed=1))
    metrics.emit(ProviderCall("exa", "search", "failed", 1, "", "timeout"))
    metrics.emit(Charge("exa", 1))
    metrics.emit(CacheLook("search", hit=True))
    metrics.lag(0.001)
    return metrics.exposition(FULL).decode()


def known() -> Mapping[str, set[str]]:
    """The label names of each series that `/metrics` has."""
    labels: dict[str, set[str]] = {}
    for family in text_string_to_metric_families(exposed()):
        for sample in family.samples:
            labels.setdefault(sample.name, set()).update(sample.labels)
    return labels


def panels() -> list[dict[str, Any]]:
    return [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]


def expressions() -> Iterator[tuple[str, str]]:
    for name, rule in ALERTS.items():
        yield name, rule["expr"]
    for panel in panels():
        for target in panel["targets"]:
            yield panel["title"], target["expr"]
    for variable in DASHBOARD["templating"]["list"]:
        if variable["type"] == "query":
            yield variable["name"], variable["query"]["query"]
    for annotation in DASHBOARD["annotations"]["list"]:
        yield annotation["name"], annotation["expr"]


@pytest.mark.parametrize(("place", "expression"), list(expressions()), ids=lambda value: value[:40])
def test_every_series_and_label_that_is_asked_for_is_in_the_metrics(place: str, expression: str) -> None:
    labels = known()
    selectors = SELECTOR.findall(expression)
    assert selectors, place
    for name, matchers in selectors:
        assert name in labels, f"{place}: {name}"
        assert set(MATCHER.findall(matchers)) <= labels[name] | TARGET_LABELS, f"{place}: {name}"


def test_prometheus_accepts_metrics_rules_and_configuration() -> None:
    promtool("check", "metrics", stdin=exposed())
    promtool("check", "rules", PROMETHEUS / "alerts.yml")
    promtool("check", "config", PROMETHEUS / "prometheus.yml")


@pytest.mark.slow
def test_every_alert_is_tried_and_fires_when_it_should() -> None:
    promtool("test", "rules", PROMETHEUS / "alerts.test.yml")
    tried = {
        case["alertname"]
        for test in yaml.safe_load((PROMETHEUS / "alerts.test.yml").read_text())["tests"]
        for case in test["alert_rule_test"]
        if "exp_alerts" in case
    }
    assert tried == set(ALERTS)


def test_prometheus_accepts_every_query_of_the_dashboard(tmp_path: Path) -> None:
    queries = [target["expr"] for panel in panels() for target in panel["targets"]]
    filled = [
        query.replace("$__rate_interval", "5m").replace("$instance", ".*").replace("$provider", ".*")
        for query in queries
    ]
    assert not [query for query in filled if "$" in query]
    rules = [{"record": f"panel:{number}", "expr": query} for number, query in enumerate(filled)]
    (tmp_path / "rules.yml").write_text(yaml.safe_dump({"groups": [{"name": "panels", "rules": rules}]}))
    promtool("check", "rules", tmp_path / "rules.yml")


def test_grafana_s_own_model_reads_the_dashboard_without_loss() -> None:
    register_default_plugins()
    again = json.loads(JSONEncoder().encode(Dashboard.from_json(DASHBOARD)))
    assert list(lost(DASHBOARD, again)) == []


def lost(given: Any, kept: Any, path: str = "") -> Iterator[str]:
    """What of `given` is missing or different in `kept`, which may have more."""
    if isinstance(given, dict) and isinstance(kept, dict):
        for key, value in given.items():
            yield from lost(value, kept[key], f"{path}/{key}") if key in kept else [f"{path}/{key}"]
    elif isinstance(given, list) and isinstance(kept, list) and len(given) == len(kept):
        for number, (one, other) in enumerate(zip(given, kept, strict=True)):
            yield from lost(one, other, f"{path}/{number}")
    elif given != kept:
        yield path


def test_panels_have_names_and_do_not_lie_on_each_other() -> None:
    ids = [panel["id"] for panel in DASHBOARD["panels"]]
    assert len(ids) == len(set(ids))
    cells = [
        (x, y)
        for place in (panel["gridPos"] for panel in DASHBOARD["panels"])
        for x in range(place["x"], place["x"] + place["w"])
        for y in range(place["y"], place["y"] + place["h"])
    ]
    assert len(cells) == len(set(cells))
    assert max(x for x, _ in cells) < 24
    assert all(panel["title"] and panel["fieldConfig"]["defaults"]["unit"] for panel in panels())


@pytest.mark.parametrize("name", ALERTS)
def test_every_alert_says_what_is_wrong_and_where_the_remedy_stands(name: str) -> None:
    rule = ALERTS[name]
    file, _, anchor = rule["annotations"]["runbook"].partition("#")
    headings = re.findall(r"^#+ (.+)$", (ROOT / file).read_text(), re.MULTILINE)
    assert anchor == name.lower()
    assert name in headings
    assert rule["labels"]["severity"] in ("page", "ticket")
    assert rule["annotations"]["summary"]


def test_the_guide_lists_every_metric_and_no_other() -> None:
    guide = (ROOT / "docs" / "operations.md").read_text()
    listed = {
        name
        for row in re.findall(r"(?m)^\| (`research_mcp.*?) \|", guide)
        for name in re.findall(r"`(\w+)`", row)
    }
    families = {
        f"{family.name}_total" if family.type == "counter" else family.name
        for family in text_string_to_metric_families(exposed())
        if family.name.startswith("research_mcp")
    }
    assert listed == families
