"""Papers by their address: open full text from repositories, never the landing page."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from research_mcp.core.errors import NoContent, Overloaded, Reason, UrlRefused
from research_mcp.core.models import Extracted, Flag, Kind
from research_mcp.core.wire import Document
from research_mcp.providers.sites.scholarly import ScholarlyRead
from tests.kit.reading import FakeExtractor, FakeFetcher
from tests.kit.sites import FIXTURES, Desk, Turn, fixture

ABS = "https://arxiv.org/abs/2601.00001"
API = "GET https://export.arxiv.org/api/query"
HTML = "https://arxiv.org/html/2601.00001"
AR5IV = "https://ar5iv.labs.arxiv.org/html/2601.00001"
PDF = "https://arxiv.org/pdf/2601.00001"

DOI = "https://doi.org/10.5555/INV.1"
REST = "https://www.ebi.ac.uk/europepmc/webservices/rest"
SEARCH = f"GET {REST}/search"
JATS = f"GET {REST}/PMC9990001/fullTextXML"
UNPAYWALL = "GET https://api.unpaywall.org/v2/10.5555/inv.1"
REPOSITORY = "https://repo.example/1.PDF"
PUBLISHER = "https://pub.example/1.pdf"

TEXT = "The reeds return to the marsh after the flood. " * 60
MAIL = {"email": "library@reeds.test"}
PAGE = httpx.Response(200, headers={"content-type": "text/html"}, content=b"<article>full</article>")
A_PDF = httpx.Response(200, headers={"content-type": "application/pdf"}, content=b"%PDF-1.7 ...")


def pdf_document(url: str, body: bytes = b"%PDF-1.7 ...", status: int = 200, truncated: str = "") -> Document:
    return Document(url, url, status, {"content-type": "application/pdf"}, body, truncated)


def full(title: str = "A file's title", **more: Any) -> Extracted:
    return Extracted(Kind.PDF, TEXT, title, **more)


def arxiv(lines: dict[str, Turn], **more: Any) -> Desk:
    more.setdefault("extractor", FakeExtractor(dict.fromkeys((HTML, AR5IV, PDF), full())))
    return Desk(ScholarlyRead, {API: fixture("scholarly/atom.xml"), **lines}, **more)


def journal(lines: dict[str, Turn] | None = None, **more: Any) -> Desk:
    """Europe PMC knows the paper and has no text of it; both its open PDFs are there."""
    more.setdefault("options", MAIL)
    more.setdefault("fetcher", FakeFetcher({url: pdf_document(url) for url in (REPOSITORY, PUBLISHER)}))
    more.setdefault("extractor", FakeExtractor(dict.fromkeys((REPOSITORY, PUBLISHER), full())))
    all_lines: dict[str, Turn] = {
        SEARCH: fixture("scholarly/search.json"),
        UNPAYWALL: fixture("scholarly/unpaywall.json"),
        **(lines or {}),
    }
    return Desk(ScholarlyRead, all_lines, **more)


# arXiv


@pytest.mark.parametrize(
    ("lines", "source", "asked"),
    [
        ({f"GET {HTML}": PAGE, f"GET {PDF}": A_PDF}, "arXiv's HTML", [f"GET {HTML}", API]),
        ({f"GET {AR5IV}": PAGE, f"GET {PDF}": A_PDF}, "ar5iv's HTML", [f"GET {HTML}", f"GET {AR5IV}", API]),
        ({f"GET {PDF}": A_PDF}, "arXiv's PDF", [f"GET {HTML}", f"GET {AR5IV}", f"GET {PDF}", API]),
    ],
)
def test_a_paper_at_arxiv_is_its_best_form_under_the_catalogues_head(
    lines: dict[str, Turn], source: str, asked: list[str]
) -> None:
    bench = arxiv(lines)
    page = bench.page(ABS)
    assert page.markdown == f"# On Reeds\n\n{TEXT}".strip()
    assert (page.title, page.author, page.date, page.site) == (
        "On Reeds",
        "A. Invented, B. Made-Up",
        "2026-01-01",
        "arXiv",
    )
    assert (page.kind, page.notes, page.flags) == (Kind.PAPER, (f"full text from {source}",), ())
    assert bench.lines() == asked
    assert bench.sent[-1].url.params["id_list"] == "2601.00001"


def test_a_heading_that_the_text_has_is_not_doubled() -> None:
    extractor = FakeExtractor({HTML: Extracted(Kind.HTML, f"# On Reeds\n\n{TEXT}")})
    assert arxiv({f"GET {HTML}": PAGE}, extractor=extractor).page(ABS).markdown.count("# On Reeds") == 1


@pytest.mark.parametrize("api", [httpx.Response(503), httpx.Response(429), httpx.ReadTimeout("x")])
def test_a_catalogue_that_does_not_answer_costs_the_head_alone(api: Turn) -> None:
    page = arxiv({API: api, f"GET {HTML}": PAGE}).page(ABS)
    assert (page.title, page.author) == ("A file's title", "")


@pytest.mark.parametrize(
    "answer",
    [
        httpx.Response(307, headers={"location": "https://arxiv.org/abs/2601.00001"}),
        httpx.Response(403),
        httpx.Response(500),
        httpx.ConnectError("x"),
    ],
    ids=["not converted", "403", "500", "unreachable"],
)
def test_a_copy_that_cannot_be_had_gives_way_to_the_next(answer: Turn) -> None:
    page = arxiv({f"GET {HTML}": answer, f"GET {AR5IV}": answer, f"GET {PDF}": A_PDF}).page(ABS)
    assert page.notes == ("full text from arXiv's PDF",)


@pytest.mark.parametrize(
    "found",
    [
        Extracted(Kind.HTML, "Conversion to HTML had a fatal error."),
        Extracted(Kind.HTML, TEXT, reason=Reason.BLOCKED, detail="a bot check"),
        Extracted(Kind.HTML, reason=Reason.EMPTY),
        Overloaded("the queue is full"),
    ],
)
def test_a_copy_without_full_text_gives_way_to_the_next(found: Extracted | Exception) -> None:
    bench = arxiv(
        {f"GET {HTML}": PAGE, f"GET {PDF}": A_PDF}, extractor=FakeExtractor({HTML: found, PDF: full()})
    )
    assert bench.page(ABS).notes == ("full text from arXiv's PDF",)


def test_a_text_that_a_limit_cut_short_is_kept_and_flagged() -> None:
    extractor = FakeExtractor({PDF: full(reason=Reason.DEADLINE, flags=(Flag.HIDDEN_TEXT,))})
    page = arxiv({f"GET {PDF}": A_PDF}, extractor=extractor).page(ABS)
    assert page.flags == (Flag.HIDDEN_TEXT, Flag.TRUNCATED)


def test_what_is_called_a_pdf_and_is_a_web_page_is_no_copy() -> None:
    page = arxiv({f"GET {PDF}": PAGE}).page(ABS)
    assert page.notes == ("only the abstract: no open full text could be read",)


def test_without_full_text_the_abstract_is_the_thin_last_resort() -> None:
    page = arxiv({}).page(ABS)
    assert page.markdown == "# On Reeds\n\n## Abstract\n\nWe study how reeds return to a salt marsh."
    assert (page.flags, page.final_url) == ((Flag.THIN,), ABS)


@pytest.mark.parametrize("entry", ["atom.unknown.xml", "atom.error.xml"])
def test_an_id_that_arxiv_does_not_have_is_not_found(entry: str) -> None:
    error = arxiv({API: fixture(f"scholarly/{entry}")}).error(ABS)
    assert (type(error), error.reason) == (NoContent, Reason.NOT_FOUND)


@pytest.mark.parametrize(
    ("api", "reason"),
    [
        (httpx.Response(200, text="<html>"), Reason.UPSTREAM_ERROR),
        (httpx.Response(400), Reason.UPSTREAM_ERROR),
        (httpx.Response(429), Reason.RATE_LIMITED),
        (httpx.ReadTimeout("x"), Reason.TIMEOUT),
    ],
)
def test_when_nothing_is_known_the_troubled_source_is_the_reason(api: Turn, reason: Reason) -> None:
    error = arxiv({API: api}).error(ABS)
    assert (type(error), error.reason) == (NoContent, reason)


def test_each_host_has_an_address_of_its_own() -> None:
    base = "http://127.0.0.1:9"
    lines: dict[str, Turn] = {
        f"GET {base}/html/2601.00001": httpx.Response(404),
        f"GET {base}/pdf/2601.00001": A_PDF,
        f"GET {base}/api/query": fixture("scholarly/atom.xml"),
    }
    urls = dict.fromkeys(("arxiv", "arxiv_pages", "ar5iv"), base)
    page = Desk(ScholarlyRead, lines, urls=urls, extractor=FakeExtractor({PDF: full()})).page(ABS)
    assert (page.title, page.final_url) == ("On Reeds", PDF)


# Europe PMC


def test_a_papers_open_full_text_at_europe_pmc_is_read_with_its_structure() -> None:
    bench = journal({JATS: fixture("scholarly/article.xml")})
    page = bench.page(DOI)
    assert page.markdown + "\n" == (FIXTURES / "scholarly" / "article.md").read_text()
    assert (page.title, page.author, page.date, page.site) == (
        "Reed growth",
        "Invented A, Made-Up B",
        "2026-03-04",
        "Invented Wetlands",
    )
    assert page.final_url == "https://europepmc.org/article/PMC/PMC9990001"
    assert bench.lines() == [SEARCH, JATS]
    assert bench.sent[0].url.params["query"] == 'DOI:"10.5555/inv.1"'


@pytest.mark.parametrize(
    ("url", "query"),
    [
        ("https://pubmed.ncbi.nlm.nih.gov/39000001/", "EXT_ID:39000001 AND SRC:MED"),
        ("https://pmc.ncbi.nlm.nih.gov/articles/PMC9990001/", "PMCID:PMC9990001"),
    ],
)
def test_a_paper_by_its_number_is_looked_up(url: str, query: str) -> None:
    bench = journal({JATS: fixture("scholarly/article.xml")})
    assert "## 1 Introduction" in bench.page(url).markdown
    assert bench.sent[0].url.params["query"] == query


def test_a_known_full_text_needs_no_catalogue() -> None:
    bench = journal({SEARCH: httpx.Response(500), JATS: fixture("scholarly/article.xml")})
    page = bench.page("https://pmc.ncbi.nlm.nih.gov/articles/PMC9990001/")
    assert (page.title, page.date) == ("Growth of *Phragmites* reeds", "2026-03-04")


# Unpaywall


@pytest.mark.parametrize(
    "jats",
    [
        httpx.Response(404),
        httpx.Response(200, text="<article><front/></article>"),
        httpx.Response(200, text="<html/>"),
        httpx.Response(200, text='<!DOCTYPE article [<!ENTITY a "b">]><article><body>&a;</body></article>'),
    ],
)
def test_without_a_text_at_europe_pmc_a_repositorys_copy_comes_first(jats: Turn) -> None:
    bench = journal({JATS: jats})
    page = bench.page(DOI)
    assert page.notes == ("full text from a PDF of a repository",)
    assert page.markdown == f"# Reed growth\n\n{TEXT}".strip()
    assert (page.final_url, bench.fetcher.fetched) == (REPOSITORY, [REPOSITORY])
    assert bench.fetcher.accepts == ["application/pdf"]
    assert bench.sent[-1].url.params["email"] == MAIL["email"]


@pytest.mark.parametrize(
    "copy",
    [
        pdf_document(REPOSITORY, status=403),
        pdf_document(REPOSITORY, b"<html>a wall</html>"),
        UrlRefused("a private address"),
        NoContent("silence", reason=Reason.TIMEOUT),
    ],
)
def test_the_publishers_pdf_is_the_second_choice_and_no_landing_page_is_fetched(copy: Any) -> None:
    fetcher = FakeFetcher({REPOSITORY: copy, PUBLISHER: pdf_document(PUBLISHER, truncated="it broke off")})
    bench = journal(fetcher=fetcher)
    page = bench.page(DOI)
    assert page.notes == ("full text from a PDF of the publisher",)
    assert page.flags == (Flag.TRUNCATED,)
    assert fetcher.fetched == [REPOSITORY, PUBLISHER]


def unpaywall(**place: Any) -> httpx.Response:
    location = {"host_type": "repository", **place}
    return httpx.Response(200, json={"is_oa": True, "best_oa_location": location})


def test_a_copy_at_arxiv_is_read_in_its_best_form() -> None:
    answer = unpaywall(url_for_pdf="https://arxiv.org/pdf/2601.00001v2")
    html = "https://arxiv.org/html/2601.00001v2"
    lines: dict[str, Turn] = {UNPAYWALL: answer, f"GET {html}": PAGE, API: fixture("scholarly/atom.xml")}
    page = journal(lines, extractor=FakeExtractor({html: full()})).page(DOI)
    assert (page.notes, page.title) == (("full text from arXiv's HTML",), "On Reeds")


def test_a_copy_at_pubmed_central_is_read_as_such() -> None:
    place = "https://www.ncbi.nlm.nih.gov/pmc/articles/pmc9990001"
    lines: dict[str, Turn] = {
        SEARCH: fixture("scholarly/search.empty.json"),
        UNPAYWALL: unpaywall(url_for_landing_page=place, url=place),
        JATS: fixture("scholarly/article.xml"),
    }
    assert journal(lines).page(DOI).notes == ("full text from Europe PMC",)


def test_without_an_email_address_unpaywall_is_not_asked() -> None:
    bench = journal(options={})
    assert bench.page(DOI).flags == (Flag.THIN,)
    assert bench.lines() == [SEARCH, JATS]


def test_without_an_open_copy_the_abstract_is_the_thin_last_resort() -> None:
    page = journal({UNPAYWALL: fixture("scholarly/unpaywall.closed.json")}).page(DOI)
    assert page.markdown == "# Reed growth\n\n## Abstract\n\nAim We measured reeds & tides."
    assert (page.flags, page.final_url) == ((Flag.THIN,), "https://europepmc.org/article/MED/39000001")


NOBODY = fixture("scholarly/search.empty.json")


@pytest.mark.parametrize(
    ("lines", "reason", "says"),
    [
        ({UNPAYWALL: fixture("scholarly/unpaywall.closed.json")}, Reason.PAYWALLED, "no open copy"),
        ({UNPAYWALL: httpx.Response(404, text="<html>")}, Reason.EMPTY, "no catalogue"),
        ({UNPAYWALL: httpx.Response(422, json={"error": True})}, Reason.UPSTREAM_ERROR, "e-mail address"),
        ({UNPAYWALL: httpx.Response(429)}, Reason.RATE_LIMITED, "too many requests"),
        ({UNPAYWALL: httpx.Response(500)}, Reason.UPSTREAM_ERROR, "the vendor failed"),
        ({UNPAYWALL: httpx.Response(200, json=[])}, Reason.UPSTREAM_ERROR, "does not say"),
        ({UNPAYWALL: httpx.Response(200, text="<html>")}, Reason.UPSTREAM_ERROR, "expected JSON"),
        ({UNPAYWALL: unpaywall(url_for_landing_page="https://x.example/1")}, Reason.EMPTY, "landing page"),
        ({UNPAYWALL: unpaywall()}, Reason.PAYWALLED, "no open copy"),
        (
            {UNPAYWALL: httpx.Response(404), SEARCH: httpx.Response(200, json={"hitCount": 0})},
            Reason.UPSTREAM_ERROR,
            "no list of results",
        ),
    ],
)
def test_a_paper_that_cannot_be_had_says_why_and_never_parks_the_reader(
    lines: dict[str, Turn], reason: Reason, says: str
) -> None:
    error = journal({SEARCH: NOBODY, **lines}).error(DOI)
    assert (type(error), error.reason) == (NoContent, reason)
    assert says in str(error)


def test_without_an_email_address_the_failure_says_what_was_not_asked() -> None:
    error = journal({SEARCH: NOBODY}, options={}).error(DOI)
    assert (error.reason, "e-mail address" in str(error)) == (Reason.EMPTY, True)


def test_a_doi_that_looks_like_a_query_stays_a_doi() -> None:
    bench = journal({SEARCH: NOBODY})
    bench.outcome("https://doi.org/10.5555/a(b)c%22%20OR%20%3Cx%3E%23d")
    assert bench.sent[0].url.params["query"] == 'DOI:"10.5555/a(b)c"'
    assert str(bench.sent[1].url).startswith("https://api.unpaywall.org/v2/10.5555/a%28b%29c?")


# Addresses


@pytest.mark.parametrize(
    ("url", "asks"),
    [
        ("https://arxiv.org/abs/2601.00001v2", "https://arxiv.org/html/2601.00001v2"),
        ("http://www.arxiv.org/pdf/2601.00001.pdf", HTML),
        ("https://export.arxiv.org/html/2601.00001/", HTML),
        ("https://arxiv.org/abs/1401.0001", "https://arxiv.org/html/1401.0001"),
        ("https://arxiv.org/abs/math.AG/0601001", "https://arxiv.org/html/math.AG/0601001"),
        ("https://arxiv.org/pdf/hep-th/9901001v3", "https://arxiv.org/html/hep-th/9901001v3"),
        ("https://ar5iv.labs.arxiv.org/html/2601.00001", HTML),
        ("https://doi.org/10.48550/arXiv.2601.00001", HTML),
        ("https://dx.doi.org/10.5555/INV.1", f"{REST}/search"),
        ("https://doi.org/doi:10.5555/inv.1).", f"{REST}/search"),
        ("https://pub.example/doi/10.5555/inv.1", f"{REST}/search"),
        ("https://pub.example/doi/abs/10.5555/inv.1", f"{REST}/search"),
        ("https://pub.example/action/doi/epdf/10.5555/inv.1?x=1", f"{REST}/search"),
        ("https://www.ncbi.nlm.nih.gov/pmc/articles/PMC9990001/pdf/x.pdf", f"{REST}/search"),
        ("https://europepmc.org/article/PMC/PMC9990001", f"{REST}/search"),
        ("https://europepmc.org/articles/pmc9990001", f"{REST}/search"),
        ("https://europepmc.org/article/MED/39000001", f"{REST}/search"),
        ("https://www.ncbi.nlm.nih.gov/pubmed/39000001", f"{REST}/search"),
    ],
)
def test_an_address_of_a_paper_is_looked_up_by_its_id(url: str, asks: str) -> None:
    bench = journal()
    bench.outcome(url)
    assert bench.sent[0].url.copy_with(query=None) == httpx.URL(asks)


@pytest.mark.parametrize(
    "url",
    [
        "https://arxiv.org/",
        "https://arxiv.org/list/cs.AI/recent",
        "https://arxiv.org/abs/abc",
        "https://arxiv.org/abs/2601.00001/extra",
        "https://arxiv.org.evil.test/abs/2601.00001",
        "https://doi.org/",
        "https://doi.org/11.5555/x",
        f"https://doi.org/10.5555/{'x' * 400}",
        "https://pub.example/10.5555/inv.1",
        "https://pub.example/doi/suppl/10.5555/inv.1",
        "https://pub.example/doi/toc/2026",
        "https://pubmed.ncbi.nlm.nih.gov/?term=reeds",
        "https://pmc.ncbi.nlm.nih.gov/",
        "https://europepmc.org/search?query=reeds",
    ],
)
def test_any_other_address_is_left_to_others(url: str) -> None:
    assert not ScholarlyRead().accepts(url)


def test_its_verdict_is_not_final() -> None:
    facts = ScholarlyRead.facts("scholarly", metered=False)
    assert (facts.site, facts.final, facts.metered) == (True, False, False)


def test_a_short_paper_in_html_is_taken_before_its_pdf() -> None:
    short = Extracted(Kind.HTML, "A note on reeds in the marsh. " * 40, "A note")
    found = arxiv({f"GET {HTML}": PAGE}, extractor=FakeExtractor({HTML: short}))
    assert found.page(ABS).notes == ("full text from arXiv's HTML",)
