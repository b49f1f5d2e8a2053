"""The rerank step of a search: it orders the whole merged list, and what fails costs a note alone."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import httpx
import pytest

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import BadReply, QuotaSpent, Transient
from research_mcp.core.instance import Account, Secret
from research_mcp.core.models import SearchQuery, SearchReport
from research_mcp.core.ports import Reranker
from research_mcp.net.policy import VendorClient
from research_mcp.observe.events import Event, ProviderCall
from research_mcp.pipelines.search.hosts import NO_RULES, HostRule, HostRules, Wish
from research_mcp.pipelines.search.pipeline import SearchLimits, SearchPipeline
from research_mcp.providers.kit.keys import KeyRing
from research_mcp.providers.kit.rerank import ConfiguredReranker
from research_mcp.providers.vendors.jina import JinaRerank
from research_mcp.store.memory import MemoryAgreements, MemoryCache, MemoryPaces, MemoryParking
from tests.kit.engines import QUERY, FakeEngine, pages, urls
from tests.kit.virtual_time import VirtualClock, run
from tests.kit.wire import KEY, Wire

NAMES = ("a", "b", "c", "d", "e", "f")


class FakeReranker:
    """Turns the list around, or answers with `places`, or raises `error`, after `delay`."""

    name = "reranker"

    def __init__(
        self,
        *,
        places: Sequence[int] | None = None,
        error: BaseException | None = None,
        delay: float = 0.1,
        metered: bool = False,
    ) -> None:
        self.places = places
        self.error = error
        self.delay = delay
        self.metered = metered
        self.asked: list[tuple[str, list[str]]] = []

    async def rerank(self, query: str, texts: Sequence[str], deadline: Deadline) -> Sequence[int]:
        self.asked.append((query, list(texts)))
        await asyncio.sleep(self.delay)
        if self.error:
            raise self.error
        return self.places if self.places is not None else range(len(texts))[::-1]


class Desk:
    """A search over one engine with six results, of which three are wanted."""

    def __init__(
        self,
        reranker: Reranker | None,
        *,
        names: Sequence[str] = NAMES,
        delay: float = 0.1,
        timeout: float = 12.0,
        rules: HostRules = NO_RULES,
    ) -> None:
        clock = VirtualClock()
        self.engine = FakeEngine("one", pages(*names), delay=delay)
        self.events: list[Event] = []
        self.pipeline = SearchPipeline(
            [self.engine],
            clock=clock,
            parking=MemoryParking(clock),
            paces=MemoryPaces(clock),
            cache=MemoryCache[SearchReport](clock, seconds=600),
            agreements=MemoryAgreements(),
            limits=SearchLimits(timeout=timeout),
            rules=rules,
            reranker=reranker,
            emit=self.events.append,
        )

    async def search(self, query: SearchQuery = QUERY) -> SearchReport:
        return await self.pipeline.search(query)


async def letters(desk: Desk) -> str:
    return "".join(url[-1] for url in urls(await desk.search()))


def test_the_whole_merged_list_is_reranked_before_the_cut() -> None:
    async def main() -> None:
        reranker = FakeReranker()
        assert await letters(Desk(None)) == "abc"
        desk = Desk(reranker)
        report = await desk.search()
        assert [url[-1] for url in urls(report)] == ["f", "e", "d"]
        assert report.hits[0].why.endswith("; reranked from #6")
        assert report.notes == ()
        [(query, texts)] = reranker.asked
        assert query == QUERY.text
        assert texts[0] == "Tidal power a\nAbout a and tidal power."
        assert len(texts) == 6

    run(main())


def test_wishes_about_hosts_count_in_the_new_order_too() -> None:
    async def main() -> None:
        rules = HostRules(
            [HostRule("sea.example/a", Wish.PIN, "mine"), HostRule("sea.example/f", Wish.LOWER, "mine")]
        )
        assert await letters(Desk(FakeReranker(), rules=rules)) == "aed"
        report = await Desk(FakeReranker(), rules=rules).search(replace(QUERY, limit=6))
        assert [url[-1] for url in urls(report)] == ["a", "e", "d", "c", "b", "f"]
        assert report.hits[0].moved == "pinned by mine; reranked from #1"
        preferred = replace(QUERY, prefer_domains=("sea.example",))
        assert [url[-1] for url in urls(await Desk(FakeReranker()).search(preferred))] == ["f", "e", "d"]

    run(main())


FAILURES = {
    "an error": (FakeReranker(error=Transient("the vendor failed (status 500)")), "upstream_error"),
    "spent credits": (FakeReranker(error=QuotaSpent("the credits are spent")), "out_of_credits"),
    "HTML": (FakeReranker(error=BadReply("expected JSON, got text/html")), "upstream_error"),
    "a time-out of its own": (FakeReranker(error=TimeoutError()), "timeout"),
    "silence": (FakeReranker(delay=1_000), "timeout"),
    "a crash": (FakeReranker(error=KeyError("SECRET")), "upstream_error"),
    "an order that leaves some out": (FakeReranker(places=[0, 1, 2]), "upstream_error"),
    "an order that names one twice": (FakeReranker(places=[0, 0, 1, 2, 3, 4]), "upstream_error"),
    "an order of places that are not there": (FakeReranker(places=[1, 2, 3, 4, 5, 6]), "upstream_error"),
}


@pytest.mark.parametrize("case", FAILURES)
def test_whatever_goes_wrong_keeps_the_merged_order_and_the_count_and_says_so(case: str) -> None:
    reranker, reason = FAILURES[case]

    async def main() -> None:
        desk = Desk(reranker)
        report = await desk.search()
        assert [url[-1] for url in urls(report)] == ["a", "b", "c"]
        assert "reranked" not in report.hits[0].why
        [note] = report.notes
        assert note.startswith(f"rerank: failed ({reason}): ")
        assert note.endswith("; the merged order stays")
        assert "SECRET" not in note
        assert asyncio.get_running_loop().time() <= 12.0

    run(main())


def test_a_slow_engine_and_a_silent_reranker_together_end_in_time() -> None:
    async def main() -> None:
        report = await Desk(FakeReranker(delay=1_000), delay=9.0).search()
        assert asyncio.get_running_loop().time() == pytest.approx(9.0 + 2.5)
        assert report.notes[0].startswith("rerank: failed (timeout)")

    run(main())


def test_in_a_short_search_the_engines_keep_most_of_the_time() -> None:
    async def main() -> None:
        desk = Desk(FakeReranker(), delay=1.4, timeout=2.0)
        assert await letters(desk) == "fed"

    run(main())


def test_a_list_that_could_not_be_reranked_is_not_kept_for_later() -> None:
    async def main() -> None:
        reranker = FakeReranker(error=Transient("reset"))
        desk = Desk(reranker)
        assert (await desk.search()).notes
        reranker.error = None
        report = await desk.search()
        assert not report.cached
        assert report.notes == ()
        assert (await desk.search()).cached
        assert len(reranker.asked) == 2

    run(main())


def test_a_reranker_without_credits_rests_and_is_not_asked_again() -> None:
    async def main() -> None:
        reranker = FakeReranker(error=QuotaSpent("the credits are spent"))
        desk = Desk(reranker)
        await desk.search()
        report = await desk.search()
        assert report.notes == (
            "rerank: failed (out_of_credits): the credits are spent; the merged order stays",
        )
        assert len(reranker.asked) == 1

    run(main())


def test_one_result_or_none_asks_nobody() -> None:
    async def main() -> None:
        reranker = FakeReranker()
        assert await letters(Desk(reranker, names=("a",))) == "a"
        assert await letters(Desk(reranker, names=())) == ""
        assert reranker.asked == []

    run(main())


def test_its_calls_are_told_and_billed_when_they_cost_money() -> None:
    async def main() -> None:
        paid = Desk(FakeReranker(metered=True))
        await paid.search()
        assert paid.events[-1] == ProviderCall("reranker", "rerank", "ok", 100)
        failing = Desk(FakeReranker(metered=True, error=Transient("reset")))
        await failing.search()
        assert failing.events[-1] == ProviderCall(
            "reranker", "rerank", "failed", 100, "reset", "upstream_error"
        )

    run(main())


def jina(answer: httpx.Response) -> ConfiguredReranker:
    clock = VirtualClock()
    client = VendorClient(
        Wire(lambda request: answer),  # type: ignore[arg-type]  # the two methods of Network that a client uses
        "jina-rerank",
        clock=clock,
        user_agent="research-mcp/0 (test)",
        endpoint=JinaRerank.endpoint,
    )
    ring = KeyRing([Account("JINA_API_KEY#1", Secret(KEY))], MemoryParking(clock), clock)
    return ConfiguredReranker("jina-rerank", JinaRerank(), client, ring, clock)


def scored(*scores: float) -> httpx.Response:
    rows = [{"index": place, "relevance_score": score} for place, score in enumerate(scores)]
    return httpx.Response(200, json={"results": rows})


@pytest.mark.parametrize(
    ("answer", "order", "reason"),
    [
        (scored(0.1, 0.2, 0.9, 0.8, 0.3, 0.4), "cdf", ""),
        (scored(0.1, 0.2), "abc", "upstream_error"),
        (httpx.Response(200, html="<html>login</html>"), "abc", "upstream_error"),
        (httpx.Response(402, json={"detail": "no"}), "abc", "out_of_credits"),
        (httpx.Response(401, json={"detail": "no"}), "abc", "bad_key"),
        (httpx.Response(429), "abc", "rate_limited"),
    ],
    ids=["good", "partial", "html", "spent", "bad key", "limited"],
)
def test_what_a_server_answers_decides_the_order_and_never_the_count(
    answer: httpx.Response, order: str, reason: str
) -> None:
    async def main() -> None:
        report = await Desk(jina(answer)).search()
        assert "".join(url[-1] for url in urls(report)) == order
        assert [note.split(":")[1].split(")")[0] for note in report.notes] == (
            [f" failed ({reason}"] if reason else []
        )
        assert KEY not in repr(report)

    run(main())
