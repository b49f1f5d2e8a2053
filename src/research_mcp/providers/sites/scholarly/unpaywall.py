"""Unpaywall: where a paper may be read without paying, repositories before publishers.

Docs:   https://unpaywall.org/products/api
Sends:  GET /v2/{doi} with `email`, which must be a real address.
Quirks: an unknown DOI is a 404, a made-up address a 422; `url_for_pdf` is often a web page all the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from urllib.parse import quote, urlsplit

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import BadReply, NoContent, Reason
from research_mcp.core.ports import Http
from research_mcp.core.wire import JsonValue, Request
from research_mcp.providers.kit.legs import Leg
from research_mcp.providers.kit.tree import at, rows, text
from research_mcp.providers.sites.scholarly.copies import STEP, Copy, Desk, check_pdf

API: Final = Leg("https://api.unpaywall.org/v2")

MOST = 5
"""Places of one paper that are tried."""


@dataclass(frozen=True, slots=True)
class Place:
    """One open copy: where its PDF is, "" when only a landing page is known, and that page."""

    pdf: str
    landing: str
    repository: bool


async def places(http: Http, doi: str, email: str, deadline: Deadline) -> list[Place]:
    """The open copies of a paper, repositories first. Raises `NoContent` (`paywalled`) when none is open."""
    request = Request("GET", f"{API.endpoint}/{quote(doi, safe='/')}", params={"email": email})
    reply = await http.send(request, deadline.share(STEP))
    if reply.status == 422:
        raise BadReply("Unpaywall refuses the configured e-mail address: it must be a real one")
    if reply.status >= 300:
        raise NoContent(f"Unpaywall does not know the paper (status {reply.status})", reason=Reason.NOT_FOUND)
    answer = reply.json()
    if not isinstance(at(answer, "is_oa"), bool):
        raise BadReply("Unpaywall's answer does not say whether the paper is open")
    stated = [at(answer, "best_oa_location"), *rows(answer, "oa_locations")]
    found = list(dict.fromkeys(place for row in stated if (place := _place(row))))
    if not found:
        raise NoContent("Unpaywall knows no open copy of the paper", reason=Reason.PAYWALLED)
    return sorted(found, key=lambda place: not place.repository)[:MOST]


async def pdf(desk: Desk, place: Place) -> Copy:
    """The paper from one place. Raises `NoContent`: without a PDF, the page around it is never fetched."""
    if not place.pdf:
        raise NoContent("only the landing page of a copy is known", reason=Reason.EMPTY)
    document = await desk.job.fetch(place.pdf, accept="application/pdf")
    if document.status != 200:
        raise NoContent(f"a copy could not be fetched (status {document.status})", reason=Reason.FORBIDDEN)
    check_pdf(document.body)
    owner = "a repository" if place.repository else "the publisher"
    return await desk.extracted(document, f"full text from a PDF of {owner}")


def _place(row: JsonValue) -> Place | None:
    url, pdf_url = text(row, "url"), text(row, "url_for_pdf")
    if not pdf_url and urlsplit(url).path.lower().endswith(".pdf"):
        pdf_url = url
    landing = text(row, "url_for_landing_page") or url
    if not (pdf_url or landing):
        return None
    return Place(pdf_url, landing, text(row, "host_type") == "repository")
