"""Fakes of the ports around the read pipeline: fetcher, extractor, readers, robots, parking."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import NoContent, Reason, UrlRefused
from research_mcp.core.models import Extracted, Kind, Page, ReadFailure
from research_mcp.core.ports import Job, ReaderFacts, Rest, RobotsRule, TextJudge
from research_mcp.core.wire import Document
from research_mcp.observe.events import Event
from research_mcp.pipelines.read.pipeline import ReadLimits, ReadPipeline
from research_mcp.store.memory import MemoryCache, weight_of_page
from tests.kit.virtual_time import VirtualClock

LONG = "Moss grows on the north side of the old stone wall behind the mill. " * 10


def document(url: str, body: str = LONG, status: int = 200, **facts: Any) -> Document:
    facts.setdefault("headers", {"content-type": "text/html; charset=utf-8"})
    return Document(
        url=url, final_url=facts.pop("final_url", url), status=status, body=body.encode(), **facts
    )


class FakeFetcher:
    """Serves `pages` by url: a document, an error to raise, or a body; all else is not found."""

    def __init__(
        self,
        pages: Mapping[str, Document | Exception | str] | None = None,
        *,
        seconds: float = 0.0,
        refused: Sequence[str] = ("http://10.0.0.1/", "https://intranet.test/"),
        unknown: Sequence[str] = (),
        private: Sequence[str] = (),
    ) -> None:
        self.pages = dict(pages or {})
        self.seconds = seconds
        self.refused = tuple(refused)
        self.unknown = tuple(unknown)
        self.private = tuple(private)
        self.fetched: list[str] = []
        self.checked: list[str] = []
        self.accepts: list[str] = []

    def normal_form(self, url: str) -> str:
        if not url.startswith(("http://", "https://")):
            raise UrlRefused(f"{url!r} is no http address; send one.", reason=Reason.INVALID_URL)
        if url in self.refused:
            raise UrlRefused("That address is not public; do not retry.")
        return url

    async def check(self, url: str, deadline: Deadline) -> None:
        self.checked.append(url)
        if url in self.unknown:
            raise NoContent("no such host", reason=Reason.DNS_FAILED)

    async def shareable(self, url: str, deadline: Deadline) -> bool:
        return url not in self.private

    async def fetch(
        self, url: str, deadline: Deadline, *, accept: str = "", unpack: bool = False
    ) -> Document:
        self.fetched.append(url)
        self.accepts.append(accept)
        if self.seconds:
            await asyncio.sleep(self.seconds)
        found = self.pages.get(url)
        if found is None:
            return document(url, "Not found", 404)
        if isinstance(found, Exception):
            raise found
        return document(url, found) if isinstance(found, str) else found


class FakeExtractor:
    """The body as text, unless `results` holds something else for its url."""

    def __init__(self, results: Mapping[str, Extracted | Exception] | None = None) -> None:
        self.results = dict(results or {})
        self.asked: list[str] = []

    async def extract(self, document: Document, deadline: Deadline) -> Extracted:
        self.asked.append(document.final_url)
        found = self.results.get(document.final_url)
        if isinstance(found, Exception):
            raise found
        return found or Extracted(Kind.HTML, document.body.decode())


Answer = str | Page | Exception | Callable[[Job], Any]


@dataclass
class FakeReader:
    """A reader that gives `answer` after `seconds`: text, a page, an error, or a coroutine function."""

    name: str
    answer: Answer = LONG
    seconds: float = 0.0
    takes: Callable[[str], bool] = lambda url: True
    traits: dict[str, Any] = field(default_factory=dict)
    began: list[float] = field(default_factory=list)
    cancelled: int = 0

    @property
    def facts(self) -> ReaderFacts:
        return ReaderFacts(self.name, **self.traits)

    @property
    def calls(self) -> int:
        return len(self.began)

    def accepts(self, url: str) -> bool:
        return self.takes(url)

    async def read(self, job: Job, deadline: Deadline) -> Page:
        self.began.append(asyncio.get_running_loop().time())
        try:
            if self.seconds:
                await asyncio.sleep(self.seconds)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        answer = self.answer
        if isinstance(answer, Exception):
            raise answer
        if callable(answer):
            answer = await answer(job)
        if isinstance(answer, Page):
            return replace(answer, reader=self.name)
        return Page(url=job.url, final_url=job.url, markdown=answer, reader=self.name)


async def probed(job: Job) -> str:
    """What a reader of the probe's document does."""
    extracted = await job.extracted()
    if extracted.reason:
        raise NoContent(extracted.detail or "nothing", reason=extracted.reason)
    return extracted.markdown


def direct(**traits: Any) -> FakeReader:
    return FakeReader("direct", probed, traits={"needs_document": True, **traits})


class FakeRobots:
    def __init__(
        self, rules: Mapping[str, RobotsRule] | None = None, *, binding: bool = False, seconds: float = 0.0
    ) -> None:
        self.rules = dict(rules or {})
        self.binding = binding
        self.seconds = seconds
        self.asked: list[tuple[float, str]] = []

    async def rule(self, url: str) -> RobotsRule:
        self.asked.append((asyncio.get_running_loop().time(), url))
        if self.seconds:
            await asyncio.sleep(self.seconds)
        return self.rules.get(url, RobotsRule.ALLOWED)


class FakeParking:
    def __init__(self, clock: VirtualClock) -> None:
        self.clock = clock
        self.rests: dict[str, Rest] = {}

    async def rest(self, name: str) -> Rest | None:
        rest = self.rests.get(name)
        return rest if rest and (rest.until is None or rest.until > self.clock.now()) else None

    async def park(self, name: str, rest: Rest) -> None:
        self.rests[name] = rest

    async def release(self, name: str) -> None:
        self.rests.pop(name, None)


class House:
    """A read pipeline among fakes. `await house.read(url)`."""

    def __init__(
        self,
        *readers: FakeReader,
        fetcher: FakeFetcher | None = None,
        extractor: FakeExtractor | None = None,
        robots: FakeRobots | None = None,
        judge: TextJudge = lambda text: None,
        limits: ReadLimits | None = None,
        cache_seconds: float = 300,
        cache_room: int = 64_000_000,
    ) -> None:
        self.clock = VirtualClock()
        self.fetcher = fetcher or FakeFetcher(dict.fromkeys((URL, *(f"{URL}/{n}" for n in range(20))), LONG))
        self.extractor = extractor or FakeExtractor()
        self.robots = robots or FakeRobots()
        self.parking = FakeParking(self.clock)
        self.events: list[Event] = []
        self.pipeline = ReadPipeline(
            readers or (direct(),),
            fetcher=self.fetcher,
            extractor=self.extractor,
            robots=self.robots,
            parking=self.parking,
            clock=self.clock,
            judge=judge,
            cache=MemoryCache[Page](self.clock, seconds=cache_seconds, room=cache_room, weigh=weight_of_page),
            limits=limits,
            emit=self.events.append,
        )

    async def read(self, url: str = "", *, seconds: float | None = None) -> Page | ReadFailure:
        return await self.pipeline.read(url or URL, seconds=seconds)

    async def page(self, url: str = "", *, seconds: float | None = None) -> Page:
        outcome = await self.read(url, seconds=seconds)
        assert isinstance(outcome, Page), outcome
        return outcome

    async def failure(self, url: str = "", *, seconds: float | None = None) -> ReadFailure:
        outcome = await self.read(url, seconds=seconds)
        assert isinstance(outcome, ReadFailure), outcome
        return outcome


URL = "https://mill.test/moss"
