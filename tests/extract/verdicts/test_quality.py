from __future__ import annotations

import time

import pytest

from research_mcp.core.errors import Reason
from research_mcp.core.models import Extracted, Flag
from research_mcp.core.wire import Document
from research_mcp.extract.verdicts.quality import Evidence, judge
from research_mcp.extract.worker import extract_document
from tests.extract.quality_pages import INNOCENTS, LABELLED, LONG, NAV, PADDING, PROSE, Labelled, page

KNOWN: dict[str, Extracted] = {}


def extracted(labelled: Labelled) -> Extracted:
    """What the worker makes of a page, asked once for each."""
    if labelled.name not in KNOWN:
        KNOWN[labelled.name] = _extracted(labelled)
    return KNOWN[labelled.name]


def _extracted(labelled: Labelled) -> Extracted:
    headers = {"content-type": "text/html; charset=utf-8", **labelled.headers}
    final = labelled.final_url or labelled.url
    return extract_document(
        Document(labelled.url, final, labelled.status, headers, labelled.html.encode()), 10
    )


@pytest.mark.parametrize("labelled", LABELLED, ids=lambda labelled: labelled.name)
def test_every_page_is_called_what_it_is(labelled: Labelled) -> None:
    result = extracted(labelled)
    assert result.reason is labelled.reason, result.detail
    assert bool(result.detail) == (labelled.reason is not None)


def test_the_set_is_large_and_half_innocent() -> None:
    assert len(LABELLED) >= 60
    assert len(INNOCENTS) >= 30


@pytest.mark.parametrize("labelled", INNOCENTS, ids=lambda labelled: labelled.name)
def test_innocent_pages_keep_their_text(labelled: Labelled) -> None:
    assert extracted(labelled).markdown


def test_a_wall_s_words_are_not_given_out_as_text_but_a_teaser_s_are() -> None:
    by_name = {labelled.name: extracted(labelled) for labelled in LABELLED}
    assert by_name["cloudflare challenge"].markdown == ""
    assert by_name["status 404"].markdown == ""
    teaser = by_name["subscribe to continue"]
    assert PROSE in teaser.markdown
    assert Flag.PAYWALLED in teaser.flags


def test_a_short_page_is_thin_and_a_long_one_is_not() -> None:
    by_name = {labelled.name: extracted(labelled) for labelled in INNOCENTS}
    assert Flag.THIN in by_name["short notice"].flags
    assert by_name["plain article"].flags == ()


def test_labels_of_a_form_in_much_code_are_flagged_as_perhaps_not_all() -> None:
    labels = "".join(f"<div><label>Choose harbour number {n}</label></div>" for n in range(40))
    result = extracted(Labelled("form", page(f"{NAV}<main>{labels}</main>{PADDING * 5}"), None))
    assert result.reason is None
    assert Flag.NEEDS_JAVASCRIPT in result.flags
    assert any("browser" in note for note in result.notes)


def test_text_found_in_data_is_not_called_a_shell() -> None:
    seen = Evidence(
        "u", "u", 200, {}, '<div id="root"></div><script></script>', "Words.", scripts=1, rescued=True
    )
    assert judge(seen).reason is None


@pytest.mark.parametrize("status", [405, 418, 500, 502, 504, 520, 526])
def test_other_error_statuses_are_the_site_s_failure(status: int) -> None:
    result = extracted(Labelled(f"status {status}, long", page(LONG), None, status))
    assert result.reason is Reason.UPSTREAM_ERROR
    assert str(status) in result.detail


@pytest.mark.parametrize(
    "piece",
    [
        "<div id=app ",
        "<main>" + " " * 900,
        "<h1>",
        "<main>",
        "<main class=paywall>",
        "<div class=paywall>",
        "<",
        "subscribe ",
        "javascript ",
        "<a ",
        '{"a":',
        "<script type=ld+json>",
        "<input type=hidden ",
    ],
)
def test_verdicts_are_linear(piece: str) -> None:
    html = page(piece * (300_000 // len(piece)), head='<p class="paywall">isAccessibleForFree</p>')
    started = time.process_time()
    judge(Evidence("https://a.b/", "https://a.b/", 200, {}, html, "few words", "t", 9, 1))
    judge(Evidence("https://a.b/", "https://a.b/", 403, {}, "", piece * (300_000 // len(piece)), "t", 9, 1))
    assert time.process_time() - started < 3
