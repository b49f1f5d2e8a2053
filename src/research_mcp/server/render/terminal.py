"""What the tools find, for people at a terminal: their own renderings, in English, without frames."""

from __future__ import annotations

from datetime import UTC, datetime

from research_mcp.core.answers import AnswerReport
from research_mcp.core.models import Page, ReadFailure, SearchReport
from research_mcp.core.sitemaps import MapReport
from research_mcp.pipelines.read.outline import cut
from research_mcp.server.render.answer import answer_failure, body_of, source_entries, summary
from research_mcp.server.render.frames import clean, line
from research_mcp.server.render.map import map_entries, map_failure, map_summary, map_tail
from research_mcp.server.render.page import failure_text, page_body, page_head
from research_mcp.server.render.search import (
    engines_text,
    entries,
    notes_text,
    search_failure,
    search_summary,
)
from research_mcp.server.render.voice import Voice, joined
from research_mcp.server.texts.en import EN


def search_text(report: SearchReport) -> str:
    """The ranked list with a line about the engines, or why there is none."""
    voice = _voice()
    if not report.answered and not report.hits:
        return search_failure(report, voice)
    told = (engines_text(report, voice), notes_text(report.notes, voice))
    return joined((search_summary(report, voice), entries(report, voice), joined(told, "\n")), "\n\n")


def page_text(page: Page, start: int = 0, max_chars: int = 0) -> str:
    """The page from `start` on under its head; where it is cut, how to go on."""
    part, voice = cut(page.markdown, start, max_chars), _voice()
    more = ""
    if part.next_start is not None:
        more = f"The page goes on at --start {part.next_start}."
    return joined((page_head(page, part, page.url, voice), page_body(page, part), more), "\n\n")


def unread_text(failure: ReadFailure) -> str:
    """Why there is no page, who tried, and what to do."""
    return failure_text(failure, _voice())


def answer_text(report: AnswerReport) -> str:
    """The answer with its sources, or why there is neither."""
    voice = _voice()
    if report.empty:
        return answer_failure(report, voice)
    words = voice.texts.answer
    notes = (*report.warnings, *(f"{one.reader}: {one.detail}" for one in report.attempts))
    told = "; ".join(line(voice.said(note), 400).rstrip(".") for note in notes)
    return joined(
        (
            f"{summary(report, voice)}.",
            words.partial.format(reason=line(report.partial, 100)) if report.partial else "",
            words.unverified if report.unverified else "",
            clean(body_of(report)),
            joined((words.sources, source_entries(report.sources, 1, voice)), "\n") if report.sources else "",
            words.warnings.format(warnings=f"{told}.") if told else "",
            engines_text(report.search, voice) if report.search else "",
        ),
        "\n\n",
    )


def map_text(report: MapReport) -> str:
    """The pages of a site, or why there are none."""
    voice = _voice()
    if not report.pages:
        return map_failure(report, voice)
    parts = (map_summary(report, voice), map_entries(report), map_tail(report, report.notes, voice))
    return joined(parts, "\n\n")


def _voice() -> Voice:
    return Voice(EN, datetime.now(UTC).timestamp())  # printed at once, so this moment is the reader's
