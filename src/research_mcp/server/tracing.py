"""The trace of the client goes on here: W3C context out of the request's headers."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from research_mcp.observe.spans import continued


class TraceContext:
    """ASGI layer: `app` runs as part of the trace that `traceparent` names; no other header counts."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        stated = {name: headers[name] for name in ("traceparent", "tracestate") if name in headers}
        with continued(stated):
            await self._app(scope, receive, send)
