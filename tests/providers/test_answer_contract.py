"""What every registered type of a model that answers must do with faults, odd answers and keys."""

from __future__ import annotations

import datetime as dt
from typing import Any

import httpx
import pytest

from research_mcp.core import errors
from research_mcp.core.answers import ModelAnswer, Question
from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import ProviderError
from research_mcp.core.ports import Reservation
from research_mcp.providers import load
from research_mcp.providers.kit.answer.configured import AnswerType
from research_mcp.providers.kit.metering import Metering
from research_mcp.providers.kit.registry import REGISTRY
from tests.kit.answers import QUESTION, A, Bench, body, chat, events, message
from tests.kit.faults import LOST, NEUTRAL, TABLE, assert_is, changed, flood
from tests.kit.virtual_time import run
from tests.kit.wire import KEY, Answer

GATEWAY = "http://gateway.test/v1"
GOOD = (message("hi", A), {**chat("hi"), "citations": [A]})


def types() -> list[type[AnswerType]]:
    load(())
    return [cls for name, cls in sorted(REGISTRY.items()) if name.startswith("answer.")]


@pytest.fixture(params=types(), ids=lambda cls: cls.spec.name)
def cls(request: pytest.FixtureRequest) -> type[AnswerType]:
    return request.param


def ask(cls: type[AnswerType], answer: Answer | httpx.Response, question: Question = QUESTION) -> ModelAnswer:
    model = Bench(answer, type_=cls, base_url=GATEWAY).model()

    async def main() -> ModelAnswer:
        return await model.answer(question, Deadline.after(50))

    return run(main())


@pytest.mark.parametrize("status", [*TABLE, 524])
def test_each_status_has_its_remedy(cls: type[AnswerType], status: int) -> None:
    with pytest.raises(ProviderError) as caught:
        ask(cls, httpx.Response(status, content=NEUTRAL))
    assert_is(caught.value, TABLE.get(status, {"error": "Transient"}))


def test_a_limit_lasts_as_long_as_the_vendor_says(cls: type[AnswerType]) -> None:
    with pytest.raises(ProviderError) as caught:
        ask(cls, httpx.Response(429, content=NEUTRAL, headers={"retry-after": "7"}))
    assert_is(caught.value, {"error": "RateLimited", "rest_for": 7})


@pytest.mark.parametrize("fault", [fault for fault, _ in LOST], ids=lambda fault: type(fault).__name__)
def test_a_call_without_an_answer_is_transient(cls: type[AnswerType], fault: Exception) -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        raise fault

    with pytest.raises(errors.Transient):
        ask(cls, answer)


def test_fifty_megabytes_are_not_read(cls: type[AnswerType]) -> None:
    with pytest.raises(errors.BadReply) as caught:
        ask(cls, flood)
    assert caught.value.reason is errors.Reason.TOO_LARGE


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("good", GOOD, ids=["responses", "chat"])
def test_no_wrong_type_anywhere_escapes_as_a_crash(cls: type[AnswerType], good: Any, stream: bool) -> None:
    for value in changed(good):
        reply = events({"type": "response.completed", "response": value}, value) if stream else body(value)
        try:
            answer = ask(cls, reply)
        except ProviderError:
            continue
        assert isinstance(answer.text, str)
        assert all(citation.url.startswith("http") for citation in answer.citations)


def test_the_key_is_only_in_its_header_and_the_question_is_sent(cls: type[AnswerType]) -> None:
    bench = Bench(body(GOOD[0]), type_=cls, base_url=GATEWAY)
    bench.report()
    (request,) = bench.wire.sent
    assert [name for name, value in request.headers.items() if KEY in value] == ["authorization"]
    assert KEY not in str(request.url)
    assert KEY.encode() not in request.content
    assert QUESTION.text.encode() in request.content
    assert request.url.host == "gateway.test"


def test_a_question_is_the_same_request_each_time_and_states_the_time(cls: type[AnswerType]) -> None:
    now = dt.datetime(2026, 3, 4, 5, 6, tzinfo=dt.UTC)
    assert cls().request(QUESTION, now) == cls().request(QUESTION, now)
    assert "2026-03-04 05:06 UTC (Wednesday)" in str(cls().request(QUESTION, now).json)


def test_the_facts_are_declared(cls: type[AnswerType]) -> None:
    assert cls.docs.startswith("https://")
    assert cls.endpoint
    assert cls.label
    assert cls.setting
    assert cls.__doc__


class _Meter:
    """Writes down what was reserved, settled and refunded."""

    def __init__(self) -> None:
        self.told: list[str] = []

    async def reserve(self, account: str, instance: str, units: int, key: str) -> Reservation:
        self.told.append("reserved")
        return Reservation(key, account, instance, units)

    async def settle(self, reservation: Reservation, units: int) -> None:
        self.told.append(f"settled {units}")

    async def refund(self, reservation: Reservation) -> None:
        self.told.append("refunded")


def test_money_is_counted_before_it_is_spent(cls: type[AnswerType]) -> None:
    bench = Bench(body(GOOD[0]), type_=cls, base_url=GATEWAY)
    meter = _Meter()
    model = bench.model(metering=Metering(meter, "grok"))  # type: ignore[arg-type]  # what a call uses of it

    async def main() -> None:
        await model.answer(QUESTION, Deadline.after(50))

    run(main())
    assert meter.told == ["reserved", "settled 1"]
    assert model.facts.metered


def test_the_models_that_are_served_can_be_listed(cls: type[AnswerType]) -> None:
    model = Bench(body({"data": [{"id": "a"}, {"id": 7}, {"id": "b"}]}), type_=cls, base_url=GATEWAY).model()

    async def main() -> tuple[str, ...]:
        return await model.models(Deadline.after(5))

    assert run(main()) == ("a", "b")


def test_a_list_that_names_no_model_is_stale(cls: type[AnswerType]) -> None:
    model = Bench(body({"data": []}), type_=cls, base_url=GATEWAY).model()

    async def main() -> tuple[str, ...]:
        return await model.models(Deadline.after(5))

    with pytest.raises(errors.BadReply, match="names none"):
        run(main())
