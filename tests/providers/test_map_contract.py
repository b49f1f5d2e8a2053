"""What every registered mapper of one call must do with good answers, odd answers and faults.

A new one is picked up by its class (`HttpMap`) and its fixture folder, `tests/fixtures/map/<vendor>/`:

    ok.json           a documented answer; `ok.expected.json` holds the addresses in it
    empty.json        a documented answer without addresses
    meta.json         `source`: where the shapes come from
                      `request`: what is sent for QUERY
                      `errors`: for each file of a documented failure a list of {status, error, ...}
                      `faults`: statuses that mean something else here than in the common table
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import httpx
import pytest

from research_mcp.core.errors import ProviderError, Rejected
from research_mcp.core.sitemaps import MapAnswer, MapOption, MapQuery
from research_mcp.providers import load
from research_mcp.providers.kit.map import HttpMap
from research_mcp.providers.kit.registry import REGISTRY
from tests.kit.faults import (
    NEUTRAL,
    CommonFaults,
    assert_holds,
    assert_is,
    assert_quiet,
    changed_bodies,
    odd_answers,
    sent,
)
from tests.kit.mapping import MapDesk
from tests.kit.wire import KEY, Answer

FIXTURES = Path(__file__).parents[1] / "fixtures" / "map"
QUERY = MapQuery("https://mill.test/moss?id=7", depth=2, instructions="pages about moss")


@dataclass(frozen=True)
class Vendor:
    """One registered type with its fixtures."""

    cls: type[HttpMap]

    def __str__(self) -> str:
        return self.cls.spec.name.partition(".")[2]

    @property
    def folder(self) -> Path:
        return FIXTURES / str(self)

    @cached_property
    def meta(self) -> dict[str, Any]:
        return json.loads((self.folder / "meta.json").read_text())

    def body(self, name: str, status: int = 200, headers: dict[str, str] | None = None) -> httpx.Response:
        fields = {"content-type": "application/json", **(headers or {})}
        return httpx.Response(status, headers=fields, content=(self.folder / name).read_bytes())

    def outcome(self, answer: Answer | httpx.Response) -> MapAnswer | ProviderError:
        return self.ask(answer)

    def ask(self, answer: Answer | httpx.Response, **more: Any) -> MapAnswer | ProviderError:
        return MapDesk(self.cls, answer, **more).outcome(QUERY)

    def answers(self, bodies: Iterable[bytes]) -> list[Any]:
        headers = {"content-type": "application/json"}
        return [self.ask(httpx.Response(200, headers=headers, content=body)) for body in bodies]

    def sends(self, **more: Any) -> httpx.Request:
        desk = MapDesk(self.cls, self.body("ok.json"), **more)
        desk.outcome(QUERY)
        return desk.wire.sent[0]


def vendors() -> list[Vendor]:
    load(())
    found = (cls for name, cls in sorted(REGISTRY.items()) if name.startswith("map."))
    return [Vendor(cls) for cls in found if issubclass(cls, HttpMap)]


@pytest.fixture(params=vendors(), ids=str)
def vendor(request: pytest.FixtureRequest) -> Vendor:
    return request.param


class TestAnswers:
    def test_the_documented_answer_becomes_the_expected_addresses(self, vendor: Vendor) -> None:
        answer = vendor.ask(vendor.body("ok.json"))
        assert isinstance(answer, MapAnswer), answer
        stated = [
            {name: value for name in ("url", "title", "date") if (value := getattr(page, name))}
            for page in answer.pages
        ]
        assert stated == json.loads((vendor.folder / "ok.expected.json").read_text())

    def test_options_that_it_does_not_honour_are_named(self, vendor: Vendor) -> None:
        answer = vendor.ask(vendor.body("ok.json"))
        assert isinstance(answer, MapAnswer)
        assert answer.unapplied == frozenset(MapOption) - vendor.cls.applies

    def test_the_documented_empty_answer_is_empty(self, vendor: Vendor) -> None:
        answer = vendor.ask(vendor.body("empty.json"))
        assert isinstance(answer, MapAnswer)
        assert answer.pages == ()

    def test_each_documented_failure_is_named_as_what_it_is(self, vendor: Vendor) -> None:
        for name, cases in vendor.meta["errors"].items():
            for case in cases:
                assert_is(vendor.ask(vendor.body(name, case["status"], case.get("headers"))), case)

    def test_every_file_of_the_folder_is_used(self, vendor: Vendor) -> None:
        named = {"meta.json", "ok.json", "ok.expected.json", "empty.json", *vendor.meta["errors"]}
        assert {path.name for path in vendor.folder.iterdir()} == named

    def test_the_facts_are_declared(self, vendor: Vendor) -> None:
        assert vendor.cls.docs.startswith("https://")
        assert vendor.cls.price
        assert vendor.cls.__doc__
        assert not vendor.cls.from_here
        assert vendor.meta["source"]


class TestFaults(CommonFaults):
    def test_an_answer_of_another_shape_is_a_stale_adapter(self, vendor: Vendor) -> None:
        for answer in odd_answers():
            assert_is(vendor.ask(answer), {"error": "BadReply"})

    def test_no_wrong_type_anywhere_in_the_answer_escapes_as_a_crash(self, vendor: Vendor) -> None:
        for outcome in vendor.answers(changed_bodies(vendor.folder / "ok.json")):
            if isinstance(outcome, ProviderError):
                assert_quiet(str(outcome))
            else:
                assert all(page.url.startswith(("http://", "https://")) for page in outcome.pages)


class TestRequests:
    def test_the_documented_request_is_sent(self, vendor: Vendor) -> None:
        assert_holds(sent(vendor.sends()), vendor.meta["request"])

    def test_the_key_is_only_in_its_declared_place(self, vendor: Vendor) -> None:
        request = vendor.sends()
        assert {name: value for name, value in request.headers.items() if KEY in value} == {
            "authorization": f"Bearer {KEY}"
        }
        assert KEY not in str(request.url)
        assert KEY.encode() not in request.content

    def test_another_base_url_takes_the_whole_call(self, vendor: Vendor) -> None:
        moved = str(vendor.sends(base_url="http://gateway.test:8080/proxy/").url)
        assert moved.startswith("http://gateway.test:8080/proxy/")
        assert moved.endswith("/map")


class TestKeyRing:
    @pytest.mark.parametrize("status", [401, 402, 429])
    def test_a_key_that_fails_costs_one_call_once_and_the_next_answers(
        self, vendor: Vendor, status: int
    ) -> None:
        def answer(request: httpx.Request) -> httpx.Response:
            dead = any("dead" in value for value in request.headers.values())
            return httpx.Response(status, content=NEUTRAL) if dead else vendor.body("ok.json")

        desk = MapDesk(vendor.cls, answer, keys=["dead", KEY])
        for _ in range(3):
            assert isinstance(desk.outcome(QUERY), MapAnswer)
        assert sum("dead" in str(request.headers.raw) for request in desk.wire.sent) == 1

    def test_all_keys_refused_rest_until_restart(self, vendor: Vendor) -> None:
        outcome = vendor.ask(httpx.Response(401, content=NEUTRAL), keys=["one", "two"])
        assert isinstance(outcome, Rejected)
        assert outcome.rest_for is None
