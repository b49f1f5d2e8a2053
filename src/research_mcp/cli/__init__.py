"""Commands: one module a group. `research-mcp` alone serves.

Every command reads the same configuration through `bootstrap`. Wrong configuration ends with one
sentence on stderr and exit code 2; stdout carries only what was asked for.
"""

from __future__ import annotations

import sys

import click

from research_mcp import __version__
from research_mcp.cli.builtin_tools import builtin_tools
from research_mcp.cli.client_config import client_config
from research_mcp.cli.configuration import check, env
from research_mcp.cli.login import login, logout
from research_mcp.cli.quota import quota
from research_mcp.cli.serve import serve
from research_mcp.cli.token import token
from research_mcp.cli.tools import answer, map_, read, search
from research_mcp.core.errors import ConfigError


@click.group(invoke_without_command=True)
@click.version_option(__version__, prog_name="research-mcp")
@click.pass_context
def program(context: click.Context) -> None:
    """Every search engine and page reader behind one MCP endpoint."""
    if context.invoked_subcommand is None:
        context.invoke(serve)


for command in (
    *(serve, check, search, read, answer, map_, token),
    *(login, logout, client_config, builtin_tools, quota, env),
):
    program.add_command(command)


def main() -> None:
    """The console script. Exit code 2 and one sentence for wrong configuration."""
    try:
        program()
    except ConfigError as error:
        click.echo(f"research-mcp: {error}", err=True)
        sys.exit(2)
