"""Which engines are asked, and what the caller hears of them, through the whole product."""

from __future__ import annotations

import asyncio
import logging
import socket
from pathlib import Path

import pytest
from mcp import Client

from research_mcp.core.models import EngineState, TimeRange
from research_mcp.server.app import build_app
from research_mcp.server.run import http_server
from tests.kit.vendors import FakeVendor, Served, good, rows
from tests.kit.whole import Product, ask, by_name, key, states, urls, whole
from tests.server.serving import until

KEYED = ("brave", "tavily", "firecrawl", "jina", "parallel", "octen", "linkup", "youcom", "serper")
MORE = ("exa", "perplexity", "kagi")


async def test_every_engine_answers_in_one_list_and_gets_its_own_key_alone(tmp_path: Path) -> None:
    vendors = [FakeVendor(name, rows("a", "b", name)) for name in (*KEYED, *MORE, "duckduckgo")]
    async with whole(tmp_path, *vendors) as house, house.started() as product:
        report = await ask(product, limit=15)
        asked = [row for row in report.rows if row.name not in ("wikipedia", "marginalia")]
        assert {(row.state, row.count) for row in asked} == {(EngineState.OK, 3)}
        assert len(asked) == len(vendors)
        assert urls(report)[:2] == ["https://sea.example/a", "https://sea.example/b"]
        assert len(report.hits) == len(vendors) + 2
        for vendor in vendors:
            (call,) = vendor.calls
            sent = f"{call.path} {call.params} {call.headers} {call.body!r}"
            assert sent.count("CANARY-") == sent.count(key(vendor.name)) == (vendor.name != "duckduckgo")


async def test_a_searxng_takes_the_place_of_duckduckgo(tmp_path: Path) -> None:
    vendors = [FakeVendor(name, rows("a", "b", "c")) for name in ("searxng", "duckduckgo")]
    async with whole(tmp_path, *vendors) as house, house.started() as product:
        assert states(await ask(product)) == {"searxng": "ok"}
        assert vendors[1].calls == []


async def test_tiers_without_a_key_are_asked_only_when_the_owner_names_them(tmp_path: Path) -> None:
    duck = FakeVendor("duckduckgo", rows("a", "b", "c"))
    tavily = FakeVendor("tavily", rows("a", "b", "d"))
    async with whole(tmp_path, duck) as house, tavily.serving():
        async with house.started(TAVILY_API_URL=tavily.url) as product:
            assert states(await ask(product)) == {"duckduckgo": "ok"}
        house.clock.skipped = 60
        async with house.started(TAVILY_API_URL=tavily.url, KEYLESS_TIERS="tavily") as product:
            assert states(await ask(product)) == {"duckduckgo": "ok", "tavily-keyless": "ok"}
        assert [call.headers["x-tavily-access-mode"] for call in tavily.calls] == ["keyless"]
        house.clock.skipped = 120
        keyed = {"TAVILY_1_API_KEY": key("tavily"), "KEYLESS_TIERS": "all"}
        async with house.started(TAVILY_API_URL=tavily.url, **keyed) as product:
            asked = states(await ask(product))
            assert asked["tavily-search"] == "ok"
            assert "tavily-keyless" not in asked


async def test_economy_asks_who_costs_only_while_the_list_is_short(tmp_path: Path) -> None:
    duck = FakeVendor("duckduckgo", rows("a", "b", "c"))
    exa, serper = FakeVendor("exa", rows("d", "e", "f")), FakeVendor("serper", rows("g"))
    async with (
        whole(tmp_path, duck, exa, serper, SEARCH_FANOUT="economy") as house,
        house.started() as product,
    ):
        report = await ask(product)
        assert states(report) == {"duckduckgo": "ok"}
        assert report.notes == ("not asked, the list was full: serper, exa",)
        report = await ask(product, "tidal power again")
        assert states(report) == {"duckduckgo": "skipped", "serper": "ok", "exa": "ok"}
        assert (len(serper.calls), len(exa.calls)) == (1, 1)


async def test_the_reserve_is_asked_only_for_a_short_list(tmp_path: Path) -> None:
    exa = FakeVendor("exa", rows("a", "b", "c"))
    reserve = [
        FakeVendor(name, rows("d", "e", topic="Tidal power station")) for name in ("wikipedia", "marginalia")
    ]
    async with whole(tmp_path, exa, *reserve) as house, house.started() as product:
        await ask(product)
        assert [len(vendor.calls) for vendor in reserve] == [0, 0]
        report = await ask(product, limit=8)
        assert [len(vendor.calls) for vendor in reserve] == [1, 1]
        assert {row.name for row in report.rows if row.state is EngineState.OK} >= {"wikipedia", "marginalia"}


async def test_filters_reach_who_can_apply_them_and_the_rest_is_said(tmp_path: Path) -> None:
    exa = FakeVendor("exa", rows("a", "b", host="in.example"))
    perplexity = FakeVendor(
        "perplexity", [*rows("c", host="in.example"), *rows("x", "y", host="off.example")]
    )
    async with whole(tmp_path, exa, perplexity) as house, house.started() as product:
        report = await ask(
            product,
            limit=3,
            include_domains=("in.example",),
            language="de",
            country="AT",
            time_range=TimeRange.WEEK,
        )
        assert {url.split("/")[2] for url in urls(report)} == {"in.example"}
        assert "removed 2 results outside include_domains" in report.notes
        assert "3 of 3 results without a stated date: they may be older than the week" in report.notes
        assert any(note.startswith("language not applied by exa") for note in report.notes)
        assert exa.calls[0].json()["includeDomains"] == ["in.example"]


async def test_a_block_page_is_named_and_never_an_empty_list(tmp_path: Path) -> None:
    page = b"<html><body><form id='challenge-form'>Select all squares containing a duck anomaly</form></body></html>"
    blocked = Served(page, 202, {"content-type": "text/html"})
    duck = FakeVendor("duckduckgo", answer=lambda _: blocked)
    async with whole(tmp_path, duck) as house, house.started() as product:
        report = await ask(product)
        assert by_name(report)["duckduckgo"].state is EngineState.BLOCKED
        assert not report.answered
        assert by_name(report)["duckduckgo"].retry_at > house.clock.now() + 500


async def served(product: Product, asked: list[dict[str, object]]) -> list[tuple[bool, str]]:
    """The answers that an MCP client gets over HTTP: whether it is an error, and everything in it."""
    bound = socket.create_server(("127.0.0.1", 0))
    server = http_server(build_app(product.services(), product.server_config()), product.listen())
    task = asyncio.create_task(server.serve([bound]))
    answers = []
    try:
        await until(lambda: server.started, 20)
        async with Client(f"http://127.0.0.1:{bound.getsockname()[1]}/mcp") as client:
            for arguments in asked:
                answer = await client.call_tool("web_search", arguments)
                answers.append((bool(answer.is_error), str(answer.model_dump())))
            status = await client.read_resource("research://status")
            answers.append((False, str(status.model_dump())))
    finally:
        server.should_exit = True
        await task
    return answers


async def test_a_client_over_http_gets_list_rows_and_notes_and_no_key_shows_anywhere(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    exa = FakeVendor("exa", rows("a", "b", "c"))
    refused = FakeVendor("serper", answer=lambda call: Served({"error": f"bad key {call.key}"}, 401))
    broken = FakeVendor("kagi", answer=lambda call: Served(f"<html>{call.key}</html>".encode(), 200))
    async with whole(tmp_path, exa, refused, broken) as house:
        product = house.product()
        answers = await served(
            product, [{"query": "tidal power", "num_results": 3}, {"query": "x y", "num_results": 2}]
        )
        assert [error for error, _ in answers] == [False] * 3
        first = answers[0][1]
        assert "https://sea.example/a" in first
        for said in ("exa", "serper failed (the key was refused (status 401))", "kagi failed (expected JSON"):
            assert said in first
        everything = [
            *(text for _, text in answers),
            caplog.text,
            repr(house.events),
            repr(product.configuration),
        ]
        stored = [path.read_bytes().decode("latin-1") for path in (tmp_path / "data").iterdir()]
        assert not any("CANARY" in text for text in (*everything, *stored))


async def test_when_all_engines_fail_the_client_gets_an_error_with_each_reason(tmp_path: Path) -> None:
    exa = FakeVendor("exa", answer=lambda _: Served({}, 402))
    serper = FakeVendor("serper", answer=lambda _: Served({}, 500))
    async with whole(tmp_path, exa, serper) as house:
        (failed, text), _ = await served(house.product(), [{"query": "tidal power"}])
        assert failed
        assert "credits are spent (status 402); free again at" in text
        assert "serper failed (the vendor failed (status 500))" in text
        assert "One more try may help: duckduckgo, serper, wikipedia, marginalia failed" in text


async def test_a_good_answer_is_reused_across_the_cache_and_errors_are_not(tmp_path: Path) -> None:
    exa = FakeVendor("exa", rows("a", "b", "c"))
    duck = FakeVendor("duckduckgo", rows("a", "b", "c"))
    exa.script.append(Served({}, 500))
    async with whole(tmp_path, exa, duck, SEARCH_CACHE_TTL="600") as house, house.started() as product:
        await ask(product)
        house.clock.skipped = 46
        assert not (await ask(product)).cached
        assert (await ask(product)).cached
        assert len(exa.calls) == 2
        exa.answer = lambda _: good("exa", rows("z"))
        house.clock.skipped += 601
        assert not (await ask(product)).cached


async def test_the_owner_sets_the_pace_of_an_engine(tmp_path: Path) -> None:
    brave, exa = FakeVendor("brave", rows("a", "b")), FakeVendor("exa", rows("c"))
    async with whole(tmp_path, brave, exa) as house:
        async with house.started() as product:
            asked = [states(await ask(product, f"tidal power {n}"))["brave"] for n in range(2)]
            assert asked == ["ok", "skipped"]
        house.clock.skipped = 60
        async with house.started(BRAVE_PACE="0") as product:
            asked = [states(await ask(product, f"tidal energy {n}"))["brave"] for n in range(3)]
            assert asked == ["ok"] * 3
