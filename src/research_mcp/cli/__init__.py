"""Commands: one module a group. `research-mcp` alone serves.

Every command reads the same configuration through `bootstrap`. Wrong configuration ends with one
sentence on stderr and exit code 2; stdout carries only what was asked for.
"""

from __future__ import annotations

import importlib
import sys

import click

from research_mcp import __version__
from research_mcp.core.errors import ConfigError

_COMMANDS = {
    "serve": "serve:serve",
    "check": "configuration:check",
    "search": "tools:search",
    "read": "tools:read",
    "answer": "tools:answer",
    "map": "tools:map_",
    "token": "token:token",
    "login": "login:login",
    "logout": "login:logout",
    "client-config": "client_config:client_config",
    "builtin-tools": "builtin_tools:builtin_tools",
    "quota": "quota:quota",
    "env": "configuration:env",
}


class _Commands(click.Group):
    """Loads a command when it is asked for: the server starts without what only others need."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order of use."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command; None for a name that is none."""
        if cmd_name not in _COMMANDS:
            return None
        module, _, attribute = _COMMANDS[cmd_name].partition(":")
        command: click.Command = getattr(importlib.import_module(f"{__name__}.{module}"), attribute)
        return command


@click.group(cls=_Commands, invoke_without_command=True)
@click.version_option(__version__, prog_name="research-mcp")
@click.pass_context
def program(context: click.Context) -> None:
    """Every search engine and page reader behind one MCP endpoint."""
    if context.invoked_subcommand is None:
        from research_mcp.cli.serve import serve

        context.invoke(serve)


def main() -> None:
    """The console script. Exit code 2 and one sentence for wrong configuration."""
    try:
        program()
    except ConfigError as error:
        click.echo(f"research-mcp: {error}", err=True)
        sys.exit(2)
