"""A type with several hosts: which way a request takes, and what a leg's own keys are good for."""

from __future__ import annotations

import pytest

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import BadReply, ProviderError, RateLimited, Reason, Rejected
from research_mcp.core.instance import Account, Secret
from research_mcp.core.wire import Reply, Request
from research_mcp.net.status import Phrases
from research_mcp.providers.kit.keys import KeyRing
from research_mcp.providers.kit.legs import KeyedHttp, Leg, Legs
from tests.kit.reading import FakeParking
from tests.kit.virtual_time import VirtualClock, run

API = "https://speech.test/v1"


class FakeHttp:
    def __init__(self, *answers: Reply) -> None:
        self.answers = list(answers) or [Reply(200)]
        self.sent: list[Request] = []

    async def send(self, request: Request, deadline: Deadline) -> Reply:
        self.sent.append(request)
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


@pytest.mark.parametrize(
    ("url", "leg"),
    [
        (f"{API}/transcriptions", True),
        (API, True),
        (f"{API}?x=1", True),
        ("https://speech.test/v10/other", False),
        ("https://speech.test.evil.test/v1/x", False),
        ("https://site.test/page", False),
        ("/path", False),
        ("", False),
    ],
)
def test_a_request_takes_the_way_of_its_address(url: str, leg: bool) -> None:
    main, way = FakeHttp(), FakeHttp()

    async def send() -> None:
        await Legs(main, {API: way}).send(Request("GET", url), Deadline.after(5))

    run(send())
    assert (len(main.sent), len(way.sent)) == ((0, 1) if leg else (1, 0))


class Bench:
    def __init__(self, *answers: Reply, keys: int = 2) -> None:
        self.clock = VirtualClock()
        self.parking = FakeParking(self.clock)
        self.http = FakeHttp(*answers)
        accounts = [Account(f"SPEECH_{n}", Secret(f"secret-{n}")) for n in range(1, keys + 1)]
        leg = Leg(API, keyed=True, phrases=Phrases(limited=("slow down",)))
        self.way = KeyedHttp(leg, self.http, KeyRing(accounts, self.parking, self.clock), self.clock)

    def outcome(self) -> Reply | ProviderError:
        async def main() -> Reply | ProviderError:
            try:
                return await self.way.send(Request("POST", f"{API}/x"), Deadline.after(5))
            except ProviderError as error:
                return error

        return run(main())

    def keys_sent(self) -> list[str]:
        return [request.headers.get("Authorization", "") for request in self.http.sent]


def test_a_keyed_leg_passes_over_a_dead_key_and_parks_it() -> None:
    bench = Bench(Reply(401), Reply(200, body=b"text"))
    assert bench.outcome() == Reply(200, body=b"text")
    assert bench.keys_sent() == ["Bearer secret-1", "Bearer secret-2"]
    assert list(bench.parking.rests) == ["account:SPEECH_1"]


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (Reply(401), Rejected),
        (Reply(429, {"retry-after": "30"}), RateLimited),
        (Reply(400, body=b"Slow down"), RateLimited),
        (Reply(400), BadReply),
    ],
)
def test_what_a_leg_answers_is_sorted_like_any_vendors_answer(
    answer: Reply, kind: type[ProviderError]
) -> None:
    assert type(Bench(answer).outcome()) is kind


def test_a_leg_whose_keys_all_rest_is_not_asked() -> None:
    bench = Bench(Reply(429), keys=1)
    bench.outcome()
    error = bench.outcome()
    assert isinstance(error, RateLimited)
    assert error.reason is Reason.RATE_LIMITED
    assert not error.sent
    assert len(bench.http.sent) == 1


def test_a_leg_without_a_key_is_asked_without_one() -> None:
    bench = Bench(Reply(200), keys=0)
    bench.outcome()
    assert bench.keys_sent() == [""]
