"""The running product under watch: money, rests, workers and failures reach `/metrics` as they happen."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from research_mcp.bootstrap import Product, assemble
from research_mcp.bootstrap.watch import Sources, Watch
from research_mcp.core.budget import renews_at
from research_mcp.core.errors import Reason, Rejected
from research_mcp.core.instance import Account
from research_mcp.core.ports import Rest, Usage
from research_mcp.observe.events import ToolCall
from research_mcp.observe.overview import BreakerState, Overview, Provider, Workers
from research_mcp.providers.kit.login.tokens import LoginRing
from research_mcp.server.app import build_server
from research_mcp.server.config import Health
from research_mcp.store.memory import MemoryParking
from tests.kit.vendors import FakeVendor, Served, good, rows
from tests.kit.whole import Whole, key, whole
from tests.kit.xai import FakeXai, grant
from tests.observe.test_bill import PaperMeter

HITS = rows("a", "b", "c", "d", "e", "f", "g", "h")


def exa() -> FakeVendor:
    return FakeVendor("exa", answer=lambda _: good("exa", HITS))


async def scrape(product: Product) -> Mapping[tuple[str, ...], float]:
    metrics = product.services().metrics
    assert metrics is not None
    return parsed(await metrics())


def parsed(text: bytes) -> Mapping[tuple[str, ...], float]:
    return {
        (
            sample.name.removeprefix("research_mcp_"),
            *(v for _, v in sorted(sample.labels.items(), key=lambda pair: (pair[0] != "provider", pair))),
        ): sample.value
        for family in text_string_to_metric_families(text.decode())
        for sample in family.samples
    }


async def overview(product: Product) -> Overview:
    look = product.services().overview
    assert look is not None
    return await look()


def named(found: Overview, name: str) -> Provider:
    return next(provider for provider in found.providers if provider.name == name)


async def search(product: Product, house: Whole, query: str = "tidal power") -> ToolCall:
    server = build_server(product.services(), product.server_config())
    await server.call_tool("web_search", {"query": query})
    return next(event for event in reversed(house.events) if isinstance(event, ToolCall))


async def test_what_a_tool_call_was_billed_stands_in_its_event_and_in_the_money_table(tmp_path: Path) -> None:
    free = FakeVendor("duckduckgo", HITS)
    async with whole(tmp_path, exa(), free, SEARCH_CACHE_TTL="600") as house, house.started() as product:
        services = product.services()
        call = await search(product, house)
        again = await search(product, house)
        found = await overview(product)
        assert services.metrics is not None
        figures = parsed(await services.metrics())
    assert (call.outcome, call.billed) == ("ok", 1)
    assert again.billed == 0, "the cache costs nothing"
    (line,) = found.spending
    assert (line.spent.instance, line.spent.today, line.spent.month) == ("exa", 1, 1)
    assert (line.today, line.month) == (0.007, 0.007)
    assert figures["billed_units_total", "exa"] == 1
    assert figures["cost_dollars_total", "exa"] == 0.007
    assert figures["cache_lookups_total", "search", "hit"] == 1
    assert figures["provider_calls_total", "exa", "search", "ok", ""] == 1


async def test_a_failed_call_that_was_sent_is_billed_and_one_that_was_not_is_not(tmp_path: Path) -> None:
    broken = FakeVendor("exa", answer=lambda _: Served(status=500))
    async with whole(tmp_path, broken, RETRIES="0") as house, house.started() as product:
        assert (await search(product, house)).billed == 1
    async with (
        whole(tmp_path, exa(), EXA_API_URL="http://127.0.0.1:9") as house,
        house.started() as product,
    ):
        assert (await search(product, house)).billed == 0


async def test_a_dead_key_shows_as_resting_until_a_new_one_with_the_reason(tmp_path: Path) -> None:
    dead = FakeVendor("exa", answer=lambda _: Served({"error": "bad key"}, status=401))
    async with whole(tmp_path, dead) as house, house.started() as product:
        await search(product, house)
        found = named(await overview(product), "exa")
        figures = await scrape(product)
        failures = (await overview(product)).failures
    assert found.on
    assert found.rest is not None
    assert (found.rest.until, found.rest.reason.value) == (None, "bad_key")
    assert figures["provider_rest_seconds", "exa", "bad_key"] == float("inf")
    assert ("exa", "bad_key") in {(failure.where, failure.reason) for failure in failures}


async def test_one_live_key_of_a_ring_keeps_an_instance_free(tmp_path: Path) -> None:
    def answer(call: object) -> Served:
        return good("exa", HITS) if "live" in str(call) else Served({"error": "x"}, status=401)

    half = FakeVendor("exa", answer=answer)
    async with whole(tmp_path, half, EXA_API_KEY="dead-key,live-key") as house, house.started() as product:
        assert (await search(product, house)).outcome == "ok"
        assert named(await overview(product), "exa").rest is None


async def test_a_spent_budget_of_ones_own_shows_as_resting_until_it_renews(tmp_path: Path) -> None:
    async with whole(tmp_path, exa(), EXA_BUDGET="1/day") as house, house.started() as product:
        before = named(await overview(product), "exa").rest
        await search(product, house)
        found = named(await overview(product), "exa")
        figures = await scrape(product)
    assert before is None
    assert found.rest is not None
    assert found.rest.until == renews_at("day", house.clock.now())
    assert found.rest.detail == "this server's own budget is spent: 1 of 1/day used (EXA_BUDGET)"
    assert figures["provider_rest_seconds", "exa", "out_of_credits"] > 0


def _usage(used: int, account: str = "", source: str = "the row's quota") -> Usage:
    return Usage("exa", used, 5, "month", "2026-09", 9.0, 0, source, account)


@pytest.mark.parametrize(
    ("spent", "resting"),
    [(["one"], False), (["one", "two"], True), ([], False)],
)
async def test_budgets_of_keys_rest_an_instance_when_none_of_them_is_left(
    tmp_path: Path, spent: list[str], resting: bool
) -> None:
    async def fine() -> Health:
        return Health(ready=True)

    class Table(PaperMeter):
        async def usage(self) -> tuple[Usage, ...]:
            return tuple(_usage(5 if key in spent else 4, ids[key]) for key in ("one", "two"))

    async with whole(tmp_path, exa(), EXA_API_KEY="first-key,second-key") as house:
        configuration = house.configuration()
        (row,) = (one for one in configuration.on if one.instance.name == "exa")
        ids = dict(zip(("one", "two"), (account.id for account in row.accounts), strict=True))
        watch = Watch(configuration, house.clock, house.events.append)
        sources = Sources(
            parking=MemoryParking(house.clock), meter=Table(), workers=Workers, health=fine, breakers=()
        )
        rest = named(await watch.overview(sources), "exa").rest
    assert (rest is not None) == resting
    assert rest is None or (rest.until, rest.reason) == (9.0, Reason.OUT_OF_CREDITS)


async def test_a_login_that_rests_shows_as_resting_as_a_key_does(tmp_path: Path) -> None:
    async def fine() -> Health:
        return Health(ready=True)

    xai = FakeXai(tmp_path)
    async with whole(tmp_path, GROK_OAUTH="on", GROK_AUTH_FILE=xai.store.place) as house:
        watch = Watch(house.configuration(), house.clock, house.events.append)
        sources = Sources(parking=xai.parking, meter=PaperMeter(), workers=Workers, health=fine, breakers=())
        nobody = named(await watch.overview(sources), "grok")
        await xai.store.keep(grant(expires_at=None, id="1a2b3c4d"))
        ring = LoginRing(Account("GROK_OAUTH#1"), xai.login(), xai.parking, xai.clock)
        (login,) = await ring.free()
        free = named(await watch.overview(sources), "grok")
        await ring.park(login, Rejected("the plan may not use the API", rest_for=86_400))
        resting = named(await watch.overview(sources), "grok")
        await asyncio.to_thread(Path(xai.store.place).chmod, 0o644)
        unreadable = named(await watch.overview(sources), "grok")
    assert (nobody.on, nobody.rest, free.rest) == (True, None, None)
    assert resting.rest is not None
    assert resting.rest.detail == "the plan may not use the API"
    assert unreadable.rest is None


async def test_an_engine_that_keeps_failing_has_an_open_breaker(tmp_path: Path) -> None:
    broken = FakeVendor("exa", answer=lambda _: Served(status=500))
    async with whole(tmp_path, broken, RETRIES="0") as house, house.started() as product:
        for number in range(5):
            await search(product, house, f"tidal power {number}")
        found = await overview(product)
        figures = await scrape(product)
    assert named(found, "exa").breaker is BreakerState.OPEN
    assert named(found, "exa").record.good == 0
    assert figures["breaker_state", "exa"] == 2


async def test_budgets_workers_and_minutes_are_in_the_overview(tmp_path: Path) -> None:
    async with whole(tmp_path, exa(), EXA_BUDGET="5/day") as house, house.started() as product:
        await search(product, house)
        found = await overview(product)
    (budget,) = found.budgets
    assert (budget.instance, budget.used, budget.limit, budget.per) == ("exa", 1, 5, "day")
    assert found.workers.busy + found.workers.idle + found.workers.starting == 1
    assert (len(found.minutes), sum(minute.good for minute in found.minutes)) == (60, 1)
    assert found.ready
    assert found.degraded == ()


async def test_what_is_off_says_why(tmp_path: Path) -> None:
    async with whole(tmp_path, exa(), JINA_API_KEY="k") as house, house.started() as product:
        found = await overview(product)
    assert named(found, "brave").why == "BRAVE_API_KEY is not set"
    rerank = named(found, "jina-rerank")
    assert (rerank.on, rerank.why) == (False, "SEARCH_RERANK_ENABLED is not true")


async def test_a_row_that_is_on_and_in_no_pipeline_says_that_nobody_asks_it(tmp_path: Path) -> None:
    async with whole(tmp_path, exa()) as house:
        configuration = replace(house.configuration(), search=())
        product = assemble(configuration, house.events.append, clock=house.clock)
        async with product.running():
            found = named(await overview(product), "exa")
    assert (found.on, found.why) == (False, "no pipeline asks it")


async def test_secrets_and_control_characters_are_taken_out_of_what_is_repeated(tmp_path: Path) -> None:
    async def impaired() -> Health:
        return Health(ready=True, degraded=(f"store: {key('exa')}\x1b[2J",))

    async with whole(tmp_path, exa()) as house:
        watch = Watch(house.configuration(), house.clock, house.events.append)
        parking = MemoryParking(house.clock)
        await parking.park(
            "instance:exa", Rest(None, Reason.BAD_KEY, f"said {key('exa')}\x1b[2J" + "x" * 999)
        )
        sources = Sources(parking=parking, meter=PaperMeter(), workers=Workers, health=impaired, breakers=())
        found = await watch.overview(sources)
    rest = named(found, "exa").rest
    assert rest is not None
    assert rest.detail.startswith("said *** [2Jxxx")
    assert len(rest.detail) <= 300
    assert found.degraded == ("store: *** [2J",)


async def test_a_store_that_fails_is_named_and_nothing_else_stops(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    async with whole(tmp_path, exa(), DATA_DIR=str(tmp_path / "file")) as house, house.started() as product:
        found = await overview(product)
        figures = await scrape(product)
    assert (found.budgets, found.spending) == ((), ())
    assert any(text.startswith("store") for text in found.degraded)
    assert figures["degraded",] == 1


async def test_the_loop_is_sampled_while_the_product_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("research_mcp.observe.lag.EVERY", 0.01)
    async with whole(tmp_path, exa()) as house:
        product = house.product()
        services = product.services()
        assert services.metrics is not None
        async with product.running(), asyncio.timeout(20):
            while parsed(await services.metrics())["event_loop_lag_seconds_count",] < 2:  # noqa: ASYNC110
                await asyncio.sleep(0.02)
