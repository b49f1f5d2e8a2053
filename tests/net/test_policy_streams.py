"""Event streams that do not end as they should, further tries that are counted, and statuses of one's own."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import AsyncIterator

import pytest

from research_mcp.core.errors import Reason, Transient
from research_mcp.core.wire import Request
from research_mcp.net.policy import CallLimits
from tests.net.fakes import MemoryNet, Site, page, saying
from tests.net.test_policy import send, timed

ENDS = (b"data: [DONE]",)
STREAM = Request("POST", "/answer", json={}, ends=ENDS)
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
CHUNKED = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


def pieces(*parts: bytes, then: float = 0.0, head: bytes = HEAD) -> Site:
    async def site(request: bytes) -> AsyncIterator[bytes]:
        yield head
        for part in parts:
            yield part
        await asyncio.sleep(then)
        yield b""

    return site


@pytest.mark.parametrize(
    "parts",
    [
        (b"data: a\n\ndata: [DONE]\n\n",),
        (b"data: a\n\nda", b"ta: [DO", b"NE]\n", b"\n"),
        (b"data: a\r\n\r\ndata: [DONE]\r\n\r\n",),
    ],
)
def test_reading_stops_at_the_last_event_though_the_connection_stays_open(parts: tuple[bytes, ...]) -> None:
    reply, took = timed(MemoryNet(site=pieces(*parts, then=1_000)), STREAM)
    assert reply.body == b"".join(parts)
    assert took < 1


@pytest.mark.parametrize("parts", [(b"data: a\n\ndata: [DONE]\n\n",), (b"data: a\n\n", b"data: [DONE]\n\n")])
def test_a_compressed_stream_too_is_read_up_to_its_last_event(parts: tuple[bytes, ...]) -> None:
    packer = zlib.compressobj(wbits=31)
    packed = [packer.compress(part) + packer.flush(zlib.Z_SYNC_FLUSH) for part in parts]
    head = HEAD[:-2] + b"Content-Encoding: gzip\r\n\r\n"
    reply, took = timed(MemoryNet(site=pieces(*packed, then=1_000, head=head)), STREAM)
    assert reply.body == b"".join(parts)
    assert took < 1


def test_an_event_is_read_to_its_end() -> None:
    reply, _ = timed(
        MemoryNet(site=pieces(b"data: [DONE]", b"x" * 5_000, b"\n\n", b"more", then=1_000)), STREAM
    )
    assert reply.body.startswith(b"data: [DONE]xxx")
    assert len(reply.body) >= 5_014


def test_without_a_last_event_the_timeout_decides() -> None:
    outcome, took = timed(
        MemoryNet(site=pieces(b"data: a\n\n", then=1_000)), STREAM, limits=CallLimits(timeout=5)
    )
    assert isinstance(outcome, Transient)
    assert outcome.reason is Reason.TIMEOUT
    assert took == pytest.approx(5, abs=0.5)


BROKEN = (b"9\r\ndata: a\n\n\r\n", b"5\r\nda")


async def test_a_stream_that_breaks_off_is_given_as_far_as_it_came() -> None:
    reply = await send(pieces(*BROKEN, head=CHUNKED), STREAM)
    assert reply.body.startswith(b"data: a\n\n")


async def test_a_compressed_stream_that_breaks_off_is_given_as_far_as_it_came() -> None:
    packer = zlib.compressobj(wbits=31)
    packed = packer.compress(b"data: a\n\n") + packer.flush(zlib.Z_SYNC_FLUSH)
    head = CHUNKED[:-2] + b"Content-Encoding: gzip\r\n\r\n"
    reply = await send(pieces(b"%x\r\n%s\r\n" % (len(packed), packed), b"5\r\nda", head=head), STREAM)
    assert reply.body == b"data: a\n\n"


async def test_any_other_answer_that_breaks_off_is_none() -> None:
    with pytest.raises(Transient):
        await send(pieces(*BROKEN, head=CHUNKED), Request("POST", "/answer", json={}))


async def test_the_tries_are_counted() -> None:
    assert (await send(saying(page("ok")))).tries == 1
    assert (await send(saying(page("no", "503 X"), page("ok")))).tries == 2


async def test_which_statuses_are_tried_again_can_be_chosen() -> None:
    site = saying(page("no", "524 X"), page("ok"))
    assert (await send(site)).status == 524
    site = saying(page("no", "524 X"), page("ok"))
    assert (await send(site, limits=CallLimits(retried=frozenset({524})))).status == 200
