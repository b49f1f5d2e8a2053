"""`check`, `env`: what the configuration says."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from research_mcp.bootstrap.assemble import SystemClock
from research_mcp.bootstrap.login import login_line
from research_mcp.bootstrap.manual import env_example, readme_with_tables
from research_mcp.cli.run import configuration


@click.command()
def check() -> None:
    """Read the configuration and say what is on, and why the rest is off."""
    here = configuration()
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
