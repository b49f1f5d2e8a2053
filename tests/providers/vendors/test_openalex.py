"""OpenAlex: abstracts put together again, the best address of a work."""

from __future__ import annotations

import json

import pytest

from research_mcp.core.models import Hit, SearchQuery, TimeRange, Topic
from research_mcp.core.wire import Reply
from research_mcp.providers.vendors.openalex import MOST_WORDS, OpenAlexSearch


def parsed(**work: object) -> Hit:
    row = {"id": "https://openalex.org/W1", "display_name": "Tidal power", **work}
    [hit] = OpenAlexSearch().parse(Reply(200, body=json.dumps({"results": [row]}).encode()))
    return hit


def test_it_joins_for_scholarly_questions_alone() -> None:
    assert OpenAlexSearch.topics == {Topic.SCHOLARLY}


def test_language_and_time_are_one_filter() -> None:
    query = SearchQuery("x", limit=10, language="de", time_range=TimeRange.YEAR, since="2025-11-30")
    params = OpenAlexSearch().request(query).params
    assert params["filter"] == "language:de,from_publication_date:2025-11-30"
    assert "filter" not in OpenAlexSearch().request(SearchQuery("x")).params


def test_an_abstract_is_read_in_the_order_of_its_places() -> None:
    index = {"energy": [2, 5], "Tides": [0], "carry": [1], "clean": [4], "and": [3]}
    assert parsed(abstract_inverted_index=index).snippet == "Tides carry energy and clean energy"


def test_a_long_abstract_is_cut() -> None:
    snippet = parsed(abstract_inverted_index={"w": list(range(5_000))}).snippet
    assert len(snippet.split()) == MOST_WORDS


@pytest.mark.parametrize("index", [None, [], "text", {"a": None}, {"a": ["x", None]}])
def test_an_abstract_of_another_shape_is_left_out(index: object) -> None:
    assert parsed(abstract_inverted_index=index).snippet == ""


@pytest.mark.parametrize(
    ("fields", "url"),
    [
        ({"primary_location": {"landing_page_url": "https://j.example/1"}}, "https://j.example/1"),
        ({"primary_location": None, "doi": "https://doi.org/10.1/x"}, "https://doi.org/10.1/x"),
        ({}, "https://openalex.org/W1"),
    ],
)
def test_the_address_is_the_publisher_s_else_the_doi_else_openalex_itself(
    fields: dict[str, object], url: str
) -> None:
    assert parsed(**fields).url == url
