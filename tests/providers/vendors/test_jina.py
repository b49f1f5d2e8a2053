"""Jina: a search without pages, and a reader that warns instead of failing and recognises scans."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from research_mcp.core.errors import NoContent, QuotaSpent, Reason, Transient
from research_mcp.core.models import Filter, Flag, Kind, Page, SearchQuery, TimeRange
from research_mcp.core.wire import Reply
from research_mcp.providers.vendors.jina import JinaRead, JinaSearch
from tests.kit.reading import LONG, URL
from tests.kit.sites import Desk, Turn

GET = "GET https://r.jina.ai/"
POST = "POST https://r.jina.ai/"
PDF = "https://mill.test/scan.PDF"


def test_a_plain_query_asks_for_no_pages() -> None:
    request = JinaSearch().request(SearchQuery("tidal power", limit=10))
    assert request.params == {"q": "tidal power", "num": 10}
    assert JinaSearch.headers == {"Accept": "application/json", "X-Respond-With": "no-content"}


def test_language_and_country_have_googles_codes() -> None:
    params = JinaSearch().request(SearchQuery("x", language="de", country="AT")).params
    assert (params["hl"], params["gl"]) == ("de", "at")


@pytest.mark.parametrize(
    ("language", "region", "code"),
    [("zh", "", "zh-cn"), ("zh", "TW", "zh-tw"), ("pt", "PT", "pt-pt"), ("he", "", "iw"), ("nb", "NO", "no")],
)
def test_languages_that_jina_would_refuse_have_the_codes_of_its_list(
    language: str, region: str, code: str
) -> None:
    query = SearchQuery("x", language=language, region=region)
    params = JinaSearch().request(query).params
    assert (params["hl"], params.get("gl")) == (code, None)
    assert JinaSearch().unapplied(query) == frozenset()


def test_a_language_that_google_has_no_code_for_is_left_out_and_named() -> None:
    query = SearchQuery("x", language="sc")
    assert "hl" not in JinaSearch().request(query).params
    assert JinaSearch().unapplied(query) == {Filter.LANGUAGE}


def test_one_domain_has_its_field() -> None:
    query = SearchQuery("x", include_domains=("a.example",), exclude_domains=("b.a.example",))
    params = JinaSearch().request(query).params
    assert params["site"] == "a.example"
    assert params["q"] == "x -site:b.a.example"


def test_several_domains_travel_inside_the_query() -> None:
    params = JinaSearch().request(SearchQuery("x", include_domains=("a.example", "b.example"))).params
    assert "site" not in params
    assert params["q"] == "x (site:a.example OR site:b.example)"


def test_the_age_and_domains_without_room_are_named_as_not_applied() -> None:
    domains = tuple(f"a-rather-long-name-{number}.example" for number in range(20))
    query = SearchQuery("x", time_range=TimeRange.DAY, exclude_domains=domains)
    assert JinaSearch().unapplied(query) == {Filter.TIME_RANGE, Filter.EXCLUDE_DOMAINS}


@pytest.mark.parametrize(
    ("status", "headers", "body", "rest"),
    [
        (429, {}, b'{"code": 429, "retryAfter": 12}', 12),
        (429, {"retry-after": "5"}, b'{"retryAfter": 12}', None),
        (429, {}, b"slow down", None),
        (402, {}, b'{"retryAfter": 12}', None),
    ],
)
def test_a_search_rests_as_long_as_the_body_asks_where_no_header_does(
    status: int, headers: dict[str, str], body: bytes, rest: int | None
) -> None:
    error = JinaSearch().refusal(Reply(status, headers, body))
    assert (error.rest_for if error else None) == rest


def said(content: str = LONG, **facts: Any) -> httpx.Response:
    return httpx.Response(200, json={"code": 200, "status": 20000, "data": {"content": content, **facts}})


def text(*lines: str) -> httpx.Response:
    return httpx.Response(
        200, headers={"content-type": "text/plain; charset=utf-8"}, content="\n\n".join(lines)
    )


def reader(*turns: Turn, url: str = URL, method: str = GET, **more: Any) -> Desk:
    return Desk(JinaRead, {method + (url if method == GET else ""): turns}, **more)


def test_the_text_form_is_read_up_to_its_first_mark() -> None:
    page = reader(
        text(
            "Title: Moss &amp; care",
            "URL Source: https://mill.test/moss-care",
            "Published Time: 2026-03-04T10:00:00+00:00",
            "Warning: This is a cached snapshot of the original page, consider retry with caching opt-out.",
            "Number of Pages: 3",
            "Markdown Content:\n# Moss",
            "Warning: This page maybe requiring CAPTCHA, says the book.\n\nMarkdown Content:\nquoted",
        )
    ).page(URL)
    assert page.markdown.startswith("# Moss\n\nWarning: This page maybe")
    assert page.markdown.endswith("Markdown Content:\nquoted")
    assert (page.title, page.date, page.kind) == ("Moss & care", "2026-03-04", Kind.PDF)
    assert page.final_url == "https://mill.test/moss-care"
    assert page.notes == ("Jina read a cached copy, up to an hour old",)


def test_bare_markdown_is_the_page() -> None:
    assert reader(text("# Moss", LONG)).page(URL).markdown.startswith("# Moss")
    assert (
        reader(text("Title: of a book that is no preamble", LONG)).page(URL).markdown.startswith("Title: of")
    )


def test_html_in_place_of_markdown_is_no_page() -> None:
    assert reader(text("<!DOCTYPE html><p>gateway")).error(URL).reason is Reason.UPSTREAM_ERROR


def test_a_warning_counts_for_less_than_a_long_text_but_a_lost_page_stays_lost() -> None:
    whole = LONG * 10
    assert reader(said(whole, httpStatus=403)).page(URL).markdown == whole.strip()
    assert reader(said(whole, warning="This page maybe requiring CAPTCHA")).page(URL).markdown
    assert (
        reader(said(whole, warning="Target URL returned error 404: Not Found")).error(URL).reason
        is Reason.NOT_FOUND
    )


def test_what_was_left_out_is_noted_in_our_words() -> None:
    page = reader(
        said(warning="This page contains shadow DOM that are currently hidden, and <b>more</b>.")
    ).page(URL)
    assert page.notes == ("parts of the page in a shadow DOM were not read",)


def test_only_an_iso_date_is_taken_for_the_day_of_publication() -> None:
    assert reader(said(publishedTime="Tue, 05 Mar 2024 10:00:00 GMT")).page(URL).date == ""


@pytest.mark.parametrize(
    "url",
    ["https://mill.test/", "https://mill.test:8443/a/b_c-d.html", "https://mill.test/moss/?id=7&lang=en"],
)
def test_plain_addresses_travel_in_the_path(url: str) -> None:
    room = Desk(JinaRead, {GET + url.partition("?")[0]: said()})
    room.page(url)
    assert room.sent[0].url.raw_path.decode() == f"/{url}"


@pytest.mark.parametrize(
    "url",
    [
        "https://mill.test/a%20b",
        "https://mill.test/#/moss",
        "https://mill.test/?next=https://sea.test/",
        "https://[::1]/",
    ],
)
def test_awkward_addresses_travel_in_the_body(url: str) -> None:
    room = reader(said(), method=POST)
    room.page(url)
    assert room.sent[0].read() == httpx.Request("POST", URL, json={"url": url}).content


def test_a_budget_counts_only_with_a_key() -> None:
    for keys, stated in (([], "500"), (["k"], "0"), (["k"], "")):
        room = reader(said(), keys=keys, options={"token_budget": stated} if stated else {})
        room.page(URL)
        assert "x-token-budget" not in room.sent[0].headers
    room = reader(said(), keys=["k"], options={"token_budget": " 500 "})
    room.page(URL)
    assert room.sent[0].headers["x-token-budget"] == "500"


def scan(*turns: Turn, keys: tuple[str, ...] = ("k",), **more: Any) -> Desk:
    return reader(*turns, url=PDF, keys=keys, **more)


def tiers(room: Desk) -> list[tuple[str, str]]:
    return [(r.headers.get("x-respond-with", ""), r.headers.get("x-page", "")) for r in room.sent]


@pytest.mark.parametrize("first", [said("", numPages=2), said("2", numPages=2)])
def test_the_pages_of_a_scan_are_recognised_one_by_one(first: httpx.Response) -> None:
    room = scan(first, said("First page."), said("Second page."), options={"token_budget": "100000"})
    page = room.page(PDF)
    assert (page.markdown, page.kind, page.flags) == ("First page.\n\nSecond page.", Kind.PDF, ())
    assert page.notes == (
        "a scan: pages 1 to 2 turned into text by a model (jina-ocr-v1), which may misread",
    )
    assert tiers(room) == [("", ""), ("jina-ocr-v1", "1"), ("jina-ocr-v1", "2")]
    assert {request.headers["x-token-budget"] for request in room.sent} == {"100000"}


def test_where_the_first_page_comes_again_the_scan_is_over() -> None:
    nothing = httpx.Response(422, json={"code": 422, "status": 42206, "name": "AssertionFailureError"})
    room = scan(nothing, said("Only page."), said("Only page."))
    page = room.page(PDF)
    assert (page.markdown, page.flags) == ("Only page.", ())
    assert page.notes[0].startswith("a scan: page 1 turned")
    assert len(room.sent) == 3


def test_a_long_scan_is_read_in_part_and_says_so() -> None:
    page = scan(said("", numPages=12), *(said(f"Page {n}.") for n in range(1, 9))).page(PDF)
    assert page.markdown.endswith("Page 5.")
    assert page.flags == (Flag.TRUNCATED,)
    assert page.notes[0].startswith("a scan: pages 1 to 5 of 12 turned")


def test_a_scan_of_unknown_length_says_that_later_pages_may_be_missing() -> None:
    page = scan(said(""), *(said(f"Page {n}.") for n in range(1, 9))).page(PDF)
    assert page.notes[0].startswith("a scan: pages 1 to 5, later ones were not read turned")
    assert page.flags == (Flag.TRUNCATED,)


def test_a_blank_page_does_not_end_a_scan() -> None:
    page = scan(said("", numPages=3), said("One."), said("", numPages=3), said("Three.")).page(PDF)
    assert page.markdown == "One.\n\nThree."


def test_what_was_recognised_before_a_failure_is_kept() -> None:
    page = scan(said("", numPages=3), said("One."), httpx.Response(402, json={})).page(PDF)
    assert (page.markdown, page.flags) == ("One.", (Flag.TRUNCATED,))


def test_a_key_that_is_spent_before_the_first_page_is_told() -> None:
    assert isinstance(scan(said("thin", numPages=3), httpx.Response(402, json={})).error(PDF), QuotaSpent)


def test_the_thin_text_stays_where_recognition_fails() -> None:
    assert scan(said("thin", numPages=3), httpx.Response(500, json={})).page(PDF).markdown == "thin"


def test_neither_text_nor_legible_pages_is_a_scan_without_text() -> None:
    error = scan(said(""), httpx.Response(422, json={})).error(PDF)
    assert isinstance(error, NoContent)
    assert error.reason is Reason.NO_TEXT_LAYER


def test_no_page_of_a_scan_is_begun_without_time_for_it() -> None:
    room = scan(said("thin", numPages=3), said("One."))
    assert isinstance(page := room.outcome(PDF, seconds=5.5), Page)
    assert page.markdown == "thin"
    assert tiers(room) == [("", "")]


@pytest.mark.parametrize(
    ("url", "keys"),
    [(PDF, ()), ("https://mill.test/scan?file=a.pdf", ("k",)), ("https://mill.test/pdf", ("k",))],
)
def test_recognition_is_for_pdf_paths_with_a_key_alone(url: str, keys: tuple[str, ...]) -> None:
    room = Desk(JinaRead, {GET + url.partition("?")[0]: said("thin")}, keys=keys)
    assert room.page(url).markdown == "thin"
    assert len(room.sent) == 1


def test_a_pdf_with_text_is_not_recognised() -> None:
    room = scan(said(LONG, numPages=3))
    assert room.page(PDF).kind is Kind.PDF
    assert len(room.sent) == 1


def test_a_failure_of_the_plain_reading_is_not_cured_by_recognition() -> None:
    room = scan(httpx.Response(500, json={}))
    assert isinstance(room.error(PDF), Transient)
    assert scan(said("thin", httpStatus=403)).error(PDF).reason is Reason.FORBIDDEN
    assert len(room.sent) == 1


def test_it_is_paid_for_only_with_a_key() -> None:
    assert not reader(said()).reader.facts.metered
    assert reader(said(), keys=["k"]).reader.facts.metered
