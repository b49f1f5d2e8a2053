"""Pages fetched within bounds, over fake sockets with the guard on."""

from __future__ import annotations

import asyncio
import gzip
import tracemalloc
from collections.abc import AsyncIterator, Coroutine
from typing import Any, TypeVar

import brotli
import pytest

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import ConfigError, NoContent, Reason, UrlRefused
from research_mcp.core.models import Flag
from research_mcp.core.wire import Document
from research_mcp.net.download import FetchLimits, GuardedFetcher
from research_mcp.net.guard import GuardPolicy
from tests.kit.virtual_time import run
from tests.net.fakes import (
    AGENT,
    PUBLIC,
    MemoryNet,
    Names,
    Site,
    fetching,
    page,
    redirect,
    saying,
    trickle,
)

T = TypeVar("T")
URL = f"http://{PUBLIC}/page"
SMALL = FetchLimits(text=100_000, document=200_000)


async def fetch(site: Site, url: str = URL, limits: FetchLimits | None = None, **options) -> Document:
    async with fetching(MemoryNet(site=site), limits=limits) as kit:
        return await kit.fetcher.fetch(url, Deadline.after(30), **options)


async def failure(site: Site, url: str = URL, limits: FetchLimits | None = None) -> NoContent:
    with pytest.raises(NoContent) as raised:
        await fetch(site, url, limits)
    return raised.value


async def test_a_page_comes_with_its_status_headers_and_body():
    document = await fetch(saying(page("nothing here", "404 Not Found", ETag='"x"')))
    assert (document.status, document.body, document.truncated) == (404, b"nothing here", "")
    assert (document.url, document.final_url, document.redirects) == (URL, URL, ())
    assert document.headers["etag"] == '"x"'
    assert document.media_type == "text/html"


async def test_a_request_names_the_product_and_prefers_markdown():
    net = MemoryNet()
    async with fetching(net) as kit:
        await kit.fetcher.fetch("https://a.example.com/x?y=1#part", Deadline.after(5))
    lines = net.sent[0][1].decode().split("\r\n")
    assert lines[0] == "GET /x?y=1 HTTP/1.1"
    assert {
        "Host: a.example.com",
        f"User-Agent: {AGENT}",
        "Accept: text/markdown, text/html;q=0.9, */*;q=0.1",
        "Accept-Language: en, *;q=0.5",
        "Accept-Encoding: gzip, br, zstd",
    } <= set(lines)


async def test_a_406_is_answered_by_asking_for_anything_once():
    net = MemoryNet(site=saying(page("no", "406 Not Acceptable"), page("yes")))
    async with fetching(net) as kit:
        assert (await kit.fetcher.fetch(URL, Deadline.after(5))).body == b"yes"
        assert b"Accept: */*\r\n" in net.sent[1][1]
    net = MemoryNet(site=saying(page("no", "406 Not Acceptable")))
    async with fetching(net) as kit:
        assert (await kit.fetcher.fetch(URL, Deadline.after(5), accept="*/*")).status == 406
    assert len(net.sent) == 1


async def test_the_normal_form_is_what_is_asked_for_and_reported():
    document = await fetch(saying(page()), "HTTP://93.184.215.14:80/a b/../c")
    assert document.url == "http://93.184.215.14/c"


async def test_the_normal_form_can_be_had_without_a_fetch():
    net = MemoryNet()
    async with fetching(net) as kit:
        assert kit.fetcher.normal_form("HTTP://Example.com") == "http://example.com/"
        with pytest.raises(UrlRefused):
            kit.fetcher.normal_form("http://10.0.0.1/")
    assert net.connects == []


async def test_redirects_are_followed_and_listed():
    net = MemoryNet(site=saying(redirect("/b"), redirect("https://b.example.com/c", "308 Permanent"), page()))
    async with fetching(net) as kit:
        document = await kit.fetcher.fetch("https://a.example.com/", Deadline.after(5))
    assert document.final_url == "https://b.example.com/c"
    assert document.redirects == ("https://a.example.com/", "https://a.example.com/b")


async def test_a_sixth_redirect_and_a_circle_are_too_many():
    hops = [redirect(f"/{number}") for number in range(11)]
    net = MemoryNet(site=saying(*hops))
    async with fetching(net) as kit:
        with pytest.raises(NoContent) as raised:
            await kit.fetcher.fetch(URL, Deadline.after(5))
    assert raised.value.reason is Reason.UPSTREAM_ERROR
    assert len(net.sent) == 6
    net = MemoryNet(site=saying(redirect("/page")))
    async with fetching(net) as kit:
        with pytest.raises(NoContent):
            await kit.fetcher.fetch(URL, Deadline.after(5))
    assert len(net.sent) == 1


async def test_five_redirects_are_not_too_many():
    document = await fetch(saying(*[redirect(f"/{number}") for number in range(5)], page()))
    assert len(document.redirects) == 5


@pytest.mark.parametrize(
    ("location", "reason"),
    [("ftp://b.example.com/", Reason.INVALID_URL), ("http://10.0.0.1/", Reason.ADDRESS_REFUSED)],
)
async def test_a_refusal_of_where_a_redirect_leads_says_that_it_is_not_the_url_asked_for(
    location: str, reason: Reason
):
    with pytest.raises(UrlRefused, match=r"^The page redirects elsewhere\. ") as raised:
        await fetch(saying(redirect(location)))
    assert raised.value.reason is reason


@pytest.mark.parametrize("answer", [page("", "302 Found"), redirect(""), redirect("  ")])
async def test_a_redirect_without_a_target_is_an_error(answer: bytes):
    assert (await failure(saying(answer))).reason is Reason.UPSTREAM_ERROR


async def test_a_redirect_with_a_location_of_64_kb_ends_in_a_typed_error():
    with pytest.raises((UrlRefused, NoContent)) as raised:
        await fetch(saying(redirect("/" + "x" * 60_000)))
    assert raised.value.reason in (Reason.INVALID_URL, Reason.TOO_LARGE)


async def endless(start: bytes, piece: bytes = b"x" * 65_536) -> AsyncIterator[bytes]:
    yield start
    while True:
        yield piece


async def test_the_body_of_a_redirect_is_not_read():
    def site(request: bytes) -> AsyncIterator[bytes]:
        first = b"/page" in request
        head = b"HTTP/1.1 302 Found\r\nLocation: /next\r\n\r\n" if first else page("done")
        return endless(head) if first else saying(head)(request)

    net = MemoryNet(site=site)
    async with fetching(net) as kit:
        assert (await kit.fetcher.fetch(URL, Deadline.after(5))).body == b"done"
    assert net.read < 2 * 65_536


CHUNKED = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    ("start", "piece"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n", b"x" * 65_536),
        (CHUNKED, b"8000\r\n" + b"x" * 32_768 + b"\r\n"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n", b"x" * 65_536),
    ],
    ids=["until closed", "chunked", "with a length"],
)
async def test_an_endless_body_is_cut_at_ten_megabytes(start: bytes, piece: bytes):
    net = MemoryNet(site=lambda request: endless(start, piece))
    tracemalloc.start()
    try:
        async with fetching(net) as kit:
            document = await kit.fetcher.fetch(URL, Deadline.after(30))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert document.truncated == "cut at 10 MB"
    assert document.caveat is Flag.TRUNCATED
    assert len(document.body) == 10_000_000
    assert net.read <= 10_000_000 + 2 * 65_536
    assert peak <= 30_000_000


async def test_a_body_shorter_than_its_stated_length_is_kept_and_marked():
    document = await fetch(saying(page("short but there", Content_Length="5000")))
    assert document.body == b"short but there"
    assert document.truncated == "the connection broke off"
    assert document.caveat is Flag.BROKEN_OFF


async def test_a_connection_that_breaks_before_the_body_is_an_error():
    error = await failure(saying(page("", Content_Length="5000")))
    assert error.reason is Reason.UPSTREAM_ERROR


async def test_a_body_longer_than_its_stated_length_ends_there():
    document = await fetch(saying(page("the page", Content_Length="8") + b" and more"))
    assert (document.body, document.truncated) == (b"the page", "")


def timed(work: Coroutine[Any, Any, T]) -> tuple[T, float]:
    async def timing() -> tuple[T, float]:
        return await work, asyncio.get_running_loop().time()

    return run(timing())


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"


@pytest.mark.parametrize(
    ("site", "budget"),
    [
        (trickle(HEAD, b"x", 0.3), 5.0),
        (trickle(b"", b"H", 0.3), 10.0),
        (trickle(b"HTTP/1.1 200 OK\r\n", b"X", 0.3), 10.0),
        (trickle(HEAD, b"", 1_000.0), 5.0),
    ],
    ids=["body", "status", "headers", "silence after the head"],
)
def test_a_trickle_is_a_timeout_within_its_budget(site: Site, budget: float):
    error, took = timed(failure(site))
    assert error.reason is Reason.TIMEOUT
    assert took <= budget + 0.5


def test_a_page_that_comes_steadily_is_cut_at_the_whole_budget_and_kept():
    document, took = timed(fetch(trickle(HEAD, b"x" * 2_000, 1.0)))
    assert took <= 20.5
    assert document.truncated == "the rest came too slowly"
    assert document.caveat is Flag.BROKEN_OFF
    assert len(document.body) >= 18 * 2_000


def test_a_slow_start_is_no_reason_to_give_up_on_a_page():
    async def site(request: bytes) -> AsyncIterator[bytes]:
        await asyncio.sleep(8)
        yield HEAD
        await asyncio.sleep(4)
        yield b"<p>late but good</p>"

    document, took = timed(fetch(site))
    assert (document.body, document.truncated) == (b"<p>late but good</p>", "")
    assert took == pytest.approx(12.0)


def test_the_callers_deadline_is_kept_when_it_is_the_shorter_one():
    async def hurried() -> NoContent:
        async with fetching(MemoryNet(site=trickle(b"", b"", 100.0))) as kit:
            with pytest.raises(NoContent) as raised:
                await kit.fetcher.fetch(URL, Deadline.after(2))
            return raised.value

    error, took = timed(hurried())
    assert error.reason is Reason.TIMEOUT
    assert took <= 2.1


def test_a_host_that_connects_to_nothing_is_unreachable_not_slow():
    async def scenario() -> Reason:
        async with fetching(MemoryNet(silent={PUBLIC})) as kit:
            with pytest.raises(NoContent) as raised:
                await kit.fetcher.fetch(URL, Deadline.after(30))
            return raised.value.reason

    assert timed(scenario()) == (Reason.UNREACHABLE, pytest.approx(5.0, abs=0.1))


def test_a_check_ends_with_its_deadline():
    import threading

    release = threading.Event()

    class Slow(Names):
        def lookup(self, name: str) -> list[str]:
            release.wait(10)
            return [PUBLIC]

    async def scenario() -> Reason:
        async with fetching(MemoryNet(), Slow()) as kit:
            with pytest.raises(NoContent) as raised:
                await kit.fetcher.check("https://a.example.com/", Deadline.after(0.05))
            return raised.value.reason

    assert asyncio.run(scenario()) is Reason.DNS_FAILED
    release.set()


@pytest.mark.parametrize(
    ("url", "addresses", "shareable"),
    [
        ("https://a.example.com/", [PUBLIC], True),
        ("https://a.example.com/", [PUBLIC, "10.0.0.1"], False),
        ("https://a.example.com/", [], False),
        ("http://nas.lan/", [PUBLIC], False),
        ("http://10.0.0.1/", [], False),
    ],
)
async def test_only_public_urls_may_be_told_to_others(url: str, addresses: list[str], shareable: bool):
    opened = GuardPolicy.parse(allow_private=True)
    async with fetching(MemoryNet(), Names(default=addresses), opened) as kit:
        assert await kit.fetcher.shareable(url, Deadline.after(5)) is shareable


async def test_where_nothing_private_is_open_whatever_passed_may_be_told():
    names = Names(default=[PUBLIC])
    async with fetching(MemoryNet(), names) as kit:
        assert await kit.fetcher.shareable("https://a.example.com/", Deadline.after(5))
        assert not names.asked


async def test_a_connection_that_was_given_up_meanwhile_is_made_anew():
    calls = 0

    async def site(request: bytes) -> AsyncIterator[bytes]:
        nonlocal calls
        calls += 1
        if calls != 2:
            yield page("here")

    net = MemoryNet(site=site)
    async with fetching(net) as kit:
        for _ in range(2):
            assert (await kit.fetcher.fetch(URL, Deadline.after(5))).body == b"here"
    assert calls == 3


async def test_a_host_that_always_drops_the_connection_gets_two_tries():
    async def site(request: bytes) -> AsyncIterator[bytes]:
        return
        yield b""

    net = MemoryNet(site=site)
    async with fetching(net) as kit:
        with pytest.raises(NoContent, match="dropped the connection") as raised:
            await kit.fetcher.fetch(URL, Deadline.after(5))
    assert raised.value.reason is Reason.UPSTREAM_ERROR
    assert len(net.sent) == 2


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\nX: " + b"y" * 10_000_000 + b"\r\n\r\n",
        page(X="y" * 70_000),
        b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 9_000 + b"\r\n",
        b"HTTP/1.1 200 OK\r\nX: a\x00b\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX: a\rb\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
        b"HTTP/1.1 OK\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"\x16\x03\x01\x02\x00",
    ],
    ids=["10 MB", "70 KB", "9,000 fields", "NUL", "bare CR", "two lengths", "no status", "SSH", "TLS"],
)
async def test_broken_and_oversized_heads_end_in_a_typed_error(answer: bytes):
    net = MemoryNet(site=saying(answer))
    async with fetching(net) as kit:
        with pytest.raises(NoContent) as raised:
            await kit.fetcher.fetch(URL, Deadline.after(5))
    assert raised.value.reason in (Reason.TOO_LARGE, Reason.UPSTREAM_ERROR)
    assert net.read <= 400_000


async def test_twenty_large_cookies_are_taken_in_and_not_kept():
    cookies = b"".join(b"Set-Cookie: c%d=%s\r\n" % (n, b"v" * 3_000) for n in range(20))
    net = MemoryNet(site=saying(b"HTTP/1.1 200 OK\r\n" + cookies + b"Content-Length: 2\r\n\r\nok"))
    async with fetching(net) as kit:
        for _ in range(2):
            assert (await kit.fetcher.fetch(URL, Deadline.after(5))).body == b"ok"
    assert all(b"ookie" not in octets for _, octets in net.sent)


@pytest.mark.parametrize("encoding", ["gzip", "br"])
async def test_an_encoding_is_undone_asked_for_or_not(encoding: str):
    packed = {"gzip": gzip.compress, "br": brotli.compress}[encoding](b"<p>unpacked</p>")
    document = await fetch(saying(page(packed, Content_Encoding=encoding)))
    assert document.body == b"<p>unpacked</p>"


async def test_a_bomb_is_cut_and_two_layers_are_refused():
    bomb = brotli.compress(bytes(50_000_000), quality=5)
    document = await fetch(saying(page(bomb, Content_Encoding="br")))
    assert len(document.body) <= 64_000
    assert document.truncated
    error = await failure(saying(page(gzip.compress(gzip.compress(b"x")), Content_Encoding="gzip, gzip")))
    assert error.reason is Reason.UNSUPPORTED_TYPE


async def test_of_an_image_only_the_start_is_fetched_and_its_size_told():
    image = b"\x89PNG\r\n\x1a\n" + bytes(3_000_000)
    net = MemoryNet(site=saying(page(image, Content_Type="image/png")))
    async with fetching(net) as kit:
        document = await kit.fetcher.fetch(URL, Deadline.after(5))
    assert len(document.body) == 64_000
    assert document.truncated == "only the first 64 KB of a binary file are kept"
    assert document.headers["content-length"] == str(len(image))
    assert net.read < 200_000


async def test_a_small_binary_file_is_whole():
    document = await fetch(saying(page(b"\x89PNG\r\n\x1a\n" + bytes(100), Content_Type="image/png")))
    assert document.truncated == ""


async def test_a_document_may_be_larger_than_a_text_but_is_refused_over_its_cap():
    good = await fetch(saying(page(b"%PDF-1.7\n" + b"x" * 150_000)), limits=SMALL)
    assert len(good.body) > SMALL.text
    stated = await failure(saying(page(b"%PDF-1.7\n" + b"x" * 250_000)), limits=SMALL)
    unstated = await failure(
        lambda request: endless(CHUNKED, b"1000\r\n%PDF-" + b"x" * 4_091 + b"\r\n"), limits=SMALL
    )
    assert stated.reason is unstated.reason is Reason.TOO_LARGE
    assert "larger than" in str(stated)


async def test_a_text_over_its_cap_is_cut():
    document = await fetch(saying(page(b"x" * 150_000)), limits=SMALL)
    assert (len(document.body), document.truncated) == (100_000, "cut at 100 KB")


async def test_a_host_gets_four_fetches_at_a_time_and_another_host_is_not_held_up():
    running = most = 0
    go_on = asyncio.Event()

    async def site(request: bytes) -> AsyncIterator[bytes]:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await go_on.wait()
        await asyncio.sleep(0)
        running -= 1
        yield page()

    async with fetching(MemoryNet(site=site, sites={"1.1.1.1": saying(page("other"))})) as kit:
        fetches = [kit.fetcher.fetch(f"{URL}/{number}", Deadline.after(5)) for number in range(12)]
        busy = asyncio.gather(*fetches)
        while running < 4:  # noqa: ASYNC110 - the fetcher sets no event
            await asyncio.sleep(0.01)
        assert (await kit.fetcher.fetch("http://1.1.1.1/", Deadline.after(5))).body == b"other"
        go_on.set()
        await busy
    assert most == 4


def test_waiting_for_a_busy_host_counts_against_the_deadline():
    async def scenario() -> Reason:
        async with fetching(MemoryNet(site=trickle(b"", b"", 100.0))) as kit:
            busy = [asyncio.create_task(kit.fetcher.fetch(URL, Deadline.after(9))) for _ in range(4)]
            await asyncio.sleep(0.1)
            with pytest.raises(NoContent) as raised:
                await kit.fetcher.fetch(URL, Deadline.after(1))
            await asyncio.gather(*busy, return_exceptions=True)
            return raised.value.reason

    assert run(scenario()) is Reason.TIMEOUT


async def test_a_cancelled_fetch_closes_its_connection():
    net = MemoryNet(site=trickle(HEAD, b"x" * 100, 0.01))
    async with fetching(net) as kit:
        task = asyncio.create_task(kit.fetcher.fetch(URL, Deadline.after(5)))
        while not net.connects:  # noqa: ASYNC110 - the net sets no event
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert net.closed == 1


async def test_a_refresh_header_and_an_alternative_service_are_not_followed():
    net = MemoryNet(site=saying(page(Refresh="0;url=http://127.0.0.1/", Alt_Svc='h2="127.0.0.1:443"')))
    async with fetching(net) as kit:
        document = await kit.fetcher.fetch(URL, Deadline.after(5))
    assert document.headers["refresh"] == "0;url=http://127.0.0.1/"
    assert net.connects == [PUBLIC]


async def test_a_user_agent_that_cannot_be_sent_stops_the_start():
    async with fetching(MemoryNet()) as kit:
        with pytest.raises(ConfigError, match="USER_AGENT"):
            GuardedFetcher(kit.network, user_agent="Исследователь")


GZIPPED = gzip.compress(b"<urlset/>" * 20_000)


async def test_a_body_that_is_gzip_itself_is_undone_where_that_is_asked_for():
    answer = page(GZIPPED, Content_Type="application/x-gzip")
    document = await fetch(saying(answer), unpack=True)
    assert (document.body, document.truncated) == (b"<urlset/>" * 20_000, "")
    assert (await fetch(saying(answer))).body == GZIPPED


async def test_a_body_that_is_none_comes_as_it_is():
    for body in (b"<urlset/>", b"", b"\x1f\x8b but no gzip"):
        assert (await fetch(saying(page(body)), unpack=True)).body == body


async def test_an_encoding_of_the_wire_is_undone_once_and_no_more():
    answer = page(gzip.compress(b"<urlset/>"), Content_Encoding="gzip")
    assert (await fetch(saying(answer), unpack=True)).body == b"<urlset/>"


async def test_a_bomb_in_the_body_stops_at_the_same_bounds():
    bomb = gzip.compress(b"\0" * 50_000_000, 9)
    document = await fetch(saying(page(bomb, Content_Type="application/gzip")), unpack=True)
    assert len(document.body) <= 10_000_000
    assert document.truncated
