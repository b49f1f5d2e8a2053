"""SearXNG: one page of a metasearch, whose silence has a reason."""

from __future__ import annotations

import json

import pytest

from research_mcp.core.errors import BadReply, RateLimited, Reason, Transient
from research_mcp.core.models import Filter, SearchQuery
from research_mcp.core.wire import Reply
from research_mcp.providers.vendors.searxng import SearxngSearch


def reply(unresponsive: object, *rows: object) -> Reply:
    return Reply(200, body=json.dumps({"results": list(rows), "unresponsive_engines": unresponsive}).encode())


def params(query: SearchQuery) -> dict[str, str | int]:
    return dict(SearxngSearch().request(query).params)


def test_a_plain_query_names_no_filter() -> None:
    assert params(SearchQuery("tidal power")) == {"q": "tidal power", "format": "json"}


def test_a_country_travels_inside_the_language_tag() -> None:
    assert params(SearchQuery("x", language="pt", country="BR"))["language"] == "pt-BR"
    assert SearxngSearch().unapplied(SearchQuery("x", language="pt", country="BR")) == frozenset()


def test_the_asked_language_tag_is_sent_whole() -> None:
    assert params(SearchQuery("x", language="zh", region="TW"))["language"] == "zh-TW"
    assert params(SearchQuery("x", language="pt", region="PT", country="BR"))["language"] == "pt-BR"


def test_a_country_without_a_language_is_named_as_not_applied() -> None:
    query = SearchQuery("x", country="BR")
    assert "language" not in params(query)
    assert SearxngSearch().unapplied(query) == {Filter.COUNTRY}


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("!!w tides", "w tides"),
        ("tides !images", "tides images"),
        ("stop! now", "stop! now"),
        ("!", "!"),
    ],
)
def test_bang_words_are_words(text: str, asked: str) -> None:
    assert params(SearchQuery(text))["q"] == asked


def test_no_results_from_blocked_engines_is_a_block_that_names_them() -> None:
    with pytest.raises(RateLimited, match=r"google \(Suspended: CAPTCHA\), brave \(timeout\)") as caught:
        SearxngSearch().parse(reply([["google", "Suspended: CAPTCHA"], ["brave", "timeout"]]))
    assert (caught.value.reason, caught.value.rest_for) == (Reason.BLOCKED, 180.0)


def test_no_results_from_failing_engines_is_a_failure_that_names_them() -> None:
    with pytest.raises(Transient, match=r"its engines fail: mojeek \(превышено время ожидания\)"):
        SearxngSearch().parse(reply([["mojeek", "превышено время ожидания"]]))


@pytest.mark.parametrize("pairs", [["google"], [["google"]], [None], [7]])
def test_engines_without_a_message_still_count(pairs: object) -> None:
    with pytest.raises(Transient, match="an engine"):
        SearxngSearch().parse(reply(pairs))


@pytest.mark.parametrize("nothing", [[], None, "none", {}])
def test_no_results_from_willing_engines_is_empty(nothing: object) -> None:
    assert SearxngSearch().parse(reply(nothing)) == []


def test_results_count_whatever_the_other_engines_did() -> None:
    row = {"title": "Tides", "url": "https://sea.example/a"}
    assert [hit.title for hit in SearxngSearch().parse(reply([["google", "timeout"]], row))] == ["Tides"]


@pytest.mark.parametrize("status", [200, 403])
def test_a_page_for_json_names_the_setting(status: int) -> None:
    error = SearxngSearch().refusal(Reply(status, {"content-type": "text/html; charset=utf-8"}, b"<p>"))
    assert isinstance(error, BadReply)
    assert "`search.formats`" in str(error)
    assert (error.reason, error.rest_for) == (Reason.NOT_CONFIGURED, 600.0)


@pytest.mark.parametrize(
    ("status", "media"), [(401, "application/json"), (401, "text/html"), (403, "application/json")]
)
def test_a_refusal_blames_no_key_but_names_what_to_open(status: int, media: str) -> None:
    error = SearxngSearch().refusal(Reply(status, {"content-type": media}, b"{}"))
    assert isinstance(error, BadReply)
    assert "key" not in str(error)
    assert "`search.formats`" in str(error)
    assert "limiter" in str(error)
    assert (error.reason, error.rest_for) == (Reason.NOT_CONFIGURED, 600.0)


@pytest.mark.parametrize(
    ("status", "media"), [(404, "application/json"), (502, "text/html"), (429, "text/html")]
)
def test_other_refusals_are_left_to_the_table(status: int, media: str) -> None:
    assert SearxngSearch().refusal(Reply(status, {"content-type": media}, b"")) is None
