"""The prompt `research_plan`: a checklist for who researches, made on the spot. Nothing is kept.

No tool asks for a plan: the checklist helps with questions of several parts and is skipped for others.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.prompts.base import Message, Prompt, PromptArgument, UserMessage
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, InputRequiredResult
from pydantic import PrivateAttr

from research_mcp.core.errors import InvalidArgument
from research_mcp.core.ports import Clock
from research_mcp.server.render.when import day
from research_mcp.server.texts.shape import Texts
from research_mcp.server.tools.arguments import Integer, Reading, Text, read_arguments

NAME = "research_plan"
FIELDS = (
    Text(name="question", required=True, limit=2_000),
    Integer(name="depth", default=2, minimum=1, maximum=3),
)
STEPS = {1: 3, 2: 5, 3: 6}
"""How many steps of the checklist a depth takes."""


class PlanPrompt(Prompt):
    """The prompt as clients list it. Wrong arguments are the client's mistake: one sentence."""

    _texts: Texts = PrivateAttr()
    _tools: tuple[str, ...] = PrivateAttr()
    _clock: Clock = PrivateAttr()

    @classmethod
    def of(cls, texts: Texts, tools: Iterable[str], clock: Clock) -> PlanPrompt:
        """The prompt in the language of `texts`, about the tools that are listed."""
        words = texts.plan.prompt
        prompt = cls(
            name=NAME,
            title=words.title,
            description=words.description,
            arguments=[
                PromptArgument(
                    name=field.name, description=words.arguments[field.name], required=field.required
                )
                for field in FIELDS
            ],
            fn=lambda: "",  # never called: `render` is ours
            context_kwarg=None,
        )
        prompt._texts, prompt._tools, prompt._clock = texts, tuple(tools), clock
        return prompt

    async def render(
        self, arguments: dict[str, Any] | None, context: Context[Any, Any]
    ) -> list[Message] | InputRequiredResult:
        """One message of the user with the checklist."""
        reading = Reading(NAME, self._texts.plan.prompt, self._texts.arguments)
        try:
            read = read_arguments(FIELDS, arguments or {}, reading)
        except InvalidArgument as error:
            raise MCPError(code=INVALID_PARAMS, message=str(error)) from None
        return [UserMessage(self._checklist(read.text("question"), read.integer("depth")))]

    def _checklist(self, question: str, depth: int) -> str:
        plan = self._texts.plan
        uses = "\n".join(f"   - `{tool}`: {plan.uses[tool]}" for tool in self._tools if tool in plan.uses)
        steps = (
            f"{number}. {step.format(budget=plan.budgets[depth], tools=uses)}"
            for number, step in enumerate([*plan.steps.values()][: STEPS[depth]], start=1)
        )
        opening = plan.opening.format(question=question, depth=depth, today=day(self._clock.now()))
        return "\n".join([opening, "", *steps, "", plan.closing])
