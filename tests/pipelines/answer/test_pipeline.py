"""A model and the engines side by side: whose word counts, what is kept apart, and when it ends."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from research_mcp.core.answers import (
    AnswerFacts,
    AnswerReport,
    Citation,
    Fallback,
    Lost,
    ModelAnswer,
    Question,
    Use,
)
from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import BadReply, InvalidArgument, Reason, Rejected, ResearchError, Transient
from research_mcp.core.models import MergedHit, TimeRange
from research_mcp.observe.events import ProviderCall
from research_mcp.pipelines.answer.pipeline import AnswerLimits
from research_mcp.store.memory import MemoryAnswers
from tests.kit.answers import A, B, Bench, C, FakeSearcher, body, hits
from tests.kit.virtual_time import VirtualClock, run

D = "https://d.dev/4"
GOOD = ModelAnswer("Tides grew [1].", (Citation(A),))


class FakeModel:
    """Answers after `delay` with what it was given, or raises it."""

    def __init__(
        self, outcome: ModelAnswer | Exception = GOOD, delay: float = 5.0, name: str = "grok"
    ) -> None:
        self.facts = AnswerFacts(name, "grok_responses", metered=True)
        self.outcome = outcome
        self.delay = delay
        self.started_at: list[float] = []
        self.cancelled = 0

    async def answer(self, question: Question, deadline: Deadline) -> ModelAnswer:
        self.started_at.append(asyncio.get_running_loop().time())
        try:
            await asyncio.sleep(self.delay)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome


def bench(*models: FakeModel, found: Sequence[MergedHit] = (), **more: object) -> Bench:
    more.setdefault("searcher", FakeSearcher(found))
    return Bench(body({}), models=models, **more)  # type: ignore[arg-type]


def asked(
    outcome: ModelAnswer | Exception = GOOD,
    found: Sequence[MergedHit] = (),
    question: Question | None = None,
    **more: object,
) -> AnswerReport:
    return bench(FakeModel(outcome), found=found, **more).report(question or Question("Is it growing?"))


def places(report: AnswerReport) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(source.url, source.use.value, source.provenance) for source in report.sources]


async def timed(desk: Bench, question: Question) -> tuple[AnswerReport, float]:
    report = await desk.ask(question)
    return report, asyncio.get_running_loop().time()


QUESTION = Question("Is it growing?")


class TestSideBySide:
    def test_both_start_together_and_sources_stand_beside_the_answer(self) -> None:
        model, searcher = FakeModel(), FakeSearcher(hits(B, C))
        report = bench(model, searcher=searcher).report(QUESTION)
        assert model.started_at == searcher.started_at == [0.0]
        assert places(report) == [
            (A, "cited", ("grok_responses",)),
            (B, "supplementary", ("tavily_enrichment",)),
            (C, "supplementary", ("tavily_enrichment",)),
        ]
        assert (report.content, report.verifiable, report.fallback) == ("Tides grew [1].", True, None)
        assert report.provider == "grok_responses"

    def test_cited_visited_and_supplementary_are_counted_apart(self) -> None:
        answer = ModelAnswer("x", (Citation(A), Citation(B, cited=False)))
        report = asked(answer, hits(C))
        assert [report.count(use) for use in Use] == [1, 1, 1]

    def test_extra_sources_is_how_many_are_added(self) -> None:
        assert len(asked(found=hits(B, C, D), question=Question("x", extra_sources=1)).sources) == 2

    def test_a_page_that_both_found_is_one_source_with_the_best_of_both(self) -> None:
        found = (
            MergedHit("Good title", "https://www.a.dev/1/?utm_source=x", "words", "2026-03-04", {"exa": 1}),
        )
        (source,) = asked(found=found).sources
        assert (source.url, source.title, source.snippet, source.date) == (
            A,
            "Good title",
            "words",
            "2026-03-04",
        )
        assert source.provenance == ("grok_responses", "exa_enrichment")

    def test_without_extra_sources_no_engine_is_asked(self) -> None:
        searcher = FakeSearcher(hits(B))
        report = bench(FakeModel(), searcher=searcher).report(Question("x", extra_sources=0))
        assert (len(report.sources), searcher.queries, report.search) == (1, [], None)

    def test_late_engines_get_a_grace_and_no_more(self) -> None:
        searcher = FakeSearcher(hits(B), delay=30)
        report, took = run(timed(bench(FakeModel(delay=2), searcher=searcher), QUESTION))
        assert took == pytest.approx(5.0)
        assert searcher.cancelled == 1
        assert report.verifiable
        assert "search_failed: the search was stopped 3 s after the model's answer" in report.warnings

    def test_a_search_that_breaks_spoils_nothing(self) -> None:
        report = asked(searcher=FakeSearcher(error=Transient("no store")))
        assert report.verifiable
        assert "search_failed: the search failed: no store" in report.warnings

    def test_progress_is_told(self) -> None:
        desk = bench(FakeModel(), found=hits(B))
        desk.report(QUESTION)
        assert [(done, total) for done, total, _ in desk.told] == [(0, 2), (1, 2)]

    def test_the_filters_go_to_the_engines_and_recency_keeps_the_topic(self) -> None:
        searcher = FakeSearcher(hits(B))
        question = Question("tide docs", 5, ("a.dev",), ("b.dev",), 7)
        bench(FakeModel(), searcher=searcher).report(question)
        (query,) = searcher.queries
        assert (query.text, query.limit, query.time_range) == ("tide docs", 7, TimeRange.WEEK)
        assert (query.include_domains, query.exclude_domains, query.topic) == (("a.dev",), ("b.dev",), None)

    @pytest.mark.parametrize(
        ("days", "span"), [(0, ""), (1, "day"), (2, "week"), (31, "month"), (90, "year"), (900, "")]
    )
    def test_days_become_the_next_wider_range(self, days: int, span: str) -> None:
        searcher = FakeSearcher(hits(B))
        bench(FakeModel(), searcher=searcher).report(Question("x", days))
        assert searcher.queries[0].time_range == span

    def test_what_happened_is_told_as_an_event(self) -> None:
        desk = bench(FakeModel())
        desk.report(QUESTION)
        assert desk.events == [ProviderCall("grok", "answer", "ok", 5000)]


class TestFallback:
    @pytest.mark.parametrize(
        ("outcome", "why"),
        [
            (Transient("slow", reason=Reason.TIMEOUT), Fallback.TIMEOUT),
            (Rejected("no"), Fallback.AUTH_ERROR),
            (BadReply("odd"), Fallback.PARSE_ERROR),
            (BadReply("model", reason=Reason.NOT_CONFIGURED), Fallback.PROVIDER_ERROR),
            (Transient("500"), Fallback.PROVIDER_ERROR),
            (RuntimeError("a bug"), Fallback.PARSE_ERROR),
            (ModelAnswer(""), Fallback.CONTENT_EMPTY),
            (ModelAnswer("text"), Fallback.SOURCES_EMPTY),
            (ModelAnswer("text", (Citation(A),), searched=False), Fallback.SOURCES_EMPTY),
            (ModelAnswer("", refusal="no"), Fallback.REFUSED),
        ],
    )
    def test_sources_take_the_place_of_an_answer_and_say_why(
        self, outcome: ModelAnswer | Exception, why: Fallback
    ) -> None:
        report = asked(outcome, hits(B, C))
        assert (report.fallback, report.provider, report.verifiable) == (why, "source_fallback", False)
        assert report.content == ""
        labels = {source.provenance[-1] for source in report.sources if source.use is Use.SUPPLEMENTARY}
        assert labels == {"tavily_fallback"}

    def test_at_least_five_sources_take_its_place(self) -> None:
        found = hits(*(f"https://h{n}.dev/" for n in range(9)))
        assert len(asked(Transient("x"), found).sources) == 5
        assert len(asked(Transient("x"), found, Question("x", extra_sources=0)).sources) == 5

    def test_text_without_sources_is_kept_apart(self) -> None:
        report = asked(ModelAnswer("From memory."), hits(B))
        assert (report.content, report.unverified) == ("", "From memory.")

    def test_citations_without_text_are_kept(self) -> None:
        report = asked(ModelAnswer("", (Citation(A), Citation(B), Citation(C))))
        assert [source.url for source in report.sources] == [A, B, C]
        assert report.fallback is Fallback.CONTENT_EMPTY

    def test_nothing_at_all_is_empty_and_not_kept(self) -> None:
        report = asked(Transient("the vendor failed"))
        assert report.empty
        assert report.session_id == ""
        assert [(one.reader, one.detail) for one in report.attempts] == [("grok", "the vendor failed")]
        assert report.search is not None

    def test_without_any_model_there_are_sources_alone(self) -> None:
        report = bench(found=hits(A)).report(QUESTION)
        assert (report.fallback, len(report.sources), report.attempts) == (Fallback.DISABLED, 1, ())

    def test_the_next_model_answers_for_one_that_failed(self) -> None:
        second = FakeModel(name="relay")
        report = bench(FakeModel(Transient("x"), delay=1), second).report(QUESTION)
        assert report.verifiable
        assert [one.reader for one in report.attempts] == ["grok"]

    def test_a_model_that_rests_is_not_asked(self) -> None:
        model = FakeModel(Rejected("the key was refused"), delay=1)
        desk = bench(model, found=hits(B))

        async def twice() -> AnswerReport:
            await desk.ask(QUESTION)
            return await desk.ask(QUESTION)

        report = run(twice())
        assert len(model.started_at) == 1
        assert (report.fallback, report.attempts[0].reason) == (Fallback.AUTH_ERROR, Reason.BAD_KEY)


class TestDeadline:
    def test_a_model_that_hangs_leaves_the_sources_in_time(self) -> None:
        model = FakeModel(delay=1_000)
        report, took = run(timed(bench(model, found=hits(B)), QUESTION))
        assert took <= 50
        assert model.cancelled == 1
        assert (report.fallback, len(report.sources)) == (Fallback.TIMEOUT, 1)

    def test_engines_that_are_asked_only_then_have_time_left(self) -> None:
        desk = bench(FakeModel(delay=1_000), searcher=FakeSearcher(hits(B), delay=12))
        report, took = run(timed(desk, Question("x", extra_sources=0)))
        assert took <= 50
        assert len(report.sources) == 1

    def test_when_everything_hangs_the_deadline_is_named(self) -> None:
        desk = bench(
            FakeModel(delay=1_000),
            searcher=FakeSearcher(hits(B), delay=1_000),
            limits=AnswerLimits(timeout=1.5),
        )
        report, took = run(timed(desk, QUESTION))
        assert took < 2
        assert report.empty
        assert any("the search was stopped after 1.5 s" in warning for warning in report.warnings)

    def test_two_calls_run_at_the_same_time(self) -> None:
        desk = bench(FakeModel(delay=3), found=hits(B))

        async def both() -> float:
            await asyncio.gather(desk.ask(QUESTION), desk.ask(QUESTION))
            return asyncio.get_running_loop().time()

        assert run(both()) == pytest.approx(3.0)

    def test_a_cancelled_call_stops_both(self) -> None:
        model, searcher = FakeModel(delay=20), FakeSearcher(hits(B), delay=20)
        desk = bench(model, searcher=searcher)

        async def main() -> None:
            task = asyncio.create_task(desk.ask(QUESTION))
            await asyncio.sleep(1)
            task.cancel()
            await asyncio.wait({task})

        run(main())
        assert (model.cancelled, searcher.cancelled) == (1, 1)


class TestDomains:
    def test_citations_outside_the_domains_go_and_numbers_follow(self) -> None:
        answer = ModelAnswer(
            "One [1], two [2], three [3], `x [1]`, more [9].",
            (Citation(A), Citation(B), Citation("https://www.c.dev/3")),
        )
        report = asked(answer, question=Question("x", include_domains=("b.dev", "c.dev")))
        assert [source.url for source in report.sources] == [B, "https://www.c.dev/3"]
        assert report.content == "One , two [1], three [2], `x [1]`, more [9]."
        assert "sources_removed: 1 cited pages lie outside the requested domains" in report.warnings

    def test_when_all_are_outside_the_text_is_not_verified(self) -> None:
        report = asked(question=Question("x", exclude_domains=("a.dev",)))
        assert (report.fallback, report.unverified) == (Fallback.SOURCES_FILTERED, "Tides grew .")

    def test_twins_among_the_citations_are_one_source(self) -> None:
        answer = ModelAnswer(
            "x [1] y [2] z [3]", (Citation(A), Citation("https://www.a.dev/1#y", "Title"), Citation(B))
        )
        report = asked(answer)
        assert report.content == "x [1] y [1] z [2]"
        assert [source.title for source in report.sources] == ["Title", ""]

    def test_what_is_no_address_takes_no_place(self) -> None:
        answer = ModelAnswer("x [1] y [2]", (Citation(" "), Citation(A)))
        report = asked(answer)
        assert ([source.url for source in report.sources], report.content) == ([A], "x  y [1]")


class TestArguments:
    @pytest.mark.parametrize(
        ("question", "says"),
        [
            (Question("  "), "query is empty"),
            (Question("x", extra_sources=-1), "must not be negative"),
            (Question("x", recency_days=-1), "must not be negative"),
            (Question("x", include_domains=("a.dev",), exclude_domains=("a.dev",)), "'a.dev' stands in"),
        ],
    )
    def test_a_mistake_is_named_before_anybody_is_asked(self, question: Question, says: str) -> None:
        model, searcher = FakeModel(), FakeSearcher()
        with pytest.raises(InvalidArgument, match=says):
            bench(model, searcher=searcher).report(question)
        assert (model.started_at, searcher.queries) == ([], [])


class TestKept:
    def test_an_answer_can_be_had_again_for_an_hour(self) -> None:
        desk = bench(FakeModel())

        async def main() -> AnswerReport:
            report = await desk.ask(QUESTION)
            assert report.expires_at == desk.clock.now() + 3_600
            assert len(bytes.fromhex(report.session_id)) == 16
            assert await desk.pipeline.kept(report.session_id) == report
            desk.clock.skipped = 3_600
            with pytest.raises(
                ResearchError, match="have expired: answers are kept for 60 minutes"
            ) as caught:
                await desk.pipeline.kept(report.session_id)
            assert caught.value.reason is Reason.SESSION_EXPIRED
            return report

        run(main())

    def test_unknown_and_evicted_are_told_apart(self) -> None:
        clock = VirtualClock()
        desk = bench(FakeModel(), clock=clock, store=MemoryAnswers(clock, items=1))

        async def main() -> None:
            first = await desk.ask(QUESTION)
            await desk.ask(QUESTION)
            with pytest.raises(ResearchError, match="made room for newer ones") as caught:
                await desk.pipeline.kept(first.session_id)
            assert caught.value.reason is Reason.SESSION_EVICTED
            with pytest.raises(ResearchError, match="there is no session 'nope'") as caught:
                await desk.pipeline.kept("nope")
            assert caught.value.reason is Reason.SESSION_UNKNOWN

        run(main())

    def test_a_store_that_does_not_answer_is_not_called_an_unknown_session(self) -> None:
        class Gone(MemoryAnswers):
            async def find(self, session_id: str) -> AnswerReport | Lost:
                return Lost.OUT_OF_REACH

        clock = VirtualClock()
        desk = bench(FakeModel(), clock=clock, store=Gone(clock))

        async def main() -> None:
            with pytest.raises(ResearchError, match="store does not answer now") as caught:
                await desk.pipeline.kept("any")
            assert caught.value.reason is Reason.OVERLOADED

        run(main())
