"""`web_answer` through the whole product: a model and engines on loopback, with keys of their own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from research_mcp.bootstrap import Product
from research_mcp.server.app import build_server
from tests.kit.answers import message
from tests.kit.vendors import Call, FakeVendor, Served, rows
from tests.kit.whole import whole

CITED = "https://sea.example/cited"
GOOD = Served(message(f"Tidal power grows.[[1]]({CITED})", CITED))


def grok(answer: Any = GOOD) -> FakeVendor:
    return FakeVendor("grok", answer=answer if callable(answer) else lambda _: answer)


@asynccontextmanager
async def asking(product: Product) -> AsyncIterator[Client]:
    async with Client(build_server(product.services(), product.server_config())) as client:
        yield client


async def ask(client: Client, **more: Any) -> Any:
    result = await client.call_tool("web_answer", {"query": "Is tidal power growing?", **more})
    assert "CANARY" not in result.content[0].text
    return result


def variables(model: FakeVendor, key: str = "CANARY-grok-1", **more: str) -> dict[str, str]:
    return {"GROK_API_URL": model.url, "GROK_API_KEY": key, **more}


async def test_every_vendor_adds_its_share_once_and_its_money_is_counted(tmp_path: Path) -> None:
    model, tavily = grok(), FakeVendor("tavily", rows("a", "b", "c"))
    fire = FakeVendor("firecrawl", rows("d", "e", "f"))
    async with (
        whole(tmp_path, tavily, fire) as house,
        model.serving(),
        house.started(**variables(model)) as product,
        asking(product) as client,
    ):
        found = (await ask(client, extra_sources=6)).structured_content
        spent = {line.instance: line.today for line in await product.state.meter.spent()}
    assert found["content"] == "Tidal power grows.[1]"
    assert found["supplementary_count"] == 6
    provenance = {name for source in found["sources"] for name in source["provenance"]}
    assert provenance == {"grok_responses", "tavily_enrichment", "firecrawl_enrichment"}
    assert [len(vendor.calls) for vendor in (model, tavily, fire)] == [1, 1, 1]
    assert spent == {"grok": 1, "tavily-search": 1, "firecrawl-search": 1}


async def test_when_the_model_is_unplugged_sources_take_its_place_and_say_so(tmp_path: Path) -> None:
    model, tavily = grok(), FakeVendor("tavily", rows("a", "b", "c"))
    async with whole(tmp_path, tavily) as house:
        async with model.serving():
            settings = variables(model)
        async with house.started(**settings, RETRIES="0") as product, asking(product) as client:
            result = await ask(client)
    found = result.structured_content
    assert not result.is_error
    assert (found["content"], found["verifiable"], found["fallback_used"]) == ("", False, True)
    assert (found["fallback_reason"], found["search_provider"]) == ("grok_provider_error", "source_fallback")
    assert {name for source in found["sources"] for name in source["provenance"]} == {"tavily_fallback"}
    assert any("grok could not be reached" in warning for warning in found["warnings"])


async def test_when_nothing_answers_each_cause_is_named_and_no_success_is_claimed(tmp_path: Path) -> None:
    model = grok(Served(status=500))
    tavily = FakeVendor("tavily", answer=lambda _: Served(status=500))
    async with (
        whole(tmp_path, tavily, RETRIES="0") as house,
        model.serving(),
        house.started(**variables(model)) as product,
        asking(product) as client,
    ):
        result = await ask(client)
    text = result.content[0].text
    assert result.is_error
    for part in ("- grok:", "status 500", "tavily-search failed", "duckduckgo failed", "try"):
        assert part in text


async def test_sources_outside_the_asked_domains_never_come_whoever_found_them(tmp_path: Path) -> None:
    def answer(call: Call) -> Served:
        assert call.json()["tools"][0]["filters"] == {"allowed_domains": ["sea.example"]}
        return Served(message("Grows.[[1]](https://sea.example/a) Falls.[[2]](https://other.example/x)"))

    model, octen = grok(answer), FakeVendor("octen", [*rows("b"), *rows("c", host="other.example")])
    async with (
        whole(tmp_path, octen) as house,
        model.serving(),
        house.started(**variables(model)) as product,
        asking(product) as client,
    ):
        found = (await ask(client, include_domains=["https://www.sea.example/"])).structured_content
    assert {source["url"] for source in found["sources"]} == {
        "https://sea.example/a",
        "https://sea.example/b",
    }
    assert found["content"] == "Grows.[1] Falls."


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"extra_sources": -1}, "extra_sources"),
        ({"recency_days": -5}, "recency_days"),
        ({"query": "  "}, "'query' is blank"),
        ({"include_domains": ["a.dev"], "exclude_domains": ["a.dev"]}, "'a.dev' stands in include_domains"),
        ({"include_domains": ["not a domain"]}, "which is no domain"),
    ],
)
async def test_a_mistake_is_named_and_nobody_is_asked(
    tmp_path: Path, arguments: dict[str, Any], said: str
) -> None:
    model, tavily = grok(), FakeVendor("tavily", rows("a"))
    async with (
        whole(tmp_path, tavily) as house,
        model.serving(),
        house.started(**variables(model)) as product,
        asking(product) as client,
    ):
        result = await ask(client, **arguments)
    assert result.is_error
    assert said in result.content[0].text
    assert (model.calls, tavily.calls) == ([], [])


async def test_keys_in_a_list_form_a_ring_whatever_separates_them(tmp_path: Path) -> None:
    def answer(call: Call) -> Served:
        return GOOD if call.key == "CANARY-good" else Served({"error": "Incorrect API key provided"}, 400)

    model = grok(answer)
    async with whole(tmp_path) as house, model.serving():
        keys = variables(model, "CANARY-dead，CANARY-dead; CANARY-good")
        async with house.started(**keys) as product, asking(product) as client:
            for _ in range(3):
                assert (await ask(client, extra_sources=0)).structured_content["content"]
    assert [call.key for call in model.calls].count("CANARY-dead") == 1


async def test_sources_can_be_paged_and_read_again_from_the_session(tmp_path: Path) -> None:
    model, tavily = grok(), FakeVendor("tavily", rows("a", "b", "c"))
    async with (
        whole(tmp_path, tavily) as house,
        model.serving(),
        house.started(**variables(model)) as product,
        asking(product) as client,
    ):
        session = (await ask(client)).structured_content["session_id"]
        seen: list[str] = []
        offset: int | None = 0
        while offset is not None:
            page = await client.call_tool(
                "get_sources", {"session_id": session, "offset": offset, "limit": 2}
            )
            seen += [source["url"] for source in page.structured_content["sources"]]
            offset = page.structured_content.get("next_offset")
        unknown = await client.call_tool("get_sources", {"session_id": "0" * 32})
    assert len(session) == 32
    assert seen == [CITED, *(f"https://sea.example/{name}" for name in "abc")]
    assert unknown.is_error
    assert "there is no session" in unknown.content[0].text
