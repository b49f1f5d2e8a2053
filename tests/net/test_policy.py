"""A vendor's way out: retries, deadlines, caps, and where it may go."""

from __future__ import annotations

import asyncio
import gzip
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest
import respx

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import BadReply, ConfigError, Reason, Rejected, Transient
from research_mcp.core.wire import Reply, Request
from research_mcp.net.policy import CallLimits, VendorClient
from tests.kit.virtual_time import VirtualClock, run
from tests.net.fakes import (
    AGENT,
    PUBLIC,
    PUBLIC_2,
    MemoryNet,
    Names,
    Site,
    fetching,
    page,
    redirect,
    saying,
    trickle,
)

ENDPOINT = f"http://{PUBLIC}/v1"
GET = Request("GET", "/search")
POST = Request("POST", "/search", json={"q": "x"})


@asynccontextmanager
async def vendor(
    net: MemoryNet, names: Names | None = None, **options: object
) -> AsyncIterator[VendorClient]:
    async with fetching(net, names) as kit:
        settings = {"endpoint": ENDPOINT, "clock": VirtualClock(), "user_agent": AGENT, **options}
        yield VendorClient(kit.network, "vendor", **settings)


async def send(site: Site, request: Request = GET, seconds: float = 30, **options: object) -> Reply:
    async with vendor(MemoryNet(site=site), **options) as client:
        return await client.send(request, Deadline.after(seconds))


def timed(net: MemoryNet, request: Request = GET, seconds: float = 30, **options: object):
    """The reply or error of one call in virtual time, and the seconds it took."""

    async def scenario() -> tuple[Reply | Exception, float]:
        async with vendor(net, **options) as client:
            try:
                outcome = await client.send(request, Deadline.after(seconds))
            except (Transient, BadReply, Rejected) as error:
                outcome = error
            return outcome, asyncio.get_running_loop().time()

    return run(scenario())


async def test_a_call_is_sent_as_its_adapter_built_it():
    net = MemoryNet(site=saying(page(b'{"a": 1}', X_Rate="7")))
    request = Request(
        "POST",
        "/search",
        params={"n": 3, "q": "a b"},
        headers={"authorization": "Bearer key", "user-agent": "other"},
        json={"q": "запрос"},
    )
    async with vendor(net) as client:
        reply = await client.send(request, Deadline.after(5))
    head, _, body = b"".join(octets for _, octets in net.sent).partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    assert lines[0] in ("POST /v1/search?n=3&q=a+b HTTP/1.1", "POST /v1/search?n=3&q=a%20b HTTP/1.1")
    assert {"authorization: Bearer key", "user-agent: other", "Accept-Encoding: gzip, br, zstd"} <= set(lines)
    assert [line.lower().startswith("user-agent") for line in lines].count(True) == 1
    assert json.loads(body) == {"q": "запрос"}
    assert (reply.status, reply.json(), reply.headers["x-rate"]) == (200, {"a": 1}, "7")
    assert reply.url.startswith(f"{ENDPOINT}/search?")


@pytest.mark.parametrize(
    ("request_", "body"),
    [
        (Request("POST", "/x", form={"a": "b c"}), b"a=b+c"),
        (Request("POST", "/x", content=b"raw"), b"raw"),
        (Request("GET", "/x"), b""),
    ],
)
async def test_forms_raw_bodies_and_no_body_are_sent(request_: Request, body: bytes):
    net = MemoryNet()
    async with vendor(net) as client:
        await client.send(request_, Deadline.after(5))
    assert b"".join(octets for _, octets in net.sent).partition(b"\r\n\r\n")[2] == body


@pytest.mark.parametrize(
    "status", ["408 Request Timeout", "502 Bad Gateway", "503 Busy", "504 Gateway Timeout"]
)
def test_an_outage_is_tried_once_more_after_a_short_pause(status: str):
    net = MemoryNet(site=saying(page("", status), page("good")))
    reply, took = timed(net, POST)
    assert (reply.status, reply.body) == (200, b"good")
    assert len([octets for _, octets in net.sent if octets.startswith(b"POST")]) == 2
    assert 0.05 <= took <= 0.5


def test_an_outage_that_lasts_is_handed_over_after_the_second_try():
    net = MemoryNet(site=saying(page("down", "503 Busy")))
    reply, _ = timed(net)
    assert (reply.status, reply.body) == (503, b"down")
    assert len(net.sent) == 2


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 422, 429, 432, 433, 500, 501])
def test_other_statuses_are_never_tried_again(status: int):
    net = MemoryNet(site=saying(page("", f"{status} X", Retry_After="0")))
    reply, took = timed(net, POST)
    assert reply.status == status
    assert len([octets for _, octets in net.sent if octets.startswith(b"POST")]) == 1
    assert took < 0.01


def test_retry_after_is_waited_for_when_it_fits_and_handed_over_when_not():
    answers = (page("", "503 Busy", Retry_After="3"), page("good"))
    reply, took = timed(MemoryNet(site=saying(*answers)), seconds=10)
    assert (reply.status, took) == (200, pytest.approx(3.0, abs=0.01))
    reply, took = timed(MemoryNet(site=saying(*answers)), seconds=3.5)
    assert (reply.status, took) == (503, pytest.approx(0.0, abs=0.01))


def test_no_further_try_is_started_when_the_deadline_has_no_room():
    net = MemoryNet(site=saying(page("", "503 Busy")))
    reply, _ = timed(net, seconds=1.0)
    assert (reply.status, len(net.sent)) == (503, 1)


@pytest.mark.parametrize(
    ("net", "reason"),
    [
        (MemoryNet(refusing={PUBLIC}), Reason.UNREACHABLE),
        (MemoryNet(silent={PUBLIC}), Reason.UNREACHABLE),
    ],
    ids=["refused", "silent"],
)
def test_a_failed_connection_is_tried_once_more_and_then_transient(net: MemoryNet, reason: Reason):
    error, _ = timed(net, POST)
    assert isinstance(error, Transient)
    assert error.reason is reason
    assert len(net.connects) == 2
    assert net.sent == []
    assert not error.sent, "nothing left this machine, so nothing is billed"


def test_a_reset_before_an_answer_is_tried_once_more():
    calls = []

    async def site(request: bytes) -> AsyncIterator[bytes]:
        calls.append(request)
        if len(calls) > 1:
            yield page("good")

    reply, _ = timed(MemoryNet(site=site), POST)
    assert reply.body == b"good"


def test_a_connection_that_breaks_inside_an_answer_is_not_tried_again():
    net = MemoryNet(site=saying(page("cut", Content_Length="5000")))
    error, _ = timed(net)
    assert isinstance(error, Transient)
    assert len(net.sent) == 1


@pytest.mark.parametrize("request_", [GET, POST])
def test_a_slow_answer_may_be_billed_and_is_never_asked_for_twice(request_: Request):
    net = MemoryNet(site=trickle(b"", b"", 1_000.0))
    error, took = timed(net, request_, seconds=60)
    assert isinstance(error, Transient)
    assert error.reason is Reason.TIMEOUT
    assert took == pytest.approx(25.0)
    assert len(net.connects) == 1
    assert error.sent


@pytest.mark.parametrize("site", [trickle(b"HTTP/1.1 200 OK\r\n\r\n", b"x", 0.3), trickle(b"H", b"T", 0.3)])
def test_the_deadline_holds_against_a_trickle(site: Site):
    error, took = timed(MemoryNet(site=site), seconds=4)
    assert error.reason is Reason.TIMEOUT
    assert took <= 4.1


async def test_a_name_that_does_not_exist_is_transient_with_its_reason():
    async with vendor(MemoryNet(), Names(), endpoint="https://api.example.com") as client:
        with pytest.raises(Transient) as error:
            await client.send(GET, Deadline.after(5))
    assert error.value.reason is Reason.DNS_FAILED


def test_retries_stay_a_fraction_of_the_calls_in_a_long_outage():
    async def scenario() -> int:
        net = MemoryNet(site=saying(page("", "503 Busy")))
        async with vendor(net) as client:
            for _ in range(200):
                await client.send(GET, Deadline.after(10))
        return len(net.sent)

    assert 200 + 40 <= run(scenario()) <= 200 + 40 + 12


def test_pauses_before_retries_are_spread_out():
    def pause() -> float:
        return timed(MemoryNet(site=saying(page("", "503 Busy"), page())))[1]

    pauses = [pause() for _ in range(40)]
    bins = [sum(low <= taken < low + 0.05 for taken in pauses) for low in (n * 0.05 for n in range(11))]
    assert max(bins) < 20
    _, drawn = timed(MemoryNet(site=saying(page("", "503 Busy"), page())), between=lambda low, high: high)
    assert drawn == pytest.approx(0.5)


async def test_an_answer_over_the_cap_is_a_bad_reply_packed_or_not():
    for answer in (page(b"x" * 6_000_000), page(gzip.compress(bytes(6_000_000)), Content_Encoding="gzip")):
        with pytest.raises(BadReply) as error:
            await send(saying(answer))
        assert error.value.reason is Reason.TOO_LARGE


async def test_packed_answers_are_unpacked_and_damaged_ones_are_bad_replies():
    packed = gzip.compress(b'{"a": 1}')
    assert (await send(saying(page(packed, Content_Encoding="gzip")))).json() == {"a": 1}
    for answer in (
        page(packed[:-6], Content_Encoding="gzip"),
        page(gzip.compress(packed), Content_Encoding="gzip, gzip"),
    ):
        with pytest.raises(BadReply):
            await send(saying(answer))


async def test_a_redirect_within_the_same_host_is_followed_with_its_key():
    net = MemoryNet(site=saying(redirect("/v1/search/", "307 Temporary Redirect"), page("here")))
    async with vendor(net) as client:
        request = Request("POST", "/search", headers={"X-Key": "k"}, json={"q": 1})
        assert (await client.send(request, Deadline.after(5))).body == b"here"
    sent = b"".join(octets for _, octets in net.sent)
    assert sent.count(b"X-Key: k") == sent.count(b'{"q":1}') == 2


@pytest.mark.parametrize(
    ("method", "answer"),
    [
        ("GET", redirect("https://elsewhere.example.com/")),
        ("GET", redirect(f"http://{PUBLIC}:8080/")),
        ("GET", redirect("/a\tb")),
        ("GET", page("", "302 Found")),
        ("POST", redirect("/v1/search/")),
    ],
)
async def test_other_redirects_are_answers_to_be_judged(method: str, answer: bytes):
    net = MemoryNet(site=saying(answer))
    async with vendor(net) as client:
        assert (await client.send(Request(method, "/search"), Deadline.after(5))).status == 302
    assert set(net.connects) == {PUBLIC}


async def test_a_redirect_to_https_on_the_same_host_is_followed():
    net = MemoryNet(site=saying(redirect("https://api.example.com/v1/search"), page("safe")))
    async with vendor(net, endpoint="http://api.example.com/v1") as client:
        assert (await client.send(GET, Deadline.after(5))).body == b"safe"
    assert net.server_names == ["api.example.com"]


async def test_endless_redirects_are_a_bad_reply():
    with pytest.raises(BadReply, match="redirects more than 3 times"):
        await send(saying(redirect("/again")))


async def test_a_configured_base_url_may_be_private_and_keeps_its_prefix():
    net = MemoryNet()
    async with vendor(net, base_url="http://10.0.0.5:9000/gw/") as client:
        reply = await client.send(GET, Deadline.after(5))
    assert net.connects == ["10.0.0.5"]
    assert reply.url == "http://10.0.0.5:9000/gw/v1/search"


@pytest.mark.parametrize(
    "url", ["http://10.0.0.6/", "http://127.0.0.1:6379/", "http://169.254.169.254/", "http://redis/"]
)
async def test_an_address_out_of_an_answer_passes_the_guard(url: str):
    net = MemoryNet()
    async with vendor(net, base_url="http://10.0.0.5:9000") as client:
        with pytest.raises(BadReply) as error:
            await client.send(Request("GET", url), Deadline.after(5))
        assert error.value.reason is Reason.ADDRESS_REFUSED
        await client.send(Request("GET", f"http://{PUBLIC_2}/file"), Deadline.after(5))
    assert net.connects == [PUBLIC_2]


@pytest.mark.parametrize("key", ["ключ", "line\nend", "two\r\nlines"])
async def test_a_key_that_no_header_can_carry_is_the_operators_to_mend(key: str):
    net = MemoryNet()
    async with vendor(net) as client:
        with pytest.raises(Rejected) as error:
            await client.send(
                Request("GET", "/x", headers={"Authorization": f"Bearer {key}"}), Deadline.after(5)
            )
    assert key not in str(error.value)
    assert net.sent == []


@pytest.mark.parametrize(
    "request_", [Request("POST", "/x", json={"q": "\ud800"}), Request("GET", "/x" * 40_000)]
)
async def test_what_cannot_be_encoded_is_no_fault_of_the_key(request_: Request):
    with pytest.raises(BadReply):
        await send(saying(page()), request_)


async def test_no_error_repeats_a_key_or_an_address():
    async with vendor(MemoryNet(refusing={PUBLIC})) as client:
        request = Request("GET", "/x", params={"key": "hunter2"}, headers={"Authorization": "hunter2"})
        with pytest.raises(Transient) as error:
            await client.send(request, Deadline.after(5))
    assert "hunter2" not in str(error.value)
    assert PUBLIC not in str(error.value)


async def test_no_cookie_of_one_call_goes_along_with_the_next():
    net = MemoryNet(site=saying(page(Set_Cookie="a=b")))
    async with vendor(net) as client:
        for _ in range(2):
            await client.send(GET, Deadline.after(5))
    assert all(b"ookie" not in octets for _, octets in net.sent)


async def test_an_odd_proxy_or_base_url_stops_the_start():
    for options in ({"proxy": "gopher://x"}, {"base_url": "gw:80"}):
        with pytest.raises(ConfigError):
            async with vendor(MemoryNet(), **options):
                pass


async def test_an_instances_proxy_is_used_and_told_the_vendors_name():
    told = []

    async def socks(request: bytes) -> AsyncIterator[bytes]:
        told.append(request)
        yield (
            b"\x05\x00"
            if len(told) == 1
            else b"\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00"
            if len(told) == 2
            else page("via")
        )

    net = MemoryNet(sites={"127.0.0.9": socks})
    async with vendor(net, endpoint="https://api.example.com", proxy="socks5://127.0.0.9:1080") as client:
        assert (await client.send(GET, Deadline.after(5))).body == b"via"
    assert net.connects == ["127.0.0.9"]
    assert b"api.example.com" in told[1]
    assert net.server_names == ["api.example.com"]


async def test_an_http_proxy_is_signed_in_to():
    net = MemoryNet(sites={"127.0.0.9": saying(page("", "200 OK"), page("via"))})
    async with vendor(net, endpoint="https://api.example.com", proxy="http://me:pw@127.0.0.9:3128") as client:
        await client.send(GET, Deadline.after(5))
    assert net.sent[0][1].startswith(b"CONNECT api.example.com:443 HTTP/1.1\r\n")
    assert b"Proxy-Authorization: Basic bWU6cHc=" in net.sent[0][1]


async def test_calls_can_be_faked_with_respx():
    with respx.mock:
        route = respx.post("https://api.example.com/v1/search").mock(
            side_effect=[httpx.Response(503), httpx.Response(200, json={"ok": True})]
        )
        async with vendor(
            MemoryNet(), endpoint="https://api.example.com/v1", limits=CallLimits(pause=(0, 0))
        ) as client:
            assert (await client.send(POST, Deadline.after(5))).json() == {"ok": True}
    assert route.call_count == 2


async def test_the_policy_costs_a_call_less_than_a_millisecond():
    net = MemoryNet()
    async with vendor(net) as client, fetching(net) as kit:
        took: dict[str, list[float]] = {"with": [], "without": []}
        for _ in range(100):
            begun = time.process_time()
            await client.send(GET, Deadline.after(5))
            took["with"].append(time.process_time() - begun)
            begun = time.process_time()
            answer = await kit.network.direct().handle_async_request(httpx.Request("GET", ENDPOINT))
            await answer.aread()
            took["without"].append(time.process_time() - begun)
    middle = {name: sorted(values)[len(values) // 2] for name, values in took.items()}
    assert middle["with"] - middle["without"] < 0.001
