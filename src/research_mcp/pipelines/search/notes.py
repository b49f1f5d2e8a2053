"""What the caller should know about the list: filters that did not bite, what was taken off, and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from research_mcp.core.models import EngineState, Filter, MergedHit, SearchQuery
from research_mcp.core.url_key import url_key
from research_mcp.pipelines.search.asking import Asked
from research_mcp.pipelines.search.filters import Preferred, Removal

_ENFORCED = frozenset({Filter.INCLUDE_DOMAINS, Filter.EXCLUDE_DOMAINS})
_REMOVED: Mapping[Removal, str] = {
    Removal.OUTSIDE: "outside include_domains",
    Removal.EXCLUDED: "on exclude_domains",
    Removal.OLDER: "dated before the time range",
    Removal.UNWANTED: "on hosts that this server's owner removed",
}


def notes_on(
    query: SearchQuery, asked: Sequence[Asked], removed: Mapping[Removal, int], hits: Sequence[MergedHit]
) -> tuple[str, ...]:
    """All notes on one list, one sentence each."""
    answers = [one for one in asked if one.row.state is EngineState.OK]
    return (
        *_filters(query, answers),
        *(f"removed {count} {_results(count)} {_REMOVED[cause]}" for cause, count in sorted(removed.items())),
        *_undated(query, hits),
        *_unpreferred(query, hits),
        *_engines(answers),
    )


def not_asked(names: Iterable[str], *, full: bool) -> tuple[str, ...]:
    """The note on engines whose round never came: the list was full, or the time was up."""
    listed = ", ".join(names)
    why = "the list was full" if full else "no time was left"
    return (f"not asked, {why}: {listed}",) if listed else ()


def _filters(query: SearchQuery, answers: Sequence[Asked]) -> Iterable[str]:
    for name in sorted(query.filters()):
        ignoring = [one.facts.name for one in answers if name in one.unapplied]
        if not ignoring:
            continue
        rest = " (enforced on the merged list)" if name in _ENFORCED else ""
        yield f"{name} not applied by {', '.join(ignoring)}{rest}"


def _undated(query: SearchQuery, hits: Sequence[MergedHit]) -> Iterable[str]:
    undated = sum(not hit.date for hit in hits)
    if query.time_range and undated:
        share = f"{undated} of {len(hits)} {_results(len(hits))}"
        yield f"{share} without a stated date: they may be older than the {query.time_range}"


def _unpreferred(query: SearchQuery, hits: Sequence[MergedHit]) -> Iterable[str]:
    preferred = Preferred.of(query.prefer_domains)
    if hits and query.prefer_domains and not any(preferred.covers(url_key(h.url), h.url) for h in hits):
        yield "no result is on prefer_domains; include_domains asks the engines for these alone"


def _engines(answers: Sequence[Asked]) -> Iterable[str]:
    by_note: dict[str, list[str]] = {}
    for one in answers:
        for note in one.notes:
            by_note.setdefault(note, []).append(one.facts.name)
    for note, names in by_note.items():
        yield f"{note}: {', '.join(names)}"


def _results(count: int) -> str:
    return "result" if count == 1 else "results"
