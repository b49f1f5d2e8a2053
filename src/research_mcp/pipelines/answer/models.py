"""Models asked one after the other until one answers: turns, guard, deadline, events."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from research_mcp.core.answers import Fallback, ModelAnswer, Question
from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import BadReply, Reason, Rejected, ResearchError, Transient
from research_mcp.core.models import Attempt
from research_mcp.core.ports import AnswerModel
from research_mcp.observe.events import Emit, ProviderCall
from research_mcp.observe.spans import provider_span
from research_mcp.pipelines.guarded import guarded
from research_mcp.pipelines.turns import Turn, Turns

_WORTH_ASKING = 2.0
"""Seconds without which no further model is asked."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """An answer under the label of its model, or the models that failed and what that amounts to."""

    answer: ModelAnswer | None = None
    label: str = ""
    attempts: tuple[Attempt, ...] = ()
    fallback: Fallback | None = None


class Models:
    """The models of the configuration, in order."""

    def __init__(self, models: Sequence[AnswerModel], turns: Turns, emit: Emit) -> None:
        self._models = tuple(models)
        self._turns = turns
        self._emit = emit

    async def ask(self, question: Question, deadline: Deadline) -> Outcome:
        """The first answer. Raises nothing but cancellation."""
        attempts: list[Attempt] = []
        fallback: Fallback | None = None
        for model in self._models:
            if attempts and deadline.remaining() < _WORTH_ASKING:
                break
            result = await self._ask(model, question, deadline)
            if isinstance(result, ModelAnswer):
                return Outcome(result, model.facts.label, tuple(attempts))
            attempts.append(Attempt(model.facts.name, result.reason, str(result)))
            fallback = fallback or _fallback(result)
        return Outcome(attempts=tuple(attempts), fallback=fallback)

    async def _ask(
        self, model: AnswerModel, question: Question, deadline: Deadline
    ) -> ModelAnswer | ResearchError:
        name = model.facts.name
        why = await self._turns.ask(Turn(name)) or await self._turns.enter(name)
        if why:
            return ResearchError(why.detail or why.state.value, reason=why.reason)
        started = asyncio.get_running_loop().time()
        answered = False
        try:
            with provider_span("answer", name):
                answer = await guarded(name, self._within(model, question, deadline))
            answered = True
        except ResearchError as error:
            await self._turns.failed(name, error)
            self._tell(name, started, error)
            return error
        finally:
            self._turns.leave(name, answered=answered)
        self._turns.succeeded(name)
        self._tell(name, started)
        return answer

    async def _within(self, model: AnswerModel, question: Question, deadline: Deadline) -> ModelAnswer:
        seconds = deadline.remaining()
        try:
            async with deadline.enforce():
                return await model.answer(question, deadline)
        except TimeoutError:
            raise Transient(
                f"{model.facts.name} did not answer within {seconds:.0f} s, all that this call had",
                reason=Reason.TIMEOUT,
            ) from None

    def _tell(self, name: str, started: float, error: ResearchError | None = None) -> None:
        ms = round((asyncio.get_running_loop().time() - started) * 1000)
        detail, reason = (str(error), error.reason.value) if error else ("", "")
        self._emit(ProviderCall(name, "answer", reason or "ok", ms, detail, reason))


def _fallback(error: ResearchError) -> Fallback:
    if error.reason in (Reason.TIMEOUT, Reason.DEADLINE):
        return Fallback.TIMEOUT
    if isinstance(error, Rejected) or error.reason is Reason.BAD_KEY:
        return Fallback.AUTH_ERROR
    if isinstance(error, BadReply) and error.reason is Reason.UPSTREAM_ERROR:
        return Fallback.PARSE_ERROR
    return Fallback.PROVIDER_ERROR
