"""Grok as a search engine: its citations, the line that cites each, one domain list of five."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import BadReply
from research_mcp.core.models import Filter, Hit, SearchQuery, TimeRange
from research_mcp.core.wire import Reply
from research_mcp.providers.kit.answer.configured import api_root
from research_mcp.providers.kit.base import Means
from research_mcp.providers.vendors.grok import GrokSearch
from tests.kit.answers import A, B, C, events, message
from tests.kit.virtual_time import run
from tests.kit.wire import KEY, Wire, search_engine

MANY = tuple(f"{number}.example" for number in range(6))


def body(query: SearchQuery, **options: str) -> Any:
    return GrokSearch(Means(options)).request(query).json


def found(value: Any) -> list[Hit]:
    return GrokSearch().parse(Reply(200, {}, json.dumps(value).encode()))


def test_cited_pages_come_first_each_with_the_line_that_cites_it() -> None:
    text = f"Barrages grew. [[2]]({B})\n- Turbines fell. [[1]]({A})\n\n## Sources\n- [Third]({C})"
    hits = found(message(text, A, B, citations=["https://d.dev/4", A]))
    assert [(hit.url, hit.snippet) for hit in hits] == [
        (B, "Barrages grew."),
        (A, "Turbines fell."),
        (C, ""),
        ("https://d.dev/4", ""),
    ]
    assert hits[2].title == "Third"


def test_an_event_stream_is_read_as_well() -> None:
    reply = events({"type": "response.completed", "response": message("x", A)})
    engine = search_engine(GrokSearch, Wire(reply), keys=[KEY])

    async def main() -> list[str]:
        return [hit.url for hit in (await engine.search(SearchQuery("x"), Deadline.after(12))).hits]

    assert run(main()) == [A]


def test_the_operators_model_is_asked() -> None:
    assert body(SearchQuery("x"), model=" grok-4.6 ")["model"] == "grok-4.6"
    assert body(SearchQuery("x"), model=" ")["model"] == "grok-4-1-fast-reasoning"


def test_one_list_of_five_domains_is_a_filter() -> None:
    tools = body(SearchQuery("x", include_domains=MANY[:5], exclude_domains=MANY[5:]))["tools"]
    assert tools == [{"type": "web_search", "filters": {"allowed_domains": list(MANY[:5])}}]


@pytest.mark.parametrize(
    ("query", "missing"),
    [
        (SearchQuery("x", include_domains=MANY), {Filter.INCLUDE_DOMAINS}),
        (SearchQuery("x", exclude_domains=MANY), {Filter.EXCLUDE_DOMAINS}),
        (SearchQuery("x", include_domains=MANY[:1], exclude_domains=MANY[1:2]), {Filter.EXCLUDE_DOMAINS}),
        (SearchQuery("x", time_range=TimeRange.DAY, language="de"), {Filter.TIME_RANGE}),
    ],
)
def test_what_it_cannot_filter_is_left_to_the_merge(query: SearchQuery, missing: set[Filter]) -> None:
    assert GrokSearch().unapplied(query) == missing


def test_language_and_country_are_asked_for_in_one_sentence() -> None:
    content = body(SearchQuery("x", language="de", country="AT"))["input"][0]["content"]
    assert "tag de and from or about the country with the ISO 3166 code AT.\n\nx" in content
    content = body(SearchQuery("x", language="zh", region="TW"))["input"][0]["content"]
    assert "written in the language with the BCP 47 tag zh-TW.\n\nx" in content


def test_an_unknown_model_is_for_the_operator() -> None:
    reply = Reply(404, {}, b'{"error": "The model grok-9 does not exist"}')
    error = GrokSearch(Means({"model": "grok-9"})).refusal(reply)
    assert isinstance(error, BadReply)
    assert "does not know the model 'grok-9': set GROK_MODEL" in str(error)


@pytest.mark.parametrize(
    "base", ["http://g.test/v1/responses/", "http://g.test/v1/chat/completions", "http://g.test"]
)
def test_the_base_url_may_name_any_endpoint(base: str) -> None:
    wire = Wire(httpx.Response(200, json=message("x", A)))
    engine = search_engine(GrokSearch, wire, keys=[KEY], base_url=api_root(base))

    async def main() -> None:
        await engine.search(SearchQuery("x"), Deadline.after(12))

    run(main())
    assert str(wire.sent[0].url) == "http://g.test/v1/responses"
