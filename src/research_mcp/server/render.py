"""Searches and pages for people at a terminal: the tools' own renderings, in English, without frames."""

from __future__ import annotations

from datetime import UTC, datetime

from research_mcp.core.models import Page, SearchReport
from research_mcp.pipelines.outline import cut
from research_mcp.server.render_page import page_body, page_head
from research_mcp.server.render_search import (
    engines_text,
    entries,
    notes_text,
    search_failure,
    search_summary,
)
from research_mcp.server.texts_en import EN
from research_mcp.server.voice import Voice, joined


def search_text(report: SearchReport) -> str:
    """The ranked list with a line about the engines, or why there is none."""
    voice = _voice()
    if not report.answered and not report.hits:
        return search_failure(report, voice)
    told = (engines_text(report, voice), notes_text(report.notes, voice))
    return joined((search_summary(report, voice), entries(report, voice), joined(told, "\n")), "\n\n")


def page_text(page: Page) -> str:
    """The whole page under its head."""
    whole = cut(page.markdown)
    return f"{page_head(page, whole, page.url, _voice())}\n\n{page_body(page, whole)}"


def _voice() -> Voice:
    return Voice(EN, datetime.now(UTC).timestamp())  # printed at once, so this moment is the reader's
