"""The ASGI application: doors, gate, MCP endpoint, probes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.types import ASGIApp

from research_mcp.server.config import ServerConfig, Services
from research_mcp.server.http import health
from research_mcp.server.http.gate import Gate
from research_mcp.server.http.security import LOOPBACK, Cors, Door, Origins
from research_mcp.server.http.tokens import Failures, TokenCheck
from research_mcp.server.protocol import ResearchServer
from research_mcp.server.resources import add_resources
from research_mcp.server.texts.languages import load
from research_mcp.server.tools.calls import Toolbox
from research_mcp.server.tools.pages import offered
from research_mcp.server.tools.plan import PlanPrompt
from research_mcp.server.tracing import TraceContext


def build_app(services: Services, config: ServerConfig) -> ASGIApp:
    """The whole application. Raises `ConfigError` for unknown tools or an unknown language."""
    return wrap(build_server(services, config), services, config)


def build_server(services: Services, config: ServerConfig) -> ResearchServer:
    """The MCP server alone, without HTTP."""
    texts = load(config.language)
    toolbox = Toolbox(
        tools=offered(services, config, texts),
        texts=texts,
        seconds=config.call_seconds,
        heartbeat=config.heartbeat_seconds,
        emit=services.emit,
    )
    server = ResearchServer(toolbox)
    add_resources(server, services, texts)
    server.add_prompt(PlanPrompt.of(texts, toolbox.tools, services.clock))
    return server


def wrap(server: ResearchServer, services: Services, config: ServerConfig) -> ASGIApp:
    """`server` behind its gate and doors; its lifespan opens and closes the services."""
    # Stateless and streaming: the only pair in which a dropped client stops its work in every era.
    # Host and Origin are checked at our own door, which knows bare names and says which setting helps.
    endpoint = server.streamable_http_app(
        stateless_http=True,
        json_response=False,
        max_request_body_size=config.max_body_bytes,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with services.running(), server.session_manager.run():
            yield

    pages = Starlette(routes=health.routes(services), lifespan=lifespan)
    traced = TraceContext(endpoint)
    gate = Gate(traced, pages, max_body_bytes=config.max_body_bytes, body_seconds=config.body_seconds)
    origins = Origins((*LOOPBACK, *config.allowed_origins))
    failures = Failures(config.token_failures, config.token_failure_seconds)
    checked = TokenCheck(gate, tokens=config.bearer_tokens, failures=failures)
    return Door(Cors(checked, origins=origins), hosts=config.allowed_hosts, origins=origins)
