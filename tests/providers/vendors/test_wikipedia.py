"""Wikipedia: the language is the host, the title is the address."""

from __future__ import annotations

import json

import pytest

from research_mcp.core.errors import BadReply, RateLimited, Transient
from research_mcp.core.models import Filter, SearchQuery
from research_mcp.core.wire import Reply
from research_mcp.providers.kit.base import Means
from research_mcp.providers.vendors.wikipedia import WikipediaSearch


def reply(value: object, url: str = "", status: int = 200) -> Reply:
    return Reply(status, body=json.dumps(value).encode(), url=url)


def found(*titles: object) -> dict[str, object]:
    return {"query": {"search": [{"title": title, "snippet": ""} for title in titles]}}


@pytest.mark.parametrize(
    ("language", "host"),
    [("", "en"), ("en", "en"), ("de", "de"), ("nb", "no"), ("zh", "zh")],
)
def test_the_language_picks_the_edition(language: str, host: str) -> None:
    query = SearchQuery("x", language=language)
    assert WikipediaSearch().request(query).url == f"https://{host}.wikipedia.org/w/api.php"
    assert WikipediaSearch().unapplied(query) == frozenset()


@pytest.mark.parametrize("language", ["xx", "en.evil.example/", "aa"])
def test_a_language_without_an_edition_asks_the_english_one_and_is_named(language: str) -> None:
    query = SearchQuery("x", language=language)
    assert WikipediaSearch().request(query).url == WikipediaSearch.endpoint
    assert WikipediaSearch().unapplied(query) == {Filter.LANGUAGE}


def test_behind_a_base_url_there_is_one_edition() -> None:
    moved = WikipediaSearch(Means(base_url="http://gateway.test"))
    query = SearchQuery("x", language="de")
    assert moved.request(query).url == WikipediaSearch.endpoint
    assert moved.unapplied(query) == {Filter.LANGUAGE}
    assert moved.unapplied(SearchQuery("x", language="en")) == frozenset()


@pytest.mark.parametrize(
    ("title", "path"),
    [
        ("Tidal power", "Tidal_power"),
        ("C++", "C%2B%2B"),
        ("AC/DC", "AC/DC"),
        ("Who? (film)", "Who%3F_(film)"),
        ("50 % & #1", "50_%25_%26_%231"),
        ("Gezeitenkraftwerk Überlauf", "Gezeitenkraftwerk_%C3%9Cberlauf"),
    ],
)
def test_titles_become_addresses(title: str, path: str) -> None:
    [hit] = WikipediaSearch().parse(reply(found(title)))
    assert hit.url == f"https://en.wikipedia.org/wiki/{path}"


@pytest.mark.parametrize(
    ("asked", "host"),
    [
        ("https://de.wikipedia.org/w/api.php?x", "de.wikipedia.org"),
        ("http://gateway.test/w/api.php", "en.wikipedia.org"),
        ("https://notwikipedia.org/w/api.php", "en.wikipedia.org"),
    ],
)
def test_articles_are_of_the_edition_that_answered(asked: str, host: str) -> None:
    [hit] = WikipediaSearch().parse(reply(found("Tide"), url=asked))
    assert hit.url == f"https://{host}/wiki/Tide"


def test_rows_without_a_title_go_and_a_list_of_nothing_else_is_a_changed_answer() -> None:
    assert len(WikipediaSearch().parse(reply(found("Tide", None, " ", 7)))) == 1
    for value in (found(None), {"query": {}}, {"batchcomplete": True}):
        with pytest.raises(BadReply):
            WikipediaSearch().parse(reply(value))


@pytest.mark.parametrize(
    ("code", "error"), [("ratelimited", RateLimited), ("maxlag", Transient), ("badvalue", BadReply)]
)
def test_an_error_under_200_is_an_error(code: str, error: type[Exception]) -> None:
    value = {"error": {"code": code, "info": "canary"}}
    refusal = WikipediaSearch().refusal(reply(value))
    assert isinstance(refusal, error)
    assert "canary" not in str(refusal)
    assert WikipediaSearch().refusal(reply(value, status=400)) is None
    assert WikipediaSearch().refusal(reply(found())) is None
