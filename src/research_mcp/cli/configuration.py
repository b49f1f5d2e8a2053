"""`check`, `env`: what the configuration says."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import click

from research_mcp.bootstrap.assemble import SystemClock, assemble
from research_mcp.bootstrap.login import login_line
from research_mcp.bootstrap.manual import env_example, readme_with_tables
from research_mcp.bootstrap.proofs import Spend
from research_mcp.cli.live import prove
from research_mcp.cli.run import configuration
from research_mcp.observe.log import check_rotation
from research_mcp.server.sockets import bound


@click.command()
@click.option("--live", is_flag=True, help="Ask each provider once, all at once, and say what that proves.")
@click.option(
    "--free",
    "spend",
    flag_value=Spend.NOTHING,
    type=Spend,
    help="With --live: leave out calls that may cost money.",
)
@click.option(
    "--full",
    "spend",
    flag_value=Spend.REAL,
    type=Spend,
    help="With --live: one real call also where a free page about the account would do.",
)
@click.option("--json", "as_json", is_flag=True, help="With --live: print JSON.")
@click.option(
    "--timeout", default=45.0, show_default=True, type=click.FloatRange(1, 300), help="Seconds for --live."
)
def check(live: bool, spend: Spend | None, as_json: bool, timeout: float) -> None:
    """Read the configuration and say what is on, and why the rest is off.

    With --live, each provider that is on is asked once, as cheaply as it can be asked; rests, paces and
    budgets count as always. Ends with 1 when one of them failed.
    """
    if live:
        sys.exit(prove(spend or Spend.LITTLE, as_json=as_json, seconds=timeout))
    if spend or as_json:
        raise click.UsageError("--free, --full and --json belong to --live")
    from research_mcp.server.app import build_server  # the SDK is heavy: other commands start without it

    here = configuration()
    check_rotation(here.settings.log_rotation, here.settings.log_retention)
    for one in bound(here.settings.mcp_host, 0):  # the port itself may be a running server's
        one.close()
    product = assemble(here)  # what cannot be built is wrong too
    build_server(product.services(), product.server_config())
    for line in here.summary():
        click.echo(line)
    if line := asyncio.run(login_line(here, SystemClock())):
        click.echo(f"login: {line}")


@click.command()
@click.option("--readme", type=click.Path(exists=True, path_type=Path), help="Renew the tables in this file.")
def env(readme: Path | None) -> None:
    """Print `.env.example`, or renew the README's tables."""
    if readme is None:
        click.echo(env_example(), nl=False)
        return
    readme.write_text(readme_with_tables(readme.read_text()))
