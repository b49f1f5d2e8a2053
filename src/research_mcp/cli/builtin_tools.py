"""`builtin-tools`: whether Claude Code uses its own web tools in a project, or this server's."""

from __future__ import annotations

from pathlib import Path

import click

from research_mcp.cli.deny_list import TOOLS, DenyList, work_tree

_NAMES = " and ".join(TOOLS)

_project = click.option(
    "--project",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(),
    help="A folder inside the project's Git work tree; the current one by default.",
)


@click.group("builtin-tools")
def builtin_tools() -> None:
    """Deny Claude Code its built-in web tools in a project, so that it uses this server.

    Edits `permissions.deny` in `.claude/settings.json` of the Git work tree: WebFetch and WebSearch only.
    """


@builtin_tools.command()
@_project
def deny(project: Path) -> None:
    """Put WebFetch and WebSearch on the deny list (what `on` did in earlier tools)."""
    found = DenyList(work_tree(project))
    changed = found.deny()
    click.echo(f"{_NAMES} {'are' if changed else 'were already'} denied in {found.file}")


@builtin_tools.command()
@_project
def allow(project: Path) -> None:
    """Take WebFetch and WebSearch off the deny list (what `off` did in earlier tools)."""
    found = DenyList(work_tree(project))
    changed = found.allow()
    click.echo(f"{_NAMES} {'are no longer' if changed else 'were not'} denied in {found.file}")


@builtin_tools.command()
@_project
def status(project: Path) -> None:
    """Say which of the two are denied."""
    found = DenyList(work_tree(project))
    denied = found.denied()
    for name in TOOLS:
        click.echo(f"{name}: {'denied' if name in denied else 'allowed'}")
    click.echo(f"file: {found.file}{'' if found.file.exists() else ' (does not exist)'}")
