"""Commands: `serve` (the default), `check`, `search`, `read`, `env`.

Every command reads the same configuration through `bootstrap`. Wrong configuration ends with one
sentence on stderr and exit code 2; stdout carries only what was asked for.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import click

from research_mcp import __version__
from research_mcp.bootstrap import Configuration, Product, assemble, configure, read_environment
from research_mcp.bootstrap.manual import env_example, known_variables, readme_with_tables
from research_mcp.core.errors import ConfigError, ResearchError
from research_mcp.core.models import Page, SearchQuery
from research_mcp.observe.log import Log
from research_mcp.server.render import page_text, search_text

T = TypeVar("T")


@click.group(invoke_without_command=True)
@click.version_option(__version__, prog_name="research-mcp")
@click.pass_context
def program(context: click.Context) -> None:
    """Every search engine and page reader behind one MCP endpoint."""
    if context.invoked_subcommand is None:
        context.invoke(serve)


@program.command()
def serve() -> None:
    """Start the server (the default)."""
    from research_mcp.server.run import run  # the SDK is heavy: other commands start without it

    configuration = _configuration()
    settings = configuration.settings
    log = Log(
        level=settings.log_level,
        file=settings.log_file,
        rotation=settings.log_rotation,
        retention=settings.log_retention,
        redact=configuration.redact,
    )
    product = assemble(configuration, log.emit)
    for line in configuration.summary():
        click.echo(line, err=True)
    click.echo(f"research-mcp {__version__} at http://{settings.mcp_host}:{settings.mcp_port}/mcp", err=True)
    run(product.services(), product.server_config(), product.listen())


@program.command()
def check() -> None:
    """Read the configuration and say what is on, and why the rest is off."""
    for line in _configuration().summary():
        click.echo(line)


@program.command()
@click.argument("query")
@click.option("-n", "--num-results", default=8, show_default=True, type=click.IntRange(1, 50))
def search(query: str, num_results: int) -> None:
    """Ask every enabled engine and print the merged list."""

    async def ask(product: Product) -> int:
        report = await product.searcher.search(SearchQuery(query, limit=num_results), _progress)
        click.echo(search_text(report))
        return 0 if report.answered else 1

    sys.exit(_run(ask))


@program.command()
@click.argument("url")
def read(url: str) -> None:
    """Read one page and print its Markdown."""

    async def fetch(product: Product) -> int:
        result = await product.reader.read(url)
        if isinstance(result, Page):
            click.echo(page_text(result))
            return 0
        click.echo(f"{result.reason}: {result.message}", err=True)
        return 1

    sys.exit(_run(fetch))


@program.command()
@click.option("--readme", type=click.Path(exists=True, path_type=Path), help="Renew the tables in this file.")
def env(readme: Path | None) -> None:
    """Print `.env.example`, or renew the README's tables."""
    if readme is None:
        click.echo(env_example(), nl=False)
        return
    readme.write_text(readme_with_tables(readme.read_text()))


def main() -> None:
    """The console script. Exit code 2 and one sentence for wrong configuration."""
    try:
        program()
    except ConfigError as error:
        click.echo(f"research-mcp: {error}", err=True)
        sys.exit(2)


def _configuration() -> Configuration:
    return configure(read_environment(known=known_variables()))


async def _progress(done: int, total: int, message: str) -> None:
    click.echo(f"[{done}/{total}] {message}", err=True)


def _run(work: Callable[[Product], Awaitable[T]]) -> T:
    async def inside() -> T:
        product = assemble(_configuration())
        async with product.running():
            return await work(product)

    try:
        return asyncio.run(inside())
    except ConfigError:
        raise
    except ResearchError as error:
        raise click.ClickException(f"{error.reason}: {error}") from None
