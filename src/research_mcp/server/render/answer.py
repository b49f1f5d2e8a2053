"""An answer with its sources as the model reads it, cut to what a client can take; or why there is none."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from research_mcp.core.answers import AnswerReport, AnswerSource, Fallback, Use
from research_mcp.core.errors import Reason
from research_mcp.pipelines.read.outline import cut
from research_mcp.server.render.frames import clean, line, url_in_text
from research_mcp.server.render.search import (
    PASSING,
    SNIPPET,
    advice,
    engine_lines,
    engines_text,
    failure_reason,
)
from research_mcp.server.render.voice import Voice, joined
from research_mcp.server.tools.schemas import EngineLine, SourceLine, SourcesAnswer, WebAnswerAnswer

_SOURCES_SHARE = 0.4
"""Of the room, for sources, while the text still wants more."""

_FOR_THE_OPERATOR = frozenset({Reason.BAD_KEY, Reason.OUT_OF_CREDITS, Reason.NOT_CONFIGURED})

_KEPT_FREE = 2_000
"""Characters for our own lines around text and sources."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """What of a report fits: its text up to `next_start` (None: all), so many of its sources."""

    text: str
    sources: tuple[AnswerSource, ...]
    next_start: int | None
    next_offset: int | None

    @property
    def truncated(self) -> bool:
        """True when anything was left out."""
        return self.next_start is not None or self.next_offset is not None


def body_of(report: AnswerReport) -> str:
    """The one text of a report: its answer, or what is unverified."""
    return report.content or report.unverified


def fitted(report: AnswerReport, limit: int, voice: Voice) -> Fitted:
    """Text and sources within `limit` characters of JSON, at least one source."""
    overhead = len(json.dumps([*report.warnings, *engines(report, voice)], ensure_ascii=False))
    room = max(limit - overhead - _KEPT_FREE, 500)
    sizes = [len(json.dumps(source_line(source), ensure_ascii=False)) + 8 for source in report.sources]
    for_sources = min(sum(sizes), int(room * _SOURCES_SHARE))
    part = cut(body_of(report), 0, _characters(body_of(report), room - for_sources))
    left = room - _size(part.text)
    count = 0
    while count < len(sizes) and (count == 0 or left >= sizes[count]):
        left -= sizes[count]
        count += 1
    next_offset = count if count < len(sizes) else None
    return Fitted(part.text, report.sources[:count], part.next_start, next_offset)


def answer_text(report: AnswerReport, fit: Fitted, notes: Sequence[str], voice: Voice) -> str:
    """The whole answer as text."""
    words = voice.texts.answer
    rest, more = _left_out(report, fit, voice)
    return joined(
        (
            f"{summary(report, voice)}.",
            words.partial.format(reason=line(report.partial, 100)) if report.partial else "",
            voice.texts.data,
            words.unverified if report.unverified else "",
            voice.framed(clean(fit.text)) if fit.text else "",
            rest,
            joined((words.sources, voice.framed(source_entries(fit.sources, 1, voice))), "\n")
            if fit.sources
            else "",
            more,
            _warnings(notes, voice),
            engines_text(report.search, voice) if report.search else "",
            words.session.format(session=report.session_id, when=voice.at(report.expires_at)),
        ),
        "\n\n",
    )


def answer_structure(
    report: AnswerReport, fit: Fitted, notes: Sequence[str], voice: Voice
) -> WebAnswerAnswer:
    """The same as structure."""
    text = clean(fit.text)
    answer: WebAnswerAnswer = {
        "summary": joined((summary(report, voice), voice.texts.data_fields), ". "),
        "session_id": report.session_id,
        "content": text if report.content else "",
        "verifiable": report.verifiable,
        "partial": bool(report.partial),
        "search_provider": report.provider,
        "fallback_used": report.fallback is not None,
        "sources_count": len(report.sources),
        "cited_count": report.count(Use.CITED),
        "visited_count": report.count(Use.VISITED),
        "supplementary_count": report.count(Use.SUPPLEMENTARY),
        "sources": [source_line(source) for source in fit.sources],
        "warnings": [line(voice.said(note), 400) for note in notes],
        "engines": engines(report, voice),
        "truncated": fit.truncated,
        "expires_in_seconds": _left(report, voice),
    }
    if report.fallback is not None:
        answer["fallback_reason"] = report.fallback.value
    if report.unverified:
        answer["unverified_content"] = text
    if fit.next_start is not None:
        answer["next_start"] = fit.next_start
    if fit.next_offset is not None:
        answer["next_offset"] = fit.next_offset
    return answer


def answer_failure(report: AnswerReport, voice: Voice) -> str:
    """Why there is nothing at all, model by model and engine by engine, and what to do."""
    words = voice.texts.answer
    rows = [
        words.attempt.format(name=one.reader, message=line(voice.said(one.detail)), reason=one.reason.value)
        for one in report.attempts
    ]
    found = engines_text(report.search, voice) if report.search else ""
    warned = _warnings(report.warnings, voice)
    head = words.failed.format(**_why(report, voice))
    return joined((head, *rows, found, warned, *_what_to_do(report, voice)), "\n")


def _what_to_do(report: AnswerReport, voice: Voice) -> list[str]:
    """What the operator must do about a model, and when another try makes sense."""
    reasons = dict.fromkeys(one.reason for one in report.attempts if one.reason in _FOR_THE_OPERATOR)
    remedies = [voice.remedy(reason) for reason in reasons]
    passing = ", ".join(one.reader for one in report.attempts if one.reason in PASSING)
    if report.search and report.search.retry_at:
        return [*remedies, advice(report.search, voice)]
    if passing:
        return [*remedies, voice.texts.search.retry_failed.format(engines=passing)]
    if report.search and report.search.rows:
        return [*remedies, advice(report.search, voice)]
    return remedies or [voice.remedy(answer_failure_reason(report))]


def answer_failure_reason(report: AnswerReport) -> Reason:
    """The reason that stands for the whole: of the first model, else of the search."""
    if report.attempts:
        return report.attempts[0].reason
    return failure_reason(report.search) if report.search else Reason.UPSTREAM_ERROR


def summary(report: AnswerReport, voice: Voice) -> str:
    """What kind of answer this is, and how many sources of which use it has."""
    words = voice.texts.answer
    if report.fallback is None:
        head = words.answered.format(query=_query(report), provider=report.provider)
    else:
        head = (words.instead if report.sources else words.no_sources).format(**_why(report, voice))
    counts = words.counts.format(
        total=len(report.sources),
        cited=report.count(Use.CITED),
        visited=report.count(Use.VISITED),
        supplementary=report.count(Use.SUPPLEMENTARY),
    )
    return joined((head, counts), ". ")


def sources_text(
    report: AnswerReport, offset: int, page: Sequence[AnswerSource], rest: Fitted, voice: Voice
) -> str:
    """One page of sources as text; before it, the part of the answer that was asked for."""
    words = voice.texts.answer
    after, more = _left_out(report, rest, voice)
    return joined(
        (
            f"{_page(report, offset, page, voice)}.",
            voice.texts.data,
            voice.framed(clean(rest.text)) if rest.text else "",
            after,
            voice.framed(source_entries(page, offset + 1, voice)) if page else "",
            more,
            words.session.format(session=report.session_id, when=voice.at(report.expires_at)),
        ),
        "\n\n",
    )


def sources_structure(
    report: AnswerReport, offset: int, page: Sequence[AnswerSource], rest: Fitted, voice: Voice
) -> SourcesAnswer:
    """The same as structure."""
    answer: SourcesAnswer = {
        "summary": joined((_page(report, offset, page, voice), voice.texts.data_fields), ". "),
        "session_id": report.session_id,
        "sources_count": len(report.sources),
        "offset": offset,
        "sources": [source_line(source) for source in page],
        "expires_in_seconds": _left(report, voice),
    }
    if rest.next_offset is not None:
        answer["next_offset"] = rest.next_offset
    if rest.text:
        answer["content"] = clean(rest.text)
    if rest.next_start is not None:
        answer["next_start"] = rest.next_start
    return answer


def source_line(source: AnswerSource) -> SourceLine:
    """One source as structure."""
    found: SourceLine = {
        "url": url_in_text(source.url),
        "use": source.use.value,
        "provenance": list(source.provenance),
    }
    if source.title:
        found["title"] = line(source.title)
    if source.snippet:
        found["snippet"] = line(source.snippet, SNIPPET)
    if source.date:
        found["date"] = line(source.date, 30)
    return found


def engines(report: AnswerReport, voice: Voice) -> list[EngineLine]:
    """A row for each engine that was asked."""
    return engine_lines(report.search, voice) if report.search else []


def source_entries(sources: Sequence[AnswerSource], first: int, voice: Voice) -> str:
    """The sources, numbered from `first`, cleaned, without a frame."""
    return "\n".join(_entry(place, source, voice) for place, source in enumerate(sources, first))


def _entry(place: int, source: AnswerSource, voice: Voice) -> str:
    facts = (voice.texts.answer.uses[source.use], line(source.date, 30), ", ".join(source.provenance))
    title = line(source.title)
    head = joined((f"[{place}] {title}" if title else f"[{place}]", url_in_text(source.url)), " ")
    return joined((f"{head} ({joined(facts, '; ')})", line(source.snippet, SNIPPET)), "\n")


def _left_out(report: AnswerReport, fit: Fitted, voice: Voice) -> tuple[str, str]:
    """How to get the rest of the text, and the further sources; "" where there are none."""
    words = voice.texts.answer
    rest = more = ""
    if fit.next_start is not None:
        rest = words.rest.format(start=fit.next_start, session=report.session_id)
    if fit.next_offset is not None:
        left = len(report.sources) - fit.next_offset
        more = words.more.format(count=left, session=report.session_id, offset=fit.next_offset)
    return rest, more


def _warnings(notes: Sequence[str], voice: Voice) -> str:
    told = "; ".join(line(voice.said(note), 400).rstrip(".") for note in notes)
    return voice.texts.answer.warnings.format(warnings=f"{told}.") if told else ""


def _page(report: AnswerReport, offset: int, page: Sequence[AnswerSource], voice: Voice) -> str:
    return voice.texts.answer.page.format(
        first=offset + 1 if page else offset,
        last=offset + len(page),
        total=len(report.sources),
        query=_query(report),
    )


def _why(report: AnswerReport, voice: Voice) -> dict[str, str]:
    why = report.fallback or Fallback.CONTENT_EMPTY
    return {"query": _query(report), "reason": why.value, "words": voice.texts.answer.fallbacks[why]}


def _query(report: AnswerReport) -> str:
    return line(report.question.text, 200)


def _left(report: AnswerReport, voice: Voice) -> int:
    return max(0, round(report.expires_at - voice.now))


def _size(text: str) -> int:
    return len(json.dumps(text, ensure_ascii=False))


def _characters(text: str, room: int) -> int:
    """How many of the first characters take at most `room` once they are JSON."""
    count = min(len(text), max(room, 200))
    while count > 200 and (size := _size(text[:count])) > room:
        count = max(200, min(count - 1, count * room // size))
    return count
