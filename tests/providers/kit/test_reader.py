"""A configured reader around a vendor of twenty lines: keys, status table, money, and no more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

import pytest

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import (
    BadReply,
    NoContent,
    ProviderError,
    QuotaSpent,
    RateLimited,
    Reason,
    Rejected,
    Transient,
)
from research_mcp.core.instance import Account, Secret
from research_mcp.core.models import Extracted, Flag, Page
from research_mcp.core.ports import Http, Job, Reservation, Rest, StoreHealth, Usage
from research_mcp.core.wire import Document, Reply, Request
from research_mcp.net.status import Phrases
from research_mcp.providers.kit.auth import HeaderKey
from research_mcp.providers.kit.keys import KeyRing
from research_mcp.providers.kit.metering import Metering
from research_mcp.providers.kit.read import HttpRead, ReadType, target_error
from research_mcp.providers.kit.reader import ConfiguredReader
from research_mcp.providers.kit.registry import REGISTRY, register
from tests.kit.reading import URL, FakeParking
from tests.kit.virtual_time import VirtualClock, run

API = "https://api.loom.test/v1/read"


class LoomRead(HttpRead):
    """The vendor of these tests: answers `{"text": ..., "status": ...}`."""

    docs = "https://docs.loom.test/read"
    endpoint = API
    cap = 30.0
    key_place = HeaderKey("X-Loom-Key", "")
    headers: ClassVar[Mapping[str, str]] = {"Accept": "application/json"}
    phrases = Phrases(spent=("no credit",))

    def request(self, url: str) -> Request:
        return Request("POST", json={"url": url})

    def refusal(self, reply: Reply) -> ProviderError | None:
        return RateLimited("slow down") if b'"busy"' in reply.body else None

    def parse(self, reply: Reply, url: str) -> Page:
        value = reply.json()
        if not isinstance(value, dict):
            raise BadReply("expected an object")
        status = value.get("status", 200)
        if isinstance(status, int) and (error := target_error(status)):
            raise error
        return self.page(
            url, str(value.get("text", "")), final_url=f"{url}/end", title="Moss", flags=(Flag.ARCHIVED,)
        )


@pytest.fixture(autouse=True)
def _loom() -> Iterator[None]:
    register("read.loom", needs=("api_key",), metered=True)(LoomRead)
    yield
    del REGISTRY["read.loom"]


class FakeHttp:
    """Answers in turn; the last answer again and again."""

    def __init__(self, *answers: Reply | Exception) -> None:
        self.answers = list(answers)
        self.sent: list[Request] = []

    async def send(self, request: Request, deadline: Deadline) -> Reply:
        self.sent.append(request)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


class FakeJob:
    url = URL

    async def document(self) -> Document:
        raise AssertionError

    async def extracted(self) -> Extracted:
        raise AssertionError

    async def fetch(self, url: str, *, accept: str = "") -> Document:
        raise AssertionError

    async def extract(self, document: Document) -> Extracted:
        raise AssertionError


class FakeMeter:
    def __init__(self) -> None:
        self.reserved: list[str] = []
        self.settled = self.refunded = 0

    async def reserve(self, account: str, instance: str, units: int, key: str) -> Reservation:
        self.reserved.append(account)
        return Reservation(key, account, instance, units)

    async def settle(self, reservation: Reservation, units: int) -> None:
        self.settled += units

    async def refund(self, reservation: Reservation) -> None:
        self.refunded += 1

    async def usage(self) -> tuple[Usage, ...]:
        return ()

    async def health(self) -> StoreHealth:
        return StoreHealth(ok=True)


def good(text: str = "Keep it damp.") -> Reply:
    return Reply(200, {"content-type": "application/json"}, f'{{"text": "{text}"}}'.encode())


class Bench:
    """One configured reader with two keys, its parts at hand."""

    def __init__(self, *answers: Reply | Exception, type_: ReadType | None = None, keys: int = 2) -> None:
        self.clock = VirtualClock()
        self.parking = FakeParking(self.clock)
        self.http = FakeHttp(*answers)
        self.meter = FakeMeter()
        accounts = [Account(f"LOOM_{n}", Secret(f"secret-{n}")) for n in range(1, keys + 1)]
        ring = KeyRing(accounts, self.parking, self.clock)
        self.reader = ConfiguredReader(
            "loom-1",
            type_ or LoomRead(),
            self.http,
            ring,
            self.clock,
            metering=Metering(self.meter, "loom-1"),
        )

    async def read(self) -> Page:
        return await self.reader.read(FakeJob(), Deadline.after(10))

    def keys_sent(self) -> list[str]:
        return [request.headers.get("X-Loom-Key", "") for request in self.http.sent]


def outcome(bench: Bench) -> Page | ProviderError:
    async def main() -> Page | ProviderError:
        try:
            return await bench.read()
        except ProviderError as error:
            return error

    return run(main())


def test_a_vendor_of_two_pure_methods_becomes_a_reader() -> None:
    bench = Bench(good())
    page = outcome(bench)
    assert page == Page(URL, f"{URL}/end", "Keep it damp.", "loom-1", title="Moss", flags=(Flag.ARCHIVED,))
    assert bench.http.sent[0].headers == {"Accept": "application/json", "X-Loom-Key": "secret-1"}
    assert bench.meter.settled == 1


def test_the_declared_facts_reach_the_pipeline() -> None:
    facts = Bench(good()).reader.facts
    assert (facts.name, facts.metered, facts.cap, facts.site) == ("loom-1", True, 30.0, False)
    assert not Bench(good(), keys=0).reader.facts.metered
    assert Bench(good()).reader.accepts(URL)


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [(401, "", Rejected), (402, "", QuotaSpent), (429, "", RateLimited), (400, "no credit left", QuotaSpent)],
)
def test_a_key_that_fails_is_parked_and_the_next_one_used(
    status: int, body: str, kind: type[ProviderError]
) -> None:
    bench = Bench(Reply(status, body=body.encode()), good())
    assert isinstance(outcome(bench), Page)
    assert bench.keys_sent() == ["secret-1", "secret-2"]
    assert list(bench.parking.rests) == ["account:LOOM_1"]
    assert kind.default_reason is bench.parking.rests["account:LOOM_1"].reason
    assert bench.meter.reserved == ["LOOM_1", "LOOM_2"]


def test_when_all_keys_fail_the_error_rests_until_the_first_is_free() -> None:
    bench = Bench(Reply(429, {"retry-after": "30"}), Reply(402))
    error = outcome(bench)
    assert isinstance(error, RateLimited)
    assert error.rest_for == 30.0


def test_resting_keys_are_not_asked() -> None:
    bench = Bench(good())
    bench.parking.rests["account:LOOM_1"] = Rest(None, Reason.BAD_KEY)
    outcome(bench)
    assert bench.keys_sent() == ["secret-2"]


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (Reply(500), Transient),
        (Reply(404), BadReply),
        (Reply(200, body=b"<html>"), BadReply),
        (Reply(200, body=b"[]"), BadReply),
        (Transient("reset"), Transient),
        (good(" "), NoContent),
    ],
    ids=["500", "404", "html", "list", "reset", "blank"],
)
def test_what_is_not_the_keys_fault_costs_one_call(
    answer: Reply | Exception, kind: type[ProviderError]
) -> None:
    bench = Bench(answer)
    error = outcome(bench)
    assert type(error) is kind
    assert len(bench.http.sent) == 1
    assert not bench.parking.rests


def test_a_failure_inside_a_good_status_is_the_vendors_to_tell() -> None:
    assert isinstance(outcome(Bench(Reply(200, body=b'{"state": "busy"}'))), RateLimited)


def test_money_is_given_back_when_nothing_was_sent() -> None:
    bench = Bench(Transient("no such host", reason=Reason.DNS_FAILED, sent=False))
    outcome(bench)
    assert (bench.meter.settled, bench.meter.refunded) == (0, 1)


def test_the_error_of_the_page_itself_is_no_error_of_the_vendor() -> None:
    bench = Bench(Reply(200, body=b'{"status": 403}'))
    error = outcome(bench)
    assert isinstance(error, NoContent)
    assert error.reason is Reason.FORBIDDEN


class Stepper(LoomRead):
    """A site reader of two steps, one of them on another host, with a status of its own."""

    site = True
    passes = frozenset({418})

    async def read(self, job: Job, http: Http, deadline: Deadline) -> Page:
        for url in ("/first", f"{API}/second", f"{API}.evil.test/", "//evil.test/x", "https://cdn.test/blob"):
            await http.send(Request("GET", url), deadline)
        return self.page(job.url, "All five.")


def test_the_key_goes_to_the_vendors_own_address_alone() -> None:
    bench = Bench(Reply(200), type_=Stepper())
    outcome(bench)
    assert bench.keys_sent() == ["secret-1", "secret-1", "", "", ""]


def test_a_declared_status_is_handed_over_unjudged() -> None:
    assert isinstance(outcome(Bench(Reply(418), type_=Stepper())), Page)


def test_a_site_readers_404_is_the_page_that_is_missing() -> None:
    error = outcome(Bench(Reply(404), type_=Stepper()))
    assert isinstance(error, NoContent)
    assert error.reason is Reason.NOT_FOUND


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (401, Reason.FORBIDDEN),
        (402, Reason.PAYWALLED),
        (404, Reason.NOT_FOUND),
        (410, Reason.GONE),
        (418, Reason.UPSTREAM_ERROR),
        (429, Reason.RATE_LIMITED),
        (503, Reason.UPSTREAM_ERROR),
        (999, Reason.BLOCKED),
    ],
)
def test_a_status_of_the_page_has_a_reason(status: int, reason: Reason) -> None:
    error = target_error(status)
    assert error is not None
    assert error.reason is reason


def test_a_page_below_400_has_no_error() -> None:
    assert target_error(204) is None
