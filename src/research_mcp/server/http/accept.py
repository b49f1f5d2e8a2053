"""What a client says it accepts, and answers in exactly that form.

Inside, every call is served as an event stream, because only there a dropped client stops its work.
Who cannot read streams gets the last message of the stream as one JSON document; who reads nothing
but streams gets a JSON answer as a stream of one event.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from http import HTTPStatus

from pydantic_core import from_json
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from research_mcp.server.http.replies import rpc_error

JSON = "application/json"
STREAM = "text/event-stream"
INTERNAL_ERROR = -32603


class Form(Enum):
    """The forms of an answer that a client reads."""

    EITHER = "either"
    JSON_ONLY = "json"
    STREAM_ONLY = "stream"


def accepted(header: str) -> Form:
    """The form for an `Accept` header. Streams only for those who name them: `*/*` reads JSON."""
    ranges = [part.partition(";") for part in header.lower().split(",")]
    named = {name.strip() for name, _, weight in ranges if weight.replace(" ", "") not in ("q=0", "q=0.0")}
    streams = STREAM in named or "text/*" in named
    if streams and named & {JSON, "application/*", "*/*"}:
        return Form.EITHER
    return Form.STREAM_ONLY if streams else Form.JSON_ONLY


class Collector:
    """A `send` that holds an answer back until it is whole, and then sends it as `form` wants."""

    def __init__(self, form: Form, scope: Scope, receive: Receive, send: Send) -> None:
        self._form = form
        self._scope = scope
        self._receive = receive
        self._send = send
        self._body = bytearray()
        self._held = False

    async def __call__(self, message: Message) -> None:
        """Take one ASGI message of the inner answer."""
        if message["type"] == "http.response.start":
            kind = Headers(raw=message["headers"]).get("content-type", "").partition(";")[0]
            other = STREAM if self._form is Form.JSON_ONLY else JSON
            self._held = message["status"] == HTTPStatus.OK and kind == other
        if not self._held:
            await self._send(message)
        elif message["type"] == "http.response.body":
            self._body += message.get("body", b"")
            if not message.get("more_body", False):
                await self._reply()(self._scope, self._receive, self._send)

    def _reply(self) -> Response:
        if self._form is Form.STREAM_ONLY:
            event = b"event: message\r\ndata: " + bytes(self._body) + b"\r\n\r\n"
            return Response(event, media_type=STREAM, headers={"Cache-Control": "no-cache"})
        answers = [data for data in events(bytes(self._body)) if "id" in from_json(data)]
        if not answers:
            return rpc_error(503, INTERNAL_ERROR, "The server stopped before the call ended: send it again.")
        return Response(answers[-1], media_type=JSON)


def events(stream: bytes) -> Iterator[bytes]:
    """The data of each event of a finished stream; comments are left out."""
    for block in stream.replace(b"\r\n", b"\n").split(b"\n\n"):
        lines = [line[5:].removeprefix(b" ") for line in block.split(b"\n") if line.startswith(b"data:")]
        if lines:
            yield b"\n".join(lines)
