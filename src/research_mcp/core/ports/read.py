"""Readers, what one read shares among them, and the pipelines over them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import Reason
from research_mcp.core.models import BatchReport, Extracted, Page, ReadFailure, ResearchReport, SearchQuery
from research_mcp.core.ports.calls import Progress
from research_mcp.core.wire import Document


class Extractor(Protocol):
    """CPU work in killable processes. Never raises for content: the reason is in the result.

    Raises `Overloaded` when its queue is full and `NoContent` when the worker was stopped for time
    (`deadline`) or memory (`too_large`) or met a fault of this program (`internal_error`).
    """

    async def extract(self, document: Document, deadline: Deadline) -> Extracted: ...


class Job(Protocol):
    """One read, shared by all its rungs: the probe happens at most once.

    `fetch` is a further guarded GET, for readers that ask a site's own API; it raises as
    `PageFetcher.fetch` does. `extract` takes the text out of any document that a reader found, as
    `Extractor.extract` does.
    """

    @property
    def url(self) -> str: ...

    async def document(self) -> Document: ...

    async def extracted(self) -> Extracted: ...

    async def fetch(self, url: str, *, accept: str = "") -> Document: ...

    async def extract(self, document: Document) -> Extracted: ...


@dataclass(frozen=True, slots=True)
class ReaderFacts:
    """What the read pipeline may know of a reader.

    `site`: it knows its own urls and is offered them before the probe; `final`: its reasons are the
    answer; `needs_document`: it works on the probe's document; `from_here`: it connects from this
    machine's network, so an unreachable host is unreachable for it too, and it may be told of private
    urls that the operator opened, as nobody else may; `unlocker`: only for pages
    that everything cheaper bounced off; `archive`: only for pages that are gone; `cap`: seconds; `sample`: a
    lasting page by which the reader can be checked; `service`: instances with equal ones see a page with
    the same eyes, "" sees alone.
    """

    name: str
    site: bool = False
    final: bool = False
    metered: bool = False
    needs_document: bool = False
    from_here: bool = False
    unlocker: bool = False
    archive: bool = False
    cap: float = 25.0
    sample: str = "https://example.com/"
    service: str = ""


TextJudge = Callable[[str], Reason | None]
"""What extraction's tables of phrases say about Markdown that another reader made: `blocked`,
`paywalled`, `needs_javascript`, or None. Cheap: looks at the start and the end of short texts."""


class PageReader(Protocol):
    """One read instance. `read` raises `ProviderError`; thin or teaser text comes back as a page
    with its flag, so that the pipeline can keep it as the last resort."""

    @property
    def facts(self) -> ReaderFacts: ...

    def accepts(self, url: str) -> bool: ...

    async def read(self, job: Job, deadline: Deadline) -> Page: ...


class Reader(Protocol):
    """The read pipeline as the server sees it: it never raises for a page, only cancels."""

    async def read(self, url: str, *, seconds: float | None = None) -> Page | ReadFailure: ...


class BatchReader(Protocol):
    """The batch tools as the server sees them: they never raise for a page and end in time.

    `search_and_read` reads until `count` pages are good; `query.limit` may be raised to over-fetch.
    Progress counts pages read of pages asked.
    """

    async def read_many(self, urls: Sequence[str], progress: Progress = ...) -> BatchReport: ...

    async def search_and_read(
        self, query: SearchQuery, count: int, progress: Progress = ...
    ) -> ResearchReport: ...
