"""What machines ask: is it alive, can it answer, its figures; and what people see at `/`."""

from __future__ import annotations

import asyncio
import logging

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from research_mcp import __version__
from research_mcp.server.config import Health, Services
from research_mcp.server.http.security import METRICS
from research_mcp.server.status import routes as status

logger = logging.getLogger(__name__)

PROBE_SECONDS = 3.0
METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def routes(services: Services) -> list[Route]:
    """`/healthz` (also `/health`), `/readyz`, `/` and, when there are figures, `/metrics`.

    `/` is the status page where there is an overview, else a line that says what this is.
    """

    async def alive(_: Request) -> Response:
        return JSONResponse({"status": "ok", "version": __version__})

    async def ready(_: Request) -> Response:
        health = await _health(services)
        state = "not ready" if not health.ready else "degraded" if health.degraded else "ready"
        body = {"status": state, "degraded": list(health.degraded)}
        return JSONResponse(body, 200 if health.ready else 503)

    async def welcome(_: Request) -> Response:
        return PlainTextResponse(
            f"research-mcp {__version__}: web search and page reading for agents.\n"
            "MCP clients connect to /mcp on this host. Probes: /healthz, /readyz.\n"
        )

    found = [
        Route("/healthz", alive),
        Route("/health", alive),  # what people and other servers' habits ask for
        Route("/readyz", ready),
        *(status.routes(services.overview) if services.overview else [Route("/", welcome)]),
    ]
    if services.metrics is not None:
        figures = services.metrics

        async def metrics(_: Request) -> Response:
            return Response(await figures(), media_type=METRICS_TYPE)

        found.append(Route(METRICS, metrics))
    return found


async def _health(services: Services) -> Health:
    try:
        async with asyncio.timeout(PROBE_SECONDS):
            return await services.health()
    except Exception:
        logger.exception("the health check failed")
        return Health(ready=False, degraded=("health check",))
