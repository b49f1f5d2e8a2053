"""`search`, `read`: the tools from a terminal, progress on stderr."""

from __future__ import annotations

import sys

import click

from research_mcp.bootstrap import Product
from research_mcp.cli.run import progress, with_product
from research_mcp.core.models import Page, SearchQuery
from research_mcp.server.render import page_text, search_text


@click.command()
@click.argument("query")
@click.option("-n", "--num-results", default=8, show_default=True, type=click.IntRange(1, 50))
def search(query: str, num_results: int) -> None:
    """Ask every enabled engine and print the merged list."""

    async def ask(product: Product) -> int:
        report = await product.searcher.search(SearchQuery(query, limit=num_results), progress)
        click.echo(search_text(report))
        return 0 if report.answered else 1

    sys.exit(with_product(ask))


@click.command()
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

    sys.exit(with_product(fetch))
