"""The prompt `research_plan`: a checklist, checked arguments, nothing kept, nothing demanded."""

from __future__ import annotations

from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS

from research_mcp.server.app import build_server
from research_mcp.server.config import ServerConfig
from research_mcp.server.protocol import ResearchServer
from research_mcp.server.texts.languages import CATALOGUES, load
from tests.server.fakes import FakePipelines


def server(**config: Any) -> ResearchServer:
    return build_server(FakePipelines().services(), ServerConfig(**config))


async def plan(mode: str = "2026-07-28", language: str = "en", **arguments: str) -> str:
    async with Client(server(language=language), mode=mode) as client:
        answer = await client.get_prompt("research_plan", arguments)
    (message,) = answer.messages
    assert message.role == "user"
    text: str = message.content.text
    return text


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
async def test_the_prompt_is_listed_with_its_arguments_in_both_eras(mode: str) -> None:
    async with Client(server(), mode=mode) as client:
        (prompt,) = (await client.list_prompts()).prompts
    assert prompt.name == "research_plan"
    assert [(argument.name, argument.required) for argument in prompt.arguments] == [
        ("question", True),
        ("depth", False),
    ]
    assert "no plan" in prompt.description
    assert "research_plan" in await plan(mode, question="research_plan?")


@pytest.mark.parametrize(
    ("depth", "last", "left_out"),
    [("1", "**Parts.**", "**Terms.**"), ("2", "**Tools.**", "**Order.**"), ("3", "**Order.**", "7.")],
)
async def test_depth_decides_how_many_steps_the_checklist_has(depth: str, last: str, left_out: str) -> None:
    text = await plan(question="Is tidal power growing?", depth=depth)
    assert "Question: Is tidal power growing?\n" in text
    assert f"Depth: {depth} of 3. Today is 2027-01-15 (UTC)." in text
    assert last in text
    assert left_out not in text
    assert text.index("**Intent.**") < text.index("**Complexity.**") < text.index("**Parts.**")


async def test_depth_is_two_unless_stated_and_blank_counts_as_unstated() -> None:
    assert "Depth: 2 of 3" in await plan(question="x")
    assert "Depth: 2 of 3" in await plan(question="x", depth=" ")


async def test_a_question_with_braces_stands_as_it_is() -> None:
    assert "Question: What is {budget} in {0}?\n" in await plan(question=" What is {budget} in {0}? ")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "research_plan needs 'question'"),
        ({"question": "  "}, "'question' is blank"),
        ({"question": "x" * 2001}, "'question' has 2001 characters; at most 2000"),
        ({"question": "x", "depth": "9"}, "'depth' is 9; it must lie between 1 and 3"),
        ({"question": "x", "depth": "deep"}, "'depth' must be a whole number, not 'deep'"),
        ({"question": "x", "query_type": "poetic"}, "research_plan has no argument 'query_type'"),
    ],
)
@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
async def test_a_wrong_argument_is_the_clients_mistake_in_one_sentence(
    mode: str, arguments: dict[str, str], said: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with Client(server(), mode=mode) as client:
        with pytest.raises(MCPError) as caught:
            await client.get_prompt("research_plan", arguments)
    assert said in str(caught.value)
    assert caught.value.code == INVALID_PARAMS
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []


async def test_the_plan_names_only_tools_that_are_listed() -> None:
    async with Client(server(tools=("web_search", "read_page"))) as client:
        text = (await client.get_prompt("research_plan", {"question": "x"})).messages[0].content.text
    assert "   - `web_search`:" in text
    assert "`search_and_read`" not in text
    assert "`web_answer`" not in text


async def test_the_plan_speaks_the_language_of_the_tools() -> None:
    text = await plan(language="ru", question="Растёт ли приливная энергетика?", depth="3")
    assert "Вопрос: Растёт ли приливная энергетика?\n" in text
    assert "Глубина: 3 из 3. Сегодня 2027-01-15" in text
    assert "6. **Порядок.**" in text


@pytest.mark.parametrize("language", CATALOGUES)
def test_no_tool_asks_for_a_plan_and_every_tool_has_a_use_in_one(language: str) -> None:
    texts = load(language)
    told = [texts.instructions, *(tool.description for tool in texts.tools.values())]
    assert not any("plan" in text.lower() or "план" in text.lower() for text in told)
    assert set(texts.tools) <= set(texts.plan.uses)
    assert len(texts.plan.steps) == 6
    assert set(texts.plan.budgets) == {1, 2, 3}


async def test_ten_thousand_plans_leave_nothing_behind() -> None:
    served = server()
    before = {name: len(value) for name, value in vars(served).items() if hasattr(value, "__len__")}
    async with Client(served) as client:
        for number in range(200):
            await client.get_prompt("research_plan", {"question": f"question {number}"})
    assert {n: len(v) for n, v in vars(served).items() if hasattr(v, "__len__")} == before
