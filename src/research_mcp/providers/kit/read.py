"""The base of every read type: declared facts, which urls it takes, how it reads one.

A vendor with one call states a pure request and a pure parse (`HttpRead`); a reader of several steps
gets the instance's `http`, around which keys, policy and the status table already stand. A reader
whose host comes out of the url asks through `job.fetch`, which is guarded like the probe.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import NoContent, ProviderError, Reason
from research_mcp.core.models import Flag, Kind, Page
from research_mcp.core.ports import Http, Job, ReaderFacts
from research_mcp.core.wire import Reply, Request
from research_mcp.providers.kit.base import ProviderType


class ReadType(ProviderType):
    """A way to read pages. Most of its facts are explained at `core.ports.ReaderFacts`.

    `passes` are error statuses that `http` hands over unjudged. `renders`: it reads with the browser of
    this machine, `means.browser`.
    """

    site: ClassVar[bool] = False
    final: ClassVar[bool] = False
    needs_document: ClassVar[bool] = False
    from_here: ClassVar[bool] = False
    unlocker: ClassVar[bool] = False
    archive: ClassVar[bool] = False
    renders: ClassVar[bool] = False
    cap: ClassVar[float] = 25.0
    sample: ClassVar[str] = "https://example.com/"
    passes: ClassVar[frozenset[int]] = frozenset()

    @classmethod
    def facts(cls, name: str, *, metered: bool) -> ReaderFacts:
        """What the pipeline may know of an instance of this type called `name`."""
        return ReaderFacts(
            name=name,
            site=cls.site,
            final=cls.final,
            metered=metered,
            needs_document=cls.needs_document,
            from_here=cls.from_here,
            unlocker=cls.unlocker,
            archive=cls.archive,
            cap=cls.cap,
            sample=cls.sample,
            service="" if "url" in cls.spec.needs else cls.spec.name,
        )

    def accepts(self, url: str) -> bool:
        """Whether this type is for `url` (a normal form); pure and cheap."""
        return True

    @abstractmethod
    async def read(self, job: Job, http: Http, deadline: Deadline) -> Page:
        """The page, its `reader` left as the type's name. Raises `ProviderError`."""

    def refusal(self, reply: Reply) -> ProviderError | None:
        """The error that only this vendor's answers show (a failure inside a 200); None otherwise."""
        return None

    def page(
        self,
        url: str,
        markdown: str,
        *,
        final_url: str = "",
        kind: Kind = Kind.HTML,
        title: str = "",
        author: str = "",
        date: str = "",
        site: str = "",
        language: str = "",
        flags: tuple[Flag, ...] = (),
        notes: tuple[str, ...] = (),
    ) -> Page:
        """A page of this type. Raises `NoContent` (`empty`) when there is no text."""
        if not markdown.strip():
            raise NoContent("it returned no text", reason=Reason.EMPTY)
        return Page(
            url=url,
            final_url=final_url or url,
            markdown=markdown.strip(),
            reader=self.spec.name,
            kind=kind,
            title=title,
            author=author,
            date=date,
            site=site,
            language=language,
            flags=flags,
            notes=notes,
        )


class HttpRead(ReadType):
    """A vendor that reads a page in one call: two pure methods."""

    @abstractmethod
    def request(self, url: str) -> Request:
        """The call that reads `url`."""

    @abstractmethod
    def parse(self, reply: Reply, url: str) -> Page:
        """The page in a good answer. Raises `BadReply`, `NoContent` or another error it states."""

    async def read(self, job: Job, http: Http, deadline: Deadline) -> Page:
        """Ask once."""
        return self.parse(await http.send(self.request(job.url), deadline), job.url)


def declined(why: str, reason: Reason = Reason.FORBIDDEN) -> ProviderError:
    """The error of a vendor that does not read this one page, be it for policy, plan or size.

    It tells nothing about the page and is no fault of the vendor: the next reader is asked, and this
    one is asked again for the next page.
    """
    return ProviderError(why, reason=reason)


def target_error(status: int) -> NoContent | None:
    """What the status of the page itself, as a reader reports it, means; None below 400.

    The vendor's own status is another matter: `net.status.error_of`.
    """
    if status < 400:
        return None
    reason, said = _TARGET.get(status) or (
        Reason.UPSTREAM_ERROR,
        "the site fails" if status >= 500 else "the site refuses the request",
    )
    return NoContent(f"{said} (status {status})", reason=reason)


_TARGET = {
    401: (Reason.FORBIDDEN, "the site asks for a login"),
    402: (Reason.PAYWALLED, "the site asks for payment"),
    403: (Reason.FORBIDDEN, "the site refuses access"),
    404: (Reason.NOT_FOUND, "the page does not exist"),
    407: (Reason.FORBIDDEN, "the site asks for a login"),
    408: (Reason.TIMEOUT, "the site timed out"),
    410: (Reason.GONE, "the page is gone for good"),
    429: (Reason.RATE_LIMITED, "the site limits automated readers"),
    451: (Reason.FORBIDDEN, "the site refuses access for legal reasons"),
    999: (Reason.BLOCKED, "the site blocks automated readers"),
}
