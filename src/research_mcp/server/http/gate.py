"""The ASGI gate in front of the MCP endpoint: method, size, time, JSON and Accept.

It serves `/mcp` and `/mcp/` alike, without a redirect, and hands the protocol layer only whole,
well-formed requests in the one form that layer accepts.
"""

from __future__ import annotations

import asyncio

from mcp_types import JSONRPCNotification, jsonrpc_message_adapter
from pydantic import ValidationError
from pydantic_core import from_json
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from research_mcp.server.http.accept import JSON, STREAM, Collector, Form, accepted
from research_mcp.server.http.replies import INVALID_REQUEST, PARSE_ERROR, answer_early, rpc_error

PATHS = frozenset({"/mcp", "/mcp/"})
CLOSE = {"Connection": "close"}
WHAT_THIS_IS = (
    "This address is an MCP endpoint: an MCP client sends JSON-RPC requests here by POST. "
    "There is nothing to see in a browser.\n"
)


class _Refused(Exception):
    """A request that is answered here. `response` is the answer, `unread` that more of the body may come."""

    def __init__(self, response: Response, *, unread: bool = False) -> None:
        super().__init__(response.status_code)
        self.response = response
        self.unread = unread


class Gate:
    """`inner` serves the endpoint at `/mcp`, everything else goes to `other`."""

    def __init__(self, inner: ASGIApp, other: ASGIApp, *, max_body_bytes: int, body_seconds: float) -> None:
        self._inner = inner
        self._other = other
        self._max_body = max_body_bytes
        self._body_seconds = body_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or pass on what is not for the endpoint."""
        if scope["type"] != "http" or scope["path"] not in PATHS:
            await self._other(scope, receive, send)
            return
        try:
            self._check_head(scope)
            body = await self._body(receive)
            _check_envelope(body)
        except _Refused as refused:
            if refused.unread:
                await answer_early(refused.response, scope, receive, send, seconds=self._body_seconds)
            else:
                await refused.response(scope, receive, send)
            return
        form = accepted(Headers(scope=scope).get("accept", ""))
        if form is not Form.EITHER:
            send = Collector(form, scope, receive, send)
        await self._inner(_repaired(scope), _replay(body, receive), send)

    def _check_head(self, scope: Scope) -> None:
        headers = Headers(scope=scope)
        if scope["method"] != "POST":
            raise _Refused(PlainTextResponse(WHAT_THIS_IS, 405, {"Allow": "POST"}), unread=True)
        if headers.get("content-type", "").partition(";")[0].strip().lower() != JSON:
            text = "The Content-Type must be application/json."
            raise _Refused(rpc_error(415, INVALID_REQUEST, text, CLOSE), unread=True)
        length = headers.get("content-length", "")
        if length.isdigit() and int(length[:20]) > self._max_body:
            raise self._too_large(unread=True)

    async def _body(self, receive: Receive) -> bytes:
        body = bytearray()
        try:
            async with asyncio.timeout(self._body_seconds):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise _Refused(Response(status_code=400))  # nobody is left to read it
                    body += message.get("body", b"")
                    more = message.get("more_body", False)
                    if len(body) > self._max_body:
                        raise self._too_large(unread=more)
                    if not more:
                        return bytes(body)
        except TimeoutError:
            text = f"The request body did not arrive within {self._body_seconds:g} s."
            raise _Refused(rpc_error(408, INVALID_REQUEST, text, CLOSE)) from None

    def _too_large(self, *, unread: bool) -> _Refused:
        text = f"The request body is larger than {self._max_body} bytes."
        return _Refused(rpc_error(413, INVALID_REQUEST, text, CLOSE), unread=unread)


def _check_envelope(body: bytes) -> None:
    # Bounded in depth and safe with huge numbers, unlike the standard library's parser.
    try:
        decoded = from_json(body)
    except ValueError:
        raise _Refused(rpc_error(400, PARSE_ERROR, "Parse error: the body is not valid JSON.")) from None
    try:
        message = jsonrpc_message_adapter.validate_python(decoded, by_name=False)
    except ValidationError:
        text = "Invalid Request: the body must be one JSON-RPC 2.0 message."
        raise _Refused(rpc_error(400, INVALID_REQUEST, text)) from None
    # With an id that is none, a request passes for a notification: its sender would wait without end.
    if isinstance(message, JSONRPCNotification) and "id" in decoded:
        text = "Invalid Request: the id must be a string or an integer."
        raise _Refused(rpc_error(400, INVALID_REQUEST, text))


def _repaired(scope: Scope) -> Scope:
    given = [(name, value) for name, value in scope["headers"] if name not in (b"accept", b"content-type")]
    headers = [*given, (b"accept", f"{JSON}, {STREAM}".encode()), (b"content-type", JSON.encode())]
    return {**scope, "path": "/mcp", "raw_path": b"/mcp", "headers": headers}


def _replay(body: bytes, receive: Receive) -> Receive:
    pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return pending.pop() if pending else await receive()

    return replay
