"""What of a mapper's list is shown: public pages of the site itself, each once, tidied."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import ResearchError
from research_mcp.core.hygiene import clean_line
from research_mcp.core.ports import PageFetcher
from research_mcp.core.same_site import SameSite, is_page
from research_mcp.core.sitemaps import MapAnswer, MapQuery, SitePage
from research_mcp.core.url_key import url_key
from research_mcp.core.urls import host_of
from research_mcp.pipelines.guarded import guarded

MOST_SURPLUS = 4
"""Addresses that are looked at for each one that was asked for: a mapper may give more than it should."""

MOST_HOSTS = 30
"""Subdomains whose addresses are looked up before they are shown."""

LOOK_UP = 2.0
"""Seconds for that."""

TITLE_CHARS = 200
URL_CHARS = 2_048


@dataclass(frozen=True, slots=True)
class Shown:
    """A list that may be handed on. `good`: it knows more than the page that was asked about.

    `detail` says in a word why a list is empty or shorter than what the mapper gave.
    """

    pages: tuple[SitePage, ...]
    good: bool
    detail: str = ""
    notes: tuple[str, ...] = ()
    partial: str = ""


async def shown(
    query: MapQuery, answer: MapAnswer, fetcher: PageFetcher, deadline: Deadline, mapper: str
) -> Shown:
    """The part of `answer` that may be shown, at most `query.limit` addresses. Raises nothing."""
    left_out: Counter[str] = Counter()
    pages = _of_site(query, answer, fetcher, left_out)
    hosts = await _public_hosts(query, pages, fetcher, deadline)
    public = [page for page in pages if host_of(page.url) in hosts]
    left_out["on hosts that are not public"] += len(pages) - len(public)
    own = url_key(query.url)
    detail = ", ".join(f"{count} {what}" for what, count in left_out.items() if count)
    return Shown(
        tuple(public[: query.limit]),
        good=any(url_key(page.url) != own for page in public),
        detail=f"left out: {detail}" if detail else "",
        notes=(
            *answer.notes,
            *(f"{option.value} has no effect on {mapper}" for option in sorted(answer.unapplied)),
        ),
        partial=answer.partial,
    )


def _of_site(
    query: MapQuery, answer: MapAnswer, fetcher: PageFetcher, left_out: Counter[str]
) -> list[SitePage]:
    sites = [SameSite.of(query.url)]
    if answer.home:
        sites.append(SameSite.of(answer.home))
    kept: dict[str, SitePage] = {}
    for page in answer.pages[: query.limit * MOST_SURPLUS]:
        try:
            url = fetcher.normal_form(page.url)
        except ResearchError:
            left_out["no public addresses"] += 1
            continue
        if not any(site.covers(url) for site in sites):
            left_out["on other sites"] += 1
        elif len(url) <= URL_CHARS and is_page(url):
            kept.setdefault(url_key(url), SitePage(url, clean_line(page.title, TITLE_CHARS), page.date))
    return list(kept.values())


async def _public_hosts(
    query: MapQuery, pages: list[SitePage], fetcher: PageFetcher, deadline: Deadline
) -> set[str]:
    """The hosts of `pages` that the guard lets through; that of the query has passed already."""
    known = host_of(query.url)
    first = {host_of(page.url): page.url for page in reversed(pages)}
    others = [(host, url) for host, url in reversed(first.items()) if host != known][:MOST_HOSTS]
    within = deadline.share(LOOK_UP)

    async def passes(url: str) -> bool:
        try:
            await guarded("the guard", fetcher.check(url, within))
        except ResearchError:
            return False
        return True

    verdicts = await asyncio.gather(*(passes(url) for _, url in others))
    return {known, *(host for (host, _), good in zip(others, verdicts, strict=True) if good)}
