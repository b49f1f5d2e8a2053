"""The tools: each turns arguments into one call of a pipeline and renders what comes back."""

from __future__ import annotations

from typing import ClassVar

from research_mcp.core.errors import ConfigError, InvalidArgument, Reason
from research_mcp.core.models import BatchReport, EngineState, ReadFailure, ResearchReport, SearchReport
from research_mcp.core.ports import Progress
from research_mcp.pipelines.read.outline import cut
from research_mcp.server.config import ServerConfig, Services
from research_mcp.server.render.page import failure_text, page_text
from research_mcp.server.render.search import failure_reason, search_answer, search_failure, search_text
from research_mcp.server.texts.shape import Texts
from research_mcp.server.tools.answer import GetSources, WebAnswer
from research_mcp.server.tools.arguments import Arguments, Field, Integer, Text, TextList
from research_mcp.server.tools.base import Served
from research_mcp.server.tools.calls import Answer, Tool, failure
from research_mcp.server.tools.map import MapSite
from research_mcp.server.tools.queries import FILTERS, QUERY, search_query
from research_mcp.server.tools.schemas import PagesAnswer, ResearchAnswer, SearchAnswer, Shape


class WebSearch(Served):
    """`web_search`: links only."""

    name = "web_search"
    fields = (
        QUERY,
        Integer(name="num_results", default=8, minimum=1, maximum=50, clamp=True),
        *FILTERS,
    )
    shape = Shape(SearchAnswer)

    def target(self, arguments: Arguments) -> str:
        """The query."""
        return arguments.text("query")

    async def run(self, arguments: Arguments, progress: Progress) -> Answer:
        """The ranked list, or why no engine answered."""
        query = search_query(arguments, self._texts.arguments)
        report = await self._services.searcher.search(query, progress)
        voice = self._voice()
        if not report.answered and not report.hits:
            return failure(failure_reason(report), search_failure(report, voice))
        notes = (*arguments.notes, *report.notes)
        return Answer(
            search_text(report, notes, voice),
            self.shape.checked(search_answer(report, notes, voice)),
            by=_engines(report),
            count=len(report.hits),
        )


class ReadPage(Served):
    """`read_page`: one page, whole or in parts; plain text without a structure."""

    name = "read_page"
    fields = (
        Text(name="url", required=True, limit=8192),
        Integer(name="start", default=0, minimum=0),
        Integer(name="max_chars", default=0, minimum=0),
    )
    pages = True

    def target(self, arguments: Arguments) -> str:
        """The url."""
        return arguments.text("url")

    async def run(self, arguments: Arguments, progress: Progress) -> Answer:
        """The text from `start` on, or why the page could not be read."""
        url, start = arguments.text("url"), arguments.integer("start")
        found = await self._services.reader.read(url)
        voice = self._voice()
        if isinstance(found, ReadFailure):
            return failure(found.reason, failure_text(found, voice), detail=found.message)
        if start and start >= len(found.markdown):
            sentence = self._texts.arguments.start_beyond
            raise InvalidArgument(sentence.format(start=start, length=len(found.markdown)))
        part = cut(found.markdown, start, self._longest(arguments.integer("max_chars")))
        return Answer(page_text(found, part, url, voice), by=found.reader, count=len(part.text))

    def _longest(self, asked: int) -> int:
        limits = [limit for limit in (asked, self._config.read_page_max_chars) if limit]
        return min(limits, default=0)


class ReadPages(Served):
    """`read_pages`: a row for each url."""

    name = "read_pages"
    fields: ClassVar[tuple[Field, ...]] = (TextList(name="urls", required=True, limit=20),)
    shape = Shape(PagesAnswer)
    pages = True

    def target(self, arguments: Arguments) -> str:
        """The urls."""
        return " ".join(arguments.texts("urls"))

    async def run(self, arguments: Arguments, progress: Progress) -> Answer:
        """A row for each url; an error only when not one could be read."""
        report = await self._services.batch.read_many(arguments.texts("urls"), progress)
        renderer = self._batch()
        return Answer(
            renderer.pages_text(report),
            self.shape.checked(renderer.pages_answer(report)),
            outcome="ok" if report.read else _first_reason(report),
            by=" ".join(dict.fromkeys(row.page.reader for row in report.rows if row.page)),
            count=report.read,
            failed=not report.read,
        )


class SearchAndRead(Served):
    """`search_and_read`: the best hits with their texts."""

    name = "search_and_read"
    fields = (
        QUERY,
        Integer(name="num_results", default=5, minimum=1, maximum=10, clamp=True),
        *FILTERS,
    )
    shape = Shape(ResearchAnswer)
    pages = True

    def target(self, arguments: Arguments) -> str:
        """The query."""
        return arguments.text("query")

    async def run(self, arguments: Arguments, progress: Progress) -> Answer:
        """Hits with their pages; hits alone when no page could be read; or why no engine answered."""
        query = search_query(arguments, self._texts.arguments)
        report = await self._services.batch.search_and_read(query, query.limit, progress)
        voice = self._voice()
        if not report.search.answered and not report.rows:
            return failure(failure_reason(report.search), search_failure(report.search, voice))
        notes = tuple(dict.fromkeys((*arguments.notes, *report.search.notes, *report.notes)))
        renderer = self._batch()
        text = (
            renderer.research_text(report, notes) if report.rows else search_text(report.search, notes, voice)
        )
        return Answer(
            text,
            self.shape.checked(renderer.research_answer(report, notes)),
            outcome="ok" if report.read or not report.rows else _first_reason(report),
            by=_engines(report.search),
            count=report.read,
        )


TOOLS: tuple[type[Served], ...] = (
    SearchAndRead,
    WebSearch,
    WebAnswer,
    GetSources,
    ReadPage,
    ReadPages,
    MapSite,
)
"""In the order in which a model should think of them."""


def offered(services: Services, config: ServerConfig, texts: Texts) -> dict[str, Tool]:
    """The tools that `TOOLS` and `TOOLS_EXCLUDE` leave. Raises `ConfigError` for a name that is none."""
    known = {tool.name: tool for tool in TOOLS}
    for variable, listed in (("TOOLS", config.tools), ("TOOLS_EXCLUDE", config.tools_exclude)):
        strange = [name for name in listed if name not in known]
        if strange:
            raise ConfigError(f"{variable} names {strange[0]!r}; the tools are {', '.join(known)}.")
    usable = [name for name, tool in known.items() if services.answerer or not tool.needs_answerer]
    chosen = [name for name in usable if name in (config.tools or known) and name not in config.tools_exclude]
    if not chosen:
        raise ConfigError("TOOLS and TOOLS_EXCLUDE leave no tool: name at least one.")
    return {name: known[name](services, config, texts) for name in chosen}


def _engines(report: SearchReport) -> str:
    return " ".join(row.name for row in report.rows if row.state is EngineState.OK)


def _first_reason(report: BatchReport | ResearchReport) -> str:
    reasons = [row.failure.reason for row in report.rows if row.failure]
    return (reasons[0] if reasons else Reason.EMPTY).value
