"""The edge around every tool call: arguments in, deadline, heartbeat, one event, every failure as text."""

from __future__ import annotations

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import ClassVar

from research_mcp.core.errors import Reason, ResearchError
from research_mcp.core.ports import Progress
from research_mcp.core.wire import JsonValue
from research_mcp.observe.bill import Bill, billing
from research_mcp.observe.events import Emit, ToolCall
from research_mcp.observe.spans import mark_tool_call
from research_mcp.server.texts.sayings import sayings
from research_mcp.server.texts.shape import Texts
from research_mcp.server.tools.arguments import Arguments, Field, Reading, read_arguments
from research_mcp.server.tools.schemas import Shape

logger = logging.getLogger(__name__)

Report = Callable[[float, float | None, str], Awaitable[None]]
"""`await report(progress, total, message)` sends one progress notification; it may wait."""

STEP = 0.01
"""Progress must grow with every notification, also when nothing new was done."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool returns: text, the same as structure, and what the log line says about it.

    `outcome` is "ok" or a reason; `by` names engines or the winning reader.
    """

    text: str
    structure: Mapping[str, JsonValue] | None = None
    outcome: str = "ok"
    by: str = ""
    count: int = 0
    detail: str = ""
    failed: bool = False


def failure(reason: Reason, text: str, detail: str = "") -> Answer:
    """An answer that the client marks as an error."""
    return Answer(text, outcome=reason.value, detail=detail, failed=True)


def explained(error: ResearchError, texts: Texts) -> str:
    """The sentence of `error` with its remedy; that of a wrong argument holds its own."""
    told = sayings(texts.language)(str(error))
    if error.reason is Reason.INVALID_ARGUMENT:
        return told
    return f"{told.rstrip('.')}. {texts.remedies[error.reason]}"


class Tool(ABC):
    """One tool: its name, its arguments, its structured shape, and what it does.

    `pages`: its answer may be long, so clients are asked to let it through. `ignored` are arguments of
    earlier versions: taken without effect, and said so in the notes.
    """

    name: ClassVar[str]
    fields: ClassVar[tuple[Field, ...]]
    shape: Shape[object] | None = None
    pages: ClassVar[bool] = False
    ignored: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def target(self, arguments: Arguments) -> str:
        """The query or url for the log line."""

    @abstractmethod
    async def run(self, arguments: Arguments, progress: Progress) -> Answer:
        """The answer. Raises `ResearchError` for what the model can act on."""


class Heartbeat:
    """Sends progress as it comes, and again every `every` seconds when nothing new came.

    Calling it never waits for the client: a slow reader must not hold up the work.
    """

    def __init__(self, report: Report, every: float, texts: Texts) -> None:
        self.message = ""
        self._report = report
        self._every = every
        self._idle = texts.working
        self._said = sayings(texts.language)
        self._done = 0
        self._total = 0
        self._sent = -STEP
        self._news = asyncio.Event()

    async def __call__(self, done: int, total: int, message: str) -> None:
        """Note how far the work is; a `core.ports.Progress`."""
        self._done, self._total, self.message = done, total, self._said(message)
        self._news.set()

    @asynccontextmanager
    async def beating(self) -> AsyncIterator[None]:
        """Send while the block runs, and what is left at its end."""
        task = asyncio.create_task(self._beat())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        if self._news.is_set():
            await self._send()

    async def _beat(self) -> None:
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._every):
                    await self._news.wait()
            await self._send()

    async def _send(self) -> None:
        self._news.clear()
        self._sent = max(float(self._done), self._sent + STEP)
        await self._report(round(self._sent, 2), float(self._total) or None, self.message or self._idle)


@dataclass(frozen=True, slots=True, kw_only=True)
class Toolbox:
    """The tools that are offered, and the one way to call them."""

    tools: Mapping[str, Tool]
    texts: Texts
    seconds: float
    heartbeat: float
    emit: Emit = field(repr=False)

    async def call(self, name: str, raw: Mapping[str, JsonValue], report: Report, zone: str = "") -> Answer:
        """Run tool `name`. Never raises but for cancellation; emits one `ToolCall` in every case.

        `zone`: the time zone of the user, as the client stated it.
        """
        loop = asyncio.get_running_loop()
        started = loop.time()
        with billing() as bill:
            call = _Call(name, bill, zone)
            try:
                call.answer = await self._guarded(call, raw, report)
                return call.answer
            finally:
                event = call.event(round((loop.time() - started) * 1000))
                mark_tool_call(event)
                self.emit(event)

    async def _guarded(self, call: _Call, raw: Mapping[str, JsonValue], report: Report) -> Answer:
        limit = asyncio.timeout(self.seconds)
        beat = Heartbeat(report, self.heartbeat, self.texts)
        try:
            tool = self._tool(call.tool)
            reading = Reading(tool.name, self.texts.tools[tool.name], self.texts.arguments)
            arguments = read_arguments(tool.fields, raw, reading, tool.ignored)
            arguments = replace(arguments, zone=call.zone)
            call.target = tool.target(arguments)
            async with limit, beat.beating():
                return await tool.run(arguments, beat)
        except ResearchError as error:
            return self._explained(error)
        except Exception:
            if limit.expired():
                return self._out_of_time(call.tool, beat.message)
            logger.exception("%s crashed", call.tool)
            text = self.texts.crashed.format(tool=call.tool)
            return failure(Reason.INTERNAL_ERROR, text, detail="crashed")

    def _tool(self, name: str) -> Tool:
        if name not in self.tools:
            sentence = self.texts.arguments.unknown_tool
            names = ", ".join(self.tools)
            raise ResearchError(sentence.format(name=name[:60], names=names), reason=Reason.INVALID_ARGUMENT)
        return self.tools[name]

    def _explained(self, error: ResearchError) -> Answer:
        return failure(error.reason, explained(error, self.texts), detail=str(error))

    def _out_of_time(self, tool: str, reached: str) -> Answer:
        parts = [self.texts.deadline.format(tool=tool, seconds=f"{self.seconds:g}")]
        if reached:
            parts.append(self.texts.deadline_progress.format(progress=reached))
        return failure(Reason.DEADLINE, " ".join([*parts, self.texts.remedies[Reason.DEADLINE]]))


@dataclass(slots=True)
class _Call:
    """What is known about one call while it runs."""

    tool: str
    bill: Bill
    zone: str
    target: str = ""
    answer: Answer | None = None

    def event(self, ms: int) -> ToolCall:
        answer = self.answer or Answer("", outcome=Reason.CANCELLED.value)
        return ToolCall(
            tool=self.tool[:60],
            target=self.target,
            outcome=answer.outcome,
            by=answer.by,
            count=answer.count,
            ms=ms,
            billed=self.bill.units,
            detail=answer.detail,
        )
