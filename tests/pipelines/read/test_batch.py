"""Batches: a row for each url, failed hits replaced, partial answers in time, cancellation at once."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from research_mcp.core.errors import Reason
from research_mcp.core.models import (
    EngineRow,
    EngineState,
    MergedHit,
    Page,
    ReadFailure,
    SearchQuery,
    SearchReport,
)
from research_mcp.core.ports import Progress, no_progress
from research_mcp.pipelines.read.batch import BatchLimits, BatchPipeline
from tests.kit.virtual_time import run


def url(n: int) -> str:
    return f"https://mill.test/{n}"


class FakePages:
    """A `core.ports.Reader`: `seconds` per url (or None for a failure at once), 1 s for all others."""

    def __init__(self, seconds: Mapping[str, float | None] | None = None) -> None:
        self.seconds = dict(seconds or {})
        self.asked: list[str] = []
        self.given: list[float | None] = []
        self.in_flight = 0
        self.most_in_flight = 0

    async def read(self, url: str, *, seconds: float | None = None) -> Page | ReadFailure:
        self.asked.append(url)
        self.given.append(seconds)
        takes = self.seconds.get(url, 1.0)
        if takes is None:
            return ReadFailure(url, Reason.BLOCKED, "blocked")
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            async with asyncio.timeout(seconds):
                await asyncio.sleep(takes)
        except TimeoutError:
            return ReadFailure(url, Reason.DEADLINE, "late")
        finally:
            self.in_flight -= 1
        return Page(url, url, "text", "fake")


class Stubborn(FakePages):
    """Ignores the seconds that it is given."""

    async def read(self, url: str, *, seconds: float | None = None) -> Page | ReadFailure:
        return await super().read(url, seconds=None)


class FakeSearch:
    """A `core.ports.Searcher` with `count` hits."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.asked: list[SearchQuery] = []

    async def search(self, query: SearchQuery, progress: Progress = no_progress) -> SearchReport:
        self.asked.append(query)
        await asyncio.sleep(2)
        hits = tuple(MergedHit(f"Hit {n}", url(n)) for n in range(min(self.count, query.limit)))
        return SearchReport(query, hits, (EngineRow("engine", EngineState.OK, len(hits)),))


class Steps:
    def __init__(self) -> None:
        self.seen: list[tuple[int, int]] = []
        self.told: list[str] = []

    async def __call__(self, done: int, total: int, message: str) -> None:
        self.seen.append((done, total))
        self.told.append(message)


def batch(pages: FakePages, hits: int = 0, **limits: float) -> BatchPipeline:
    return BatchPipeline(pages, FakeSearch(hits), limits=BatchLimits(**limits))  # type: ignore[arg-type]


def read_urls(report_rows: Sequence[object]) -> list[str]:
    return [row.hit.url for row in report_rows if row.page]  # type: ignore[attr-defined]


def test_each_requested_url_has_a_row_in_order_and_duplicates_are_read_once() -> None:
    async def main() -> None:
        pages, steps = FakePages({url(2): None}), Steps()
        report = await batch(pages).read_many([url(1), url(2), url(1), url(3)], steps)
        assert [row.url for row in report.rows] == [url(1), url(2), url(1), url(3)]
        assert [row.page is not None for row in report.rows] == [True, False, True, True]
        assert (report.asked, report.read, report.failed) == (4, 3, 1)
        assert sorted(pages.asked) == [url(1), url(2), url(3)]
        assert [done for done, _ in steps.seen] == [1, 3, 4]
        assert {total for _, total in steps.seen} == {4}
        assert sorted(steps.told) == [f"could not read {url(2)}", f"read {url(1)}", f"read {url(3)}"]

    run(main())


def test_at_most_five_pages_are_read_at_once() -> None:
    async def main() -> None:
        pages = FakePages()
        await batch(pages).read_many([url(n) for n in range(20)])
        assert pages.most_in_flight == 5
        assert asyncio.get_running_loop().time() == 4.0

    run(main())


def test_a_batch_ends_in_time_and_names_what_was_not_ready() -> None:
    async def main() -> None:
        pages = FakePages({url(n): 40.0 for n in range(4, 15)})
        report = await batch(pages).read_many([url(n) for n in range(15)])
        assert asyncio.get_running_loop().time() <= 50.0
        assert [row.page is not None for row in report.rows] == [True] * 4 + [True] * 5 + [False] * 6
        late = [row.failure for row in report.rows if row.failure]
        assert {failure.reason for failure in late} == {Reason.DEADLINE}

    run(main())


def test_no_read_begins_in_the_last_half_second() -> None:
    async def main() -> None:
        pages = FakePages({url(0): 49.4})
        report = await batch(pages, concurrency=1).read_many([url(0), url(1), url(2)])
        assert pages.asked == [url(0), url(1)]
        pages = FakePages({url(0): 49.6})
        report = await batch(pages, concurrency=1).read_many([url(0), url(1), url(2)])
        assert pages.asked == [url(0)]
        assert report.failed == 3

    run(main())


def test_a_read_that_ignores_its_time_is_cut_off_with_the_batch() -> None:
    async def main() -> None:
        pages = Stubborn({url(0): 1_000.0})
        report = await batch(pages).read_many([url(0), url(1)])
        assert asyncio.get_running_loop().time() == 50.0
        assert report.rows[0].failure is not None
        assert report.rows[0].failure.reason is Reason.DEADLINE
        assert report.rows[1].page is not None
        assert pages.in_flight == 0

    run(main())


def test_even_a_broken_url_that_was_never_begun_has_its_row() -> None:
    async def main() -> None:
        report = await batch(FakePages({url(0): 49.6}), concurrency=1).read_many([url(0), "http://[x"])
        assert report.rows[1].failure is not None
        assert report.rows[1].failure.message == "The time for reading the site ran out."

    run(main())


def test_a_cancelled_batch_cancels_all_its_reads_at_once() -> None:
    async def main() -> None:
        pages = FakePages({url(n): 30.0 for n in range(9)})
        task = asyncio.create_task(batch(pages).read_many([url(n) for n in range(9)]))
        await asyncio.sleep(1)
        task.cancel()
        await asyncio.wait([task])
        assert task.cancelled()
        assert pages.in_flight == 0
        assert len(asyncio.all_tasks()) == 1

    run(main())


def test_no_urls_are_an_empty_report() -> None:
    async def main() -> None:
        assert (await batch(FakePages()).read_many([])).rows == ()

    run(main())


def test_failed_hits_do_not_eat_the_quota() -> None:
    async def main() -> None:
        pages, steps = FakePages({url(0): None, url(2): None, url(5): None}), Steps()
        pipeline = batch(pages, hits=20)
        report = await pipeline.search_and_read(SearchQuery("moss"), 5, steps)
        assert report.read == 5
        assert report.failed == 3
        assert [row.hit.url for row in report.rows] == [url(n) for n in range(8)]
        assert (report.asked, report.skipped) == (5, 2)
        assert steps.seen[0] == (0, 5)
        assert steps.seen[-1] == (5, 5)

    run(main())


def test_no_more_hits_are_read_than_wanted() -> None:
    async def main() -> None:
        pages = FakePages({url(0): 9.0})
        report = await batch(pages, hits=20).search_and_read(SearchQuery("moss"), 3)
        assert pages.asked == [url(0), url(1), url(2)]
        assert read_urls(report.rows) == [url(0), url(1), url(2)]

    run(main())


def test_more_hits_are_asked_of_the_search_than_pages_are_wanted() -> None:
    async def main() -> None:
        search = FakeSearch(50)
        await BatchPipeline(FakePages(), search).search_and_read(SearchQuery("moss", limit=8), 10)
        assert search.asked[0].limit == 20
        await BatchPipeline(FakePages(), search).search_and_read(SearchQuery("moss", limit=8), 2)
        assert search.asked[1].limit == 8

    run(main())


def test_a_slow_hit_is_given_up_for_the_next_one() -> None:
    async def main() -> None:
        pages = FakePages({url(1): 1_000.0})
        report = await batch(pages, hits=9).search_and_read(SearchQuery("moss"), 3)
        assert read_urls(report.rows) == [url(0), url(2), url(3)]
        assert report.rows[1].failure is not None
        assert asyncio.get_running_loop().time() == 23.0

    run(main())


def test_when_all_hits_fail_each_has_its_reason() -> None:
    async def main() -> None:
        report = await batch(FakePages({url(n): None for n in range(6)}), hits=6).search_and_read(
            SearchQuery("moss"), 5
        )
        assert report.read == 0
        assert [row.failure.reason for row in report.rows if row.failure] == [Reason.BLOCKED] * 6

    run(main())


def test_a_search_without_hits_reads_nothing() -> None:
    async def main() -> None:
        report = await batch(FakePages(), hits=0).search_and_read(SearchQuery("moss"), 5)
        assert (report.rows, report.skipped) == ((), 0)
        assert report.search.answered

    run(main())


def test_a_research_call_ends_in_time_with_what_was_read() -> None:
    async def main() -> None:
        pages = Stubborn({url(n): 1_000.0 for n in range(1, 9)})
        report = await batch(pages, hits=9).search_and_read(SearchQuery("moss"), 4)
        assert asyncio.get_running_loop().time() == 50.0
        assert read_urls(report.rows) == [url(0)]
        assert report.failed == 3
        assert pages.in_flight == 0

    run(main())


def test_a_cancelled_research_call_cancels_its_reads() -> None:
    async def main() -> None:
        pages = FakePages({url(n): 15.0 for n in range(9)})
        task = asyncio.create_task(batch(pages, hits=9).search_and_read(SearchQuery("moss"), 5))
        await asyncio.sleep(4)
        assert pages.in_flight == 5
        task.cancel()
        await asyncio.wait([task])
        assert pages.in_flight == 0

    run(main())
