"""The tools of an answer: the answer itself, and its sources page by page."""

from __future__ import annotations

from research_mcp.core.errors import ConfigError, InvalidArgument
from research_mcp.core.ports import Answerer, Progress
from research_mcp.pipelines.read.outline import cut
from research_mcp.server.render.answer import (
    Fitted,
    answer_failure,
    answer_failure_reason,
    answer_structure,
    answer_text,
    body_of,
    fitted,
    sources_structure,
    sources_text,
)
from research_mcp.server.tools.arguments import Arguments, Flag, Integer, Text
from research_mcp.server.tools.base import Served
from research_mcp.server.tools.calls import Answer, failure
from research_mcp.server.tools.queries import DOMAINS, QUERY, answer_question, zone_notes
from research_mcp.server.tools.schemas import Shape, SourcesAnswer, WebAnswerAnswer


class _Answering(Served):
    """A tool that needs the answer pipeline."""

    pages = True
    needs_answerer = True

    def _answerer(self) -> Answerer:
        if self._services.answerer is None:
            raise ConfigError(f"{self.name} needs a model that searches, and none is configured.")
        return self._services.answerer


class WebAnswer(_Answering):
    """`web_answer`: an answer with its sources, or sources in its place."""

    name = "web_answer"
    fields = (
        QUERY,
        Integer(name="recency_days", default=0, minimum=0, maximum=3650),
        *DOMAINS,
        Integer(name="extra_sources", default=3, minimum=0, maximum=50),
        Flag(name="include_x"),
    )
    ignored = ("model", "platform")
    shape = Shape(WebAnswerAnswer)

    def target(self, arguments: Arguments) -> str:
        """The query."""
        return arguments.text("query")

    async def run(self, arguments: Arguments, progress: Progress) -> Answer:
        """The answer, cut to the operator's limit; an error only when there is nothing at all."""
        question = answer_question(arguments, self._texts.arguments)
        report = await self._answerer().answer(question, progress)
        voice = self._voice()
        if report.empty:
            return failure(answer_failure_reason(report), answer_failure(report, voice))
        fit = fitted(report, self._config.answer_max_chars, voice)
        attempts = (f"{one.reader}: {voice.said(one.detail)}" for one in report.attempts)
        odd = zone_notes(arguments, self._texts.arguments)
        notes = (*arguments.notes, *odd, *report.warnings, *attempts)
        return Answer(
            answer_text(report, fit, notes, voice),
            self.shape.checked(answer_structure(report, fit, notes, voice)),
            by=report.provider,
            count=len(report.sources),
            detail=report.fallback.value if report.fallback else "",
        )


class GetSources(_Answering):
    """`get_sources`: the sources of an answer in pages, and the rest of its text."""

    name = "get_sources"
    fields = (
        Text(name="session_id", required=True, limit=200),
        Integer(name="offset", default=0, minimum=0),
        Integer(name="limit", default=20, minimum=1, maximum=100, clamp=True),
        Integer(name="start", default=0, minimum=0),
    )
    shape = Shape(SourcesAnswer)

    def target(self, arguments: Arguments) -> str:
        """The session."""
        return arguments.text("session_id")

    async def run(self, arguments: Arguments, progress: Progress) -> Answer:
        """One page; past the last source it is empty."""
        report = await self._answerer().kept(arguments.text("session_id"))
        offset, start = arguments.integer("offset"), arguments.integer("start")
        page = report.sources[offset : offset + arguments.integer("limit")]
        body = body_of(report)
        if start and start >= len(body):
            sentence = self._texts.arguments.start_beyond
            raise InvalidArgument(sentence.format(start=start, length=len(body)))
        part = cut(body, start, self._config.answer_max_chars // 2) if start else None
        after = offset + len(page)
        rest = Fitted(
            part.text if part else "",
            page,
            part.next_start if part else None,
            after if after < len(report.sources) and page else None,
        )
        voice = self._voice()
        return Answer(
            sources_text(report, offset, page, rest, voice),
            self.shape.checked(sources_structure(report, offset, page, rest, voice)),
            count=len(page),
        )
