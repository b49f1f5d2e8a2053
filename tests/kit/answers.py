"""The whole way of an answer over a fake wire: client, keys, reading, pipeline, tools."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx
from mcp import Client

from research_mcp.core.answers import AnswerReport, Question
from research_mcp.core.errors import Reason
from research_mcp.core.instance import Account, Secret
from research_mcp.core.models import EngineRow, EngineState, MergedHit, SearchQuery, SearchReport
from research_mcp.core.ports import AnswerModel, Progress, no_progress
from research_mcp.net.policy import CallLimits, VendorClient
from research_mcp.observe.events import Event
from research_mcp.pipelines.answer.pipeline import AnswerLimits, AnswerPipeline
from research_mcp.pipelines.turns import Turns
from research_mcp.providers.kit.answer.configured import RETRIED, AnswerType, ConfiguredAnswer, api_root
from research_mcp.providers.kit.base import Means
from research_mcp.providers.kit.keys import KeyRing
from research_mcp.providers.kit.metering import Metering
from research_mcp.providers.vendors.grok import GrokAnswer
from research_mcp.server.app import build_server
from research_mcp.server.config import ServerConfig, Services
from research_mcp.store.memory import MemoryAnswers, MemoryPaces, MemoryParking
from tests.kit.virtual_time import VirtualClock, run
from tests.kit.wire import KEY, Answer, Wire
from tests.server.fakes import FakePipelines

A, B, C = "https://a.dev/1", "https://b.dev/2", "https://c.dev/3"
QUESTION = Question("Is tidal power growing?")


def message(text: str, *urls: str, **more: Any) -> dict[str, Any]:
    """A good answer of the Responses API that cites `urls`."""
    notes = [{"type": "url_citation", "url": url, "title": str(n)} for n, url in enumerate(urls, 1)]
    block = {"type": "output_text", "text": text, "annotations": notes}
    return {
        "status": "completed",
        "model": "grok-4.3",
        "output": [
            {"type": "web_search_call", "status": "completed", "action": {"type": "search", "query": "x"}},
            {"type": "message", "role": "assistant", "content": [block]},
        ],
        **more,
    }


def chat(content: Any, **more: Any) -> dict[str, Any]:
    """A whole chat completion."""
    return {"choices": [{"index": 0, "message": {"content": content, **more}, "finish_reason": "stop"}]}


def body(value: Any, status: int = 200, **headers: str) -> httpx.Response:
    return httpx.Response(status, json=value, headers=headers)


def events(*frames: Any, end: str = "data: [DONE]\n\n") -> httpx.Response:
    """An event stream of JSON frames; a text stands for itself."""
    lines = [frame if isinstance(frame, str) else f"data: {json.dumps(frame)}\n\n" for frame in frames]
    return httpx.Response(200, text="".join(lines) + end, headers={"content-type": "text/event-stream"})


def hits(*urls: str, engine: str = "tavily-search") -> tuple[MergedHit, ...]:
    return tuple(
        MergedHit(f"Found {n}", url, f"Snippet {n}", engines={engine: n}) for n, url in enumerate(urls, 1)
    )


@dataclass
class FakeSearcher:
    """Finds `found` after `delay`, or fails engine by engine when there is nothing."""

    found: Sequence[MergedHit] = ()
    delay: float = 1.0
    error: Exception | None = None
    queries: list[SearchQuery] = field(default_factory=list)
    started_at: list[float] = field(default_factory=list)
    cancelled: int = 0

    async def search(self, query: SearchQuery, progress: Progress = no_progress) -> SearchReport:
        self.queries.append(query)
        self.started_at.append(asyncio.get_running_loop().time())
        try:
            await asyncio.sleep(self.delay)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        if self.error:
            raise self.error
        state = EngineState.OK if self.found else EngineState.BLOCKED
        reason = None if self.found else Reason.BLOCKED
        row = EngineRow("duckduckgo", state, len(self.found), reason, "" if self.found else "a captcha")
        return SearchReport(query, tuple(self.found), (row,))


@dataclass
class Bench:
    """An answer pipeline over `wire`, and everything it keeps in reach of the test."""

    answer: Answer | httpx.Response
    searcher: FakeSearcher = field(default_factory=FakeSearcher)
    type_: type[AnswerType] = GrokAnswer
    keys: Sequence[str] = (KEY,)
    options: dict[str, str] = field(default_factory=dict)
    base_url: str = ""
    timeout: float = 50.0
    limits: AnswerLimits = field(default_factory=AnswerLimits)
    models: Sequence[AnswerModel] | None = None
    store: MemoryAnswers | None = None
    answer_max_chars: int = 40_000
    clock: VirtualClock = field(default_factory=VirtualClock)
    told: list[tuple[int, int, str]] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.wire = Wire(self.answer)
        self.parking = MemoryParking(self.clock)
        self.store = self.store or MemoryAnswers(self.clock)
        models = [self.model()] if self.models is None else self.models
        self.pipeline = AnswerPipeline(
            models,
            self.searcher,
            turns=Turns(self.parking, MemoryPaces(self.clock), self.clock),
            clock=self.clock,
            store=self.store,
            limits=self.limits,
            emit=self.events.append,
        )

    def model(self, name: str = "grok", metering: Metering | None = None) -> ConfiguredAnswer:
        type_ = self.type_(Means(self.options, self.base_url, keyed=bool(self.keys)))
        client = VendorClient(
            self.wire,  # type: ignore[arg-type]  # the two methods of Network that a client uses
            name,
            clock=self.clock,
            user_agent="research-mcp/0 (test)",
            endpoint=type_.endpoint,
            base_url=api_root(self.base_url),
            limits=CallLimits(timeout=self.timeout, retried=RETRIED),
        )
        accounts = [Account(f"GROK_API_KEY#{n}", Secret(key)) for n, key in enumerate(self.keys, 1)]
        ring = KeyRing(accounts, self.parking, self.clock)
        return ConfiguredAnswer(name, type_, client, ring, self.clock, metering=metering)

    async def tell(self, done: int, total: int, message: str) -> None:
        self.told.append((done, total, message))

    async def ask(self, question: Question = QUESTION) -> AnswerReport:
        return await self.pipeline.answer(question, self.tell)

    def report(self, question: Question = QUESTION) -> AnswerReport:
        return run(self.ask(question))

    def call(self, tool: str = "web_answer", **arguments: Any) -> Any:
        """The result of one tool call, as a client gets it."""
        if tool == "web_answer":
            arguments.setdefault("query", "Is tidal power growing?")
        return run(self.called(tool, **arguments))

    async def called(self, tool: str, meta: Any = None, **arguments: Any) -> Any:
        async with Client(self.server()) as client:
            return await client.call_tool(tool, arguments, meta=meta)

    def server(self) -> Any:
        fakes = FakePipelines()
        services = Services(
            searcher=fakes,
            reader=fakes,
            batch=fakes,
            mapper=fakes,
            answerer=self.pipeline,
            clock=self.clock,
            emit=self.events.append,
        )
        return build_server(services, ServerConfig(answer_max_chars=self.answer_max_chars))

    def sent(self, place: int = 0) -> Any:
        return json.loads(self.wire.sent[place].content)
