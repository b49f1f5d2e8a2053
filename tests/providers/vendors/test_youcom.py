"""You.com: codes of its own, one domain list at a time, sections that may be missing."""

from __future__ import annotations

import json

import pytest

from research_mcp.core.errors import BadReply, QuotaSpent, Rejected, Transient
from research_mcp.core.models import Filter, SearchQuery
from research_mcp.core.wire import Reply
from research_mcp.providers.vendors.youcom import YoucomKeylessSearch, YoucomSearch


def sent(query: SearchQuery) -> dict[str, object]:
    body = YoucomSearch().request(query).json
    assert isinstance(body, dict)
    return dict(body)


def reply(value: object, status: int = 200) -> Reply:
    return Reply(status, body=json.dumps(value).encode())


@pytest.mark.parametrize(
    ("language", "country", "code"),
    [
        ("de", "", "DE"),
        ("ja", "", "JA"),
        ("no", "NO", "NB"),
        ("zh", "", "ZH-HANS"),
        ("zh", "TW", "ZH-HANT"),
        ("pt", "", "PT-PT"),
        ("pt", "BR", "PT-BR"),
        ("en", "GB", "EN-GB"),
    ],
)
def test_languages_go_by_the_codes_of_the_vendor(language: str, country: str, code: str) -> None:
    assert sent(SearchQuery("x", language=language, country=country))["language"] == code


@pytest.mark.parametrize(
    ("language", "region", "code"),
    [
        ("zh", "TW", "ZH-HANT"),
        ("zh", "HK", "ZH-HANT"),
        ("zh", "CN", "ZH-HANS"),
        ("pt", "BR", "PT-BR"),
        ("pt", "PT", "PT-PT"),
        ("en", "GB", "EN-GB"),
        ("de", "AT", "DE"),
    ],
)
def test_the_region_of_the_language_chooses_the_variant_and_no_country(
    language: str, region: str, code: str
) -> None:
    asked = sent(SearchQuery("x", language=language, region=region))
    assert (asked["language"], asked.get("country")) == (code, None)


def test_codes_that_are_not_on_its_lists_are_left_out_and_named() -> None:
    query = SearchQuery("x", language="sw", country="KE")
    assert sent(query).keys() == {"query", "count"}
    assert YoucomSearch().unapplied(query) == {Filter.LANGUAGE, Filter.COUNTRY}


def test_only_one_domain_list_is_sent_and_the_other_is_named() -> None:
    query = SearchQuery("x", include_domains=("a.example",), exclude_domains=("b.a.example",))
    assert sent(query)["include_domains"] == ["a.example"]
    assert "exclude_domains" not in sent(query)
    assert YoucomSearch().unapplied(query) == {Filter.EXCLUDE_DOMAINS}


def test_news_alone_and_no_section_at_all_are_answers() -> None:
    row = {"title": "Farm", "url": "https://news.example/farm", "description": "Opens", "page_age": None}
    assert [hit.title for hit in YoucomSearch().parse(reply({"results": {"news": [row]}}))] == ["Farm"]
    assert YoucomSearch().parse(reply({"results": {}})) == []


def test_an_answer_without_results_is_not_an_empty_one() -> None:
    with pytest.raises(BadReply):
        YoucomSearch().parse(reply({"metadata": {"query": "x"}}))


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ("Insufficient credits", QuotaSpent),
        ("Invalid or expired API key", Rejected),
        ("something else", Transient),
    ],
)
def test_an_error_under_200_is_an_error(error: str, kind: type[Exception]) -> None:
    assert isinstance(YoucomSearch().refusal(reply({"error": error})), kind)


def test_other_answers_are_no_refusal() -> None:
    assert YoucomSearch().refusal(reply({"results": {}})) is None
    assert YoucomSearch().refusal(reply({"error": "x"}, status=422)) is None


def test_without_a_key_another_host_is_asked_for_plain_bytes_and_without_domains() -> None:
    query = SearchQuery("x", limit=10, include_domains=("a.example",), language="de")
    request = YoucomKeylessSearch().request(query)
    assert (request.method, request.url) == ("GET", "https://api.you.com/v1/agents/search")
    assert request.params == {"query": "x", "count": 10, "language": "DE"}
    assert YoucomKeylessSearch.headers == {"Accept-Encoding": "identity"}
    assert YoucomKeylessSearch().unapplied(query) == {Filter.INCLUDE_DOMAINS}
    assert not YoucomKeylessSearch.spec.metered
