"""The wiring: what the environment switches on is what the product does."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from research_mcp.bootstrap import Product, assemble, configure, read_environment
from research_mcp.core.answers import Question
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
