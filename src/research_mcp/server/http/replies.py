"""Answers for what never reaches the protocol layer."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from starlette.responses import JSONResponse, Response
from starlette.types import Message, Receive, Scope, Send

PARSE_ERROR = -32700
INVALID_REQUEST = -32600

MOST_DISCARDED = 16 * 1024 * 1024
"""Bytes of a refused body that are read after the answer."""


def rpc_error(status: int, code: int, message: str, headers: dict[str, str] | None = None) -> JSONResponse:
    """An HTTP answer with a JSON-RPC error that belongs to no request (`id` null)."""
    body = {"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": message}}
    return JSONResponse(body, status, headers)


async def answer_early(
    response: Response, scope: Scope, receive: Receive, send: Send, *, seconds: float
) -> None:
    """Send `response` and throw away for `seconds` what of the request still comes.

    A connection that is closed while its client sends is reset, and the answer may be lost with it.
    """

    async def unfinished(message: Message) -> None:
        await send({**message, "more_body": True} if message["type"] == "http.response.body" else message)

    await response(scope, receive, unfinished)
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await _discard(receive)
    await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _discard(receive: Receive) -> None:
    discarded = 0
    while discarded < MOST_DISCARDED:
        message = await receive()
        discarded += len(message.get("body", b""))
        if not message.get("more_body", False):
            return
