"""Hedging the probe: a page that does not answer here is asked for elsewhere before its time is up."""

from __future__ import annotations

import asyncio

import pytest

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import Reason, UrlRefused
from research_mcp.core.models import Extracted, Kind
from research_mcp.core.wire import Document
from tests.kit.reading import (
    LONG,
    URL,
    FakeExtractor,
    FakeFetcher,
    FakeReader,
    FakeRobots,
    House,
    direct,
    document,
)
from tests.kit.virtual_time import run

HANGS = 1_000
METERED = {"metered": True}


def now() -> float:
    return asyncio.get_running_loop().time()


def slow(seconds: float, answer: object = LONG) -> FakeFetcher:
    """A site that takes its time."""
    return FakeFetcher({URL: answer, **{f"{URL}/{n}": LONG for n in range(20)}}, seconds=seconds)


def test_a_page_that_hangs_here_is_read_elsewhere_before_the_probe_gives_up() -> None:
    async def main() -> None:
        remote = FakeReader("remote", seconds=1)
        assert (await House(direct(), remote, fetcher=slow(HANGS)).page()).reader == "remote"
        assert now() == 9  # patience with what is unknown, then the answer

    run(main())


def test_the_patience_with_the_probe_follows_how_fast_pages_come() -> None:
    async def main() -> None:
        remote = FakeReader("remote", seconds=1)
        house = House(direct(), remote, fetcher=slow(2))
        for n in range(5):
            assert (await house.page(f"{URL}/{n}")).reader == "direct"
        house.fetcher.seconds = HANGS
        began = now()
        assert (await house.page()).reader == "remote"
        assert remote.began == [began + 2]

    run(main())


def test_three_rungs_that_hang_cost_their_usual_time_and_no_more() -> None:
    """The bar: 1.3 times what the reader that answers takes, once the others are known to be quick."""

    async def main() -> None:
        quick = [FakeReader(name, "thin") for name in ("first", "second")]
        last = FakeReader("last", seconds=10)
        house = House(
            direct(),
            *quick,
            last,
            fetcher=slow(0.2),
            extractor=FakeExtractor({URL: Extracted(Kind.HTML, "x")}),
        )
        for reader in quick:
            reader.answer = LONG
        for n in range(6):
            house.extractor.results[f"{URL}/{n}"] = Extracted(Kind.HTML, "thin")
            await house.page(f"{URL}/{n}")
        quick[0].answer = "thin"
        for n in range(6, 12):
            house.extractor.results[f"{URL}/{n}"] = Extracted(Kind.HTML, "thin")
            await house.page(f"{URL}/{n}")
        for reader in quick:
            reader.seconds = HANGS
        house.fetcher.seconds = HANGS
        began = now()
        assert (await house.page()).reader == "last"
        assert now() - began <= 1.3 * 10
        assert [reader.cancelled for reader in quick] == [1, 1]

    run(main())


def test_the_page_itself_still_wins_when_it_comes_first() -> None:
    async def main() -> None:
        remote = FakeReader("remote", seconds=20)
        assert (await House(direct(), remote, fetcher=slow(9)).page()).reader == "direct"
        assert remote.calls == remote.cancelled == 1
        assert now() == 9

    run(main())


def test_a_page_that_turns_out_to_be_gone_stops_those_that_were_asked_meanwhile() -> None:
    async def main() -> None:
        remote = FakeReader("remote", seconds=20)
        failure = await House(direct(), remote, fetcher=slow(9, document(URL, "", 404))).failure()
        assert failure.reason is Reason.NOT_FOUND
        assert remote.cancelled == 1
        assert now() == 9

    run(main())


def test_a_page_that_turns_out_to_lead_to_a_private_address_stops_them_too() -> None:
    async def main() -> None:
        remote = FakeReader("remote", seconds=20)
        refused = UrlRefused("That address is not public; do not retry.")
        failure = await House(direct(), remote, fetcher=slow(9, refused)).failure()
        assert failure.reason is Reason.ADDRESS_REFUSED
        assert remote.cancelled == 1

    run(main())


@pytest.mark.parametrize("traits", [{"metered": True}, {"unlocker": True}])
def test_a_reader_that_costs_is_not_asked_before_the_page_had_its_time(traits: dict[str, bool]) -> None:
    async def main() -> None:
        costly = FakeReader("costly", traits=traits)
        await House(direct(), costly, fetcher=slow(19)).page()
        assert not costly.calls

    run(main())


def test_nobody_is_asked_while_a_robots_txt_that_binds_is_unknown() -> None:
    async def main() -> None:
        remote = FakeReader("remote")
        house = House(direct(), remote, fetcher=slow(9), robots=FakeRobots(binding=True, seconds=3))
        assert (await house.page()).reader == "direct"
        assert not remote.calls

    run(main())


def test_nobody_is_asked_for_a_bare_host_while_its_scheme_is_a_guess() -> None:
    async def main() -> None:
        remote = FakeReader("remote")
        house = House(direct(), remote, fetcher=slow(9))
        assert (await house.page(URL.removeprefix("https://"))).reader == "direct"
        assert not remote.calls

    run(main())


def test_a_thin_answer_from_elsewhere_does_not_end_the_wait_for_the_page() -> None:
    async def main() -> None:
        house = House(direct(), FakeReader("remote", "thin"), fetcher=slow(12))
        assert (await house.page()).reader == "direct"
        assert now() == 12

    run(main())


def test_a_page_that_is_here_and_only_has_to_be_taken_up_is_not_asked_for_elsewhere() -> None:
    class Slow(FakeExtractor):
        async def extract(self, document: Document, deadline: Deadline) -> Extracted:
            await asyncio.sleep(12)
            return await super().extract(document, deadline)

    async def main() -> None:
        remote = FakeReader("remote")
        assert (await House(direct(), remote, fetcher=slow(1), extractor=Slow()).page()).reader == "direct"
        assert not remote.calls

    run(main())


@pytest.mark.parametrize("behind", [0, 4])
def test_a_page_whose_first_three_rungs_hang_is_answered_where_nothing_may_be_hedged(behind: int) -> None:
    """Paid readers run alone: each leaves time to those behind it."""

    async def main() -> None:
        stuck = [FakeReader(name, seconds=HANGS, traits=METERED) for name in ("first", "second")]
        rest = [FakeReader(f"behind-{n}", traits=METERED) for n in range(behind)]
        house = House(
            direct(), *stuck, FakeReader("last", seconds=2, traits=METERED), *rest, fetcher=slow(HANGS)
        )
        assert (await house.page()).reader == "last"
        assert now() <= 45

    run(main())
