"""crawl4ai: the filtered text, the raw one where the filter leaves next to nothing, the token."""

from __future__ import annotations

import json

import httpx
import pytest

from research_mcp.core.errors import NoContent, Transient
from research_mcp.core.models import Page
from research_mcp.providers.vendors.crawl4ai import Crawl4aiRead
from tests.kit.reading import LONG, URL
from tests.kit.sites import Desk, Turn

HOST = "http://crawl4ai.test:11235"


def said(markdown: str, *, success: bool = True) -> httpx.Response:
    return httpx.Response(200, json={"url": URL, "markdown": markdown, "success": success})


def desk(*turns: Turn, keys: tuple[str, ...] = ()) -> Desk:
    return Desk(Crawl4aiRead, {f"POST {HOST}/md": turns}, urls={"": HOST}, keys=keys)


def forms(room: Desk) -> list[str]:
    return [json.loads(request.content)["f"] for request in room.sent]


def test_a_long_filtered_text_is_the_page_at_one_call() -> None:
    room = desk(said(LONG))
    assert room.page(URL).markdown == LONG.strip()
    assert forms(room) == ["fit"]


@pytest.mark.parametrize("fit", ["", "  ", "Moss."])
def test_next_to_no_filtered_text_is_asked_for_again_unfiltered(fit: str) -> None:
    room = desk(said(fit), said("Moss grows on the north side."))
    assert room.page(URL).markdown == "Moss grows on the north side."
    assert forms(room) == ["fit", "raw"]


def test_the_longer_of_two_short_texts_is_kept() -> None:
    assert desk(said("Moss on the mill."), said("Moss.")).page(URL).markdown == "Moss on the mill."


@pytest.mark.parametrize(
    "second", [httpx.Response(500, json={"error": "x"}), said("", success=False), said("")]
)
def test_a_short_filtered_text_survives_a_second_call_that_fails(second: httpx.Response) -> None:
    assert desk(said("Moss."), second).page(URL).markdown == "Moss."


def test_without_any_text_the_second_failure_is_the_answer() -> None:
    assert isinstance(desk(said(""), httpx.Response(500, json={"error": "x"})).error(URL), Transient)
    assert isinstance(desk(said(""), said("")).error(URL), NoContent)


def test_a_fault_of_the_page_is_not_asked_for_twice() -> None:
    room = desk(httpx.Response(500, json={"detail": "net::ERR_NAME_NOT_RESOLVED"}))
    assert room.error(URL).reason.value == "dns_failed"
    assert forms(room) == ["fit"]


def test_the_token_goes_with_every_call() -> None:
    room = desk(said(""), said(LONG), keys=("t0ken",))
    assert isinstance(room.outcome(URL), Page)
    assert [request.headers["authorization"] for request in room.sent] == ["Bearer t0ken"] * 2


def test_it_reads_from_this_network_and_is_free() -> None:
    facts = Crawl4aiRead.facts("crawl4ai", metered=False)
    assert facts.from_here
    assert not Crawl4aiRead.spec.metered
