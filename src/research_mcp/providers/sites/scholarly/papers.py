"""Which paper a url stands for: arXiv ids, DOIs, ids of PubMed and PubMed Central."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from research_mcp.core.urls import host_of

_ARXIV_HOSTS = frozenset(
    {"arxiv.org", "www.arxiv.org", "export.arxiv.org", "ar5iv.org", "www.ar5iv.org", "ar5iv.labs.arxiv.org"}
)
_ARXIV_ID = r"(?:\d{4}\.\d{4,5}|[a-z-]{2,20}(?:\.[A-Z]{2})?/\d{7})(?:v\d{1,3})?"
_ARXIV_PATH = re.compile(rf"/(?:abs|pdf|html|format|ps|e-print|src)/({_ARXIV_ID})(?:\.pdf)?/?")
_ARXIV_DOI = re.compile(rf"10\.48550/arxiv\.({_ARXIV_ID})", re.IGNORECASE)

_DOI_HOSTS = frozenset({"doi.org", "dx.doi.org", "www.doi.org"})
_DOI = re.compile(r"10\.\d{4,9}/[^\s\"<>]+")
_DOI_PATH = re.compile(r"(?:/[^/]+){0,2}/doi/(?:(?:abs|full|pdf|epdf|pdfdirect|epub)/)?(10\.\d{4,9}/.+)")
_LONGEST_DOI = 300

_PMC_PATHS = {
    "ncbi.nlm.nih.gov": re.compile(r"/pmc/articles/(PMC\d{1,9})(?:/.*)?", re.IGNORECASE),
    "pmc.ncbi.nlm.nih.gov": re.compile(r"/articles/(PMC\d{1,9})(?:/.*)?", re.IGNORECASE),
    "europepmc.org": re.compile(r"/(?:articles?|article/pmc)/(PMC\d{1,9})(?:/.*)?", re.IGNORECASE),
}
_PMID_PATHS = {
    "pubmed.ncbi.nlm.nih.gov": re.compile(r"/(\d{1,9})/?"),
    "ncbi.nlm.nih.gov": re.compile(r"/pubmed/(\d{1,9})/?"),
    "europepmc.org": re.compile(r"/(?:article|abstract)/med/(\d{1,9})/?", re.IGNORECASE),
}


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper by the one id that its url states; the others are "". DOIs are lower case."""

    arxiv: str = ""
    doi: str = ""
    pmcid: str = ""
    pmid: str = ""


def paper_at(url: str) -> Paper | None:
    """The paper at `url` (a normal form), None when it stands for none."""
    host = host_of(url)
    path = unquote(urlsplit(url).path)
    if arxiv := arxiv_id(url):
        return Paper(arxiv=arxiv)
    if pmcid := pmc_id(url):
        return Paper(pmcid=pmcid)
    pattern = _PMID_PATHS.get(host.removeprefix("www."))
    if pattern and (found := pattern.fullmatch(path)):
        return Paper(pmid=found[1])
    return _by_doi(_doi(path.lstrip("/") if host in _DOI_HOSTS else _in_path(path)))


def arxiv_id(url: str) -> str:
    """The arXiv id, with the version where one is stated, of an address at arXiv or its mirrors; or ""."""
    if host_of(url) not in _ARXIV_HOSTS:
        return ""
    found = _ARXIV_PATH.fullmatch(unquote(urlsplit(url).path))
    return found[1] if found else ""


def pmc_id(url: str) -> str:
    """The `PMC...` id of an address at PubMed Central or Europe PMC; or ""."""
    pattern = _PMC_PATHS.get(host_of(url).removeprefix("www."))
    found = pattern.fullmatch(unquote(urlsplit(url).path)) if pattern else None
    return found[1].upper() if found else ""


def _in_path(path: str) -> str:
    found = _DOI_PATH.fullmatch(path)
    return found[1] if found else ""


def _doi(text: str) -> str:
    """The DOI that `text` is, without the punctuation of the sentence it stood in; or ""."""
    found = _DOI.match(text.removeprefix("doi:")) if len(text) <= _LONGEST_DOI else None
    return _trimmed(found[0]).lower() if found else ""


def _trimmed(doi: str) -> str:
    before = ""
    while doi != before:
        before, doi = doi, doi.rstrip(".,;/")
        for opening, closing in ("()", "[]", "{}"):
            if doi.endswith(closing) and doi.count(closing) > doi.count(opening):
                doi = doi[:-1]
    return doi


def _by_doi(doi: str) -> Paper | None:
    if not _DOI.fullmatch(doi):
        return None
    arxiv = _ARXIV_DOI.fullmatch(doi)
    return Paper(arxiv=arxiv[1]) if arxiv else Paper(doi=doi)
