"""TLS by name over connections by number, and servers that never come to the point."""

from __future__ import annotations

import asyncio
import ssl

import httpcore
import pytest
import trustme

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import NoContent, Reason
from research_mcp.net.stream import AnswerHead, Stream
from tests.kit.virtual_time import run
from tests.net.fakes import (
    PUBLIC,
    LoopbackNet,
    MemoryNet,
    answering,
    fetching,
    listening,
    page,
    saying,
    trickle,
)


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


def server_tls(authority: trustme.CA, *names: str) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(*names).configure_cert(context)
    return context


def client_tls(authority: trustme.CA) -> ssl.SSLContext:
    context = ssl.create_default_context()
    authority.configure_trust(context)
    return context


async def test_twenty_requests_share_a_connection_and_a_second_name_on_its_address_fails_verification(
    authority,
):
    asked: list[str | None] = []
    tls = server_tls(authority, "a.example.com", "xn--mnchen-3ya.de")
    tls.sni_callback = lambda connection, name, context: asked.append(name)
    async with listening(answering(page()), ssl=tls) as port:
        net = LoopbackNet({PUBLIC: port})
        async with fetching(net, tls=client_tls(authority)) as kit:
            for _ in range(20):
                document = await kit.fetcher.fetch("https://a.example.com/", Deadline.after(10))
                assert document.status == 200
            assert net.connects == [PUBLIC]
            with pytest.raises(NoContent) as failure:
                await kit.fetcher.fetch("https://b.example.com/", Deadline.after(10))
            assert (await kit.fetcher.fetch("https://münchen.de/", Deadline.after(10))).status == 200
    assert failure.value.reason is Reason.TLS_FAILED
    assert "certificate is not valid" in str(failure.value)
    assert asked == ["a.example.com", "b.example.com", "xn--mnchen-3ya.de"]
    assert net.connects == [PUBLIC] * 3


async def test_an_unknown_authority_is_not_trusted_and_not_tried_without_verification(authority):
    async with listening(answering(page()), ssl=server_tls(authority, "a.example.com")) as port:
        net = LoopbackNet({PUBLIC: port})
        async with fetching(net) as kit:
            with pytest.raises(NoContent) as failure:
                await kit.fetcher.fetch("https://a.example.com/", Deadline.after(10))
    assert failure.value.reason is Reason.TLS_FAILED
    assert net.connects == [PUBLIC]


async def test_a_host_that_speaks_no_tls_is_a_tls_failure():
    async def plain(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(page(status="400 Bad Request"))

    async with listening(plain) as port, fetching(LoopbackNet({PUBLIC: port})) as kit:
        with pytest.raises(NoContent, match="handshake failed") as failure:
            await kit.fetcher.fetch("https://a.example.com/", Deadline.after(10))
    assert failure.value.reason is Reason.TLS_FAILED


EARLY_HINTS = b"HTTP/1.1 103 Early Hints\r\nLink: </x.css>\r\n\r\n"
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


@pytest.mark.parametrize("every", [0.0, 0.2, 3.0])
def test_endless_early_hints_end_at_ten_or_at_the_first_byte_budget(every: float):
    async def scenario() -> tuple[Reason, float, int]:
        net = MemoryNet(site=trickle(b"", EARLY_HINTS, every))
        async with fetching(net) as kit:
            deadline = Deadline.after(40)
            with pytest.raises(NoContent) as failure:
                await kit.fetcher.fetch(f"http://{PUBLIC}/", deadline)
            return failure.value.reason, 40 - deadline.remaining(), net.read

    reason, took, read = run(scenario())
    assert reason in (Reason.UPSTREAM_ERROR, Reason.TIMEOUT)
    assert took <= 10.5
    assert read <= 12 * len(EARLY_HINTS)


async def test_ten_thousand_times_100_continue_is_cut_short():
    net = MemoryNet(site=saying(CONTINUE * 10_000 + page()))
    async with fetching(net) as kit:
        with pytest.raises(NoContent) as failure:
            await kit.fetcher.fetch(f"http://{PUBLIC}/", Deadline.after(10))
    assert failure.value.reason is Reason.UPSTREAM_ERROR
    assert net.read <= 65_536


async def test_a_few_informational_answers_before_the_page_do_no_harm():
    net = MemoryNet(site=saying(EARLY_HINTS * 3 + CONTINUE + page("HTTP/1.1 100 " * 200)))
    async with fetching(net) as kit:
        for _ in range(2):
            document = await kit.fetcher.fetch(f"http://{PUBLIC}/", Deadline.after(10))
            assert document.body == b"HTTP/1.1 100 " * 200
    assert net.connects == [PUBLIC]


def test_answers_are_told_apart_however_they_are_cut():
    head = AnswerHead()
    for octet in EARLY_HINTS * 10 + page("HTTP/1.1 100 x\r\n\r\n" * 50):
        head.take(bytes([octet]))
    with pytest.raises(httpcore.RemoteProtocolError):
        AnswerHead().take(EARLY_HINTS * 11)


def test_an_informational_answer_that_never_ends_is_cut():
    head = AnswerHead()
    head.take(b"HTTP/1.1 103 Early Hints\r\n" + b"x" * 90_000)
    with pytest.raises(httpcore.RemoteProtocolError):
        head.take(b"x" * 20_000)


class Recorder(httpcore.AsyncNetworkStream):
    """Remembers what was written at once and answers nothing but "x"."""

    def __init__(self, *, broken: bool = False) -> None:
        self.written: list[bytes] = []
        self._broken = broken

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109
        return b"x"

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109
        self.written.append(buffer)
        if self._broken:
            raise httpcore.WriteError("reset")


async def test_the_head_and_the_body_of_a_small_request_leave_together():
    inner = Recorder()
    stream = Stream(inner)
    for part in (b"head ", b"body"):
        await stream.write(part)
    assert inner.written == []
    assert await stream.read(10) == b"x"
    assert inner.written == [b"head body"]


async def test_a_large_body_leaves_while_it_is_written():
    inner = Recorder()
    stream = Stream(inner)
    for _ in range(5):
        await stream.write(b"y" * 40_000)
    assert [len(part) for part in inner.written] == [80_000, 80_000]
    await stream.read(10)
    assert sum(len(part) for part in inner.written) == 200_000


async def test_an_answer_is_read_though_the_host_stopped_taking_the_request():
    stream = Stream(Recorder(broken=True))
    await stream.write(b"head body")
    assert await stream.read(10) == b"x"
