"""`token`: a new bearer token for this server."""

from __future__ import annotations

import click

from research_mcp.core.bearer import hashed, new_token


@click.command()
def token() -> None:
    """Make a bearer token, and the hash under which the server knows it."""
    fresh = new_token()
    click.echo(f"token for the client: {fresh.reveal()}")
    click.echo(f"for the server:       MCP_BEARER_TOKENS={hashed(fresh)}")
    click.echo("It is shown once and kept nowhere. Several entries stand in a comma list.", err=True)
