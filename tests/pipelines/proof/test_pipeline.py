"""The live check: what each end of a call proves, and who is not asked at all."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pytest

from research_mcp.core.answers import AnswerFacts, Citation, ModelAnswer, Question
from research_mcp.core.checks import Check, Point, Proof, Verdict
from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import (
    BadReply,
    BudgetSpent,
    NoContent,
    QuotaSpent,
    RateLimited,
    Reason,
    Rejected,
    ResearchError,
    StoreUnavailable,
    Transient,
)
from research_mcp.core.ports import Rest
from research_mcp.pipelines.proof.pipeline import Prover
from research_mcp.pipelines.proof.probes import ModelProbe
from research_mcp.pipelines.turns import Turns
from research_mcp.store.memory import MemoryPaces, MemoryParking
from tests.kit.virtual_time import VirtualClock, run


@dataclass
class FakeProbe:
    end: ResearchError | Exception | None = None
    name: str = "brave"
    kind: str = "search"
    paid: bool = True
    pace: float = 0.0
    seconds: float = 0.5
    asked: int = 0

    async def run(self, deadline: Deadline) -> list[Proof]:
        self.asked += 1
        await asyncio.sleep(self.seconds)
        if self.end:
            raise self.end
        return [Proof(Point.ANSWERED, ok=True, detail="10 results")]


@dataclass
class House:
    clock: VirtualClock = field(default_factory=VirtualClock)

    def __post_init__(self) -> None:
        self.parking = MemoryParking(self.clock)
        self.turns = Turns(self.parking, MemoryPaces(self.clock), self.clock)

    async def prove(
        self, *probes: FakeProbe | ModelProbe, free: bool = False, seconds: float = 10
    ) -> list[Check]:
        prover = Prover(self.turns, keyed=frozenset({"brave", "grok"}), free=free)
        return await prover.prove(probes, Deadline.after(seconds))


def proved(*probes: FakeProbe | ModelProbe, **more: object) -> list[Check]:
    async def inside() -> list[Check]:
        return await House().prove(*probes, **more)  # type: ignore[arg-type]

    return run(inside())


def shown(check: Check) -> dict[str, bool]:
    return {proof.point.value: proof.ok for proof in check.proofs}


def test_an_answer_proves_the_way_and_the_key() -> None:
    keyed, keyless = proved(FakeProbe(), FakeProbe(name="duckduckgo", paid=False))
    assert shown(keyed) == {"reachable": True, "key accepted": True, "answered": True}
    assert shown(keyless) == {"reachable": True, "answered": True}
    assert (keyed.verdict, keyed.ms, keyed.paid, keyless.paid) == (Verdict.OK, 500, True, False)


@pytest.mark.parametrize(
    ("error", "proofs"),
    [
        (Transient("x", reason=Reason.DNS_FAILED, sent=False), {"reachable": False}),
        (Transient("x", reason=Reason.TIMEOUT), {}),
        (NoContent("x", reason=Reason.UNREACHABLE), {"reachable": False}),
        (Transient("x", reason=Reason.UPSTREAM_ERROR), {"reachable": True}),
        (Rejected("x"), {"reachable": True, "key accepted": False}),
        (QuotaSpent("x"), {"reachable": True, "key accepted": True}),
        (RateLimited("x"), {"reachable": True}),
        (BadReply("x"), {"reachable": True}),
        (StoreUnavailable("x"), {}),
        (Rejected("nobody is logged in", sent=False), {}),
    ],
)
def test_a_failure_proves_what_came_before_it(error: ResearchError, proofs: dict[str, bool]) -> None:
    (check,) = proved(FakeProbe(error))
    assert shown(check) == proofs
    assert (check.verdict, check.reason, check.detail) == (Verdict.FAILED, error.reason, str(error))


def test_a_crash_and_a_hang_are_failures_of_one_row() -> None:
    crashed, hung, fine = proved(
        FakeProbe(ZeroDivisionError()), FakeProbe(seconds=60, name="grok"), FakeProbe(name="exa"), seconds=5
    )
    assert "crashed (ZeroDivisionError)" in crashed.detail
    assert (hung.verdict, hung.reason, hung.ms) == (Verdict.FAILED, Reason.TIMEOUT, 5_000)
    assert fine.verdict is Verdict.OK


def test_all_are_asked_at_once_under_one_deadline() -> None:
    checks = proved(*(FakeProbe(name=f"p{n}", seconds=3) for n in range(30)), seconds=4)
    assert {(check.verdict, check.ms) for check in checks} == {(Verdict.OK, 3_000)}
    assert [check.name for check in checks] == [f"p{n}" for n in range(30)]


def test_who_rests_is_not_asked_and_says_why() -> None:
    probe = FakeProbe()

    async def inside() -> Check:
        house = House()
        await house.parking.park("instance:brave", Rest(None, Reason.BAD_KEY, "the key was refused"))
        return (await house.prove(probe))[0]

    check = run(inside())
    assert (check.verdict, check.reason) == (Verdict.FAILED, Reason.BAD_KEY)
    assert check.detail == "not asked: it rests, the key was refused"
    assert probe.asked == 0


def test_a_pace_is_kept_and_is_no_failure() -> None:
    async def inside() -> list[Check]:
        house = House()
        return [(await house.prove(FakeProbe(name="duckduckgo", pace=45)))[0] for _ in range(2)]

    first, second = run(inside())
    assert (first.verdict, second.verdict) == (Verdict.OK, Verdict.SKIPPED)
    assert "one query every 45 s at most" in second.detail


def test_a_check_that_never_left_this_machine_does_not_use_the_pace_up() -> None:
    async def inside() -> list[Check]:
        house = House()
        down = Transient("DuckDuckGo could not be reached", reason=Reason.UNREACHABLE, sent=False)
        probes = (FakeProbe(end, name="duckduckgo", pace=45) for end in (down, None))
        return [(await house.prove(probe))[0] for probe in probes]

    assert [check.verdict for check in run(inside())] == [Verdict.FAILED, Verdict.OK]


def test_a_short_pace_is_waited_for() -> None:
    async def inside() -> list[Check]:
        house = House()
        return [(await house.prove(FakeProbe(pace=1.1)))[0] for _ in range(2)]

    assert [check.verdict for check in run(inside())] == [Verdict.OK, Verdict.OK]


def test_a_refused_key_rests_afterwards_as_after_any_call() -> None:
    async def inside() -> Rest | None:
        house = House()
        await house.prove(FakeProbe(Rejected("the key was refused")))
        return await house.parking.rest("instance:brave")

    rest = run(inside())
    assert rest is not None
    assert rest.reason is Reason.BAD_KEY


def test_a_spent_budget_of_ones_own_is_not_asked_over() -> None:
    (check,) = proved(FakeProbe(BudgetSpent("BRAVE_BUDGET is spent", rest_for=60)))
    assert (check.verdict, check.detail) == (Verdict.SKIPPED, "not asked: BRAVE_BUDGET is spent")
    assert not check.paid


def test_with_free_nothing_is_asked_that_may_cost_money() -> None:
    paid, unpaid = FakeProbe(), FakeProbe(name="duckduckgo", paid=False)
    checks = proved(paid, unpaid, free=True)
    assert [check.verdict for check in checks] == [Verdict.SKIPPED, Verdict.OK]
    assert (paid.asked, unpaid.asked) == (0, 1)


ANSWER = ModelAnswer("example.com is it.", (Citation("https://example.com/"),))


@dataclass
class FakeModel:
    names: Sequence[str] | ResearchError = ("grok-4", "grok-5")
    model: str = "grok-4"
    answered: ModelAnswer | ResearchError = ANSWER
    questions: int = 0

    @property
    def facts(self) -> AnswerFacts:
        return AnswerFacts("grok", "grok_responses", metered=True, model=self.model)

    async def models(self, deadline: Deadline) -> tuple[str, ...]:
        if isinstance(self.names, ResearchError):
            raise self.names
        return tuple(self.names)

    async def answer(self, question: Question, deadline: Deadline) -> ModelAnswer:
        self.questions += 1
        if isinstance(self.answered, ResearchError):
            raise self.answered
        return self.answered


def of(model: FakeModel, *, only_list: bool = False) -> Check:
    (check,) = proved(ModelProbe(model, only_list), free=only_list)
    return check


def test_a_model_proves_its_way_key_name_search_and_citations() -> None:
    assert shown(of(FakeModel())) == dict.fromkeys(
        ["reachable", "key accepted", "model listed", "answered", "search tool used", "citations returned"],
        True,
    )


@pytest.mark.parametrize(
    ("answered", "lacks"),
    [
        (ModelAnswer("x", (), searched=True), "not citations returned: 0"),
        (ModelAnswer("x", ANSWER.citations, searched=False), "not search tool used"),
        (ModelAnswer("", ANSWER.citations), "not answered: 0 characters"),
    ],
)
def test_an_answer_that_lacks_something_is_a_failure_that_names_it(answered: ModelAnswer, lacks: str) -> None:
    check = of(FakeModel(answered=answered))
    assert (check.verdict, check.detail) == (Verdict.FAILED, lacks)


def test_a_dead_key_ends_the_check_before_the_question_is_paid_for() -> None:
    model = FakeModel(names=Rejected("the key was refused"))
    assert shown(of(model)) == {"reachable": True, "key accepted": False}
    assert model.questions == 0


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda m: setattr(m, "model", "grok-9"), "grok-9 is not one of grok-4, grok-5"),
        (lambda m: setattr(m, "names", BadReply("no list")), "its list of models cannot be read"),
        (lambda m: setattr(m, "names", [f"m{n}" for n in range(30)]), "grok-4 is not among the first 30"),
    ],
)
def test_a_model_that_is_not_listed_counts_only_if_it_does_not_answer(
    change: Callable[[FakeModel], None], said: str
) -> None:
    model = FakeModel()
    change(model)
    listed = of(model).proofs[2]
    assert (listed.point, listed.ok, listed.detail) == (Point.MODEL, True, f"{said}, and yet it answers")
    check = of(model, only_list=True)
    assert (check.verdict, check.detail) == (Verdict.FAILED, f"not model listed: {said}")


def test_the_list_of_models_is_free_and_a_suffix_is_no_other_model() -> None:
    model = FakeModel(model="grok-5:online")
    check = of(model, only_list=True)
    assert (check.verdict, check.paid, model.questions) == (Verdict.OK, False, 0)
