"""Models that search by themselves, their answers kept, and the pipeline over them."""

from __future__ import annotations

from typing import Protocol

from research_mcp.core.answers import AnswerFacts, AnswerReport, Lost, ModelAnswer, Question
from research_mcp.core.deadline import Deadline
from research_mcp.core.ports.calls import Progress


class AnswerModel(Protocol):
    """One model that searches by itself. `answer` raises `ProviderError` for every failure."""

    @property
    def facts(self) -> AnswerFacts: ...

    async def answer(self, question: Question, deadline: Deadline) -> ModelAnswer: ...


class ChosenModel(AnswerModel, Protocol):
    """A model that can be checked: `models` are the names that its provider lists, free of charge.

    Raises `ProviderError`; `BadReply` where there is no list.
    """

    async def models(self, deadline: Deadline) -> tuple[str, ...]: ...


class AnswerStore(Protocol):
    """Answers by id, each kept for `seconds`. Bounded; never raises."""

    @property
    def seconds(self) -> float: ...

    async def keep(self, session_id: str, report: AnswerReport) -> None: ...

    async def find(self, session_id: str) -> AnswerReport | Lost: ...


class Answerer(Protocol):
    """The answer pipeline as the server sees it. `answer` ends in time and raises `InvalidArgument` only.

    `kept` gives an earlier report back; it raises `ResearchError` with `session_unknown`,
    `session_expired`, `session_evicted` or, when the store cannot be asked, `overloaded`.
    """

    async def answer(self, question: Question, progress: Progress = ...) -> AnswerReport: ...

    async def kept(self, session_id: str) -> AnswerReport: ...
