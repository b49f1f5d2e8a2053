"""The browser of this machine: pages that only their scripts fill, extracted like any other."""

from __future__ import annotations

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import Reason, Rejected
from research_mcp.core.models import Page
from research_mcp.core.ports import Http, Job
from research_mcp.providers.kit.extracted import page_of
from research_mcp.providers.kit.read import ReadType
from research_mcp.providers.kit.registry import register

EXTRACTION = 3.0
"""Seconds of its turn that are kept for taking the text out."""


@register("read.browser", needs=("program",))
class BrowserRead(ReadType):
    """Pages that need JavaScript, in a Chromium on this machine. `program` is what to start."""

    docs = "https://playwright.dev/python/docs/intro"
    from_here = True
    renders = True
    cap = 30.0

    async def read(self, job: Job, http: Http, deadline: Deadline) -> Page:
        """The extracted page. Raises what the browser does, and `NoContent` with the verdict's reason."""
        if self.means.browser is None:
            raise Rejected("no browser is switched on", reason=Reason.NOT_CONFIGURED)
        document = await self.means.browser.render(job.url, deadline.share(self.cap, reserve=EXTRACTION))
        return page_of(self, document, await job.extract(document))
