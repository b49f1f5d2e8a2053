"""The reader without a service: the probe's document, extracted on this machine."""

from __future__ import annotations

from research_mcp.core.deadline import Deadline
from research_mcp.core.models import Page
from research_mcp.core.ports import Http, Job
from research_mcp.providers.kit.extracted import page_of
from research_mcp.providers.kit.read import ReadType
from research_mcp.providers.kit.registry import register


@register("read.direct")
class Direct(ReadType):
    """Any page, fetched and taken apart on this machine."""

    docs = "https://trafilatura.readthedocs.io/"
    needs_document = True

    async def read(self, job: Job, http: Http, deadline: Deadline) -> Page:
        """The extracted page. Raises `NoContent` with the verdict's reason, or that of the status."""
        extracted = await job.extracted()
        return page_of(self, await job.document(), extracted)
