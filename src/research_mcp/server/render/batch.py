"""Several pages as the model reads them, as text and as structure; each row stands for itself."""

from __future__ import annotations

from dataclasses import dataclass

from research_mcp.core.models import BatchReport, HitRow, Page, PageRow, ReadFailure, ResearchReport
from research_mcp.server.render.frames import clean, line, url_in_text
from research_mcp.server.render.page import caveats, cut_mark, failure_line, title_lines, unread_text
from research_mcp.server.render.search import SNIPPET, engine_lines, engines_text, notes_text, search_summary
from research_mcp.server.render.voice import Voice, joined
from research_mcp.server.tools.schemas import PageLine, PagesAnswer, ReadHit, ResearchAnswer


@dataclass(frozen=True, slots=True)
class BatchRenderer:
    """Renders batches with each page cut at `limit` characters."""

    voice: Voice
    limit: int

    def pages_summary(self, report: BatchReport) -> str:
        """How many pages of how many were read, and the notes."""
        counted = self.voice.texts.page.pages_read.format(read=report.read, asked=report.asked)
        return joined((counted, *(line(self.voice.said(note)).rstrip(".") for note in report.notes)), ". ")

    def pages_text(self, report: BatchReport) -> str:
        """The whole answer of `read_pages` as text."""
        rows = [self._row(place, row) for place, row in enumerate(report.rows, 1)]
        notice = self.voice.texts.data if report.read else ""
        return joined((f"{self.pages_summary(report)}.", notice, *rows), "\n\n")

    def pages_answer(self, report: BatchReport) -> PagesAnswer:
        """The same as structure."""
        return {
            "summary": joined((self.pages_summary(report), self.voice.texts.data_fields), ". "),
            "pages": [self._line(row) for row in report.rows],
        }

    def research_summary(self, report: ResearchReport) -> str:
        """How many pages of how many were read, and how many hits are left; or why there are none."""
        if not report.rows:
            return search_summary(report.search, self.voice).rstrip(".")
        words = self.voice.texts.page
        query = line(report.search.query.text, 200)
        counted = words.hits_read.format(read=report.read, asked=report.asked, query=query)
        left = words.hits_skipped.format(count=report.skipped) if report.skipped else ""
        return joined((counted, left), "; ")

    def research_text(self, report: ResearchReport, notes: tuple[str, ...]) -> str:
        """The whole answer of `search_and_read` as text."""
        rows = [self._hit(place, row) for place, row in enumerate(report.rows, 1)]
        engines = engines_text(report.search, self.voice)
        tail = joined((engines, notes_text(notes, self.voice)), "\n")
        return joined((f"{self.research_summary(report)}.", self.voice.texts.data, *rows, tail), "\n\n")

    def research_answer(self, report: ResearchReport, notes: tuple[str, ...]) -> ResearchAnswer:
        """The same as structure."""
        return {
            "summary": joined((self.research_summary(report), self.voice.texts.data_fields), ". "),
            "results": [self._read_hit(row) for row in report.rows],
            "engines": engine_lines(report.search, self.voice),
            "notes": [line(self.voice.said(note)) for note in notes],
        }

    def _row(self, place: int, row: PageRow) -> str:
        head = f"{place}. {url_in_text(row.url)}"
        if row.page is None:
            return f"{head}\n{self._unread(_failure(row))}"
        facts = title_lines(row.page)
        body = self.voice.framed(
            joined((facts, clean(row.page.markdown[: self.limit])), "\n\n"), row.page.final_url
        )
        return joined((head, *caveats(row.page, self.voice), body, self._mark(row.page)), "\n")

    def _hit(self, place: int, row: HitRow) -> str:
        hit = row.hit
        type_ = self.voice.texts.search.types[hit.type] if hit.type else ""
        facts = joined((type_, line(hit.date, 30)))
        stated = joined((line(hit.title), url_in_text(hit.url), facts, line(hit.snippet, SNIPPET)), "\n")
        if row.page is None:
            head = f"{place}. {self.voice.framed(stated)}"
            return f"{head}\n{self._unread(_failure(row))}"
        text = clean(row.page.markdown[: self.limit])
        body = self.voice.framed(f"{stated}\n\n{text}", row.page.final_url)
        return joined((f"{place}. {body}", *caveats(row.page, self.voice), self._mark(row.page)), "\n")

    def _line(self, row: PageRow) -> PageLine:
        entry: PageLine = {"url": row.url, "ok": row.page is not None}
        if row.page is not None and (title := line(row.page.title)):
            entry["title"] = title
        self._tell(entry, row)
        return entry

    def _read_hit(self, row: HitRow) -> ReadHit:
        hit = row.hit
        entry: ReadHit = {
            "title": line(hit.title),
            "url": url_in_text(hit.url),
            "snippet": line(hit.snippet, SNIPPET),
        }
        if hit.type:
            entry["type"] = hit.type.value
        if hit.date:
            entry["date"] = line(hit.date, 30)
        self._tell(entry, row)
        return entry

    def _tell(self, entry: PageLine | ReadHit, row: PageRow | HitRow) -> None:
        """Add the page, or why there is none."""
        if row.page is not None:
            entry["markdown"] = self._markdown(row.page)
            if note := self._note(row.page):
                entry["note"] = note
        else:
            failure = _failure(row)
            entry["error"] = failure_line(failure, self.voice)
            entry["reason"] = failure.reason.value

    def _unread(self, failure: ReadFailure) -> str:
        return unread_text(failure.reason, failure_line(failure, self.voice), self.voice)

    def _markdown(self, page: Page) -> str:
        return joined((clean(page.markdown[: self.limit]), self._mark(page)), "\n\n")

    def _mark(self, page: Page) -> str:
        return cut_mark(self.limit, self.voice) if len(page.markdown) > self.limit else ""

    def _note(self, page: Page) -> str:
        return " ".join(f"{caveat}." for caveat in caveats(page, self.voice))


def _failure(row: PageRow | HitRow) -> ReadFailure:
    if row.failure is None:
        raise ValueError("a row holds neither a page nor a failure")
    return row.failure
