"""Outages through the pipeline at ten searches a second, in virtual time: who is asked, who is spared."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest

from research_mcp.core.errors import Transient
from research_mcp.core.models import SearchQuery, SearchReport
from tests.kit.engines import Desk, FakeEngine, pages
from tests.kit.virtual_time import run

EVERY = 0.1


class Breaking(FakeEngine):
    """Fails as long as `down` is set; `down` "hang" never answers. Knows how many calls it has at once."""

    down: str = ""
    in_flight = 0
    most = 0

    async def search(self, query: SearchQuery, deadline: object) -> object:
        self.error = Transient("the vendor failed (status 500)") if self.down == "fail" else None
        delay, self.delay = self.delay, 1_000.0 if self.down == "hang" else 0.2
        self.in_flight += 1
        self.most = max(self.most, self.in_flight)
        try:
            return await super().search(query, deadline)  # type: ignore[arg-type]
        finally:
            self.in_flight -= 1
            self.delay = delay


def engines(count: int) -> list[Breaking]:
    return [Breaking(f"engine-{n}", pages("a", "b", "c", f"own-{n}"), delay=0.2) for n in range(count)]


def loop_time() -> float:
    return asyncio.get_running_loop().time()


async def load(desk: Desk, seconds: float, start: int = 0) -> list[tuple[float, SearchReport]]:
    """Ten searches a second; how long each took and what it brought."""

    async def one(number: int) -> tuple[float, SearchReport]:
        begun = loop_time()
        report = await desk.search(SearchQuery(f"tidal power {number}", limit=3))
        return loop_time() - begun, report

    tasks = []
    for number in range(round(seconds / EVERY)):
        tasks.append(asyncio.create_task(one(start + number)))
        await asyncio.sleep(EVERY)
    return await asyncio.gather(*tasks)


def p95(times: list[float]) -> float:
    return sorted(times)[round(len(times) * 0.95) - 1]


@pytest.mark.slow
def test_an_engine_that_fails_for_a_minute_is_ejected_and_back_soon_after_it_heals() -> None:
    async def main() -> None:
        bad, *good = engines(4)
        desk = Desk([bad, *good])
        healthy = p95([took for took, _ in await load(desk, 5)])
        bad.down, before, begun = "fail", bad.calls, loop_time()
        done = await load(desk, 60, start=1_000)
        assert all(len(report.hits) == 3 for _, report in done)
        assert p95([took for took, _ in done]) <= 1.3 * healthy
        failures = [at - begun for at in bad.started_at[before:]]
        assert sum(at < 1 for at in failures) <= 5 + round(0.2 / EVERY), "those under way when it opened"
        later = Counter(int(at // 30) for at in failures if at >= 1)
        assert max(later.values(), default=0) <= 2
        bad.down, healed = "", loop_time()
        calls = len(bad.started_at)
        await load(desk, 36, start=9_000)
        assert bad.started_at[calls] - healed <= 35
        assert len(bad.started_at) > calls + 5

    run(main())


def test_an_engine_that_never_answers_holds_eight_calls_at_most_and_few_searches() -> None:
    async def main() -> None:
        silent, *good = engines(4)
        silent.down = "hang"
        desk = Desk([silent, *good])
        done = await load(desk, 30)
        assert silent.most <= 8
        assert all(len(report.hits) == 3 for _, report in done)
        slow = [took for took, _ in done if took > 0.2 * 1.2]
        assert len(slow) <= 16, "only searches before it was ejected wait for it"
        assert max(slow) <= 0.2 + desk.limits.grace + 0.05
        assert p95([took for took, _ in done[30:]]) <= 0.2 * 1.2

    run(main())


def test_when_all_engines_fail_few_calls_are_made_and_each_search_says_why_in_time() -> None:
    async def main() -> None:
        all_bad = engines(4)
        for engine in all_bad:
            engine.down = "fail"
        desk = Desk(all_bad)
        done = await load(desk, 60)
        assert not any(report.answered for _, report in done)
        assert all(len(report.rows) == 4 and all(row.detail for row in report.rows) for _, report in done)
        assert max(took for took, _ in done) <= desk.limits.timeout
        assert sum(engine.calls for engine in all_bad) <= 1.2 * len(done)

    run(main())


@pytest.mark.parametrize("down", ["fail", "hang"])
def test_a_restless_vendor_spoils_nothing_for_the_others(down: str) -> None:
    async def main() -> None:
        bad, *good = engines(3)
        desk = Desk([bad, *good])
        for number in range(6):
            bad.down = down if number % 2 else ""
            for _, report in await load(desk, 10, start=number * 1_000):
                assert len(report.hits) == 3
        assert all(engine.calls == 600 for engine in good)

    run(main())
