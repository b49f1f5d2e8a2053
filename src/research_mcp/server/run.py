"""Running the application: uvicorn with patience for work and none for idle or stuck clients."""

from __future__ import annotations

import asyncio
import logging
import socket
from contextlib import suppress

import h11
import uvicorn
from sse_starlette.sse import AppStatus
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from research_mcp.server.app import build_app
from research_mcp.server.config import Listen, ServerConfig, Services
from research_mcp.server.http.security import exposure_warning

logger = logging.getLogger(__name__)


class PatientProtocol(H11Protocol):
    """Closes what uvicorn would wait for without end: half a request head, a client that stops reading."""

    header_seconds = 10.0
    stall_seconds = 60.0
    _head_timer: asyncio.TimerHandle | None = None
    _stall_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A new connection owes a request head."""
        super().connection_made(transport)
        self._head_timer = self.loop.call_later(self.header_seconds, transport.abort)

    def data_received(self, data: bytes) -> None:
        """The timer runs while a head is begun and not whole."""
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE or not self.conn.trailing_data[0]:
            self._stop_head_timer()
        elif self._head_timer is None:
            self._head_timer = self.loop.call_later(self.header_seconds, self.transport.abort)

    def pause_writing(self) -> None:
        """The client reads slower than we write."""
        super().pause_writing()
        self._stall_timer = self.loop.call_later(self.stall_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """The client reads again."""
        super().resume_writing()
        self._stop_stall_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing is owed any more."""
        self._stop_head_timer()
        self._stop_stall_timer()
        super().connection_lost(exc)

    def _stop_head_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _stop_stall_timer(self) -> None:
        if self._stall_timer is not None:
            self._stall_timer.cancel()
            self._stall_timer = None


def http_server(app: ASGIApp, listen: Listen) -> uvicorn.Server:
    """A server that is ready to run; logging is left to the caller's handlers."""

    class Protocol(PatientProtocol):
        header_seconds = listen.header_seconds
        stall_seconds = listen.stall_seconds

    # The stream library would cut every stream on SIGTERM; uvicorn lets them end within the drain time.
    AppStatus.enable_automatic_graceful_drain = False
    return uvicorn.Server(
        uvicorn.Config(
            app,
            host=listen.host,
            port=listen.port,
            http=Protocol,
            ws="none",
            loop="asyncio",
            lifespan="on",
            log_config=None,
            access_log=False,
            server_header=False,
            forwarded_allow_ips=list(listen.trusted_proxies),
            limit_concurrency=listen.max_connections,
            timeout_keep_alive=listen.keep_alive_seconds,
            timeout_graceful_shutdown=listen.drain_seconds,
        )
    )


def run(services: Services, config: ServerConfig, listen: Listen, sockets: list[socket.socket]) -> None:
    """Serve on `sockets` until SIGTERM or SIGINT; calls in flight get `drain_seconds` to end."""
    app = build_app(services, config)
    if warning := exposure_warning(listen.host, config.allowed_hosts):
        logger.warning("%s", warning)
    with suppress(KeyboardInterrupt):  # uvicorn raises it again once everything is closed
        http_server(app, listen).run(sockets)
