"""A configured engine: fitting, keys, money and what a ring of keys tells."""

from __future__ import annotations

import json
from typing import ClassVar

import httpx
import pytest

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import BudgetSpent, ProviderError, QuotaSpent, RateLimited, Rejected
from research_mcp.core.instance import Account, Secret
from research_mcp.core.models import EngineAnswer, Filter, SearchQuery, TimeRange, Topic
from research_mcp.core.ports import Reservation
from research_mcp.core.wire import JsonValue, Request
from research_mcp.providers.kit.metering import Metering
from research_mcp.providers.kit.registry import ProviderKind, TypeSpec
from research_mcp.providers.kit.search import JsonSearch, Phrases
from tests.kit.virtual_time import VirtualClock, run
from tests.kit.wire import Wire, search_engine

OK = {"results": [{"title": "Tide", "url": "https://sea.test/"}]}


class Sample(JsonSearch):
    spec: ClassVar[TypeSpec] = TypeSpec(
        "search.sample", ProviderKind.SEARCH, needs=("api_key",), metered=True
    )
    endpoint = "https://api.sample.test/search"
    index = "sample"
    max_count = 20
    max_query = 20
    applies = frozenset({Filter.TIME_RANGE, Filter.COUNTRY})
    phrases = Phrases(empty=("no results",))
    topics = frozenset({Topic.GENERAL, Topic.NEWS})
    pace = 1.5

    def request(self, query: SearchQuery) -> Request:
        told: dict[str, JsonValue] = {"q": query.text, "n": query.limit, "since": query.since}
        return Request("POST", self.endpoint, json=told | ({"in": query.country} if query.country else {}))


def ask(query: SearchQuery, wire: Wire, **more: object) -> EngineAnswer:
    more.setdefault("keys", ["one"])

    async def main() -> EngineAnswer:
        return await search_engine(Sample, wire, **more).search(query, Deadline.after(12))  # type: ignore[arg-type]  # the test names what it means

    return run(main())


def body(wire: Wire) -> dict[str, object]:
    return json.loads(wire.sent[-1].content)


def keys_used(wire: Wire) -> list[str]:
    return [request.headers["authorization"].removeprefix("Bearer ") for request in wire.sent]


def by_key(**statuses: int) -> Wire:
    def answer(request: httpx.Request) -> httpx.Response:
        status = statuses[request.headers["authorization"].removeprefix("Bearer ")]
        return httpx.Response(status, json=OK if status == 200 else {})

    return Wire(answer)


class TestFitting:
    def test_each_engine_is_asked_for_ten_at_least_and_what_it_can_at_most(self) -> None:
        wire = Wire(httpx.Response(200, json=OK))
        assert ask(SearchQuery("tide", limit=3), wire).notes == ()
        assert body(wire)["n"] == 10
        assert ask(SearchQuery("tide", limit=15), wire).notes == ()
        assert body(wire)["n"] == 15
        assert ask(SearchQuery("tide", limit=50), wire).notes == ("count clamped to 20",)
        assert body(wire)["n"] == 20

    def test_a_long_query_is_cut_between_words_and_said(self) -> None:
        wire = Wire(httpx.Response(200, json=OK))
        assert ask(SearchQuery("tide mill in the harbour"), wire).notes == ("query cut to 16 characters",)
        assert body(wire)["q"] == "tide mill in the"

    @pytest.mark.parametrize(
        ("time_range", "since"),
        [
            (TimeRange.ANY, ""),
            (TimeRange.DAY, "2027-01-14"),
            (TimeRange.WEEK, "2027-01-08"),
            (TimeRange.MONTH, "2026-12-15"),
            (TimeRange.YEAR, "2026-01-15"),
        ],
    )
    def test_vendors_that_want_a_date_get_the_first_day_of_the_range(
        self, time_range: TimeRange, since: str
    ) -> None:
        wire = Wire(httpx.Response(200, json=OK))
        ask(SearchQuery("tide", time_range=time_range), wire)
        assert body(wire)["since"] == since

    def test_what_the_type_does_not_apply_is_named(self) -> None:
        wire = Wire(httpx.Response(200, json=OK))
        query = SearchQuery("tide", language="de", time_range=TimeRange.DAY)
        assert ask(query, wire).unapplied == {Filter.LANGUAGE}

    @pytest.mark.parametrize(("country", "sent"), [("DE", True), ("EN", False), ("XX", False)])
    def test_a_code_that_is_no_countrys_is_not_sent_and_is_named(self, country: str, sent: bool) -> None:
        wire = Wire(httpx.Response(200, json=OK))
        answer = ask(SearchQuery("tides", country=country), wire)
        assert body(wire).get("in") == (country if sent else None)
        assert answer.unapplied == (frozenset() if sent else {Filter.COUNTRY})

    def test_the_facts_are_the_types_own(self) -> None:
        facts = search_engine(Sample, Wire(httpx.Response(200)), keys=["one"], weight=2.0).facts
        assert (facts.name, facts.index, facts.metered, facts.pace) == ("sample", "sample", True, 1.5)
        assert (facts.weight, facts.topics) == (2.0, {Topic.GENERAL, Topic.NEWS})
        assert not search_engine(Sample, Wire(httpx.Response(200))).facts.metered

    def test_words_for_nothing_found_in_an_error_are_an_empty_answer(self) -> None:
        assert ask(SearchQuery("tide"), Wire(httpx.Response(422, text="No results for it"))).hits == ()


class TestKeys:
    def test_a_dead_key_costs_one_call_once(self) -> None:
        wire = by_key(dead=401, good=200)

        async def main() -> None:
            engine = search_engine(Sample, wire, keys=["dead", "good"])
            for _ in range(3):
                assert (await engine.search(SearchQuery("tide"), Deadline.after(12))).hits

        run(main())
        assert keys_used(wire) == ["dead", "good", "good", "good"]

    def test_a_failing_vendor_does_not_turn_the_ring(self) -> None:
        wire = by_key(one=500, two=200)
        with pytest.raises(ProviderError):
            ask(SearchQuery("tide"), wire, keys=["one", "two"])
        assert set(keys_used(wire)) == {"one"}

    def test_when_all_keys_fail_the_error_rests_until_the_first_is_free(self) -> None:
        def answer(request: httpx.Request) -> httpx.Response:
            if "spent" in request.headers["authorization"]:
                return httpx.Response(402)
            return httpx.Response(429, headers={"retry-after": "30"})

        wire = Wire(answer)
        with pytest.raises(RateLimited) as caught:
            ask(SearchQuery("tide"), wire, keys=["spent", "limited"])
        assert (caught.value.rest_for, caught.value.sent) == (30, True)
        assert len(wire.sent) == 2

    def test_while_all_keys_rest_nothing_is_sent(self) -> None:
        wire = by_key(one=402)
        clock = VirtualClock()

        async def main() -> RateLimited:
            engine = search_engine(Sample, wire, keys=["one"], clock=clock)
            with pytest.raises(QuotaSpent):
                await engine.search(SearchQuery("tide"), Deadline.after(12))
            with pytest.raises(RateLimited) as caught:
                await engine.search(SearchQuery("tide"), Deadline.after(12))
            return caught.value

        error = run(main())
        assert len(wire.sent) == 1
        assert (error.sent, error.reason.value, error.rest_for) == (
            False,
            "out_of_credits",
            pytest.approx(86_400),
        )
        assert "every key rests" in str(error)

    def test_dead_keys_rest_until_restart(self) -> None:
        wire = by_key(one=401, two=401)
        with pytest.raises(Rejected) as caught:
            ask(SearchQuery("tide"), wire, keys=["one", "two"])
        assert caught.value.rest_for is None


class Purse:
    """A meter with room for some calls of each account."""

    def __init__(self, **room: int) -> None:
        self.room = room
        self.settled: list[str] = []

    async def reserve(self, account: str, instance: str, units: int, key: str) -> Reservation:
        if self.room[account] < units:
            raise BudgetSpent(f"the budget of {account} is used", rest_for=3_600)
        self.room[account] -= units
        return Reservation(key, account, instance, units)

    async def settle(self, reservation: Reservation, units: int) -> None:
        self.settled.append(reservation.account)

    async def refund(self, reservation: Reservation) -> None:
        self.room[reservation.account] += reservation.units


class TestMoney:
    def test_a_key_whose_budget_is_used_is_passed_over_and_not_parked(self) -> None:
        purse = Purse(**{"SAMPLE_API_KEY#1": 0, "SAMPLE_API_KEY#2": 1})
        wire = by_key(one=200, two=200)
        metering = Metering(purse, "sample")  # type: ignore[arg-type]  # the part of a meter that calls use
        assert ask(SearchQuery("tide"), wire, keys=["one", "two"], metering=metering).hits
        assert keys_used(wire) == ["two"]
        assert purse.settled == ["SAMPLE_API_KEY#2"]

    def test_without_room_anywhere_nothing_is_sent(self) -> None:
        purse = Purse(**{"SAMPLE_API_KEY#1": 0})
        wire = by_key(one=200)
        with pytest.raises(BudgetSpent) as caught:
            ask(SearchQuery("tide"), wire, keys=["one"], metering=Metering(purse, "sample"))  # type: ignore[arg-type]  # as above
        assert wire.sent == []
        assert (caught.value.rest_for, caught.value.sent) == (3_600, False)


def test_a_key_shows_nowhere_but_in_its_header() -> None:
    account = Account("SAMPLE_API_KEY#1", Secret("canary"))
    assert "canary" not in repr(account)
    wire = by_key(canary=401)
    with pytest.raises(Rejected) as caught:
        ask(SearchQuery("tide"), wire, keys=["canary"])
    assert "canary" not in repr(caught.value)
