"""The read pipeline among fakes, in virtual time."""

from __future__ import annotations

import asyncio
import logging

import pytest

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import NoContent, Overloaded, RateLimited, Reason, Transient, UrlRefused
from research_mcp.core.models import Attempt, Extracted, Flag, Kind, Page
from tests.kit.reading import LONG, URL, FakeExtractor, FakeFetcher, FakeReader, House, direct, document
from tests.kit.virtual_time import run

BLOCKED = Extracted(Kind.HTML, reason=Reason.BLOCKED, detail="a bot challenge")


def blocked() -> FakeExtractor:
    return FakeExtractor({URL: BLOCKED})


# Addresses


def test_a_pasted_markdown_link_is_read_as_its_url() -> None:
    async def main() -> None:
        page = await House().page(f"  [the mill]({URL}) ")
        assert page.url == URL

    run(main())


def test_a_bare_host_is_read_over_https() -> None:
    async def main() -> None:
        house = House(fetcher=FakeFetcher({"https://mill.test/moss": LONG}))
        assert (await house.page("mill.test/moss")).url == "https://mill.test/moss"
        assert house.fetcher.fetched == ["https://mill.test/moss"]

    run(main())


@pytest.mark.parametrize("reason", [Reason.UNREACHABLE, Reason.TLS_FAILED])
def test_a_bare_host_without_https_is_read_over_http(reason: Reason) -> None:
    async def main() -> None:
        house = House(
            fetcher=FakeFetcher(
                {"https://mill.test/moss": NoContent("no", reason=reason), "http://mill.test/moss": LONG}
            )
        )
        page = await house.page("mill.test/moss")
        assert page.final_url == "http://mill.test/moss"

    run(main())


def test_a_stated_https_scheme_is_never_lowered() -> None:
    async def main() -> None:
        house = House(fetcher=FakeFetcher({URL: NoContent("no", reason=Reason.TLS_FAILED)}))
        assert (await house.failure()).reason is Reason.TLS_FAILED
        assert house.fetcher.fetched == [URL]

    run(main())


def test_what_is_no_url_is_refused_with_its_reason_and_no_reader_hears_of_it() -> None:
    async def main() -> None:
        reader = FakeReader("remote")
        house = House(reader)
        failure = await house.failure("ftp://mill.test/moss")
        assert failure.reason is Reason.INVALID_URL
        assert failure.url == "ftp://mill.test/moss"
        assert not reader.calls
        assert not house.fetcher.checked

    run(main())


def test_the_guard_checks_an_address_before_any_site_reader_is_asked() -> None:
    async def main() -> None:
        site = FakeReader("site", traits={"site": True})
        house = House(site, fetcher=FakeFetcher(unknown=[URL]))
        failure = await house.failure()
        assert failure.reason is Reason.DNS_FAILED
        assert "mill.test" in failure.message
        assert not site.calls
        assert not house.fetcher.fetched

    run(main())


def test_a_name_that_leads_to_a_private_address_is_handed_to_nobody() -> None:
    class Rebound(FakeFetcher):
        async def check(self, url: str, deadline: Deadline) -> None:
            raise UrlRefused("The name leads to a private address.")

    async def main() -> None:
        site, remote = FakeReader("site", traits={"site": True}), FakeReader("remote")
        archive = FakeReader("archive", traits={"archive": True})
        house = House(site, remote, archive, fetcher=Rebound({URL: LONG}))
        assert (await house.failure()).reason is Reason.ADDRESS_REFUSED
        assert [site.calls, remote.calls, archive.calls] == [0, 0, 0]
        assert not house.fetcher.fetched
        assert not house.robots.asked

    run(main())


def test_a_guard_that_crashes_lets_nothing_out(caplog: pytest.LogCaptureFixture) -> None:
    class Broken(FakeFetcher):
        async def check(self, url: str, deadline: Deadline) -> None:
            raise ZeroDivisionError

    async def main() -> None:
        remote = FakeReader("remote")
        house = House(remote, fetcher=Broken({URL: LONG}))
        assert (await house.failure()).reason is Reason.UPSTREAM_ERROR
        assert not remote.calls
        assert not house.fetcher.fetched

    with caplog.at_level(logging.ERROR):
        run(main())
    assert "ZeroDivisionError" in caplog.text


def test_where_the_guard_cannot_say_who_may_be_told_nobody_is(caplog: pytest.LogCaptureFixture) -> None:
    class Broken(FakeFetcher):
        async def shareable(self, url: str, deadline: Deadline) -> bool:
            raise ZeroDivisionError

    async def main() -> None:
        site, remote = FakeReader("site", traits={"site": True}), FakeReader("remote")
        house = House(site, direct(), remote, fetcher=Broken({URL: LONG}))
        assert (await house.page()).reader == "direct"
        assert [site.calls, remote.calls] == [0, 0]

    with caplog.at_level(logging.ERROR):
        run(main())
    assert "ZeroDivisionError" in caplog.text


def test_a_private_url_reaches_only_readers_on_this_network() -> None:
    async def main() -> None:
        mine = FakeReader("mine", traits={"from_here": True})
        others = [
            FakeReader("site", traits={"site": True, "from_here": True}),
            FakeReader("remote"),
            FakeReader("unlocker", traits={"unlocker": True}),
        ]
        fetcher = FakeFetcher({URL: "thin"}, private=[URL])
        house = House(*others, direct(), mine, fetcher=fetcher)
        assert (await house.page()).reader == "mine"
        assert [other.calls for other in others] == [0, 0, 0]

    run(main())


def test_a_redirect_to_a_refused_address_stops_the_whole_read() -> None:
    async def main() -> None:
        remote = FakeReader("remote")
        house = House(
            direct(),
            remote,
            fetcher=FakeFetcher({URL: UrlRefused("The redirect leads to a private address.")}),
        )
        failure = await house.failure()
        assert failure.reason is Reason.ADDRESS_REFUSED
        assert not remote.calls

    run(main())


def test_a_redirect_to_what_is_no_web_address_is_not_told_as_a_fault_of_the_url() -> None:
    async def main() -> None:
        told = "The page redirects elsewhere. The url cannot be read: its scheme is 'ftp:'."
        refused = UrlRefused(told, reason=Reason.INVALID_URL)
        failure = await House(direct(), fetcher=FakeFetcher({URL: refused})).failure()
        assert (failure.reason, failure.message) == (Reason.ADDRESS_REFUSED, told)

    run(main())


def test_a_url_that_a_reader_refuses_is_refused_for_the_rest_of_the_chain() -> None:
    async def main() -> None:
        later = FakeReader("later")
        house = House(FakeReader("first", UrlRefused("private")), later)
        assert (await house.failure()).reason is Reason.ADDRESS_REFUSED
        assert not later.calls

    run(main())


# Site readers


def test_a_site_reader_wins_before_anything_is_fetched() -> None:
    async def main() -> None:
        site = FakeReader("site", "A short post.", traits={"site": True})
        house = House(direct(), site)
        page = await house.page()
        assert (page.reader, page.markdown) == ("site", "A short post.")
        assert not house.fetcher.fetched

    run(main())


def test_a_site_reader_is_offered_only_urls_that_it_accepts() -> None:
    async def main() -> None:
        site = FakeReader("site", takes=lambda url: "video" in url, traits={"site": True})
        assert (await House(direct(), site).page()).reader == "direct"
        assert not site.calls

    run(main())


def test_a_failed_site_reader_falls_through_with_its_reason_kept() -> None:
    async def main() -> None:
        site = FakeReader("site", NoContent("no such post", reason=Reason.NOT_FOUND), traits={"site": True})
        house = House(site, direct(), fetcher=FakeFetcher({URL: NoContent("slow", reason=Reason.TIMEOUT)}))
        failure = await house.failure()
        assert failure.attempts[0] == Attempt("site", Reason.NOT_FOUND, "no such post")
        assert failure.attempts[1].reader == "direct"

    run(main())


def test_final_site_readers_are_all_asked_and_then_theirs_is_the_answer() -> None:
    async def main() -> None:
        traits = {"site": True, "final": True}
        first = FakeReader("first", NoContent("no captions", reason=Reason.NO_TRANSCRIPT), traits=traits)
        second = FakeReader("second", Transient("down"), traits=traits)
        remote = FakeReader("remote")
        house = House(first, second, remote)
        failure = await house.failure()
        assert failure.reason is Reason.NO_TRANSCRIPT
        assert [attempt.reader for attempt in failure.attempts] == ["first", "second"]
        assert not remote.calls
        assert not house.fetcher.fetched

    run(main())


def test_nobody_is_paid_for_a_page_that_its_site_does_not_have() -> None:
    async def main() -> None:
        traits = {"site": True, "final": True}
        missing = NoContent("there is no such video", reason=Reason.NOT_FOUND)
        site, free = FakeReader("site", missing, traits=traits), FakeReader("free", missing, traits=traits)
        paid = FakeReader("paid", traits={**traits, "metered": True})
        failure = await House(site, free, paid).failure()
        assert failure.reason is Reason.NOT_FOUND
        assert (free.calls, paid.calls) == (1, 0)
        assert failure.attempts[2].detail == "skipped: site learnt that there is no such page"
        blocked = FakeReader("site", NoContent("not shown here", reason=Reason.FORBIDDEN), traits=traits)
        assert (await House(blocked, paid).page()).reader == "paid"

    run(main())


def test_the_thin_text_of_a_final_reader_is_its_answer() -> None:
    async def main() -> None:
        thin = Page(URL, URL, "Only the title.", "", flags=(Flag.THIN,))
        page = await House(FakeReader("video", thin, traits={"site": True, "final": True}), direct()).page()
        assert page.reader == "video"
        assert Flag.THIN in page.flags

    run(main())


def test_a_reader_that_crashes_over_a_url_is_passed_over(caplog: pytest.LogCaptureFixture) -> None:
    def crash(url: str) -> bool:
        raise ZeroDivisionError

    async def main() -> None:
        assert (await House(FakeReader("odd", takes=crash, traits={"site": True}), direct()).page()).markdown

    with caplog.at_level(logging.ERROR):
        run(main())
    assert "ZeroDivisionError" in caplog.text


# The probe


def test_the_body_is_fetched_once_for_all_readers() -> None:
    async def ask(job: object) -> str:
        await job.document()  # type: ignore[attr-defined]
        raise NoContent("not mine")

    async def main() -> None:
        house = House(FakeReader("site", ask, traits={"site": True}), direct(), FakeReader("second", ask))
        await house.page()
        assert house.fetcher.fetched == [URL]
        assert house.extractor.asked == [URL]

    run(main())


@pytest.mark.parametrize(("status", "reason"), [(404, Reason.NOT_FOUND), (410, Reason.GONE)])
def test_a_page_that_is_gone_is_final_for_the_paid_readers(status: int, reason: Reason) -> None:
    async def main() -> None:
        paid = FakeReader("paid", traits={"metered": True})
        failure = await House(
            direct(), paid, fetcher=FakeFetcher({URL: document(URL, "x", status)})
        ).failure()
        assert failure.reason is reason
        assert not paid.calls

    run(main())


def test_a_page_that_says_it_was_not_found_is_final_whatever_its_status() -> None:
    async def main() -> None:
        told = Extracted(Kind.HTML, reason=Reason.NOT_FOUND, detail="The page says that it was not found.")
        paid, free = FakeReader("paid", traits={"metered": True}), FakeReader("free")
        house = House(
            direct(),
            free,
            paid,
            fetcher=FakeFetcher({URL: "Page not found"}),
            extractor=FakeExtractor({URL: told}),
        )
        failure = await house.failure()
        assert failure.reason is Reason.NOT_FOUND
        assert [attempt.reader for attempt in failure.attempts] == ["probe"]
        assert not paid.calls + free.calls

    run(main())


def test_an_archive_is_asked_for_a_page_that_is_gone_and_says_so() -> None:
    async def main() -> None:
        archive = FakeReader("archive", traits={"archive": True})
        page = await House(direct(), archive, fetcher=FakeFetcher()).page()
        assert page.reader == "archive"
        assert page.flags == (Flag.ARCHIVED,)

    run(main())


def test_an_archive_without_a_copy_leaves_the_page_gone() -> None:
    async def main() -> None:
        archive = FakeReader("archive", NoContent("no snapshot"), traits={"archive": True})
        failure = await House(direct(), archive, fetcher=FakeFetcher()).failure()
        assert failure.reason is Reason.NOT_FOUND
        assert [attempt.reader for attempt in failure.attempts] == ["probe", "archive"]

    run(main())


def test_an_archive_is_never_asked_for_a_page_that_only_blocks() -> None:
    async def main() -> None:
        archive = FakeReader("archive", traits={"archive": True})
        assert (await House(direct(), archive, extractor=blocked()).failure()).reason is Reason.BLOCKED
        assert not archive.calls

    run(main())


def test_a_remote_reader_that_finds_the_page_gone_ends_a_read_that_saw_nothing_itself() -> None:
    async def main() -> None:
        first = FakeReader("first", NoContent("404 there", reason=Reason.NOT_FOUND))
        paid = FakeReader("paid", traits={"metered": True})
        silent = FakeFetcher({URL: NoContent("silence", reason=Reason.TIMEOUT)})
        failure = await House(direct(), first, paid, fetcher=silent).failure()
        assert failure.reason is Reason.NOT_FOUND
        assert not paid.calls

    run(main())


def test_what_its_own_site_calls_deleted_is_final_for_everyone_but_the_archive() -> None:
    async def main() -> None:
        site = FakeReader(
            "site", NoContent("deleted by its author", reason=Reason.GONE), traits={"site": True}
        )
        paid = FakeReader("paid", traits={"metered": True})
        fetcher = FakeFetcher()
        failure = await House(site, direct(), paid, fetcher=fetcher).failure()
        assert failure.reason is Reason.GONE
        assert not paid.calls
        archive = FakeReader("archive", traits={"archive": True})
        assert (await House(site, direct(), archive, fetcher=fetcher).page()).reader == "archive"

    run(main())


def test_an_unsupported_type_is_final_and_named_with_its_size() -> None:
    async def main() -> None:
        image = document(URL, "x" * 204_800, headers={"content-type": "image/png"})
        paid = FakeReader("paid", traits={"metered": True})
        extractor = FakeExtractor({URL: Extracted(Kind.IMAGE, reason=Reason.UNSUPPORTED_TYPE)})
        failure = await House(
            direct(), paid, fetcher=FakeFetcher({URL: image}), extractor=extractor
        ).failure()
        assert failure.reason is Reason.UNSUPPORTED_TYPE
        assert failure.message == "This is no page of text but image/png, 205 KB."
        assert failure.attempts == ()
        assert not paid.calls

    run(main())


def test_a_document_that_cannot_be_opened_says_why() -> None:
    async def main() -> None:
        told = "The PDF is locked with a password."
        locked = FakeExtractor({URL: Extracted(Kind.PDF, reason=Reason.UNSUPPORTED_TYPE, detail=told)})
        failure = await House(direct(), extractor=locked).failure()
        assert (failure.message, failure.attempts) == (told, ())

    run(main())


def test_a_scan_is_given_to_remote_readers_and_their_text_wins() -> None:
    async def main() -> None:
        scan = FakeExtractor({URL: Extracted(Kind.PDF, reason=Reason.NO_TEXT_LAYER, detail="a scan")})
        assert (await House(direct(), FakeReader("ocr"), extractor=scan).page()).reader == "ocr"

    run(main())


def test_a_scan_that_nobody_can_read_is_named_as_one() -> None:
    async def main() -> None:
        scan = FakeExtractor({URL: Extracted(Kind.PDF, reason=Reason.NO_TEXT_LAYER, detail="a scan")})
        failure = await House(direct(), FakeReader("ocr", RateLimited("later")), extractor=scan).failure()
        assert failure.reason is Reason.NO_TEXT_LAYER
        assert "scan" in failure.message

    run(main())


def test_a_silent_host_costs_the_document_readers_no_time_but_remote_readers_try() -> None:
    async def main() -> None:
        here = FakeReader("browser", NoContent("no"), traits={"from_here": True})
        first = direct()
        silent = FakeFetcher({URL: NoContent("silence", reason=Reason.TIMEOUT)})
        page = await House(first, here, FakeReader("remote"), fetcher=silent).page()
        assert page.reader == "remote"
        assert not first.calls
        assert here.calls

    run(main())


@pytest.mark.parametrize("reason", [Reason.UNREACHABLE, Reason.TLS_FAILED])
def test_without_a_connection_readers_on_this_network_are_skipped_too(reason: Reason) -> None:
    async def main() -> None:
        here = FakeReader("browser", traits={"from_here": True})
        out = FakeFetcher({URL: NoContent("no way", reason=reason)})
        failure = await House(direct(), here, fetcher=out).failure()
        assert failure.reason is reason
        assert [attempt.reader for attempt in failure.attempts] == ["direct", "browser"]
        assert not here.calls

    run(main())


def test_a_probe_that_hangs_ends_in_time_and_remote_readers_still_get_their_turn() -> None:
    async def main() -> float:
        house = House(direct(), FakeReader("remote"), fetcher=FakeFetcher(seconds=1_000))
        assert (await house.page()).reader == "remote"
        return asyncio.get_running_loop().time()

    assert run(main()) <= 31


def test_a_probe_that_crashes_is_one_failed_reader(caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        house = House(direct(), FakeReader("remote"), fetcher=FakeFetcher({URL: ZeroDivisionError()}))
        assert (await house.page()).reader == "remote"

    with caplog.at_level(logging.ERROR):
        run(main())
    assert "ZeroDivisionError" in caplog.text


def test_a_busy_extraction_leaves_the_page_to_remote_readers() -> None:
    async def main() -> None:
        busy = FakeExtractor({URL: Overloaded("full")})
        assert (await House(direct(), FakeReader("remote"), extractor=busy).page()).reader == "remote"
        failure = await House(direct(), extractor=busy).failure()
        assert failure.reason is Reason.OVERLOADED

    run(main())
