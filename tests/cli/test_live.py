"""`research-mcp check --live` over a fake wire: every provider once, nothing secret, the right end."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import respx
from click.testing import CliRunner, Result

from research_mcp import pipeline_config
from research_mcp.cli import program
from research_mcp.core.instance import Instance
from research_mcp.pipeline_config import INSTANCES
from research_mcp.providers import load
from research_mcp.providers.kit.base import Means
from research_mcp.providers.kit.read import ReadType
from research_mcp.providers.kit.registry import REGISTRY
from tests.kit.answers import message
from tests.kit.vendors import good, rows

KEYS = {
    "BRAVE_API_KEY": "CANARY-brave",
    "TAVILY_1_API_KEY": "CANARY-tavily",
    "GROK_API_KEY": "CANARY-grok",
    "JINA_API_KEY": "CANARY-jina",
    "SEARCH_RERANK_ENABLED": "true",
    "EXTRACT_WORKERS": "1",
}
NAMES = ("duckduckgo", "brave", "tavily-search", "grok", "jina-rerank", "trafilatura", "tavily-1", "sitemap")


@pytest.fixture
def wire(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[respx.MockRouter]:
    monkeypatch.chdir(tmp_path)
    kept: tuple[Instance, ...] = tuple(row for row in INSTANCES if row.name in NAMES)
    monkeypatch.setattr(pipeline_config, "INSTANCES", kept)
    for pipeline in ("SEARCH_PIPELINE", "READ_PIPELINE", "ANSWER_PIPELINE", "MAP_PIPELINE"):
        names = [name for name in getattr(pipeline_config, pipeline) if name in NAMES]
        monkeypatch.setattr(pipeline_config, pipeline, tuple(names))
    page = "<title>Example</title><p>" + "This domain is for use in examples. " * 20
    with respx.mock(using="httpcore", assert_all_called=False) as router:
        duckduckgo = good("duckduckgo", rows("a"))
        router.get(host="html.duckduckgo.com").respond(content=duckduckgo.body, headers=duckduckgo.headers)
        router.post(host="html.duckduckgo.com").respond(content=duckduckgo.body, headers=duckduckgo.headers)
        router.get(host="api.search.brave.com", name="brave").respond(json=good("brave", rows("a", "b")).body)
        router.get("https://api.tavily.com/usage", name="usage").respond(json={"key": {"usage": 1}})
        router.post("https://api.tavily.com/search", name="tavily").respond(
            json=good("tavily", rows("a")).body
        )
        router.post("https://api.tavily.com/extract").respond(
            json={"results": [{"url": "https://example.com/", "raw_content": "Example " * 100}]}
        )
        router.get("https://api.x.ai/v1/models").respond(json={"data": [{"id": "grok-4-1-fast-reasoning"}]})
        router.post("https://api.x.ai/v1/responses", name="grok").respond(
            json=message("It is [[1]](https://example.com/).", "https://example.com/")
        )
        router.post("https://api.jina.ai/v1/rerank").respond(
            json={"results": [{"index": 0, "relevance_score": 0.9}, {"index": 1, "relevance_score": 0.1}]}
        )
        router.get("https://example.com/robots.txt").respond(404)
        router.get(host="example.com").respond(html=page)
        yield router


def run(*arguments: str, **env: str) -> Result:
    done = CliRunner().invoke(
        program, ["check", "--live", *arguments], env={**KEYS, **env}, catch_exceptions=False
    )
    assert "CANARY" not in done.output
    return done


def test_every_provider_that_is_on_is_asked_and_all_good_ends_with_0(wire: respx.MockRouter) -> None:
    done = run()
    assert done.exit_code == 0, done.output
    head, *lines = done.stdout.splitlines()
    assert head.split() == ["kind", "name", "result", "ms", "detail"]
    assert [line.split()[1] for line in lines] == [
        *("duckduckgo", "brave", "tavily-search", "trafilatura", "tavily-1", "grok", "sitemap", "jina-rerank")
    ]
    by_name = {line.split()[1]: line for line in lines}
    assert by_name["brave"].endswith("reachable, key accepted, answered (2 results)")
    assert "model listed (grok-4-1-fast-reasoning)" in by_name["grok"]
    assert by_name["grok"].endswith("search tool used, citations returned (1)")
    assert " ok $ " in by_name["brave"]
    assert by_name["tavily-search"].endswith("reachable, key accepted")  # a free page was asked instead
    assert " $ " not in by_name["tavily-search"]
    assert (wire["usage"].call_count, wire["tavily"].called) == (1, False)
    assert " $ " not in by_name["trafilatura"]
    assert len({line.index(" reachable") for line in lines}) == 1  # columns are aligned
    assert "calls marked $ may cost money" in done.stderr
    assert "8 ok, 0 failed, 0 skipped" in done.stderr


def test_one_that_fails_is_named_with_its_reason_and_ends_with_1(wire: respx.MockRouter) -> None:
    wire["brave"].mock(return_value=httpx.Response(401, json={"error": "no such key CANARY-brave"}))
    done = run("--json")
    assert done.exit_code == 1
    found = {row["name"]: row for row in json.loads(done.stdout)}
    assert found["brave"]["result"] == "failed"
    assert (found["brave"]["reason"], found["brave"]["may_cost"]) == ("bad_key", True)
    assert found["brave"]["proofs"] == [
        {"point": "reachable", "ok": True, "detail": ""},
        {"point": "key accepted", "ok": False, "detail": ""},
    ]
    assert [name for name, row in found.items() if row["result"] != "ok"] == ["brave"]
    again = next(line for line in run().stdout.splitlines() if " brave " in line)
    assert "failed: bad_key  " in again  # not asked, so not marked
    assert "every key rests (the key was refused (status 401))" in again


def test_with_free_only_what_costs_nothing_is_asked(wire: respx.MockRouter) -> None:
    done = run("--free")
    assert done.exit_code == 0
    assert "brave          skipped" in done.stdout
    assert "model listed (grok-4-1-fast-reasoning)" in done.stdout
    assert not wire["grok"].called
    assert not wire["brave"].called
    assert "money" not in done.stderr


def test_with_full_everybody_gets_a_real_call(wire: respx.MockRouter) -> None:
    lines = {line.split()[1]: line for line in run("--full").stdout.splitlines()}
    assert " ok $ " in lines["tavily-search"]
    assert lines["tavily-search"].endswith("answered (1 results)")
    assert "characters of https://example.com/" in lines["tavily-1"]
    assert (wire["usage"].called, wire["tavily"].call_count) == (False, 1)


@pytest.mark.parametrize(
    ("status", "reason"),
    [(401, "bad_key"), (429, "rate_limited"), (404, "upstream_error"), (500, "upstream_error")],
)
def test_what_an_account_page_says_counts_for_all_its_instances(
    wire: respx.MockRouter, status: int, reason: str
) -> None:
    wire["usage"].respond(status)
    found = {row["name"]: row for row in json.loads(run("--json").stdout)}
    assert found["tavily-search"]["reason"] == found["tavily-1"]["reason"] == reason
    assert not wire["tavily"].called


def test_a_gateway_is_asked_for_real_since_it_may_have_no_account_page(wire: respx.MockRouter) -> None:
    wire.post("https://gw.example/search").respond(json=good("tavily", rows("a")).body)
    wire.post("https://gw.example/extract").respond(500)
    done = run(TAVILY_API_URL="https://gw.example")
    assert "answered (1 results)" in next(
        line for line in done.stdout.splitlines() if "tavily-search" in line
    )
    assert not wire["usage"].called


def test_budgets_count_as_always(wire: respx.MockRouter) -> None:
    first, second = run(BRAVE_BUDGET="1/day"), run(BRAVE_BUDGET="1/day")
    assert "brave          ok $" in first.stdout
    assert "brave          skipped" in second.stdout
    assert wire["brave"].call_count == 1
    assert second.exit_code == 0


@pytest.mark.parametrize("option", ["--json", "--free", "--full"])
def test_options_of_the_live_check_mean_nothing_without_it(wire: respx.MockRouter, option: str) -> None:
    done = CliRunner().invoke(program, ["check", option])
    assert done.exit_code == 2
    assert "--live" in done.stderr


def test_every_reader_takes_the_page_that_it_is_checked_by() -> None:
    load()
    readers = [cls for cls in REGISTRY.values() if issubclass(cls, ReadType)]
    assert all(cls(Means()).accepts(cls.sample) for cls in readers)
    assert {cls.spec.name for cls in readers if cls.site and cls.sample == ReadType.sample} == set()
