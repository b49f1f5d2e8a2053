"""Europe PMC: a catalogue of the life sciences with the full text of its open part, as JATS.

Docs:   https://europepmc.org/RestfulWebService
Sends:  GET /search with `query=DOI:"..."`, `resultType=core`; GET /{PMCID}/fullTextXML.
Quirks: the full text is a 404 outside the open part.
"""

from __future__ import annotations

import asyncio
import html
import re
from dataclasses import dataclass
from typing import Final

from research_mcp.core.errors import BadReply, NoContent, Reason
from research_mcp.core.wire import JsonValue, Reply
from research_mcp.providers.kit.legs import Leg
from research_mcp.providers.kit.markup import xml
from research_mcp.providers.kit.shape import iso_day
from research_mcp.providers.kit.tree import at, rows, text
from research_mcp.providers.sites.scholarly.copies import Copy, Desk, Facts
from research_mcp.providers.sites.scholarly.jats import MOST, Article, article_of
from research_mcp.providers.sites.scholarly.papers import Paper

REST: Final = Leg("https://www.ebi.ac.uk/europepmc/webservices/rest")

_INLINE = re.compile(r"</?(?:i|b|u|em|strong|sub|sup)>", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]{1,100}>")


@dataclass(frozen=True, slots=True)
class Record:
    """One entry of the catalogue: its ids and what is stated about the paper."""

    doi: str
    pmcid: str
    facts: Facts


async def record(desk: Desk, paper: Paper) -> Record:
    """The paper's entry. Raises `NoContent` (`not_found`) when there is none."""
    params = {"query": _query(paper), "format": "json", "resultType": "core", "pageSize": "5"}
    answer = (await desk.get(f"{REST.endpoint}/search", params)).json()
    if not isinstance(at(answer, "resultList", "result"), list):
        raise BadReply("Europe PMC's answer holds no list of results")
    for row in rows(answer, "resultList", "result"):
        if not paper.doi or text(row, "doi").lower() == paper.doi:
            return Record(text(row, "doi").lower(), text(row, "pmcid"), _facts(row))
    raise NoContent("Europe PMC does not know the paper", reason=Reason.NOT_FOUND)


async def full_text(desk: Desk, pmcid: str) -> Copy:
    """The paper's open full text. Raises `NoContent` for one outside the open part."""
    reply = await desk.get(f"{REST.endpoint}/{pmcid}/fullTextXML")
    article = await asyncio.to_thread(_article, reply)  # a large one takes a second
    url = f"https://europepmc.org/article/PMC/{pmcid}"
    facts = Facts(article.title, article.authors, article.date, "", article.journal, url)
    return Copy(article.markdown, url, "full text from Europe PMC", facts)


def _article(reply: Reply) -> Article:
    return article_of(xml(reply, "article", most=MOST, typed=True))


def _query(paper: Paper) -> str:
    if paper.pmcid:
        return f"PMCID:{paper.pmcid}"
    if paper.pmid:
        return f"EXT_ID:{paper.pmid} AND SRC:MED"
    return 'DOI:"{}"'.format(paper.doi.replace('"', "").replace("\\", ""))


def _facts(row: JsonValue) -> Facts:
    journal = text(row, "journalInfo", "journal", "title") or text(row, "journalTitle")
    place = text(row, "id")
    return Facts(
        title=_plain(text(row, "title")).rstrip("."),
        authors=text(row, "authorString").rstrip("."),
        date=iso_day(text(row, "firstPublicationDate")),
        abstract=_plain(text(row, "abstractText")),
        site=journal or "Europe PMC",
        url=f"https://europepmc.org/article/{text(row, 'source')}/{place}" if place else "",
    )


def _plain(markup: str) -> str:
    return " ".join(html.unescape(_TAG.sub(" ", _INLINE.sub("", markup))).split())
