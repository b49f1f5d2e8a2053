"""The tools from a terminal: options as arguments, results on stdout, progress on stderr, exit codes."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from research_mcp.cli import program
from tests.kit.answers import message
from tests.kit.vendors import Call, FakeVendor, Served, rows

NOWHERE = dict.fromkeys(
    (
        *("DUCKDUCKGO_API_URL", "WIKIPEDIA_API_URL", "MARGINALIA_API_URL", "OPENALEX_API_URL"),
        *("SEMANTIC_SCHOLAR_API_URL", "JINA_READER_API_URL", "GROK_API_URL", "WAYBACK_API_URL"),
    ),
    "http://127.0.0.1:9",
)
PAGE = "<html><head><title>Moss</title></head><body><article><h1>Moss</h1>{}</article></body></html>"
TEXT = "<p>Moss grows on the north side of the old stone wall behind the mill, all year round.</p>" * 40


@pytest.fixture(autouse=True)
def no_env_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@contextmanager
def serving(vendor: FakeVendor) -> Iterator[FakeVendor]:
    """The vendor at its port, from a thread of its own: a command has the main thread's event loop."""
    loop = asyncio.new_event_loop()
    up, done = threading.Event(), asyncio.Event()

    async def serve() -> None:
        async with vendor.serving():
            up.set()
            await done.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    assert up.wait(10)
    try:
        yield vendor
    finally:
        loop.call_soon_threadsafe(done.set)
        thread.join(10)
        loop.close()


def run(folder: Path, *words: str, **variables: str) -> Result:
    env = {**NOWHERE, "DATA_DIR": str(folder), "LOG_FILE": "", "EXTRACT_WORKERS": "1", **variables}
    return CliRunner(env=env).invoke(program, [*words])


def site(call: Call) -> Served:
    """A site of two pages whose robots.txt says nothing."""
    pages = {
        "/": "<html><head><title>The mill</title></head><body><a href='/moss'>On moss</a></body></html>",
        "/moss": PAGE.format(TEXT),
    }
    if call.path not in pages:
        return Served(b"missing", 404, {"content-type": "text/plain"})
    return Served(pages[call.path].encode(), headers={"content-type": "text/html"})


@pytest.fixture
def mill() -> Iterator[FakeVendor]:
    with serving(FakeVendor("mill", answer=site)) as vendor:
        yield vendor


def opened(vendor: FakeVendor) -> dict[str, str]:
    """Variables that let pages be read from the vendor's port."""
    return {"ALLOW_PRIVATE_NETWORK": "true", "PAGE_PORTS": f"80,443,{vendor.port}"}


def test_a_search_takes_the_filters_of_the_tool(tmp_path: Path) -> None:
    with serving(FakeVendor("brave", rows("a", "b", "c"))) as brave:
        keys = {"BRAVE_API_KEY": "k", "BRAVE_API_URL": brave.url}
        words = [
            "tidal power",
            "-n",
            "2",
            "--language",
            "de-AT",
            "--country",
            "at",
            "--time-range",
            "past week",
        ]
        words += ["--exclude-domain", "https://x.example/y", "--prefer-domain", "none.example"]
        done = run(tmp_path, "search", *words, **keys)
    assert done.exit_code == 0, done.output
    assert "Results for 'tidal power': 2" in done.stdout
    assert "1. Tidal power a" in done.stdout
    assert "no result is on prefer_domains" in done.stdout
    assert "web_content" not in done.stdout
    assert "asking" in done.stderr
    params = brave.calls[0].params
    assert (params["search_lang"], params["country"], params["freshness"]) == ("de", "AT", "pw")
    assert "x.example" in str(params)


def test_a_number_outside_its_bounds_is_moved_inside_and_said_so(tmp_path: Path) -> None:
    with serving(FakeVendor("brave", rows("a"))) as brave:
        keys = {"BRAVE_API_KEY": "k", "BRAVE_API_URL": brave.url}
        done = run(tmp_path, "search", "tidal power", "-n", "99", **keys)
    assert "num_results 99 became 50" in done.stderr


def test_a_mistake_is_one_sentence(tmp_path: Path) -> None:
    done = run(tmp_path, "search", "x", "-n", "many")
    assert done.exit_code == 1
    assert "'num_results' must be a whole number, not 'many'" in done.stderr
    done = run(tmp_path, "search", "x", "--time-range", "century")
    assert "use one of day, week, month, year" in done.stderr


def test_a_search_that_nobody_answers_fails_with_every_reason(tmp_path: Path) -> None:
    done = run(tmp_path, "search", "tidal power")
    assert done.exit_code == 1
    assert done.stdout == ""
    assert "no engine answered" in done.stderr
    assert "- duckduckgo failed" in done.stderr


def test_a_page_is_printed_whole_or_in_parts(tmp_path: Path, mill: FakeVendor) -> None:
    url = f"{mill.url}/moss"
    whole = run(tmp_path, "read", url, **opened(mill))
    assert whole.exit_code == 0, whole.output
    assert "# Moss" in whole.stdout
    assert "goes on" not in whole.stdout
    part = run(tmp_path, "read", url, "--max-chars", "500", **opened(mill))
    assert "The page goes on at --start " in part.stdout
    start = part.stdout.rpartition("--start ")[2].strip().rstrip(".")
    rest = run(tmp_path, "read", url, "--start", start, **opened(mill))
    assert f"characters {start} to " in rest.stdout
    past = run(tmp_path, "read", url, "--start", "999999", **opened(mill))
    assert past.exit_code == 1
    assert "--start is 999999, but the page has" in past.stderr


def test_a_page_that_cannot_be_read_fails_with_its_reason(tmp_path: Path) -> None:
    done = run(tmp_path, "read", "http://10.0.0.1/")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "address_refused" in done.stderr
    assert done.stderr.rstrip().endswith("Use a public source.")


def test_a_site_is_listed(tmp_path: Path, mill: FakeVendor) -> None:
    done = run(tmp_path, "map", mill.url, "-n", "5", "--instructions", "moss", **opened(mill))
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert lines[0] == f"Pages of {mill.url}/: 2, found by sitemap"
    assert f"1. {mill.url}/ The mill" in lines
    assert f"2. {mill.url}/moss On moss" in lines
    assert "instructions has no effect on sitemap" in done.stdout
    assert "addresses found" in done.stderr


def test_a_site_that_is_not_there_fails_with_its_reason(tmp_path: Path) -> None:
    done = run(tmp_path, "map", "http://10.0.0.1/")
    assert done.exit_code == 1
    assert "address_refused" in done.stderr
    done = run(tmp_path, "map", "http://127.0.0.1:9/", ALLOW_PRIVATE_NETWORK="true", PAGE_PORTS="9")
    assert done.exit_code == 1
    assert "(unreachable)" in done.stderr


def test_an_answer_comes_with_its_sources(tmp_path: Path) -> None:
    cited = message("Tides rise [[1]](https://a.dev/1).", "https://a.dev/1")
    with serving(FakeVendor("grok", answer=lambda _: Served(cited))) as grok:
        keys = {"GROK_API_KEY": "k", "GROK_API_URL": grok.url}
        words = ["Do tides rise?", "--recency-days", "7", "--extra-sources", "0", "--include-domain", "a.dev"]
        done = run(tmp_path, "answer", *words, **keys)
    assert done.exit_code == 0, done.output
    assert "Answer to 'Do tides rise?' by grok_responses. Sources: 1, of which 1 cited" in done.stdout
    assert "Tides rise [1]." in done.stdout
    assert "[1] https://a.dev/1 (cited; grok_responses)" in done.stdout
    assert "session_id" not in done.stdout
    sent = grok.calls[0].json()
    assert sent["tools"][0]["filters"] == {"allowed_domains": ["a.dev"]}
    assert "last 7 days" in sent["input"][1]["content"]


def test_an_answer_that_fails_names_every_cause(tmp_path: Path) -> None:
    with serving(FakeVendor("grok", answer=lambda _: Served({"error": "no"}, 401))) as grok:
        done = run(tmp_path, "answer", "Do tides rise?", GROK_API_KEY="k", GROK_API_URL=grok.url)
    assert done.exit_code == 1
    assert "(grok_auth_error" in done.stderr
    assert "- grok:" in done.stderr


def test_without_a_model_the_variables_are_named(tmp_path: Path) -> None:
    done = run(tmp_path, "answer", "Do tides rise?")
    assert done.exit_code == 1
    assert "not_configured: no model is configured: set GROK_API_KEY" in done.stderr
