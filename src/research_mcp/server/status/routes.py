"""The addresses of the status page: `/`, the part that renews itself, and the same as JSON."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from functools import cache
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from research_mcp.observe.overview import Overview

if TYPE_CHECKING:
    from research_mcp.server.status.page import StatusPage

PATHS = frozenset({"/", "/status", "/status.json"})

_HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def routes(look: Callable[[], Awaitable[Overview]]) -> list[Route]:
    """Routes over the overview that `look` gives at each request. The first request loads the templates."""
    page = cache(_loaded)

    def headers() -> dict[str, str]:
        return {**_HEADERS, "Content-Security-Policy": page().policy}

    async def whole(request: Request) -> Response:
        html = page().whole(await look(), still="still" in request.query_params)
        return HTMLResponse(html, headers=headers())

    async def fragment(_: Request) -> Response:
        return HTMLResponse(page().fragment(await look()), headers=headers())

    async def data(_: Request) -> Response:
        return Response(_json(await look()), media_type="application/json", headers=headers())

    return [Route("/", whole), Route("/status", fragment), Route("/status.json", data)]


def _loaded() -> StatusPage:
    from research_mcp.server.status.page import StatusPage  # the template engine would slow every start

    return StatusPage()


def _json(now: Overview) -> str:
    shown = asdict(now)
    for line, spending in zip(shown["spending"], now.spending, strict=True):
        line.update(dollars_today=spending.today, dollars_month=spending.month)
    return json.dumps(shown, ensure_ascii=False)
