"""What a client says it accepts, and answers that arrive in pieces."""

from __future__ import annotations

import json

import pytest
from starlette.types import Message

from research_mcp.server.http.accept import Collector, Form, accepted, events


@pytest.mark.parametrize(
    ("header", "form"),
    [
        ("application/json, text/event-stream", Form.EITHER),
        ("TEXT/EVENT-STREAM;q=0.5 , */*", Form.EITHER),
        ("text/event-stream", Form.STREAM_ONLY),
        ("text/event-stream, application/json; q=0", Form.STREAM_ONLY),
        ("application/json", Form.JSON_ONLY),
        ("*/*", Form.JSON_ONLY),
        ("", Form.JSON_ONLY),
        ("image/png", Form.JSON_ONLY),
    ],
)
def test_an_accept_header_names_the_form(header: str, form: Form) -> None:
    assert accepted(header) is form


def test_events_are_read_with_comments_and_lines_between() -> None:
    stream = b': ping\r\n\r\nevent: message\r\ndata: {"a":\r\ndata: 1}\r\n\r\ndata:{"b": 2}\n\n'
    assert list(events(stream)) == [b'{"a":\n1}', b'{"b": 2}']


async def collect(form: Form, kind: bytes, *pieces: bytes) -> tuple[int, bytes]:
    """What reaches a client of `form` from an inner answer in `pieces`."""
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    collector = Collector(form, {"type": "http"}, receive, send)
    await collector({"type": "http.response.start", "status": 200, "headers": [(b"content-type", kind)]})
    for number, piece in enumerate(pieces, 1):
        body = {"type": "http.response.body", "body": piece, "more_body": number < len(pieces)}
        await collector(body)
    return sent[0]["status"], b"".join(message.get("body", b"") for message in sent)


async def test_an_answer_in_pieces_is_put_together() -> None:
    pieces = [
        b'data: {"method": "notifications/pro',
        b'gress"}\n\ndata: {"id": 1, "result"',
        b": {}}\n\n",
        b"",
    ]
    assert await collect(Form.JSON_ONLY, b"text/event-stream", *pieces) == (200, b'{"id": 1, "result": {}}')


async def test_a_stream_that_ends_without_an_answer_is_an_error_and_not_an_empty_success() -> None:
    status, body = await collect(Form.JSON_ONLY, b"text/event-stream", b": ping\n\n", b"")
    assert status == 503
    assert json.loads(body)["error"]["message"].startswith("The server stopped before the call ended")


async def test_what_has_the_right_form_already_passes_through() -> None:
    assert await collect(Form.JSON_ONLY, b"application/json", b"{}") == (200, b"{}")
    assert await collect(Form.STREAM_ONLY, b"text/event-stream", b"data: {}\n\n") == (200, b"data: {}\n\n")
