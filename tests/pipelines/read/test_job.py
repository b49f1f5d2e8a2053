"""The probe's refreshes: one more hop through the same guard and the same count."""

from __future__ import annotations

import pytest

from research_mcp.core.errors import NoContent, Reason
from research_mcp.core.models import Extracted, Kind
from tests.kit.reading import LONG, URL, FakeExtractor, FakeFetcher, FakeReader, House, direct, document
from tests.kit.virtual_time import run

NEXT = "https://mill.test/next"


def refreshing(to: str = NEXT, text: str = "Moving on.") -> Extracted:
    return Extracted(Kind.HTML, text, refresh_to=to)


def test_a_refresh_on_a_next_to_empty_page_is_followed() -> None:
    async def main() -> None:
        house = House(
            direct(),
            fetcher=FakeFetcher({URL: "-", NEXT: LONG}),
            extractor=FakeExtractor({URL: refreshing("/next")}),
        )
        assert (await house.page()).markdown == LONG
        assert house.fetcher.fetched == [URL, NEXT]

    run(main())


def test_readers_see_the_document_that_the_refresh_led_to() -> None:
    async def main() -> None:
        seen = []

        async def look(job: object) -> str:
            await job.extracted()  # type: ignore[attr-defined]
            seen.append(await job.document())  # type: ignore[attr-defined]
            return LONG

        reader = FakeReader("direct", look, traits={"needs_document": True})
        extractor = FakeExtractor({URL: refreshing()})
        await House(reader, fetcher=FakeFetcher({URL: "-", NEXT: LONG}), extractor=extractor).page()
        assert (seen[0].url, seen[0].final_url, seen[0].redirects) == (URL, NEXT, (URL,))

    run(main())


def test_a_refresh_header_is_followed_like_the_tag() -> None:
    async def main() -> None:
        empty = document(URL, "-", headers={"content-type": "text/html", "refresh": "0; url=/next"})
        house = House(direct(), fetcher=FakeFetcher({URL: empty, NEXT: LONG}))
        assert (await house.page()).markdown == LONG

    run(main())


@pytest.mark.parametrize(
    "extracted", [refreshing(text=LONG), refreshing(to=URL), refreshing(to="app://x"), refreshing(to="//[")]
)
def test_a_full_page_and_a_pointless_refresh_stay_where_they_are(extracted: Extracted) -> None:
    async def main() -> None:
        house = House(direct(), fetcher=FakeFetcher({URL: LONG}), extractor=FakeExtractor({URL: extracted}))
        await house.page()
        assert house.fetcher.fetched == [URL]

    run(main())


def test_a_refresh_to_a_refused_address_stops_the_whole_read() -> None:
    async def main() -> None:
        remote = FakeReader("remote")
        extractor = FakeExtractor({URL: refreshing("http://10.0.0.1/")})
        house = House(direct(), remote, fetcher=FakeFetcher({URL: "-"}), extractor=extractor)
        assert (await house.failure()).reason is Reason.ADDRESS_REFUSED
        assert not remote.calls
        assert house.fetcher.fetched == [URL]

    run(main())


def test_a_refresh_to_a_page_that_is_gone_is_gone() -> None:
    async def main() -> None:
        house = House(direct(), fetcher=FakeFetcher({URL: "-"}), extractor=FakeExtractor({URL: refreshing()}))
        assert (await house.failure()).reason is Reason.NOT_FOUND

    run(main())


def test_redirects_and_refreshes_share_one_count() -> None:
    async def main() -> None:
        pages = {
            URL: document(URL, "-", redirects=(f"{URL}/a", f"{URL}/b", f"{URL}/c")),
            NEXT: document(NEXT, LONG, redirects=(f"{NEXT}/a", f"{NEXT}/b")),
        }
        house = House(direct(), fetcher=FakeFetcher(pages), extractor=FakeExtractor({URL: refreshing()}))
        failure = await house.failure()
        assert failure.reason is Reason.UPSTREAM_ERROR
        assert "more than 5 times" in failure.attempts[0].detail

    run(main())


def test_refreshes_in_a_circle_end() -> None:
    async def main() -> None:
        pages = {f"{URL}/{n}": "-" for n in range(9)}
        results = {f"{URL}/{n}": refreshing(f"{URL}/{n + 1}") for n in range(9)}
        house = House(direct(), fetcher=FakeFetcher(pages), extractor=FakeExtractor(results))
        await house.failure(f"{URL}/0")
        assert len(house.fetcher.fetched) == 7

    run(main())


def test_a_site_reader_may_ask_the_sites_own_api_through_the_guard() -> None:
    async def ask(job: object) -> str:
        found = await job.fetch(NEXT, accept="application/json")  # type: ignore[attr-defined]
        return str(found.body.decode())

    async def ask_inside(job: object) -> str:
        await job.fetch("https://intranet.test/")  # type: ignore[attr-defined]
        return LONG

    async def main() -> None:
        fetcher = FakeFetcher({URL: LONG, NEXT: "From the API."})
        site = FakeReader("site", ask, traits={"site": True})
        assert (await House(site, fetcher=fetcher).page()).markdown == "From the API."
        assert fetcher.accepts == ["application/json"]
        site = FakeReader("site", ask_inside, traits={"site": True})
        assert (await House(site, fetcher=fetcher).failure()).reason is Reason.ADDRESS_REFUSED

    run(main())


def test_a_site_reader_may_have_another_document_extracted() -> None:
    async def copy(job: object) -> str:
        found = await job.fetch(NEXT)  # type: ignore[attr-defined]
        return str((await job.extract(found)).markdown)  # type: ignore[attr-defined]

    async def main() -> None:
        fetcher = FakeFetcher({URL: LONG, NEXT: "%PDF"})
        extractor = FakeExtractor({NEXT: Extracted(Kind.PDF, "The copy's text.")})
        house = House(FakeReader("site", copy, traits={"site": True}), fetcher=fetcher, extractor=extractor)
        assert (await house.page()).markdown == "The copy's text."
        assert extractor.asked == [NEXT]

    run(main())


def test_a_failed_refresh_is_told_by_the_readers_of_the_document() -> None:
    async def main() -> None:
        pages = {URL: "-", NEXT: NoContent("silence", reason=Reason.TIMEOUT)}
        house = House(
            direct(),
            FakeReader("remote"),
            fetcher=FakeFetcher(pages),
            extractor=FakeExtractor({URL: refreshing()}),
        )
        assert (await house.page()).reader == "remote"

    run(main())
