"""The wiring: what the environment switches on is what the product does."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from research_mcp.bootstrap import Product, assemble, configure, read_environment
from research_mcp.core.answers import Fallback, Question
from research_mcp.core.errors import ConfigError
from research_mcp.server.app import build_server
from tests.kit.answers import message
from tests.kit.vendors import FakeVendor, Served, all_serving


def product(folder: Path, **variables: str) -> Product:
    nowhere = dict.fromkeys(
        ("DUCKDUCKGO_API_URL", "WIKIPEDIA_API_URL", "MARGINALIA_API_URL"), "http://127.0.0.1:9"
    )
    env = {"DATA_DIR": str(folder), **nowhere, **variables}
    return assemble(configure(read_environment(folder / ".env", env)))


async def tools(made: Product) -> set[str]:
    return {tool.name for tool in await build_server(made.services(), made.server_config()).list_tools()}


async def test_answers_are_offered_only_with_a_model(tmp_path: Path) -> None:
    without, with_one = product(tmp_path), product(tmp_path, GROK_API_KEY="xai-canary")
    assert await tools(with_one) - await tools(without) == {"web_answer", "get_sources"}


async def test_grok_is_asked_once_for_an_answer_and_its_key_goes_nowhere_else(tmp_path: Path) -> None:
    cited = message("Tides rise [[1]](https://a.dev/1).", "https://a.dev/1")
    grok = FakeVendor("grok", answer=lambda _: Served(cited))
    async with all_serving([grok]):
        made = product(tmp_path, GROK_API_KEY="xai-canary", GROK_API_URL=grok.url)
        async with made.running():
            assert made.answerer is not None
            report = await made.answerer.answer(Question("Is tidal power growing?"))
    assert "Tides rise" in report.content
    assert [source.url for source in report.sources][:1] == ["https://a.dev/1"]
    assert [(call.path, call.key) for call in grok.calls] == [("/v1/responses", "xai-canary")]
    assert "xai-canary" not in repr(made.configuration)


async def test_a_reader_s_leg_has_its_own_address_and_key(tmp_path: Path) -> None:
    made = product(tmp_path, GROQ_API_KEY="gsk-canary", GROQ_API_URL="http://127.0.0.1:9/v1")
    assert made.configuration.redact("said gsk-canary") == "said ***"
    assert "gsk-canary" not in repr(made.configuration)


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"BRAVE_API_KEY": "k", "BRAVE_PROXY": "gopher://x"}, "proxy"),
        ({"EXA_API_KEY": "k", "EXA_API_URL": "not a url"}, "exa"),
        ({"FAKE_IP_RANGES": "many"}, "FAKE_IP_RANGES"),
        ({"PAGE_PORTS": "eighty"}, "eighty"),
        ({"EXA_API_KEY": "k", "EXA_BUDGET": "much"}, "EXA_BUDGET"),
    ],
)
def test_a_value_that_no_part_can_use_stops_the_start(
    tmp_path: Path, variables: dict[str, str], said: str
) -> None:
    async def make() -> None:
        product(tmp_path, **variables)

    with pytest.raises(ConfigError, match=said):
        asyncio.run(make())


async def test_a_vendor_that_is_switched_off_is_asked_nothing_by_any_tool(tmp_path: Path) -> None:
    for vendor in ("TAVILY", "FIRECRAWL", "EXA"):
        keys = {f"{vendor}_API_KEY": "k", f"{vendor}_ENABLED": "false", "KEYLESS_TIERS": "all"}
        made = product(tmp_path, **keys).configuration
        on = {one.instance.name for one in (*made.search, *made.read, *made.map)}
        assert not {name for name in on if name.startswith(vendor.lower())}
        off = [s.why for s in made.statuses if s.instance.name.startswith(vendor.lower())]
        assert set(off) == {f"{vendor}_ENABLED is off"}


@pytest.mark.parametrize("switch", ["GROK_ENABLED", "GROK_SEARCH_WEB_SEARCH"])
async def test_a_grok_that_is_switched_off_leaves_sources_alone_marked_as_such(
    tmp_path: Path, switch: str
) -> None:
    duck = FakeVendor("duckduckgo", [("Tidal power grows", "https://a.dev/1", "It does.")])
    grok = FakeVendor("grok", answer=lambda _: Served(status=500))
    async with all_serving([duck, grok]):
        urls = {"DUCKDUCKGO_API_URL": duck.url, "GROK_API_URL": grok.url}
        made = product(tmp_path, GROK_API_KEY="xai-canary", **urls, **{switch: "false"})
        assert "web_answer" in await tools(made)
        async with made.running():
            assert made.answerer is not None
            report = await made.answerer.answer(Question("Is tidal power growing?"))
    assert (report.fallback, report.attempts, grok.calls) == (Fallback.DISABLED, (), [])
    assert [(s.url, s.provenance) for s in report.sources] == [("https://a.dev/1", ("duckduckgo_fallback",))]
