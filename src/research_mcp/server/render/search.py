"""A search as the model reads it: the ranked list, a row for each engine, notes; or why there is none."""

from __future__ import annotations

from collections.abc import Iterable

from research_mcp.core.errors import Reason
from research_mcp.core.models import EngineRow, EngineState, MergedHit, SearchReport
from research_mcp.server.render.frames import line, url_in_text
from research_mcp.server.render.voice import Voice, joined
from research_mcp.server.tools.schemas import EngineLine, FoundHit, SearchAnswer

SNIPPET = 600
_SOON = 600.0
"""Seconds: a stated time that is nearer than this is better advice than another try."""
PASSING = frozenset({Reason.UPSTREAM_ERROR, Reason.TIMEOUT, Reason.UNREACHABLE})
_UNREACHED = frozenset({Reason.DNS_FAILED, Reason.UNREACHABLE})
_BROKEN = frozenset({EngineState.FAILED, EngineState.TIMED_OUT, EngineState.NOT_WAITED_FOR})
_REFUSED = frozenset({EngineState.BLOCKED, EngineState.RATE_LIMITED})


def search_text(report: SearchReport, notes: tuple[str, ...], voice: Voice) -> str:
    """The list as text, complete in itself."""
    head = search_summary(report, voice)
    tail = joined((engines_text(report, voice), notes_text(notes, voice)), "\n")
    if not report.hits:
        return f"{head}\n{tail}"
    return f"{head}\n{voice.texts.data}\n{voice.framed(entries(report, voice))}\n{tail}"


def search_answer(report: SearchReport, notes: tuple[str, ...], voice: Voice) -> SearchAnswer:
    """The same list as structure."""
    return {
        "summary": joined((search_summary(report, voice).rstrip("."), voice.texts.data_fields), ". "),
        "results": [_found(hit) for hit in report.hits],
        "engines": engine_lines(report, voice),
        "notes": [line(voice.said(note)) for note in notes],
    }


def search_summary(report: SearchReport, voice: Voice) -> str:
    """How many results for what, or which engines found nothing, or nothing that may stay."""
    words = voice.texts.search
    query = line(report.query.text, 200)
    if not report.hits and (found_by := [row.name for row in report.rows if row.count]):
        return words.all_removed.format(query=query, engines=", ".join(found_by))
    if not report.hits:
        return _nothing(report, query, voice)
    found = words.found.format(query=query, count=len(report.hits))
    return f"{found} ({words.cached})" if report.cached else found


def _nothing(report: SearchReport, query: str, voice: Voice) -> str:
    """That engines found nothing, or that too few answered to tell."""
    words = voice.texts.search
    answered = [row.name for row in report.rows if row.state in (EngineState.OK, EngineState.EMPTY)]
    names = ", ".join(answered)
    silent = sum(1 for row in report.rows if row.reason and row.name not in answered)
    if len(answered) > 2 * silent:
        return words.nothing.format(query=query, engines=names)
    partly = words.nothing_yet.format(query=query, engines=names, silent=silent, all=silent + len(answered))
    return f"{partly} {advice(report, voice)}"


def entries(report: SearchReport, voice: Voice) -> str:
    """The numbered hits, cleaned, without a frame."""
    return "\n\n".join(_entry(place, hit, voice) for place, hit in enumerate(report.hits, 1))


def search_failure(report: SearchReport, voice: Voice) -> str:
    """Why no engine answered, engine by engine, and when to try again."""
    words = voice.texts.search
    rows = [f"- {row_text(row, voice)}" for row in report.rows]
    again = advice(report, voice) if rows else voice.remedy(Reason.NOT_CONFIGURED)
    return "\n".join([words.failed.format(query=line(report.query.text, 200)), *rows, again])


def advice(report: SearchReport, voice: Voice) -> str:
    """When another try makes sense: at a stated time, or at once after what was a passing failure."""
    words = voice.texts.search
    if _cut_off(report):
        return words.cut_off
    passing = [r.name for r in report.rows if r.reason in PASSING and r.state in _BROKEN and not r.retry_at]
    if report.retry_at and (not passing or report.retry_at - voice.now < _SOON):
        return words.retry.format(when=voice.at(report.retry_at))
    return words.retry_failed.format(engines=", ".join(passing)) if passing else words.no_retry


def _cut_off(report: SearchReport) -> bool:
    """Whether several engines were asked and none could even be reached.

    Who refuses was reached, and so was who rests for it or keeps its pace: a call that sent nothing gives
    its turn back.
    """
    broken = sum(row.state in _BROKEN for row in report.rows)
    on = (row for row in report.rows if row.state in _BROKEN | _REFUSED or row.retry_at)
    return broken > 1 and not report.answered and all(row.reason in _UNREACHED for row in on)


def failure_reason(report: SearchReport) -> Reason:
    """The reason that stands for the whole search: of the engine that is free again first."""
    stated = [row for row in report.rows if row.reason]
    soonest = min(stated, key=lambda row: row.retry_at or float("inf"), default=None)
    if soonest is not None and soonest.reason is not None:
        return soonest.reason
    return Reason.UPSTREAM_ERROR if report.rows else Reason.NOT_CONFIGURED


def engines_text(report: SearchReport, voice: Voice) -> str:
    """All engines in one line; empty without engines."""
    rows = "; ".join(row_text(row, voice) for row in report.rows)
    return voice.texts.search.engines.format(rows=rows) if rows else ""


def notes_text(notes: Iterable[str], voice: Voice) -> str:
    """All notes in one line; empty without notes."""
    told = "; ".join(line(voice.said(note)).rstrip(".") for note in notes)
    return voice.texts.search.notes.format(notes=told + ".") if told else ""


def engine_lines(report: SearchReport, voice: Voice) -> list[EngineLine]:
    """A row for each engine as structure."""
    return row_lines(report.rows, voice)


def row_lines(rows: Iterable[EngineRow], voice: Voice) -> list[EngineLine]:
    """Rows as structure."""
    lines: list[EngineLine] = []
    for row in rows:
        entry: EngineLine = {"name": row.name, "state": row.state.value, "count": row.count}
        if detail := _detail(row, voice):
            entry["detail"] = detail
        if row.reason:
            entry["reason"] = row.reason.value
        lines.append(entry)
    return lines


def row_text(row: EngineRow, voice: Voice) -> str:
    """What became of one engine, in a few words."""
    state = voice.texts.search.states[row.state]
    told = f"{row.name} {state}" + (f" {row.count}" if row.state is EngineState.OK else "")
    detail = _detail(row, voice)
    return f"{told} ({detail})" if detail else told


def _detail(row: EngineRow, voice: Voice) -> str:
    why = line(voice.said(row.detail), 200).rstrip(".")
    if not why and row.reason and row.reason.value != row.state.value:
        why = row.reason.value
    free = voice.texts.search.free_again.format(when=voice.at(row.retry_at)) if row.retry_at else ""
    return joined((why, free), "; ")


def _entry(place: int, hit: MergedHit, voice: Voice) -> str:
    words = voice.texts.search
    ranks = ", ".join(f"{engine} #{rank}" for engine, rank in hit.engines.items())
    also = ", ".join(url_in_text(url) for url in hit.also_at)
    facts = joined(
        (
            words.types[hit.type] if hit.type else "",
            line(hit.date, 30),
            words.hit_by.format(engines=ranks) if ranks else "",
            line(joined((voice.said(move) for move in hit.moved.split("; ")), "; "), 120),
            words.also_at.format(urls=also) if also else "",
        )
    )
    title = line(hit.title) or url_in_text(hit.url)
    return joined((f"{place}. {title}", url_in_text(hit.url), line(hit.snippet, SNIPPET), facts), "\n")


def _found(hit: MergedHit) -> FoundHit:
    found: FoundHit = {
        "title": line(hit.title),
        "url": url_in_text(hit.url),
        "snippet": line(hit.snippet, SNIPPET),
        "engines": list(hit.engines),
    }
    if hit.type:
        found["type"] = hit.type.value
    if hit.date:
        found["date"] = line(hit.date, 30)
    if hit.why:
        found["why"] = hit.why
    if hit.also_at:
        found["also_at"] = [url_in_text(url) for url in hit.also_at]
    return found
