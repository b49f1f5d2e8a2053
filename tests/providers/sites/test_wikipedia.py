"""Wikipedia: an article by the API of its language, extracted like a page."""

from __future__ import annotations

import httpx
import pytest

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import NoContent, RateLimited, Reason, Transient
from research_mcp.core.models import Extracted, Kind
from research_mcp.core.wire import Document
from research_mcp.extract.worker import extract_document
from research_mcp.providers.kit.base import Means
from research_mcp.providers.sites.wikipedia import WikipediaRead
from tests.kit.sites import Desk, fixture

URL = "https://en.wikipedia.org/wiki/Kelp_farming"
API = "GET https://en.wikipedia.org/w/rest.php/v1/page"
ARTICLE = f"{API}/Kelp_farming/html"


class Extractor:
    """The extraction of the product, in this process."""

    def __init__(self) -> None:
        self.seen: list[Document] = []

    async def extract(self, document: Document, deadline: Deadline) -> Extracted:
        self.seen.append(document)
        return extract_document(document, 10)


def desk(lines: dict[str, object], **more: object) -> Desk:
    return Desk(WikipediaRead, lines, extractor=Extractor(), **more)


@pytest.mark.parametrize(
    ("url", "asked"),
    [
        (URL, f"{API}/Kelp_farming/html"),
        ("http://en.wikipedia.org/wiki/Kelp%20farming#Method", f"{API}/Kelp_farming/html"),
        ("https://en.m.wikipedia.org/wiki/Kelp_farming?wprov=sfla1", f"{API}/Kelp_farming/html"),
        ("https://www.wikipedia.org/wiki/Kelp_farming", f"{API}/Kelp_farming/html"),
        ("https://en.wikipedia.org/w/index.php?title=Kelp_farming", f"{API}/Kelp_farming/html"),
        ("https://en.wikipedia.org/wiki/AC/DC", f"{API}/AC%2FDC/html"),
        ("https://en.wikipedia.org/wiki/C%2B%2B_(what%3F)", f"{API}/C%2B%2B_%28what%3F%29/html"),
        ("https://de.wikipedia.org/wiki/Gr%C3%B6%C3%9Fe", "GET https://de.wikipedia.org/w/rest.php/v1/page/Gr%C3%B6%C3%9Fe/html"),
        ("https://zh-min-nan.m.wikipedia.org/wiki/A", "GET https://zh-min-nan.wikipedia.org/w/rest.php/v1/page/A/html"),
    ],
)  # fmt: skip
def test_each_form_of_an_address_asks_for_its_article(url: str, asked: str) -> None:
    found = desk({asked: fixture("wikipedia/article.html")})
    found.page(url)
    (sent,) = found.sent
    assert f"GET {sent.url}" == asked


@pytest.mark.parametrize(
    "url",
    [
        "https://en.wikipedia.org/",
        "https://en.wikipedia.org/wiki/",
        "https://en.wikipedia.org/wiki/Special:Search?search=kelp",
        "https://en.wikipedia.org/wiki/Kelp?oldid=7",
        "https://en.wikipedia.org/w/index.php?title=Kelp&action=history",
        "https://en.wikipedia.org/w/api.php",
        "https://wikipedia.org.evil.test/wiki/Kelp",
        "https://en.wikipedia.org.evil.test/wiki/Kelp",
        "https://en.wiktionary.org/wiki/kelp",
        "https://a.b.wikipedia.org/wiki/Kelp",
    ],
)
def test_other_addresses_are_left_to_others(url: str) -> None:
    assert not WikipediaRead().accepts(url)


def test_an_article_is_its_text_without_the_site_around_it() -> None:
    page = desk({ARTICLE: fixture("wikipedia/article.html")}).page(URL)
    assert (page.title, page.site, page.language, page.kind) == ("Kelp farming", "Wikipedia", "en", Kind.HTML)
    assert page.final_url == URL
    assert "[cultivation](https://en.wikipedia.org/wiki/Aquaculture)" in page.markdown
    assert "Norway and Chile. Farms seed" in page.markdown
    assert "## Method" in page.markdown
    assert "| 2025 | 750 |" in page.markdown
    assert "Oyster" not in page.markdown


def test_an_alias_leads_to_the_article_it_stands_for() -> None:
    moved = httpx.Response(307, headers={"location": "/w/rest.php/v1/page/Kelp_farming/html?redirect=no"})
    lines = {f"{API}/Seaweed_farm/html": moved, ARTICLE: fixture("wikipedia/article.html")}
    assert desk(lines).page("https://en.wikipedia.org/wiki/Seaweed_farm").final_url == URL


def test_a_base_url_stands_for_one_wiki() -> None:
    found = desk(
        {"GET http://own.test/w/rest.php/v1/page/Kelp_farming/html": fixture("wikipedia/article.html")},
        urls={"": "http://own.test"},
    )
    assert found.page(URL).title == "Kelp farming"
    assert not WikipediaRead(Means(base_url="http://own.test")).accepts("https://de.wikipedia.org/wiki/Tang")


@pytest.mark.parametrize(
    ("answer", "kind", "reason", "rest"),
    [
        (fixture("wikipedia/missing.json", 404), NoContent, Reason.NOT_FOUND, 0.0),
        (httpx.Response(429, headers={"retry-after": "120"}), RateLimited, Reason.RATE_LIMITED, 120.0),
        (httpx.Response(403, content=b"agent"), RateLimited, Reason.BLOCKED, 600.0),
        (httpx.Response(503), Transient, Reason.UPSTREAM_ERROR, 0.0),
        (httpx.ReadTimeout("slow"), Transient, Reason.TIMEOUT, 0.0),
        (httpx.Response(200, headers={"content-type": "text/html"}, content=b"<p></p>"), NoContent, Reason.EMPTY, 0.0),
    ],
    ids=["missing", "429", "403", "503", "timeout", "empty"],
)  # fmt: skip
def test_each_fault_has_its_remedy(
    answer: object, kind: type[Exception], reason: Reason, rest: float
) -> None:
    error = desk({ARTICLE: answer}).error(URL)
    assert (type(error), error.reason, error.rest_for) == (kind, reason, rest)
