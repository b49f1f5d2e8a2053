"""JSON-RPC errors for what never reaches the protocol layer."""

from __future__ import annotations

from starlette.responses import JSONResponse

PARSE_ERROR = -32700
INVALID_REQUEST = -32600


def rpc_error(status: int, code: int, message: str, headers: dict[str, str] | None = None) -> JSONResponse:
    """An HTTP answer with a JSON-RPC error that belongs to no request (`id` null)."""
    body = {"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": message}}
    return JSONResponse(body, status, headers)
