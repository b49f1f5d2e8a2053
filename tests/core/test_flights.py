"""Equal work in flight shares one run."""

from __future__ import annotations

import asyncio

import pytest

from research_mcp.core.flights import Flights
from tests.kit.virtual_time import run


def test_equal_keys_share_a_run_and_others_do_not() -> None:
    async def main() -> None:
        runs: list[str] = []

        async def work(key: str) -> str:
            runs.append(key)
            await asyncio.sleep(1)
            return key.upper()

        flights: Flights[str, str] = Flights()
        keys = ["a", "b", "a", "a"]
        assert await asyncio.gather(*(flights.share(key, lambda key=key: work(key)) for key in keys)) == [  # type: ignore[misc]
            "A",
            "B",
            "A",
            "A",
        ]
        assert runs == ["a", "b"]
        assert "a" not in flights
        await flights.share("a", lambda: work("a"))
        assert runs == ["a", "b", "a"]

    run(main())


def test_an_error_reaches_all_who_wait_and_nobody_later() -> None:
    async def main() -> None:
        async def fail() -> None:
            await asyncio.sleep(1)
            raise ValueError

        async def succeed() -> None:
            return None

        flights: Flights[str, None] = Flights()
        results = await asyncio.gather(*(flights.share("a", fail) for _ in range(2)), return_exceptions=True)
        assert [type(result) for result in results] == [ValueError, ValueError]
        await flights.share("a", succeed)

    run(main())


def test_the_run_is_cancelled_with_its_last_caller_and_a_newcomer_starts_another() -> None:
    async def main() -> None:
        ended: list[str] = []

        async def work() -> None:
            try:
                await asyncio.sleep(60)
                ended.append("whole")
            except asyncio.CancelledError:
                await asyncio.sleep(1)
                ended.append("cancelled")
                raise

        flights: Flights[str, None] = Flights()
        first = asyncio.create_task(flights.share("a", work))
        second = asyncio.create_task(flights.share("a", work))
        await asyncio.sleep(5)
        first.cancel()
        await asyncio.sleep(5)
        assert "a" in flights
        second.cancel()
        with pytest.raises(asyncio.CancelledError):
            await second
        assert "a" not in flights
        await flights.share("a", work)
        assert ended == ["cancelled", "whole"]

    run(main())
