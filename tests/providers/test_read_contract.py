"""What every registered reader of one call must do with good answers, odd answers and faults.

A new one is picked up by its class (`HttpRead`), any other reader by its `meta.json`; both by their
fixture folder, `tests/fixtures/read/<vendor>/`, with no code here:

    ok.*              a documented answer; `ok.expected.json` holds what the page must state of it
    meta.json         `source`: where the shapes come from
                      `request`: what is sent for TARGET: method, url, and any of params, json, headers
                      `ok_headers`: headers of the good answer beside its content type
                      `errors`: for each file of a documented failure a list of {status, error, reason?,
                                rest_for?, headers?}
                      `faults`: statuses that mean something else here than in the common table
                      `free_form`: the body is the page itself, so that any text is one
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

import httpx
import pytest

from research_mcp.core.errors import ProviderError, Rejected
from research_mcp.core.models import Page
from research_mcp.providers import load
from research_mcp.providers.kit.auth import HeaderKey
from research_mcp.providers.kit.read import HttpRead, ReadType
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
from tests.kit.sites import FIXTURES, Desk
from tests.kit.wire import KEY, Answer

MEDIA = {
    ".html": "text/html; charset=utf-8",
    ".json": "application/json",
    ".txt": "text/plain; charset=utf-8",
}
TARGET = "https://mill.test/moss?id=7"
AWKWARD = (
    "https://mill.test/a%20b/%C3%A4?q=a%2Bb&next=https%3A%2F%2Fsea.test%2F%3Fx%3D1",
    "https://mill.test/#/moss/7",
    "https://mill.test:8443/a;b//c/?x=1?y=2",
    "https://[2606:4700:4700::1111]/",
    "https://mill.test/moss?url=https://sea.test/&timeout=1",
)


@dataclass(frozen=True)
class Vendor:
    """One registered type with its fixtures."""

    cls: type[ReadType]

    def __str__(self) -> str:
        return self.cls.spec.name.partition(".")[2]

    @property
    def folder(self) -> Path:
        return FIXTURES / str(self)

    @cached_property
    def meta(self) -> dict[str, Any]:
        return json.loads((self.folder / "meta.json").read_text())

    @property
    def ok(self) -> Path:
        (found,) = [path for path in self.folder.glob("ok.*") if path.name != "ok.expected.json"]
        return found

    def body(self, path: Path, status: int = 200, headers: dict[str, str] | None = None) -> httpx.Response:
        fields = {"content-type": MEDIA[path.suffix], **(headers or {})}
        return httpx.Response(status, headers=fields, content=path.read_bytes())

    def good(self) -> httpx.Response:
        return self.body(self.ok, headers=self.meta.get("ok_headers"))

    @property
    def takes_key(self) -> bool:
        return "api_key" in self.cls.spec.needs or bool(self.meta.get("optional_api_key"))

    @property
    def base_url(self) -> str:
        """Where a type without an endpoint of its own is told to ask."""
        return str(self.meta.get("base_url", "" if self.cls.endpoint else "http://own-host.test"))

    def desk(self, answer: Answer | httpx.Response, **more: Any) -> Desk:
        more.setdefault("keys", [KEY] if self.takes_key else [])
        base_url = more.pop("base_url", self.base_url)
        desk = Desk(self.cls, {}, options=self.meta.get("options", {}), urls={"": base_url}, **more)
        desk.wire.answer = answer
        return desk

    def outcome(self, answer: Answer | httpx.Response) -> Page | ProviderError:
        return self.ask(answer)

    def ask(self, answer: Answer | httpx.Response, url: str = TARGET, **more: Any) -> Page | ProviderError:
        return self.desk(answer, **more).outcome(url)

    def outcomes(self, answers: Iterable[httpx.Response]) -> list[Page | ProviderError]:
        """What becomes of each answer, each with a fresh reader; anything but an error of ours is raised."""
        return [self.ask(answer) for answer in answers]

    def sends(self, url: str = TARGET, **more: Any) -> dict[str, Any]:
        desk = self.desk(self.good(), **more)
        desk.page(url)
        request = desk.sent[0]
        return {**sent(request), "headers": {name.title(): value for name, value in request.headers.items()}}


def vendors() -> list[Vendor]:
    load(())
    found = [Vendor(cls) for name, cls in sorted(REGISTRY.items()) if name.startswith("read.")]
    return [each for each in found if issubclass(each.cls, HttpRead) or (each.folder / "meta.json").exists()]


@pytest.fixture(params=vendors(), ids=str)
def vendor(request: pytest.FixtureRequest) -> Vendor:
    return request.param


class TestAnswers:
    def test_the_documented_answer_becomes_the_expected_page(self, vendor: Vendor) -> None:
        page = vendor.ask(vendor.good())
        assert isinstance(page, Page), page
        expected = json.loads((vendor.folder / "ok.expected.json").read_text())
        assert {name: getattr(page, name) for name in expected} == {
            name: tuple(value) if isinstance(value, list) else value for name, value in expected.items()
        }
        assert page.url == TARGET
        assert page.reader == "instance"
        assert page.markdown

    def test_each_documented_failure_is_named_as_what_it_is(self, vendor: Vendor) -> None:
        for name, cases in vendor.meta.get("errors", {}).items():
            for case in cases:
                answer = vendor.body(vendor.folder / name, case["status"], case.get("headers"))
                assert_is(vendor.ask(answer), case)

    def test_every_file_of_the_folder_is_used(self, vendor: Vendor) -> None:
        named = {"meta.json", "ok.expected.json", vendor.ok.name, *vendor.meta.get("errors", {})}
        assert {path.name for path in vendor.folder.iterdir()} == named

    def test_the_facts_are_declared(self, vendor: Vendor) -> None:
        assert vendor.cls.docs.startswith("https://")
        assert vendor.cls.__doc__
        assert vendor.cls.cap > 0
        assert vendor.meta["source"]


class TestFaults(CommonFaults):
    def test_an_answer_of_another_shape_is_never_a_page(self, vendor: Vendor) -> None:
        if vendor.meta.get("free_form"):
            return
        for answer, outcome in zip(odd_answers(), vendor.outcomes(odd_answers()), strict=True):
            assert isinstance(outcome, ProviderError), (answer.content[:20], answer.headers)
            assert_quiet(str(outcome))

    def test_an_empty_answer_is_never_a_page(self, vendor: Vendor) -> None:
        for body in (b"", b" \n "):
            outcome = vendor.ask(httpx.Response(200, headers={"content-type": "text/plain"}, content=body))
            assert isinstance(outcome, ProviderError)

    def test_no_wrong_type_anywhere_in_the_answer_escapes_as_a_crash(self, vendor: Vendor) -> None:
        headers = {"content-type": MEDIA[vendor.ok.suffix]}
        answers = (httpx.Response(200, headers=headers, content=body) for body in changed_bodies(vendor.ok))
        for outcome in vendor.outcomes(answers):
            if isinstance(outcome, ProviderError):
                assert_quiet(str(outcome))
            else:
                assert outcome.markdown.strip()
                assert outcome.final_url.startswith(("http://", "https://"))


class TestRequests:
    def test_the_documented_request_is_sent(self, vendor: Vendor) -> None:
        expected = dict(vendor.meta["request"])
        if expected["url"].startswith("/"):
            expected["url"] = vendor.base_url + expected["url"]
        assert_holds(vendor.sends(), expected)

    @pytest.mark.parametrize("url", [TARGET, *AWKWARD])
    def test_the_address_arrives_as_it_is_encoded_once(self, vendor: Vendor, url: str) -> None:
        desk = vendor.desk(vendor.good())
        desk.page(url)
        request = desk.sent[0]
        body = json.loads(request.content or b"null")
        stated = body.get("urls", [body.get("url")])[0] if body else request.url.raw_path.decode()[1:]
        assert stated == url

    def test_the_key_is_only_in_its_declared_place(self, vendor: Vendor) -> None:
        if not vendor.takes_key:
            return
        desk = vendor.desk(vendor.good())
        desk.page(TARGET)
        request = desk.sent[0]
        place = vendor.cls.key_place
        assert isinstance(place, HeaderKey)
        assert {name: value for name, value in request.headers.items() if KEY in value} == {
            place.name.lower(): place.prefix + KEY
        }
        assert KEY not in str(request.url)
        assert KEY.encode() not in request.content

    def test_without_a_key_none_is_sent(self, vendor: Vendor) -> None:
        if "api_key" in vendor.cls.spec.needs:
            return
        desk = vendor.desk(vendor.good(), keys=[])
        desk.page(TARGET)
        assert "authorization" not in desk.sent[0].headers

    def test_what_it_needs_is_what_it_uses(self, vendor: Vendor) -> None:
        spec = vendor.cls.spec
        options = vendor.meta.get("options", {})
        assert ("url" in spec.needs) == (not vendor.cls.endpoint)
        assert set(spec.needs) - {"api_key", "url"} <= set(options) <= {*spec.needs, *spec.options}

    def test_another_base_url_takes_the_whole_call(self, vendor: Vendor) -> None:
        plain = vendor.sends()["url"]
        moved = vendor.sends(base_url="http://gateway.test:8080/proxy/")["url"]
        assert moved != plain
        assert moved.startswith("http://gateway.test:8080/proxy/")

    def test_one_page_is_the_same_request_each_time(self, vendor: Vendor) -> None:
        assert vendor.sends() == vendor.sends()


class TestKeyRing:
    @pytest.mark.parametrize("status", [401, 402, 429])
    def test_a_key_that_fails_costs_one_call_once_and_the_next_answers(
        self, vendor: Vendor, status: int
    ) -> None:
        if not vendor.takes_key:
            return

        def answer(request: httpx.Request) -> httpx.Response:
            dead = any("dead" in value for value in request.headers.values())
            return httpx.Response(status, content=NEUTRAL) if dead else vendor.good()

        desk = vendor.desk(answer, keys=["dead", KEY])
        for _ in range(3):
            desk.page(TARGET)
        assert sum("dead" in str(request.headers.raw) for request in desk.sent) == 1

    def test_all_keys_refused_rest_until_restart(self, vendor: Vendor) -> None:
        if not vendor.takes_key:
            return
        outcome = vendor.ask(httpx.Response(401, content=NEUTRAL), keys=["one", "two"])
        assert isinstance(outcome, Rejected)
        assert outcome.rest_for is None
