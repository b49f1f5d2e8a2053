"""Scholarly papers by their address: full text from arXiv, Europe PMC or a repository.

Docs:   arXiv, Europe PMC and Unpaywall, each beside its own part.
Quirks: a publisher's landing page is never asked for here: it is mostly a bot wall, and the chain of
        general readers may still try it. Unpaywall joins when there is an e-mail address to give it.
"""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import dataclass, field, replace
from typing import ClassVar, TypeVar

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import NoContent, Reason, ResearchError
from research_mcp.core.models import Flag, Kind, Page
from research_mcp.core.ports import Http, Job
from research_mcp.providers.kit.legs import Leg
from research_mcp.providers.kit.options import EMAIL
from research_mcp.providers.kit.read import ReadType
from research_mcp.providers.kit.registry import register
from research_mcp.providers.sites.scholarly import arxiv, europepmc, unpaywall
from research_mcp.providers.sites.scholarly.copies import PASSES, STEP, Copy, Desk, Facts
from research_mcp.providers.sites.scholarly.papers import Paper, arxiv_id, paper_at, pmc_id

T = TypeVar("T")

_RECORD = 5.0
"""Seconds for the catalogue's entry of a paper whose text is already there."""


@register(
    "read.scholarly",
    options=("email", "arxiv_url", "arxiv_pages_url", "ar5iv_url", "unpaywall_url", "europepmc_url"),
    rules={"email": EMAIL},
)
class ScholarlyRead(ReadType):
    """A paper's open full text, else its abstract as the thin last resort."""

    docs = "https://info.arxiv.org/help/api/user-manual.html"
    legs: ClassVar[dict[str, Leg]] = {
        "arxiv": arxiv.API,
        "arxiv_pages": arxiv.PAGES,
        "ar5iv": arxiv.AR5IV,
        "unpaywall": unpaywall.API,
        "europepmc": europepmc.REST,
    }
    site = True
    sample = "https://arxiv.org/abs/1706.03762"
    cap = 40.0
    passes = PASSES

    def accepts(self, url: str) -> bool:
        """Addresses of papers at arXiv, PubMed, PubMed Central and doi.org, and `/doi/10...` anywhere."""
        return paper_at(url) is not None

    async def read(self, job: Job, http: Http, deadline: Deadline) -> Page:
        """The paper. Raises `NoContent` with the reason of the most telling copy."""
        paper = paper_at(job.url) or Paper()
        hunt = _Hunt(Desk(job, http, deadline), self.means.options.get("email", ""))
        copy = await (hunt.of_arxiv(paper.arxiv) if paper.arxiv else hunt.of_journal(paper))
        facts = _merged(hunt.facts, copy.facts if copy else Facts())
        if copy is None and not facts.abstract:
            raise hunt.failure(at_arxiv=bool(paper.arxiv))
        return self._page(job.url, copy or _abstract(facts, job.url), facts)

    def _page(self, url: str, copy: Copy, facts: Facts) -> Page:
        headed = copy.markdown.lstrip().startswith("# ")
        title = "" if headed or not facts.title else f"# {facts.title}\n\n"
        return self.page(
            url,
            title + copy.markdown,
            final_url=copy.url,
            kind=Kind.PAPER,
            title=facts.title,
            author=facts.authors,
            date=facts.date,
            site=facts.site,
            language=copy.language,
            flags=copy.flags,
            notes=(copy.note,),
        )


@dataclass
class _Hunt:
    """One read: what is known of the paper, and why each copy so far was none."""

    desk: Desk
    email: str
    facts: Facts = field(default_factory=Facts)
    errors: list[ResearchError] = field(default_factory=list)

    async def of_arxiv(self, paper: str) -> Copy | None:
        """HTML before PDF: it has headings, formulas and tables."""
        copy = None
        for way in (arxiv.own_html, arxiv.ar5iv_html, arxiv.pdf):
            if copy := await self._tried(way(self.desk, paper)):
                break
        limit = _RECORD if copy else STEP
        quick = replace(self.desk, deadline=self.desk.deadline.share(limit))
        self.facts = await self._tried(arxiv.record(quick, paper)) or self.facts
        return copy

    async def of_journal(self, paper: Paper) -> Copy | None:
        """Europe PMC's full text first, then the open copies that Unpaywall knows."""
        entry = await self._tried(europepmc.record(self.desk, paper))
        if entry:
            self.facts = entry.facts
        pmcid = paper.pmcid or (entry.pmcid if entry else "")
        copy = await self._tried(europepmc.full_text(self.desk, pmcid)) if pmcid else None
        doi = paper.doi or (entry.doi if entry else "")
        if copy or not doi:
            return copy
        if not self.email:
            self.errors.append(NoContent("Unpaywall was not asked: it wants an e-mail address"))
            return None
        asked = unpaywall.places(self.desk.http, doi, self.email, self.desk.deadline)
        for place in await self._tried(asked) or []:
            if copy := await self._at(place, pmcid):
                return copy
        return None

    async def _at(self, place: unpaywall.Place, tried: str) -> Copy | None:
        """A copy at a repository that has better than a PDF, else its PDF."""
        for url in (place.pdf, place.landing):
            if paper := arxiv_id(url):
                return await self.of_arxiv(paper)
            if (pmcid := pmc_id(url)) and pmcid != tried:
                return await self._tried(europepmc.full_text(self.desk, pmcid))
        return await self._tried(unpaywall.pdf(self.desk, place))

    async def _tried(self, step: Awaitable[T]) -> T | None:
        try:
            return await step
        except ResearchError as error:
            self.errors.append(error)
            return None

    def failure(self, *, at_arxiv: bool) -> NoContent:
        """The error of the whole. Catalogues that do not know a journal's paper do not make it missing."""
        reasons = {error.reason for error in self.errors}
        if Reason.PAYWALLED in reasons:
            return NoContent("no open copy of the paper is known", reason=Reason.PAYWALLED)
        if reasons == {Reason.NOT_FOUND}:
            if at_arxiv:
                return NoContent("arXiv has no such paper", reason=Reason.NOT_FOUND)
            return NoContent("no catalogue of open copies knows the paper", reason=Reason.EMPTY)
        error = next(error for error in self.errors if error.reason is not Reason.NOT_FOUND)
        return NoContent(f"no open copy could be read: {error}", reason=error.reason)


def _merged(first: Facts, second: Facts) -> Facts:
    """What the catalogue states, filled up from the copy itself."""
    return Facts(
        first.title or second.title,
        first.authors or second.authors,
        first.date or second.date,
        first.abstract,
        first.site or second.site,
        first.url or second.url,
    )


def _abstract(facts: Facts, url: str) -> Copy:
    text = f"## Abstract\n\n{facts.abstract}"
    return Copy(
        text, facts.url or url, "only the abstract: no open full text could be read", flags=(Flag.THIN,)
    )
