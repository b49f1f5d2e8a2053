"""One read's probe: a single guarded fetch and its extraction, shared by all rungs."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TypeVar
from urllib.parse import urljoin

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import NO_CONNECTION, NoContent, Reason, UrlRefused
from research_mcp.core.models import Extracted
from research_mcp.core.ports import Extractor, PageFetcher
from research_mcp.core.urls import refresh_target
from research_mcp.core.wire import Document

T = TypeVar("T")

MAX_HOPS = 5
"""Redirects and refreshes together: what the fetcher allows for redirects alone."""

NEXT_TO_NOTHING = 200
"""A page with more characters than this is worth reading, whatever it refreshes to."""


@dataclass(frozen=True, slots=True)
class ProbeLimits:
    """Seconds for the fetch and for the extraction."""

    fetch: float = 20.0
    extraction: float = 15.0


class ReadJob:
    """A `core.ports.Job`. `urls` are the normal forms to try in turn while nothing connects.

    Use as an async context: leaving it stops what still runs.
    """

    def __init__(
        self,
        urls: tuple[str, ...],
        fetcher: PageFetcher,
        extractor: Extractor,
        deadline: Deadline,
        limits: ProbeLimits,
    ) -> None:
        self._urls = urls
        self._at = 0
        self._fetcher = fetcher
        self._extractor = extractor
        self._deadline = deadline
        self._limits = limits
        self._fetching: asyncio.Task[Document] | None = None
        self._extracting: asyncio.Task[Extracted] | None = None
        self._landed: Document | None = None

    async def __aenter__(self) -> ReadJob:
        return self

    async def __aexit__(self, *exc: object) -> None:
        tasks = [task for task in (self._extracting, self._fetching) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    @property
    def url(self) -> str:
        """The normal form in use: the second candidate once the first one did not connect."""
        return self._urls[self._at]

    @property
    def certain(self) -> bool:
        """Whether `url` is the only form of the address, so that nothing depends on who answers."""
        return len(self._urls) == 1

    async def document(self) -> Document:
        """The probe's document, after its refreshes once they are known. Raises as the fetcher does."""
        return self._landed or await self._fetched()

    async def extracted(self) -> Extracted:
        """What extraction made of the document, at the end of its refreshes. Raises like `document`
        and, from the extractor, `Overloaded` or `NoContent` (`deadline`)."""
        if self._extracting is None:
            self._extracting = asyncio.create_task(self._extract())
        return await _patiently(self._extracting)

    async def fetch(self, url: str, *, accept: str = "") -> Document:
        """A further guarded GET for a site's own API. Raises as `document` does."""
        deadline = self._deadline.share(self._limits.fetch)
        return await self._fetcher.fetch(self._fetcher.normal_form(url), deadline, accept=accept)

    async def extract(self, document: Document) -> Extracted:
        """The text of another document that a reader found. Raises as the extractor does."""
        return await self._extractor.extract(document, self._deadline.share(self._limits.extraction))

    async def _fetched(self) -> Document:
        if self._fetching is None:
            self._fetching = asyncio.create_task(self._fetch())
        return await _patiently(self._fetching)

    async def _fetch(self) -> Document:
        while True:
            try:
                return await self._get(self.url)
            except NoContent as error:
                if error.reason not in NO_CONNECTION or self._at + 1 == len(self._urls):
                    raise
                self._at += 1

    async def _get(self, url: str) -> Document:
        return await self._fetcher.fetch(url, self._deadline.share(self._limits.fetch))

    async def _extract(self) -> Extracted:
        document = await self._fetched()
        while True:
            share = self._deadline.share(self._limits.extraction)
            extracted = await self._extractor.extract(document, share)
            target = self._refresh(document, extracted)
            if target is None:
                self._landed = document
                return extracted
            document = _follow(document, await self._get(target))

    def _refresh(self, document: Document, extracted: Extracted) -> str | None:
        """Where a next to empty page sends its visitors at once, in normal form; None to stay."""
        wish = extracted.refresh_to or refresh_target(document.headers.get("refresh", ""), document.final_url)
        if not wish or len(extracted.markdown.strip()) > NEXT_TO_NOTHING:
            return None
        try:
            target = self._fetcher.normal_form(urljoin(document.final_url, wish))
        except ValueError:
            return None
        except UrlRefused as error:
            if error.reason is Reason.INVALID_URL:
                return None
            raise
        if target in (document.url, document.final_url, *document.redirects):
            return None
        return target


def _follow(before: Document, after: Document) -> Document:
    """`after` with the hops that led to it. Raises `NoContent` when they are too many."""
    hops = (*before.redirects, before.final_url, *after.redirects)
    if len(hops) > MAX_HOPS:
        raise NoContent(
            f"the page redirects more than {MAX_HOPS} times, counting refreshes", reason=Reason.UPSTREAM_ERROR
        )
    return replace(after, url=before.url, redirects=hops)


async def _patiently(task: asyncio.Task[T]) -> T:
    """The task's result; a caller that is cancelled meanwhile leaves the task running."""
    return await asyncio.shield(task)
