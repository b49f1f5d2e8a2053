"""Keys, limits and money through the whole product: real sockets, real store, real restarts."""

from __future__ import annotations

import asyncio
import datetime as dt
import email.utils
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from research_mcp.core.errors import Reason
from research_mcp.core.models import EngineState
from tests.kit.vendors import Call, FakeVendor, Served, good, rows
from tests.kit.whole import Whole, ask, by_name, key, states, urls, whole

SPENT = Served({"detail": {"error": "This request exceeds your plan's set usage limit."}}, 432)
REFUSED = Served({"error": "invalid key"}, 401)


def by_key(answers: dict[str, Served], vendor: FakeVendor) -> Callable[[Call], Served]:
    """What each key brings; the others are good."""
    return lambda call: answers.get(call.key, good(vendor.name, rows("a", "b", vendor.name)))


def tavily(answers: dict[str, Served]) -> FakeVendor:
    vendor = FakeVendor("tavily")
    vendor.answer = by_key(answers, vendor)
    return vendor


@asynccontextmanager
async def ring(folder: Path, answers: dict[str, Served], **variables: str) -> AsyncIterator[Whole]:
    """Tavily with three keys."""
    keys = {f"TAVILY_{n}_API_KEY": key("tavily", n) for n in (1, 2, 3)}
    async with whole(folder, tavily(answers), **{**keys, **variables}) as house:
        yield house


async def test_three_vendors_of_which_one_is_spent_still_fill_the_list(tmp_path: Path) -> None:
    spent = FakeVendor("exa", answer=lambda _: Served({"error": "no credits left"}, 402))
    others = [FakeVendor(name, rows("a", name)) for name in ("tavily", "serper")]
    async with whole(tmp_path, spent, *others) as house, house.started() as product:
        report = await ask(product)
        assert len(report.hits) == 3
        row = by_name(report)["exa"]
        assert (row.state, row.reason) == (EngineState.FAILED, Reason.OUT_OF_CREDITS)
        report = await ask(product, "tidal power again")
        assert len(report.hits) == 3
        row = by_name(report)["exa"]
        assert (row.state, row.reason) == (EngineState.RESTING, Reason.OUT_OF_CREDITS)
        assert row.retry_at == pytest.approx(house.clock.now() + 86_400, abs=30)
        assert len(spent.calls) == 1


@pytest.mark.parametrize(
    ("dead", "rests"),
    [
        (REFUSED, None),
        (Served({}, 403), None),
        (Served({}, 402), 86_400),
        (SPENT, 86_400),
        (Served({}, 433), 86_400),
        (Served({"detail": "This request exceeds your plan's set usage limit."}, 403), 86_400),
        (Served({}, 429), 60),
    ],
    ids=["401", "403", "402", "432", "433", "quota in 403", "429"],
)
async def test_a_dead_key_costs_one_more_call_once_also_after_a_restart(
    tmp_path: Path, dead: Served, rests: float | None
) -> None:
    async with ring(tmp_path, {key("tavily"): dead}) as house:
        vendor = house.vendors["tavily"]
        async with house.started() as product:
            assert states(await ask(product))["tavily-search"] == "ok"
        assert vendor.keys == [key("tavily", 1), key("tavily", 2)]
        async with house.started() as product:
            for number in range(5):
                assert states(await ask(product, f"tidal power {number}"))["tavily-search"] == "ok"
            assert vendor.keys[2:] == [key("tavily", 2)] * 5
            house.clock.skipped = (rests or 7 * 86_400) + 1
            await ask(product)
        assert (vendor.keys[7] == key("tavily", 1)) == (rests is not None)


@pytest.mark.slow
async def test_a_dead_key_is_not_asked_in_a_hundred_calls_after_a_restart(tmp_path: Path) -> None:
    async with ring(tmp_path, {key("tavily"): REFUSED}) as house:
        vendor = house.vendors["tavily"]
        for count in (1, 100):
            async with house.started() as product:
                reports = [await ask(product, f"tidal power {number}") for number in range(count)]
            assert {states(report)["tavily-search"] for report in reports} == {"ok"}
        assert vendor.keys.count(key("tavily", 1)) == 1


async def test_a_key_that_was_changed_is_tried_at_once(tmp_path: Path) -> None:
    async with ring(tmp_path, {key("tavily"): REFUSED}) as house:
        async with house.started() as product:
            await ask(product)
        async with house.started(TAVILY_1_API_KEY="CANARY-fresh") as product:
            await ask(product)
        assert house.vendors["tavily"].keys[-1] == "CANARY-fresh"


@pytest.mark.parametrize("separator", [",", "，", "\n", " ; "])
async def test_one_variable_may_hold_the_ring(tmp_path: Path, separator: str) -> None:
    keys = [key("exa", number) for number in (1, 2, 3)]
    vendor = FakeVendor("exa")
    vendor.answer = by_key({keys[0]: Served({}, 402), keys[1]: REFUSED}, vendor)
    async with (
        whole(tmp_path, vendor, EXA_API_KEY=separator.join(keys)) as house,
        house.started() as product,
    ):
        assert states(await ask(product))["exa"] == "ok"
        assert vendor.keys == keys
        assert states(await ask(product, "tidal power again"))["exa"] == "ok"
        assert vendor.keys == [*keys, keys[2]]


async def test_when_every_key_is_dead_the_row_says_so_and_nobody_is_asked(tmp_path: Path) -> None:
    dead = {key("tavily", 1): REFUSED, key("tavily", 2): SPENT, key("tavily", 3): Served({}, 429)}
    async with ring(tmp_path, dead) as house, house.started() as product:
        report = await ask(product)
        assert len(house.vendors["tavily"].calls) == 3
        assert by_name(report)["tavily-search"].retry_at == pytest.approx(house.clock.now() + 60, abs=10)
        report = await ask(product, "tidal power again")
        row = by_name(report)["tavily-search"]
        assert row.state is EngineState.RESTING
        assert row.retry_at == pytest.approx(house.clock.now() + 60, abs=10)
        assert len(house.vendors["tavily"].calls) == 3
        assert not report.answered
        house.clock.skipped = 61
        await ask(product, "tidal power later")
        assert house.vendors["tavily"].keys[3:] == [key("tavily", 3)]


@pytest.mark.parametrize(
    ("stated", "rests"), [("2", 2), ("120", 120), ("date", 90), ("-5", 60), ("soon", 60), ("", 60)]
)
async def test_retry_after_is_kept_and_never_slept(tmp_path: Path, stated: str, rests: float) -> None:
    vendor = FakeVendor("exa", rows("a"))
    async with whole(tmp_path, vendor, FakeVendor("serper", rows("b"))) as house, house.started() as product:
        if stated == "date":
            then = dt.datetime.fromtimestamp(house.clock.now() + rests, dt.UTC)
            stated = email.utils.format_datetime(then, usegmt=True)
        vendor.script.append(Served({}, 429, {"retry-after": stated} if stated else {}))
        begun = house.clock.now()
        row = by_name(await ask(product))["exa"]
        assert row.state is EngineState.RATE_LIMITED
        assert row.retry_at == pytest.approx(begun + rests, abs=2)
        assert row.ms < 2_000
        house.clock.skipped = max(0, rests - 20)
        for number in range(3):
            assert states(await ask(product, f"tidal power {number}"))["exa"] == "resting"
        assert len(vendor.calls) == 1
        house.clock.skipped = rests + 1
        assert states(await ask(product, "tidal power later"))["exa"] == "ok"


@pytest.mark.slow
@pytest.mark.parametrize("status", [500, 502, 503])
async def test_a_failing_vendor_does_not_turn_the_ring_and_is_ejected(tmp_path: Path, status: int) -> None:
    failing = {key("tavily", number): Served({}, status) for number in (1, 2, 3)}
    async with ring(tmp_path, failing) as house, house.started() as product:
        for number in range(8):
            report = await ask(product, f"tidal power {number}")
        vendor = house.vendors["tavily"]
        assert set(vendor.keys) == {key("tavily", 1)}
        assert len(vendor.calls) <= (5 if status == 500 else 10)
        row = by_name(report)["tavily-search"]
        assert (row.state, row.reason) == (EngineState.RESTING, Reason.UPSTREAM_ERROR)
        assert row.retry_at > house.clock.now()
        calls = len(vendor.calls)
        vendor.answer = lambda _: good("tavily", rows("a", "b", "c"))
        house.clock.skipped = 35
        assert states(await ask(product, "tidal power later"))["tavily-search"] == "ok"
        assert len(vendor.calls) == calls + 1


async def test_a_budget_is_kept_exactly_and_the_row_says_why(tmp_path: Path) -> None:
    vendor = FakeVendor("exa", rows("a"))
    async with whole(tmp_path, vendor, EXA_BUDGET="3/day") as house:
        async with house.started() as product:
            for number in range(2):
                assert states(await ask(product, f"tidal power {number}"))["exa"] == "ok"
        async with house.started() as product:
            reports = [await ask(product, f"tidal power again {number}") for number in range(4)]
            assert [states(report)["exa"] for report in reports] == ["ok", *["resting"] * 3]
            row = by_name(reports[-1])["exa"]
            assert row.reason is Reason.OUT_OF_CREDITS
            assert "budget for exa is spent: 3 of 3/day used (EXA_BUDGET)" in row.detail
            midnight = dt.datetime.fromtimestamp(house.clock.now(), dt.UTC).replace(
                hour=0, minute=0, second=0
            )
            assert row.retry_at == pytest.approx((midnight + dt.timedelta(days=1)).timestamp(), abs=5)
            assert len(vendor.calls) == 3
            house.clock.skipped = 86_400
            assert states(await ask(product, "tidal power tomorrow"))["exa"] == "ok"
        async with house.started(EXA_BUDGET="9/day") as product:
            assert states(await ask(product, "tidal power raised"))["exa"] == "ok"


async def test_a_budget_holds_for_searches_at_once(tmp_path: Path) -> None:
    vendor = FakeVendor("exa", rows("a"), delay=0.05)
    async with whole(tmp_path, vendor, EXA_BUDGET="3/day") as house, house.started() as product:
        await asyncio.gather(*(ask(product, f"tidal power {number}") for number in range(12)))
        assert len(vendor.calls) == 3


async def test_one_key_of_one_vendor_rests_for_all_that_it_is_used_for(tmp_path: Path) -> None:
    """Jina's key searches and ranks: refused in one place, it is asked in neither."""
    jina = FakeVendor("jina", answer=lambda _: REFUSED)
    others = [FakeVendor(name, rows("a", name)) for name in ("serper", "exa")]
    async with (
        whole(tmp_path, jina, *others, SEARCH_RERANK_ENABLED="true") as house,
        house.started(JINA_RERANK_API_URL=jina.url) as product,
    ):
        report = await ask(product)
        assert states(report)["jina-search"] == "failed"
        assert len(report.hits) == 3
        assert any(note.startswith("rerank: failed (bad_key)") for note in report.notes)
        assert len(jina.calls) == 1


async def test_a_reranker_orders_the_merged_list(tmp_path: Path) -> None:
    def order(call: Call) -> Served:
        texts = call.json()["documents"]
        places = sorted(range(len(texts)), key=lambda place: "serper" not in texts[place])
        return Served(
            {"results": [{"index": place, "relevance_score": 1 - n / 10} for n, place in enumerate(places)]}
        )

    ranker = FakeVendor("jina", answer=order)
    others = [FakeVendor(name, rows("a", "b", name)) for name in ("serper", "exa")]
    async with whole(tmp_path, *others) as house, ranker.serving():
        on = {"SEARCH_RERANK_ENABLED": "true", "JINA_RERANK_API_URL": f"{ranker.url}/v1/rerank"}
        async with house.started(**on) as product:
            assert urls(await ask(product))[0] == "https://sea.example/serper"
            ranker.answer = lambda _: Served({}, 500)
            report = await ask(product, "tidal power again")
            assert urls(report)[0] == "https://sea.example/a"
            assert any("merged order stays" in note for note in report.notes)
