"""The reader without a service: what it makes of the probe's document and extraction's verdict."""

from __future__ import annotations

from typing import Any

import pytest

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import NoContent, Reason
from research_mcp.core.models import Extracted, Flag, Kind, Page
from research_mcp.core.wire import Document, Reply, Request
from research_mcp.providers.kit.registry import REGISTRY
from research_mcp.providers.local.direct import Direct
from tests.kit.reading import LONG, URL, document
from tests.kit.virtual_time import run


class Probed:
    """A `core.ports.Job` that is already done."""

    url = URL

    def __init__(self, extracted: Extracted, **facts: Any) -> None:
        self._extracted = extracted
        self._document = document(URL, **facts)

    async def document(self) -> Document:
        return self._document

    async def extracted(self) -> Extracted:
        return self._extracted

    async def fetch(self, url: str, *, accept: str = "") -> Document:
        raise AssertionError

    async def extract(self, document: Document) -> Extracted:
        raise AssertionError


class NoHttp:
    async def send(self, request: Request, deadline: Deadline) -> Reply:
        raise AssertionError


def read(extracted: Extracted, **facts: Any) -> Page:
    async def main() -> Page:
        return await Direct().read(Probed(extracted, **facts), NoHttp(), Deadline.after(5))

    return run(main())


def refused(extracted: Extracted, **facts: Any) -> NoContent:
    with pytest.raises(NoContent) as caught:
        read(extracted, **facts)
    return caught.value


def test_the_extracted_page_carries_everything_that_was_stated() -> None:
    extracted = Extracted(
        Kind.PDF,
        LONG,
        "Moss",
        "A. Miller",
        "2026-09-01",
        "The Mill",
        "en",
        flags=(Flag.HIDDEN_TEXT,),
        notes=("n",),
    )
    assert read(extracted, final_url=f"{URL}/end") == Page(
        URL,
        f"{URL}/end",
        LONG.strip(),
        "read.direct",
        Kind.PDF,
        "Moss",
        "A. Miller",
        "2026-09-01",
        "The Mill",
        "en",
        (Flag.HIDDEN_TEXT,),
        ("n",),
    )


@pytest.mark.parametrize(
    ("reason", "flag"),
    [
        (Reason.PAYWALLED, Flag.PAYWALLED),
        (Reason.NEEDS_JAVASCRIPT, Flag.NEEDS_JAVASCRIPT),
        (Reason.EMPTY, Flag.THIN),
        (Reason.DEADLINE, Flag.TRUNCATED),
        (Reason.TOO_LARGE, Flag.TRUNCATED),
    ],
)
def test_a_remnant_is_kept_with_its_caveat_and_without_text_is_a_failure(reason: Reason, flag: Flag) -> None:
    assert read(Extracted(Kind.HTML, "A teaser.", reason=reason, flags=(flag,))).flags == (flag,)
    error = refused(Extracted(Kind.HTML, " ", reason=reason, detail="only a shell"))
    assert (error.reason, str(error)) == (reason, "only a shell")


@pytest.mark.parametrize("reason", [Reason.BLOCKED, Reason.NO_TEXT_LAYER, Reason.UNSUPPORTED_TYPE])
def test_a_verdict_without_a_page_is_its_reason(reason: Reason) -> None:
    assert refused(Extracted(Kind.HTML, "Just a moment...", reason=reason)).reason is reason


@pytest.mark.parametrize(
    ("status", "reason"), [(403, Reason.FORBIDDEN), (429, Reason.RATE_LIMITED), (500, Reason.UPSTREAM_ERROR)]
)
def test_the_text_of_an_error_page_is_no_page(status: int, reason: Reason) -> None:
    assert refused(Extracted(Kind.HTML, LONG), status=status).reason is reason


def test_a_bot_check_on_an_error_page_is_the_site_blocking() -> None:
    assert refused(Extracted(Kind.HTML, reason=Reason.BLOCKED), status=403).reason is Reason.BLOCKED


def test_a_teaser_behind_payment_required_is_kept() -> None:
    assert read(Extracted(Kind.HTML, "A teaser.", reason=Reason.PAYWALLED), status=402).flags == (
        Flag.PAYWALLED,
    )


def test_a_body_over_a_limit_is_a_truncated_page() -> None:
    assert read(Extracted(Kind.HTML, LONG), truncated="cut at 10 MB").flags == (Flag.TRUNCATED,)


def test_a_body_that_broke_off_is_told_apart_from_one_that_is_too_large() -> None:
    page = read(Extracted(Kind.HTML, LONG), truncated="the connection broke off", broken=True)
    assert page.flags == (Flag.BROKEN_OFF,)


def test_no_text_at_all_is_empty() -> None:
    assert refused(Extracted(Kind.HTML, "")).reason is Reason.EMPTY


def test_it_is_registered_as_a_reader_of_the_probes_document() -> None:
    assert REGISTRY["read.direct"] is Direct
    assert Direct.facts("trafilatura", metered=False).needs_document
