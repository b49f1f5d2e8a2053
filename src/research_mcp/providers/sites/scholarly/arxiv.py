"""arXiv: a paper's own HTML, the HTML of ar5iv, its PDF; title and abstract from the API.

Docs:   https://info.arxiv.org/help/api/user-manual.html
Quirks: not every paper has HTML (404); ar5iv redirects to arXiv for one it could not convert; the API
        answers 200 for an unknown id, with no entry or one titled "Error".
"""

from __future__ import annotations

from typing import Final

from research_mcp.core.errors import NoContent, Reason
from research_mcp.providers.kit.legs import Leg
from research_mcp.providers.kit.markup import XmlElement, xml
from research_mcp.providers.kit.shape import iso_day
from research_mcp.providers.sites.scholarly.copies import Copy, Desk, Facts, as_document, check_pdf

API: Final = Leg("https://export.arxiv.org")
PAGES: Final = Leg("https://arxiv.org", body=25_000_000)
AR5IV: Final = Leg("https://ar5iv.labs.arxiv.org", body=10_000_000)

_SHORT_PAPER = 800
"""Characters from which on arXiv's HTML is a paper: one that has no HTML is a 404 there, no page of words."""

_ATOM = "{http://www.w3.org/2005/Atom}"


async def own_html(desk: Desk, paper: str) -> Copy:
    """The HTML that arXiv makes of newer papers."""
    url = f"{PAGES.endpoint}/html/{paper}"
    reply = await desk.get(url)
    return await desk.extracted(as_document(reply, url), "full text from arXiv's HTML", _SHORT_PAPER)


async def ar5iv_html(desk: Desk, paper: str) -> Copy:
    """The HTML that ar5iv made of older ones."""
    url = f"{AR5IV.endpoint}/html/{paper}"
    reply = await desk.get(url)
    return await desk.extracted(as_document(reply, url), "full text from ar5iv's HTML")


async def pdf(desk: Desk, paper: str) -> Copy:
    """The PDF, which every paper has."""
    url = f"{PAGES.endpoint}/pdf/{paper}"
    reply = await desk.get(url)
    check_pdf(reply.body)
    return await desk.extracted(as_document(reply, url), "full text from arXiv's PDF")


async def record(desk: Desk, paper: str) -> Facts:
    """What arXiv's catalogue states. Raises `NoContent` (`not_found`) for an id that it does not have."""
    reply = await desk.get(f"{API.endpoint}/api/query", {"id_list": paper})
    entry = xml(reply, f"{_ATOM}feed").first(f"{_ATOM}entry")
    if entry is None or _text(entry, "title") in ("", "Error"):
        raise NoContent("arXiv has no such paper", reason=Reason.NOT_FOUND)
    names = [name.text for name in entry.all(f"{_ATOM}author/{_ATOM}name")]
    return Facts(
        title=_text(entry, "title"),
        authors=", ".join(name for name in names if name),
        date=iso_day(_text(entry, "published")),
        abstract=_text(entry, "summary"),
        site="arXiv",
        url=f"{PAGES.endpoint}/abs/{paper}",
    )


def _text(entry: XmlElement, name: str) -> str:
    found = entry.first(f"{_ATOM}{name}")
    return "" if found is None else found.text
