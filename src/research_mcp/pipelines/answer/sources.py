"""The sources of an answer: the model's own after the caller's filters, then what the engines found. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from research_mcp.core.answers import AnswerSource, Citation, Question, Use
from research_mcp.core.hygiene import clean_line
from research_mcp.core.models import MergedHit
from research_mcp.core.url_key import url_key
from research_mcp.core.urls import host_of, within_domain

_WEB_URL = re.compile(r"https?://[^\s\x00-\x20\x7f]{1,2048}", re.IGNORECASE)
_CODE = re.compile(r"(```.*?(?:```|\Z)|`[^`\n]*`)", re.DOTALL)
_MARK = re.compile(r"(?<![\w\]\[])\[(\d{1,3})\](?![(\[:])")


@dataclass(frozen=True, slots=True)
class Own:
    """A model's text and sources within the caller's filters. `removed`: addresses outside them."""

    text: str
    sources: tuple[AnswerSource, ...]
    removed: int = 0


def own_sources(text: str, citations: Sequence[Citation], question: Question, label: str) -> Own:
    """The citations that may stay, each page once; the numbers in `text` follow them."""
    sources: list[AnswerSource] = []
    places: dict[str, int] = {}
    numbers: dict[int, int] = {}
    removed = 0
    for number, citation in enumerate(citations, start=1):
        if not _WEB_URL.fullmatch(citation.url):
            continue
        if not _allowed(citation.url, question):
            removed += 1
            continue
        found = _source(citation, label)
        place = places.setdefault(url_key(citation.url), len(sources))
        if place == len(sources):
            sources.append(found)
        else:
            sources[place] = _joined(sources[place], found)
        numbers[number] = place + 1
    if any(numbers.get(number) != number for number in range(1, len(citations) + 1)):
        text = _renumbered(text, numbers, len(citations))
    return Own(text, tuple(sources), removed)


def with_found(
    own: Sequence[AnswerSource], hits: Iterable[MergedHit], most: int, *, fallback: bool
) -> tuple[AnswerSource, ...]:
    """`own` with what engines know of the same pages, then at most `most` pages that only they found.

    `fallback`: they stand in the place of an answer, and their provenance says so.
    """
    sources = list(own)
    places = {url_key(source.url): place for place, source in enumerate(sources)}
    added = 0
    for hit in hits:
        found = AnswerSource(
            hit.url, hit.title, hit.snippet, hit.date, provenance=_provenance(hit, fallback=fallback)
        )
        place = places.get(url_key(hit.url))
        if place is not None:
            sources[place] = _joined(sources[place], found)
        elif added < most:
            places[url_key(hit.url)] = len(sources)
            sources.append(found)
            added += 1
    return tuple(sources)


def _source(citation: Citation, label: str) -> AnswerSource:
    return AnswerSource(
        citation.url,
        clean_line(citation.title),
        clean_line(citation.snippet, 2_000),
        citation.date,
        Use.CITED if citation.cited else Use.VISITED,
        (label,),
    )


def _joined(first: AnswerSource, second: AnswerSource) -> AnswerSource:
    """What both know of one page; the first keeps its address."""
    use = Use.CITED if Use.CITED in (first.use, second.use) else first.use
    return replace(
        first,
        title=first.title or second.title,
        snippet=first.snippet or second.snippet,
        date=first.date or second.date,
        use=use,
        provenance=tuple(dict.fromkeys((*first.provenance, *second.provenance))),
    )


def _allowed(url: str, question: Question) -> bool:
    host = host_of(url).removeprefix("www.")
    if any(within_domain(host, domain) for domain in question.exclude_domains):
        return False
    return not question.include_domains or any(
        within_domain(host, domain) for domain in question.include_domains
    )


def _provenance(hit: MergedHit, *, fallback: bool) -> tuple[str, ...]:
    """`tavily-search` beside an answer is `tavily_enrichment`."""
    path = "fallback" if fallback else "enrichment"
    vendors = (name.removesuffix("-search").replace("-", "_") for name in hit.engines)
    return tuple(dict.fromkeys(f"{vendor}_{path}" for vendor in vendors)) or (f"search_{path}",)


def _renumbered(text: str, numbers: dict[int, int], count: int) -> str:
    """`text` with each `[n]` of the old order as the new one; those of removed sources go. Code stays."""

    def renumber(match: re.Match[str]) -> str:
        old = int(match[1])
        if not 1 <= old <= count:
            return match[0]
        return f"[{numbers[old]}]" if old in numbers else ""

    pieces = _CODE.split(text)
    pieces[::2] = [_MARK.sub(renumber, piece) for piece in pieces[::2]]
    return "".join(pieces)
