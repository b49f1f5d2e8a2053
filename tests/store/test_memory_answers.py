"""Answers in memory are bounded, expire, and their loss is told apart."""

from __future__ import annotations

from research_mcp.core.answers import AnswerReport, Lost, Question
from research_mcp.store.memory import MemoryAnswers
from tests.kit.virtual_time import VirtualClock, run


def report(size: int = 10) -> AnswerReport:
    return AnswerReport(Question("x"), content="x" * size)


def test_the_oldest_make_room_by_number_and_by_size() -> None:
    async def main() -> None:
        store = MemoryAnswers(VirtualClock(), items=2, characters=10_000)
        for name in ("a", "b", "c"):
            await store.keep(name, report())
        assert await store.find("a") is Lost.EVICTED
        assert await store.find("c") == report()
        await store.keep("large", report(8_500))
        assert [await store.find(name) for name in ("b", "c")] == [Lost.EVICTED, Lost.EVICTED]
        await store.keep("huge", report(50_000))
        assert await store.find("huge") is Lost.EVICTED
        assert await store.find("large") is Lost.EVICTED

    run(main())


def test_an_answer_lasts_exactly_its_time() -> None:
    async def main() -> None:
        clock = VirtualClock()
        store = MemoryAnswers(clock, seconds=60)
        await store.keep("a", report())
        clock.skipped = 59.9
        assert await store.find("a") == report()
        clock.skipped = 60
        assert await store.find("a") is Lost.EXPIRED
        assert await store.find("b") is Lost.UNKNOWN

    run(main())


def test_the_memory_of_what_is_lost_is_bounded() -> None:
    async def main() -> None:
        store = MemoryAnswers(VirtualClock(), items=1)
        for number in range(5_000):
            await store.keep(str(number), report())
        assert await store.find("0") is Lost.UNKNOWN
        assert await store.find("4998") is Lost.EVICTED

    run(main())
