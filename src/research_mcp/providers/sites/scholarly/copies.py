"""A readable copy of a paper, and what every source of copies works with."""

from __future__ import annotations

from dataclasses import dataclass, field

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import NoContent, Reason
from research_mcp.core.models import Flag
from research_mcp.core.ports import Http, Job
from research_mcp.core.urls import host_of
from research_mcp.core.wire import Document, Reply, Request

STEP = 15.0
"""Seconds for each request."""

PASSES = frozenset({301, 302, 303, 307, 308, 400, 401, 403, 404, 410, 422})
"""Statuses that tell about one copy, and nothing about the reader."""

FULL_TEXT = 2_000
"""A copy with fewer characters is an abstract or an error page."""

_PDF = b"%PDF-"
_CUT_SHORT = (Reason.DEADLINE, Reason.TOO_LARGE)
_REASONS = {
    401: Reason.FORBIDDEN,
    403: Reason.FORBIDDEN,
    404: Reason.NOT_FOUND,
    410: Reason.NOT_FOUND,
}


@dataclass(frozen=True, slots=True)
class Facts:
    """What a catalogue states about a paper; "" where it does not."""

    title: str = ""
    authors: str = ""
    date: str = ""
    abstract: str = ""
    site: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True)
class Copy:
    """A paper's text, where it was found and as what."""

    markdown: str = field(repr=False)
    url: str
    note: str
    facts: Facts = Facts()
    flags: tuple[Flag, ...] = ()
    language: str = ""


@dataclass(frozen=True, slots=True)
class Desk:
    """What a source of copies works with during one read."""

    job: Job
    http: Http
    deadline: Deadline

    async def get(self, url: str, params: dict[str, str] | None = None) -> Reply:
        """A good answer of a fixed host. Raises `NoContent` for one that it does not have."""
        request = Request("GET", url, params=dict(params or {}))
        reply = await self.http.send(request, self.deadline.share(STEP))
        if reply.status >= 300:
            raise NoContent(
                f"{host_of(url)} does not give the paper (status {reply.status})",
                reason=_REASONS.get(
                    reply.status, Reason.UPSTREAM_ERROR if reply.status >= 400 else Reason.NOT_FOUND
                ),
            )
        return reply

    async def extracted(self, document: Document, note: str, least: int = FULL_TEXT) -> Copy:
        """The full text in a document. Raises `NoContent` when there are fewer than `least` characters."""
        found = await self.job.extract(document)
        if found.reason and found.reason not in _CUT_SHORT:
            raise NoContent(found.detail or "the copy holds no text", reason=found.reason)
        if len(found.markdown) < least:
            raise NoContent("the copy holds no full text", reason=found.reason or Reason.EMPTY)
        cut = document.caveat or (Flag.TRUNCATED if found.reason else None)
        flags = tuple(dict.fromkeys((*found.flags, *((cut,) if cut else ()))))
        facts = Facts(found.title, found.author, found.date)
        return Copy(found.markdown, document.final_url, note, facts, flags, found.language)


def as_document(reply: Reply, url: str) -> Document:
    """An answer as extraction takes it, under its public `url`: it may come through a gateway."""
    return Document(url, url, reply.status, reply.headers, reply.body)


def check_pdf(body: bytes) -> None:
    """Raises `NoContent` for what is announced as a PDF and is a web page."""
    if _PDF not in body[:1_024]:
        raise NoContent("the copy is no PDF but a web page", reason=Reason.UNSUPPORTED_TYPE)
