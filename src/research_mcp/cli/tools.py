"""`search`, `read`, `answer`, `map`: the tools from a terminal, progress on stderr.

Their options are the arguments of the tools, and read as leniently.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import click

from research_mcp.bootstrap import Product
from research_mcp.cli.run import progress, with_product
from research_mcp.core.errors import InvalidArgument, Reason, ResearchError
from research_mcp.core.models import Page
from research_mcp.core.wire import JsonValue
from research_mcp.server.render.terminal import answer_text, map_text, page_text, search_text, unread_text
from research_mcp.server.texts.en import EN
from research_mcp.server.tools.answer import WebAnswer
from research_mcp.server.tools.arguments import Arguments, Reading, read_arguments
from research_mcp.server.tools.calls import Tool
from research_mcp.server.tools.map import MapSite, map_query
from research_mcp.server.tools.pages import ReadPage, WebSearch
from research_mcp.server.tools.queries import answer_question, search_query

Command = Callable[..., None]


def _domains(command: Command) -> Command:
    """The two domain lists, each option as often as needed."""
    for name, what in (("exclude", "No results from this domain"), ("include", "Only from this domain")):
        option = f"--{name}-domain"
        command = click.option(option, f"{name}_domains", multiple=True, help=f"{what}; repeatable.")(command)
    return command


@click.command()
@click.argument("query")
@click.option("-n", "--num-results", help="How many results, 1 to 50.  [default: 8]")
@click.option("--language", help="Language of the results, such as de.")
@click.option("--country", help="Country of the results, such as DE.")
@click.option("--time-range", help="day, week, month or year.")
@click.option("--prefer-domain", "prefer_domains", multiple=True, help="Rank this domain higher; repeatable.")
@_domains
def search(query: str, **options: JsonValue) -> None:
    """Ask every enabled engine and print the merged list."""

    async def ask(product: Product) -> int:
        question = search_query(_read(WebSearch, {"query": query, **options}), EN.arguments)
        report = await product.searcher.search(question, progress)
        return _told(search_text(report), good=report.answered)

    sys.exit(with_product(ask))


@click.command()
@click.argument("url")
@click.option("--start", help="Character to start at: the one a cut page names.")
@click.option("--max-chars", help="Longest text to print; 0 for all.")
def read(url: str, **options: JsonValue) -> None:
    """Read one page and print its Markdown."""

    async def fetch(product: Product) -> int:
        arguments = _read(ReadPage, {"url": url, **options})
        start = arguments.integer("start")
        result = await product.reader.read(arguments.text("url"))
        if not isinstance(result, Page):
            return _told(unread_text(result), good=False)
        if start and start >= len(result.markdown):
            raise InvalidArgument(f"--start is {start}, but the page has {len(result.markdown)} characters")
        click.echo(page_text(result, start, arguments.integer("max_chars")))
        return 0

    sys.exit(with_product(fetch))


@click.command()
@click.argument("question")
@click.option("--recency-days", help="Only sources of the last so many days.")
@click.option("--extra-sources", help="Sources of the search engines to add.  [default: 3]")
@click.option("--include-x", is_flag=True, help="Also search posts on X, if the configuration allows it.")
@_domains
def answer(question: str, **options: JsonValue) -> None:
    """Ask a model that searches the web and print its answer with the sources."""

    async def ask(product: Product) -> int:
        if product.answerer is None:
            raise ResearchError(
                "no model is configured: set GROK_API_KEY, or the address, key and model of a relay "
                "(OPENAI_COMPATIBLE_API_URL, OPENAI_COMPATIBLE_API_KEY, OPENAI_COMPATIBLE_MODEL)",
                reason=Reason.NOT_CONFIGURED,
            )
        arguments = _read(WebAnswer, {"query": question, **options})
        report = await product.answerer.answer(answer_question(arguments, EN.arguments), progress)
        return _told(answer_text(report), good=not report.empty)

    sys.exit(with_product(ask))


@click.command("map")
@click.argument("url")
@click.option("-n", "--max-results", help="How many pages, 1 to 500.  [default: 50]")
@click.option("--max-depth", help="How many links deep to look, 1 to 5.  [default: 1]")
@click.option("--instructions", help="Which pages are wanted, in words; not every mapper heeds it.")
def map_(url: str, **options: JsonValue) -> None:
    """List the pages of a site, with titles where known."""

    async def look(product: Product) -> int:
        report = await product.mapper.map(map_query(_read(MapSite, {"url": url, **options})), progress)
        return _told(map_text(report), good=bool(report.pages))

    sys.exit(with_product(look))


def _told(text: str, *, good: bool) -> int:
    """The exit code, once `text` stands on stdout, or on stderr as the reason why there is none."""
    click.echo(text, err=not good)
    return 0 if good else 1


def _read(tool: type[Tool], given: dict[str, JsonValue]) -> Arguments:
    """The options as the tool understands its arguments; what had to give goes to stderr."""
    stated = {name: list(value) if isinstance(value, tuple) else value for name, value in given.items()}
    reading = Reading(tool.name, EN.tools[tool.name], EN.arguments)
    arguments = read_arguments(tool.fields, stated, reading)
    for note in arguments.notes:
        click.echo(note, err=True)
    return arguments
