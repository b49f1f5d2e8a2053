"""What every registered search type must do with good answers, odd answers and faults.

A new vendor is picked up by its fixture folder, `tests/fixtures/search/<vendor>/`, with no code here:

    ok.*              a documented answer; `ok.expected.json` are the hits it stands for
    empty.*           the documented answer for "nothing found"
    other files       bodies of documented errors, each named in `meta.json`
    meta.json         `source`: where the shapes come from
                      `request`: what is sent for QUERY: method, url, and any of params, json, form
                      `filters`: for each filter the type applies, [fields of the query, what is sent]
                      `empty_status`: the status of `empty.*` when it is not 200
                      `errors`: for each error body a list of {status, error, reason?, rest_for?}
                      `faults`: statuses that mean something else here than in the common table
                      `options`, `base_url`, `optional_api_key`: how to build it where needs say so

What is sent is compared by the keys that `meta.json` names; more may be sent.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import httpx
import pytest

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import ProviderError
from research_mcp.core.models import EngineAnswer, Filter, SearchQuery, TimeRange
from research_mcp.providers import load
from research_mcp.providers.kit.auth import HeaderKey
from research_mcp.providers.kit.engine import ConfiguredEngine
from research_mcp.providers.kit.registry import REGISTRY
from research_mcp.providers.kit.search import SearchType
from tests.kit.faults import (
    NEUTRAL,
    CommonFaults,
    assert_holds,
    assert_is,
    assert_quiet,
    changed_bodies,
    lists_in,
    odd_answers,
    sent,
)
from tests.kit.virtual_time import VirtualClock, run
from tests.kit.wire import KEY, Answer, Wire, search_engine

FIXTURES = Path(__file__).parents[1] / "fixtures" / "search"
QUERY = SearchQuery("tidal power")
MEDIA = {".html": "text/html; charset=utf-8", ".json": "application/json", ".xml": "application/xml"}


@dataclass(frozen=True)
class Vendor:
    """One registered type with its fixtures."""

    cls: type[SearchType]

    def __str__(self) -> str:
        return self.cls.spec.name.partition(".")[2]

    @property
    def folder(self) -> Path:
        return FIXTURES / str(self)

    @cached_property
    def meta(self) -> dict[str, Any]:
        return json.loads((self.folder / "meta.json").read_text())

    def file(self, stem: str) -> Path:
        (found,) = [path for path in self.folder.glob(f"{stem}.*") if path.name != "ok.expected.json"]
        return found

    def body(self, name: str, status: int = 200) -> httpx.Response:
        path = self.folder / name if "." in name else self.file(name)
        return httpx.Response(status, headers={"content-type": MEDIA[path.suffix]}, content=path.read_bytes())

    @property
    def takes_key(self) -> bool:
        return "api_key" in self.cls.spec.needs or bool(self.meta.get("optional_api_key"))

    @property
    def base_url(self) -> str:
        """Where a type without an endpoint of its own is told to ask."""
        return str(self.meta.get("base_url", "" if self.cls.endpoint else "http://own-host.test"))

    def engine(self, answer: Answer | httpx.Response, **more: Any) -> tuple[ConfiguredEngine, Wire]:
        wire = Wire(answer)
        more.setdefault("keys", [KEY] if self.takes_key else [])
        more.setdefault("base_url", self.base_url)
        return search_engine(self.cls, wire, options=self.meta.get("options", {}), **more), wire

    def ask(self, answer: Answer | httpx.Response, query: SearchQuery = QUERY, **more: Any) -> EngineAnswer:
        return self.asked(answer, query, **more)[0]

    def asked(
        self, answer: Answer | httpx.Response, query: SearchQuery = QUERY, **more: Any
    ) -> tuple[EngineAnswer, httpx.Request]:
        """The answer and the first request. Runs in virtual time."""
        engine, wire = self.engine(answer, **more)

        async def main() -> EngineAnswer:
            return await engine.search(query, Deadline.after(12))

        return run(main()), wire.sent[0]

    def outcome(self, answer: Answer | httpx.Response) -> EngineAnswer | ProviderError:
        return self.outcomes([answer])[0]

    def outcomes(self, answers: Iterable[Answer | httpx.Response]) -> list[EngineAnswer | ProviderError]:
        """What becomes of each answer, each with a fresh engine; anything but an error of ours is raised."""

        async def main() -> list[EngineAnswer | ProviderError]:
            found: list[EngineAnswer | ProviderError] = []
            for answer in answers:
                engine, _ = self.engine(answer)
                try:
                    found.append(await engine.search(QUERY, Deadline.after(12)))
                except ProviderError as error:
                    found.append(error)
            return found

        return run(main())

    def sends(self, query: SearchQuery = QUERY, **more: Any) -> dict[str, Any]:
        return sent(self.asked(self.body("ok"), query, **more)[1])


def vendors() -> list[Vendor]:
    load(())
    return [Vendor(cls) for name, cls in sorted(REGISTRY.items()) if name.startswith("search.")]


@pytest.fixture(params=vendors(), ids=str)
def vendor(request: pytest.FixtureRequest) -> Vendor:
    return request.param


class TestAnswers:
    def test_the_documented_answer_becomes_the_expected_hits(self, vendor: Vendor) -> None:
        answer = vendor.ask(vendor.body("ok"))
        stated = [
            {
                name: value
                for name in ("title", "url", "snippet", "date", "score")
                if (value := getattr(hit, name)) not in ("", None)
            }
            for hit in answer.hits
        ]
        expected = json.loads((vendor.folder / "ok.expected.json").read_text())
        assert stated == [{name: value for name, value in hit.items() if value != ""} for hit in expected]
        assert len(stated) >= 1
        assert answer.unapplied == frozenset()

    def test_the_documented_empty_answer_is_empty(self, vendor: Vendor) -> None:
        assert vendor.ask(vendor.body("empty", vendor.meta.get("empty_status", 200))).hits == ()

    def test_each_documented_error_is_named_as_what_it_is(self, vendor: Vendor) -> None:
        for name, cases in vendor.meta.get("errors", {}).items():
            for case in cases:
                assert_is(vendor.outcome(vendor.body(name, case["status"])), case)

    def test_every_file_of_the_folder_is_used(self, vendor: Vendor) -> None:
        named = {"meta.json", "ok.expected.json", vendor.file("ok").name, vendor.file("empty").name}
        assert {path.name for path in vendor.folder.iterdir()} == named | set(vendor.meta.get("errors", {}))

    def test_the_facts_are_declared(self, vendor: Vendor) -> None:
        cls = vendor.cls
        assert cls.docs.startswith("https://")
        assert cls.index
        assert cls.__doc__
        assert 0 < cls.prior <= 1
        assert cls.max_count > 0
        assert vendor.meta["source"]


class TestFaults(CommonFaults):
    def test_an_answer_of_another_shape_is_never_an_empty_list(self, vendor: Vendor) -> None:
        for answer, outcome in zip(odd_answers(), vendor.outcomes(odd_answers()), strict=True):
            assert isinstance(outcome, ProviderError), (answer.content[:20], answer.headers)
            assert_quiet(str(outcome))

    def test_no_wrong_type_anywhere_in_the_answer_escapes_as_a_crash(self, vendor: Vendor) -> None:
        answers = (httpx.Response(200, content=body) for body in changed_bodies(vendor.file("ok")))
        for outcome in vendor.outcomes(answers):
            if isinstance(outcome, ProviderError):
                assert_quiet(str(outcome))
            else:
                assert all(hit.url.lower().startswith(("http://", "https://")) for hit in outcome.hits)

    def test_a_broken_row_does_not_spoil_the_others(self, vendor: Vendor) -> None:
        path = vendor.file("ok")
        if path.suffix != ".json":
            return
        value = json.loads(path.read_bytes())
        lists = [found for found in lists_in(value) if found and isinstance(found[0], dict)]
        for found in lists[:1]:
            found.extend([None, 7, "text", {}])
        answer = vendor.ask(httpx.Response(200, json=value))
        assert len(answer.hits) == len(vendor.ask(vendor.body("ok")).hits)


class TestRequests:
    def test_the_documented_request_is_sent(self, vendor: Vendor) -> None:
        expected = dict(vendor.meta["request"])
        if expected["url"].startswith("/"):
            expected["url"] = vendor.base_url + expected["url"]
        assert_holds(vendor.sends(), expected)

    def test_the_key_is_only_in_its_declared_place(self, vendor: Vendor) -> None:
        if not vendor.takes_key:
            return
        request = vendor.asked(vendor.body("ok"))[1]
        place = vendor.cls.key_place
        bare = request.url.copy_with(query=None)
        headers = {name: value for name, value in request.headers.items() if KEY in value}
        params = [name for name, value in request.url.params.multi_items() if KEY in value]
        assert KEY not in str(bare)
        assert KEY.encode() not in request.content
        if isinstance(place, HeaderKey):
            assert headers == {place.name.lower(): place.prefix + KEY}
            assert params == []
        else:
            assert (headers, params) == ({}, [place.name])

    def test_without_a_key_none_is_sent(self, vendor: Vendor) -> None:
        if "api_key" in vendor.cls.spec.needs:
            return
        request = vendor.asked(vendor.body("ok"), keys=[])[1]
        place = vendor.cls.key_place
        assert request.headers.get(place.name) == vendor.cls.headers.get(place.name)
        assert place.name not in parse_qs(request.url.query.decode())

    def test_what_it_needs_is_what_it_uses(self, vendor: Vendor) -> None:
        spec = vendor.cls.spec
        assert ("url" in spec.needs) == (not vendor.cls.endpoint)
        options = vendor.meta.get("options", {})
        assert set(options) <= {*spec.needs, *spec.options}
        plain = vendor.sends()
        for name in options:
            changed = Vendor(vendor.cls)
            changed.meta["options"] = options | {name: "another-value"}
            assert changed.sends() != plain, name

    def test_another_base_url_takes_the_whole_call(self, vendor: Vendor) -> None:
        plain = vendor.sends()["url"]
        moved = vendor.sends(base_url="http://gateway.test:8080/proxy/")["url"]
        assert moved != plain
        assert f"{moved}/".startswith("http://gateway.test:8080/proxy/")

    def test_filters_are_sent_as_declared(self, vendor: Vendor) -> None:
        plain = vendor.sends()
        stated = vendor.meta.get("filters", {})
        assert set(stated) == {name.value for name in vendor.cls.applies}
        for fields, expected in stated.values():
            query = filtered(fields)
            found = vendor.sends(query)
            assert_holds(found, expected)
            assert found != plain
            assert vendor.ask(vendor.body("ok"), query).unapplied == frozenset()

    def test_filters_that_are_not_declared_are_not_sent_and_are_named(self, vendor: Vendor) -> None:
        plain = vendor.sends()
        for name in set(Filter) - vendor.cls.applies:
            query = filtered(EXAMPLES[name])
            assert vendor.sends(query) == plain, name
            assert vendor.ask(vendor.body("ok"), query).unapplied == {name}

    def test_every_time_range_is_asked_in_its_own_way_or_named_as_not_applied(self, vendor: Vendor) -> None:
        if Filter.TIME_RANGE not in vendor.cls.applies:
            return
        asked: list[dict[str, Any]] = [vendor.sends()]
        for time_range in [value for value in TimeRange if value]:
            query = filtered({"time_range": time_range.value})
            if vendor.ask(vendor.body("ok"), query).unapplied:
                continue
            asked.append(vendor.sends(query))
        assert all(one not in asked[:place] for place, one in enumerate(asked))
        assert len(asked) > 1

    def test_a_long_query_and_a_large_count_are_fitted_and_said(self, vendor: Vendor) -> None:
        answer = vendor.ask(vendor.body("ok"), SearchQuery("tidal power " * 1_000, limit=50))
        assert any("query cut to" in note for note in answer.notes)
        assert any("count clamped" in note for note in answer.notes) == (vendor.cls.max_count < 50)

    def test_any_words_can_be_asked(self, vendor: Vendor) -> None:
        for text in ("!g tidal", "\\ tidal", '"tidal', "tidal & power = 100%", "潮汐 🌊", "a\u2028b", "!!"):
            assert vendor.ask(vendor.body("ok"), SearchQuery(text)).hits, text

    def test_a_query_is_the_same_request_each_time(self, vendor: Vendor) -> None:
        assert vendor.sends() == vendor.sends()


EXAMPLES: dict[Filter, dict[str, Any]] = {
    Filter.LANGUAGE: {"language": "de"},
    Filter.COUNTRY: {"country": "DE"},
    Filter.TIME_RANGE: {"time_range": "week"},
    Filter.INCLUDE_DOMAINS: {"include_domains": ["a.example"]},
    Filter.EXCLUDE_DOMAINS: {"exclude_domains": ["a.example"]},
}


def filtered(fields: dict[str, Any]) -> SearchQuery:
    """QUERY with the fields of a JSON object."""
    values = {name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()}
    if "time_range" in values:
        values["time_range"] = TimeRange(values["time_range"])
    return SearchQuery(QUERY.text, **values)


class TestKeyRing:
    @pytest.mark.parametrize("status", [401, 402, 429])
    def test_a_key_that_fails_costs_one_call_once_and_the_next_answers(
        self, vendor: Vendor, status: int
    ) -> None:
        if not vendor.takes_key or str(status) in vendor.meta.get("faults", {}):
            return
        ok = vendor.body("ok")

        def answer(request: httpx.Request) -> httpx.Response:
            dead = any("dead" in value for value in (*request.headers.values(), str(request.url)))
            return httpx.Response(status, content=NEUTRAL) if dead else ok

        wire = Wire(answer)
        clock = VirtualClock()
        engine = search_engine(
            vendor.cls,
            wire,
            keys=["dead", KEY],
            options=vendor.meta.get("options", {}),
            base_url=vendor.base_url,
            clock=clock,
        )

        async def main() -> None:
            for _ in range(3):
                assert (await engine.search(QUERY, Deadline.after(12))).hits

        run(main())
        assert len(wire.sent) == 4
