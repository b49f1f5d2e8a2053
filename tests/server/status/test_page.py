"""The page: whole without scripts, escaped, and bringing everything it needs."""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from html.parser import HTMLParser

import pytest

from research_mcp.observe.overview import Overview
from research_mcp.server.status.page import StatusPage
from tests.server.status.overviews import FRESH, FULL, HOSTILE, LONG

PAGE = StatusPage()
VOID = {"meta", "link", "br", "img", "input", "rect"}


class Reader(HTMLParser):
    """The tags of a page with their attributes, and whether they close in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.faults: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.faults.append(tag)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


@pytest.mark.parametrize("now", [FULL, FRESH], ids=["full", "fresh"])
def test_every_tag_is_closed_and_every_id_is_there_once(now: Overview) -> None:
    page = Reader(PAGE.whole(now))
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert (page.faults, page.open) == ([], [])
    assert len(ids) == len(set(ids))


def test_hostile_words_of_vendors_and_pages_stay_words() -> None:
    for text in (PAGE.whole(FULL), PAGE.fragment(FULL)):
        assert HOSTILE not in text
        assert text.count("&lt;script&gt;alert(1)") == 2
        assert not Reader(text).all("img")
    assert len(Reader(PAGE.whole(FULL)).all("script")) == 1


def test_nothing_is_loaded_from_elsewhere_and_nothing_runs_that_the_policy_does_not_know() -> None:
    text = PAGE.whole(FULL)
    page = Reader(text)
    loads = [
        value for _, attributes in page.tags for name, value in attributes.items() if name in ("src", "href")
    ]
    assert all(value is not None and re.match(r"(\./|status|metrics|data:)", value) for value in loads)
    assert not [
        name for _, attributes in page.tags for name in attributes if name.startswith("on") or name == "style"
    ]
    for tag in ("style", "script"):
        (content,) = re.findall(f"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        digest = b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in PAGE.policy
    assert "unsafe" not in PAGE.policy


def test_a_browser_without_scripts_loads_the_page_again_until_it_is_told_not_to() -> None:
    def refreshes(text: str) -> list[str | None]:
        return [
            attributes.get("content") for attributes in Reader(text).all("meta") if "http-equiv" in attributes
        ]

    assert refreshes(PAGE.whole(FULL)) == ["30"]
    assert '<a href="./?still">' in PAGE.whole(FULL)
    assert refreshes(PAGE.whole(FULL, still=True)) == []


def test_what_an_operator_asks_for_is_on_it() -> None:
    text = PAGE.whole(FULL)
    for said in (
        "Degraded",
        "the disk is full",
        "up 3 d 1 h",
        "rests until 08:04, 4 min more (rate_limited)",
        "BRAVE_API_KEY is not set",
        "97 %",
        "1.8 s",
        "1,000 / month",
        "$5.84",
        "2 pages waiting",
        "12 ms",
        "14 times",
        "TAVILY_1_API_KEY#1<",
    ):
        assert said in text, said
    assert LONG in text


def test_tables_name_their_columns_and_rows_also_where_they_are_stacked() -> None:
    page = Reader(PAGE.whole(FULL))
    tables = page.all("table")
    assert tables
    assert len(page.all("caption")) == len(tables)
    assert {attributes["scope"] for attributes in page.all("th")} == {"col", "row"}
    for tag, role in (("table", "table"), ("tr", "row"), ("td", "cell")):
        assert {attributes["role"] for attributes in page.all(tag)} == {role}
    assert all(
        attributes.get("data-label") for attributes in page.all("td") if attributes["class"] == "number"
    )


def test_the_part_that_renews_itself_has_the_sections_of_the_page() -> None:
    whole, part = Reader(PAGE.whole(FULL)), Reader(PAGE.fragment(FULL))
    assert [s["id"] for s in part.all("section")] == [s["id"] for s in whole.all("section")]
    assert not part.all("style")


def test_a_server_that_has_just_started_says_so_without_empty_tables() -> None:
    text = PAGE.whole(FRESH)
    for said in (
        "Ready",
        "No calls in the last hour",
        "No budget is set",
        "Nothing was billed",
        "Nothing has failed",
    ):
        assert said in text
    assert "not called since the start" in text
    assert "<table" not in text
