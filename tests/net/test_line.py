"""One connection: what an answer may look like, and when the connection may be used again."""

from __future__ import annotations

import ssl

import httpcore
import pytest

from research_mcp.net.line import Line

HELLO = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
KEEP = 5.0


def line(*pieces: bytes) -> Line:
    """A connection whose host sends `pieces`, whatever it is asked."""
    origin = httpcore.Origin(b"http", b"vendor.example", 80)
    backend = httpcore.AsyncMockBackend(list(pieces))
    return Line(origin, ssl.create_default_context(), backend, KEEP)


def get(accept: str = "*/*") -> httpcore.Request:
    headers: dict[bytes | str, bytes | str] = {"Host": "vendor.example", "Accept": accept}
    return httpcore.Request("GET", "http://vendor.example/", headers=headers)


async def ask(line: Line) -> tuple[int, bytes]:
    answer = await line.handle_async_request(get())
    try:
        return answer.status, await answer.aread()
    finally:
        await answer.aclose()


async def test_one_exchange_follows_another() -> None:
    used = line(HELLO, HELLO)
    assert [await ask(used), await ask(used)] == [(200, b"hello")] * 2
    assert used.is_available()


async def test_interim_answers_are_passed_over() -> None:
    used = line(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n", HELLO)
    assert await ask(used) == (200, b"hello")


async def test_headers_keep_their_spelling_and_come_as_often_as_they_were_sent() -> None:
    used = line(b"HTTP/1.1 204 No Content\r\nX-One: a\r\nx-one: b\r\n\r\n")
    answer = await used.handle_async_request(get())
    assert answer.headers == [(b"X-One", b"a"), (b"x-one", b"b")]
    await answer.aclose()


async def test_a_chunked_body_arrives_whole() -> None:
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    used = line(head, b"3\r\nhel\r\n", b"2\r\nlo\r\n", b"0\r\n\r\n")
    assert await ask(used) == (200, b"hello")
    assert used.is_available()


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(HELLO + b"HTTP/1.1 200 OK\r\n\r\nnobody asked", id="more than was asked for"),
        pytest.param(HELLO.replace(b"OK\r\n", b"OK\r\nConnection: close\r\n"), id="it says so"),
        pytest.param(HELLO.replace(b"1.1", b"1.0"), id="an old version"),
    ],
)
async def test_a_connection_that_cannot_be_trusted_is_not_used_again(answer: bytes) -> None:
    used = line(answer)
    assert await ask(used) == (200, b"hello")
    assert not used.is_available()


async def test_a_body_that_is_left_early_ends_the_connection() -> None:
    used = line(HELLO.replace(b"5", b"50"), b"more")
    answer = await used.handle_async_request(get())
    await answer.aclose()
    assert not used.is_available()


@pytest.mark.parametrize(
    ("sent", "says"),
    [
        pytest.param(b"", "without sending a response", id="nothing"),
        pytest.param(b"SSH-2.0-OpenSSH_9.6\r\n\r\n", "illegal status line", id="another protocol"),
    ],
)
async def test_an_answer_that_is_none_is_a_fault_of_the_host(sent: bytes, says: str) -> None:
    used = line(sent)
    with pytest.raises(httpcore.RemoteProtocolError, match=says):
        await used.handle_async_request(get())
    assert not used.is_available()


async def test_a_body_that_breaks_off_is_a_fault_of_the_host() -> None:
    used = line(HELLO.replace(b"5", b"50"), b"")
    with pytest.raises(httpcore.RemoteProtocolError, match="complete message body"):
        await ask(used)
    assert not used.is_available()


async def test_a_header_that_cannot_be_sent_is_our_own_fault() -> None:
    used = line(HELLO)
    with pytest.raises(httpcore.LocalProtocolError):
        await used.handle_async_request(get("a\r\nb"))
    assert not used.is_available()
