"""`client-config`: what to paste into a client."""

from __future__ import annotations

from urllib.parse import urlsplit

import click

from research_mcp.cli.clients import CLIENTS, VARIABLE
from research_mcp.cli.run import configuration, endpoint

_SHOWN = {"none": "", "basic": "Basic <base64 of user:password>", "bearer": "Bearer <token>"}
_OPEN_HOSTS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  what people listen on


@click.command("client-config")
@click.argument("client", required=False, type=click.Choice([*CLIENTS]))
@click.option("--url", help="Address of the endpoint as the client sees it, such as https://host/mcp.")
@click.option(
    "--auth",
    type=click.Choice([*_SHOWN]),
    help="The login that the server asks for; bearer when MCP_BEARER_TOKENS is set, none otherwise.",
)
def client_config(client: str | None, url: str | None, auth: str | None) -> None:
    """Print what CLIENT (all known ones without it) needs to find this server. Prints no secret."""
    here = configuration()
    settings = here.settings
    own = endpoint(_OPEN_HOSTS.get(settings.mcp_host, settings.mcp_host), settings.mcp_port)
    address = _stated(url) if url else own
    value = _SHOWN[auth or ("bearer" if here.bearer_tokens else "none")]
    if client:
        found = CLIENTS[client]
        text = found.snippet(address, value)
        click.echo(f"{found.title}: {found.where}", err=True)
    else:
        texts = (f"# {c.title}: {c.where}\n\n{c.snippet(address, value)}\n" for c in CLIENTS.values())
        text = "\n".join(texts)
    click.echo(text)
    if VARIABLE in text:
        click.echo(f"{VARIABLE} holds the whole header value: {value}", err=True)


def _stated(url: str) -> str:
    """The address with its path. Raises `BadParameter` for what is no address or holds a password."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and parts.hostname and not parts.query
        secret = parts.username is not None
    except ValueError:
        usable, secret = False, False
    if secret:
        raise click.BadParameter("an address holds no credentials: --auth says which header to send")
    if not usable:
        raise click.BadParameter(f"{url[:100]!r} is no address like https://mcp.example.org/mcp")
    return url if parts.path.strip("/") else f"{url.rstrip('/')}/mcp"
