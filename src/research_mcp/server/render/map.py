"""The map of a site as the model reads it: its pages, a row for each mapper, notes; or why there is none."""

from __future__ import annotations

from collections.abc import Sequence

from research_mcp.core.errors import Reason
from research_mcp.core.models import EngineState
from research_mcp.core.sitemaps import MapReport, SitePage
from research_mcp.server.render.frames import line, url_in_text
from research_mcp.server.render.search import notes_text, row_lines, row_text
from research_mcp.server.render.voice import Voice, joined
from research_mcp.server.tools.schemas import MapAnswer, SitePageLine

TITLE = 200


def map_text(report: MapReport, notes: Sequence[str], voice: Voice) -> str:
    """The pages as text, complete in itself."""
    return joined(
        (
            map_summary(report, voice),
            voice.texts.data,
            voice.framed(map_entries(report)),
            map_tail(report, notes, voice),
        ),
        "\n",
    )


def map_answer(report: MapReport, notes: Sequence[str], voice: Voice) -> MapAnswer:
    """The same as structure."""
    return {
        "summary": joined((map_summary(report, voice), voice.texts.data_fields), ". "),
        "pages": [_page(page) for page in report.pages],
        "mappers": row_lines(report.rows, voice),
        "partial": bool(report.partial),
        "notes": [line(voice.said(note)) for note in notes],
    }


def map_failure(report: MapReport, voice: Voice) -> str:
    """Why no mapper found a page, mapper by mapper, and what to do."""
    reason = map_failure_reason(report)
    head = voice.texts.map.failed.format(
        url=url_in_text(report.query.url),
        reason=reason.value,
        message=line(voice.said(report.message)).rstrip("."),
    )
    rows = [f"- {row_text(row, voice)}" for row in report.rows]
    return joined((head, *rows, voice.remedy(reason)), "\n")


def map_failure_reason(report: MapReport) -> Reason:
    """The reason that stands for the whole."""
    return report.reason or Reason.EMPTY


def map_summary(report: MapReport, voice: Voice) -> str:
    """How many pages of what, who found them, and whether there are more."""
    words = voice.texts.map
    found = words.found.format(
        url=url_in_text(report.query.url), count=len(report.pages), mapper=report.mapper
    )
    told = f"{found} ({voice.texts.search.cached})" if report.cached else found
    partial = words.partial.format(reason=voice.said(report.partial)) if report.partial else ""
    return joined((told, partial), ". ")


def map_entries(report: MapReport) -> str:
    """A line for each page, cleaned, without a frame."""
    return "\n".join(_entry(place, page) for place, page in enumerate(report.pages, 1))


def map_tail(report: MapReport, notes: Sequence[str], voice: Voice) -> str:
    """The mappers and the notes, each in one line."""
    rows = "; ".join(row_text(row, voice) for row in report.rows)
    return joined((voice.texts.map.mappers.format(rows=rows), notes_text(notes, voice)), "\n")


def map_answered(report: MapReport) -> str:
    """The mappers that knew pages, for the log line."""
    return " ".join(row.name for row in report.rows if row.state is EngineState.OK)


def _entry(place: int, page: SitePage) -> str:
    told = joined((line(page.title, TITLE), line(page.date, 30)))
    return joined((f"{place}. {url_in_text(page.url)}", told), " ")


def _page(page: SitePage) -> SitePageLine:
    found: SitePageLine = {"url": url_in_text(page.url)}
    if page.title:
        found["title"] = line(page.title, TITLE)
    if page.date:
        found["date"] = line(page.date, 30)
    return found
