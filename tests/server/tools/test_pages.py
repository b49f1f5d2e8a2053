"""The tools over fake pipelines, through a real client in memory."""

from __future__ import annotations

from typing import Any

import pytest
from mcp import Client

from research_mcp.core.errors import ConfigError, Reason
from research_mcp.core.models import (
    EngineRow,
    EngineState,
    Flag,
    Page,
    ReadFailure,
    SearchQuery,
    SearchReport,
    TimeRange,
)
from research_mcp.core.ports import Progress
from research_mcp.observe.events import ToolCall
from research_mcp.server.app import build_server
from research_mcp.server.config import ServerConfig
from research_mcp.server.render.terminal import page_text, search_text
from tests.server.fakes import NOW, FakePipelines, hit, page, report

LONG = "# One\n\n" + "word " * 2000 + "\n\n## Two\n\nend"


async def call(
    tool: str, pipelines: FakePipelines | None = None, config: ServerConfig | None = None, **arguments: Any
) -> Any:
    server = build_server((pipelines or FakePipelines()).services(), config or ServerConfig())
    async with Client(server) as client:
        return await client.call_tool(tool, arguments)


def reading(outcome: Page | ReadFailure) -> FakePipelines:
    async def read(_: str) -> Page | ReadFailure:
        return outcome

    return FakePipelines(read_with=read)


def searching(found: SearchReport) -> FakePipelines:
    async def search(_query: SearchQuery, _progress: Progress) -> SearchReport:
        return found

    return FakePipelines(search_with=search)


async def test_web_search_passes_every_filter_on() -> None:
    pipelines = FakePipelines()
    await call(
        "web_search",
        pipelines,
        query=" asyncio ",
        num_results="3",
        language="de-AT",
        country="at",
        time_range="week",
        include_domains="https://docs.python.org/3/, peps.python.org",
        exclude_domains='["*.example.com"]',
        prefer_domains="python.org",
    )
    assert pipelines.queries == [
        SearchQuery(
            "asyncio",
            limit=3,
            language="de",
            country="AT",
            time_range=TimeRange.WEEK,
            include_domains=("docs.python.org", "peps.python.org"),
            exclude_domains=("example.com",),
            prefer_domains=("python.org",),
            region="AT",
        )
    ]


async def test_web_search_has_its_documented_default_and_clamps_with_a_note() -> None:
    pipelines = FakePipelines()
    assert len((await call("web_search", pipelines, query="x")).structured_content["results"]) == 8
    result = await call("web_search", pipelines, query="x", num_results=80)
    assert len(result.structured_content["results"]) == 50
    assert result.structured_content["notes"] == ["num_results 80 became 50: it must lie between 1 and 50."]
    assert "Notes: num_results 80 became 50" in result.content[0].text


async def test_text_and_structure_each_hold_every_hit() -> None:
    result = await call("web_search", query="x", num_results=12)
    for found in result.structured_content["results"]:
        for value in (found["title"], found["url"], found["snippet"]):
            assert value in result.content[0].text
    assert result.content[0].text.count("https://example.org/") == 12


async def test_a_search_that_no_engine_answered_is_an_error_of_text_alone() -> None:
    row = EngineRow("duckduckgo", EngineState.BLOCKED, reason=Reason.BLOCKED, retry_at=NOW + 60)
    pipelines = searching(SearchReport(SearchQuery("x"), (), (row,)))
    for tool in ("web_search", "search_and_read"):
        result = await call(tool, pipelines, query="x")
        assert result.is_error
        assert result.structured_content is None
        assert "- duckduckgo blocked (free again at 08:01 UTC (in 60 s))" in result.content[0].text
    assert [event.outcome for event in pipelines.events if isinstance(event, ToolCall)] == ["blocked"] * 2


async def test_an_empty_search_is_an_answer() -> None:
    pipelines = searching(report(SearchQuery("x")))
    for tool in ("web_search", "search_and_read"):
        result = await call(tool, pipelines, query="x")
        assert not result.is_error
        assert "answered and found nothing" in result.content[0].text
        assert "answered and found nothing" in result.structured_content["summary"]
        assert result.structured_content["results"] == []


async def test_read_page_gives_the_whole_page_as_text_alone() -> None:
    result = await call("read_page", reading(page(markdown=LONG)), url="https://example.org/a")
    assert result.structured_content is None
    assert LONG in result.content[0].text
    assert "truncated" not in result.content[0].text


async def test_read_page_pages_through_a_long_text() -> None:
    pipelines, start, seen = reading(page(markdown=LONG)), 0, ""
    while True:
        result = await call("read_page", pipelines, url="https://example.org/a", start=start, max_chars=3000)
        text = result.content[0].text
        first = text.index("\n", text.index("<web_content ")) + 1
        seen += text[first : text.index("\n</web_content ")]
        if "read_page with start=" not in text:
            break
        start = int(text.partition("read_page with start=")[2].partition(" ")[0])
    assert seen == LONG


async def test_the_operators_limit_holds_for_read_page_even_when_more_is_asked() -> None:
    config = ServerConfig(read_page_max_chars=100)
    for asked in (0, 50_000):
        result = await call(
            "read_page", reading(page(markdown="x" * 500)), config, url="https://e.org", max_chars=asked
        )
        assert "[content truncated at 100 characters]" in result.content[0].text
    fewer = await call(
        "read_page", reading(page(markdown="x" * 500)), config, url="https://e.org", max_chars=9
    )
    assert "[content truncated at 9 characters]" in fewer.content[0].text


async def test_a_start_beyond_the_end_is_refused_with_the_length() -> None:
    result = await call("read_page", url="https://example.org/a", start=999)
    assert result.is_error
    assert result.content[0].text == ("'start' is 999, but the page has 14 characters. Use a smaller start.")


async def test_a_page_that_cannot_be_read_is_an_error_with_reason_and_remedy() -> None:
    pipelines = FakePipelines()
    result = await call("read_page", pipelines, url="https://example.org/missing")
    assert result.is_error
    assert "(not_found)" in result.content[0].text
    assert "Do not retry" in result.content[0].text
    assert pipelines.events[0].outcome == "not_found"


async def test_read_pages_gives_a_row_for_each_url_duplicates_too() -> None:
    urls = ["https://a.org", "https://b.org/missing", "https://a.org"]
    result = await call("read_pages", urls=urls)
    assert not result.is_error
    rows = result.structured_content["pages"]
    assert [(row["url"], row["ok"]) for row in rows] == [
        ("https://a.org", True),
        ("https://b.org/missing", False),
        ("https://a.org", True),
    ]
    assert rows[1]["reason"] == "not_found"
    assert set(rows[0]) == {"url", "ok", "markdown"}


async def test_read_pages_is_an_error_only_when_nothing_could_be_read() -> None:
    pipelines = FakePipelines()
    result = await call("read_pages", pipelines, urls=["https://a.org/missing", "https://b.org/missing"])
    assert result.is_error
    assert [row["reason"] for row in result.structured_content["pages"]] == ["not_found"] * 2
    assert pipelines.events[0].outcome == "not_found"


@pytest.mark.parametrize(
    ("urls", "told"),
    [
        (["https://e.org"] * 21, "'urls' has 21 entries; at most 20 fit in one call."),
        ([], "'urls' is empty"),
    ],
)
async def test_read_pages_names_the_rule_about_its_urls(urls: list[str], told: str) -> None:
    result = await call("read_pages", urls=urls)
    assert result.is_error
    assert result.content[0].text.startswith(told)


async def test_search_and_read_reads_what_it_found() -> None:
    pipelines = FakePipelines()
    result = await call("search_and_read", pipelines, query="x")
    rows = result.structured_content["results"]
    assert len(rows) == 5
    assert all(row["markdown"] == "# A\n\nThe text." for row in rows)
    assert result.structured_content["summary"].startswith("5 of 5 pages read for 'x'. ")
    assert pipelines.queries[0].limit == 5
    assert (await call("search_and_read", query="x", num_results=99)).structured_content["notes"] == [
        "num_results 99 became 10: it must lie between 1 and 10."
    ]


async def test_hits_that_could_not_be_read_are_still_an_answer() -> None:
    pipelines = FakePipelines(
        search_with=searching(report(SearchQuery("x"), [hit(1, url="https://e.org/missing")])).search_with
    )
    result = await call("search_and_read", pipelines, query="x")
    assert not result.is_error
    assert result.structured_content["results"][0]["reason"] == "not_found"
    assert pipelines.events[0].outcome == "not_found"


async def test_batch_pages_are_cut_at_the_operators_limit() -> None:
    config = ServerConfig(read_batch_max_chars=30, language="ru")
    result = await call("read_pages", reading(page(markdown="x" * 31)), config, urls="https://e.org")
    assert result.structured_content["pages"][0]["markdown"].endswith("[содержимое обрезано на 30 символах]")
    assert "[содержимое обрезано на 30 символах]" in result.content[0].text


async def test_events_name_the_target_and_who_answered() -> None:
    pipelines = FakePipelines()
    await call("web_search", pipelines, query="x", num_results=2)
    await call("read_page", pipelines, url="https://e.org")
    await call("read_pages", pipelines, urls=["https://a.org", "https://b.org"])
    told = [(event.tool, event.target, event.by, event.count) for event in pipelines.events]
    assert told == [
        ("web_search", "x", "duckduckgo", 2),
        ("read_page", "https://e.org", "trafilatura", 14),
        ("read_pages", "https://a.org https://b.org", "trafilatura", 2),
    ]


@pytest.mark.parametrize("arguments", [{}, {"query": ""}, {"query": "   "}, {"query": None}, {"query": {}}])
async def test_mistakes_are_results_without_a_word_of_the_validation_library(arguments: Any) -> None:
    server = build_server(FakePipelines().services(), ServerConfig())
    async with Client(server) as client:
        result = await client.call_tool("web_search", arguments)
    assert result.is_error
    assert result.structured_content is None
    assert result.content[0].text.count("\n") == 0
    assert "pydantic" not in result.content[0].text


@pytest.mark.parametrize(
    ("config", "names"),
    [
        (ServerConfig(), ["search_and_read", "web_search", "read_page", "read_pages", "map_site"]),
        (ServerConfig(tools=("read_page", "web_search")), ["web_search", "read_page"]),
        (
            ServerConfig(tools_exclude=("read_pages",)),
            ["search_and_read", "web_search", "read_page", "map_site"],
        ),
        (ServerConfig(tools=("web_search", "read_page"), tools_exclude=("read_page",)), ["web_search"]),
    ],
)
async def test_the_owner_chooses_the_tools(config: ServerConfig, names: list[str]) -> None:
    async with Client(build_server(FakePipelines().services(), config)) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == names


@pytest.mark.parametrize(
    ("config", "told"),
    [
        (ServerConfig(tools=("web_serch",)), "TOOLS names 'web_serch'; the tools are search_and_read, "),
        (ServerConfig(tools_exclude=("x",)), "TOOLS_EXCLUDE names 'x'; the tools are"),
        (
            ServerConfig(tools=("read_page",), tools_exclude=("read_page",)),
            "TOOLS and TOOLS_EXCLUDE leave no tool",
        ),
    ],
)
def test_a_wrong_choice_stops_the_start(config: ServerConfig, told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        build_server(FakePipelines().services(), config)


async def test_secrets_in_a_fault_never_reach_the_client(caplog: pytest.LogCaptureFixture) -> None:
    async def broken(_: str) -> Page:
        raise RuntimeError("api_key=canary-5up3r")

    result = await call("read_page", FakePipelines(read_with=broken), url="https://e.org")
    assert result.is_error
    assert "canary" not in result.content[0].text
    assert "canary" in caplog.text


def test_the_terminal_shows_the_same_without_frames() -> None:
    found = report(SearchQuery("x"), [hit(1)])
    assert search_text(found) == (
        "Results for 'x': 1\n\n1. Title 1\nhttps://example.org/1\nSnippet 1\nfound by duckduckgo #1\n\n"
        "Engines: duckduckgo ok 1; exa skipped (no key)."
    )
    failed = SearchReport(SearchQuery("x"), (), (EngineRow("exa", EngineState.TIMED_OUT),))
    assert search_text(failed).startswith("The search for 'x' failed")
    assert page_text(page("https://e.org", "# A\n\nB", flags=(Flag.THIN,))).split("\n") == [
        "https://e.org",
        "web page · read by trafilatura · 6 characters",
        "Caveat: there is little text; the page may hold more than this",
        "",
        "# A",
        "",
        "B",
    ]
