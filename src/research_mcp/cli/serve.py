"""`serve`: the server."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import click

from research_mcp import __version__
from research_mcp.bootstrap import assemble
from research_mcp.bootstrap.assemble import SystemClock
from research_mcp.bootstrap.login import login_line
from research_mcp.bootstrap.tracing import start_tracing, then
from research_mcp.cli.run import configuration, endpoint, imports_done
from research_mcp.observe.log import Log


@click.command()
def serve() -> None:
    """Start the server (the default)."""
    from research_mcp.server.run import run  # the SDK is heavy: other commands start without it
    from research_mcp.server.sockets import bound

    imports_done()
    configured = configuration()
    settings = configured.settings
    log = Log(
        level=settings.log_level,
        file=settings.log_file,
        rotation=settings.log_rotation,
        retention=settings.log_retention,
        redact=configured.redact,
    )
    stop_tracing = start_tracing(settings, configured.trace_headers)
    product = assemble(configured, log.emit)
    listen = product.listen()
    sockets = bound(listen.host, listen.port)
    for line in configured.summary():
        click.echo(line, err=True)
    if line := asyncio.run(login_line(configured, SystemClock())):
        click.echo(f"login: {line}", err=True)
    port = sockets[0].getsockname()[1]
    click.echo(f"research-mcp {__version__} at {endpoint(settings.mcp_host, port)}", err=True)
    services = product.services()
    # Not after `run`: the signal that stopped it ends the process there.
    services = replace(services, running=then(services.running, stop_tracing))
    run(services, product.server_config(), listen, sockets)
