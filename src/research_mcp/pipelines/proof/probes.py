"""The smallest call that shows whether a provider is of use, one probe for each kind."""

from __future__ import annotations

from dataclasses import dataclass

from research_mcp.core.answers import Question
from research_mcp.core.checks import Point, Proof
from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import BadReply, NoContent, Reason
from research_mcp.core.models import SearchQuery
from research_mcp.core.ports import (
    AccountPage,
    ChosenModel,
    Extractor,
    LinkFinder,
    PageFetcher,
    PageReader,
    Reranker,
    Robots,
    SearchEngine,
    SiteMapper,
)
from research_mcp.core.sitemaps import MapQuery
from research_mcp.pipelines.read.job import ProbeLimits, ReadJob
from research_mcp.pipelines.sitemap.job import SiteJob

QUERY = "example domain"
HOME = "https://example.com/"
QUESTION = "Search the web for the page example.com and name its address in one short sentence."
TEXTS = ("The tide comes in twice a day.", "Bread needs flour and water.")

_MOST_MODELS = 30
"""Longer lists of models come cut, so that a name which is not among them may still be one."""


@dataclass(frozen=True, slots=True)
class Workbench:
    """What readers and mappers need for one page."""

    fetcher: PageFetcher
    extractor: Extractor
    links: LinkFinder
    robots: Robots


@dataclass(frozen=True, slots=True)
class EngineProbe:
    """One hit for two words."""

    engine: SearchEngine
    kind: str = "search"

    @property
    def name(self) -> str:
        """The engine."""
        return self.engine.facts.name

    @property
    def paid(self) -> bool:
        """What the engine says."""
        return self.engine.facts.metered

    @property
    def pace(self) -> float:
        """The engine's own."""
        return self.engine.facts.pace

    async def run(self, deadline: Deadline) -> list[Proof]:
        """Its list; an empty one is an answer too."""
        answer = await self.engine.search(SearchQuery(QUERY, limit=1), deadline)
        return [Proof(Point.ANSWERED, ok=True, detail=f"{len(answer.hits)} results")]


@dataclass(frozen=True, slots=True)
class AccountProbe:
    """The page about the account, in the place of a call that costs money."""

    page: AccountPage
    kind: str
    paid: bool = False
    pace: float = 0.0

    @property
    def name(self) -> str:
        """The instance."""
        return self.page.name

    async def run(self, deadline: Deadline) -> list[Proof]:
        """Nothing more than that the key is good."""
        await self.page.ask(deadline)
        return []


@dataclass(frozen=True, slots=True)
class ReaderProbe:
    """A lasting page that the reader itself names."""

    reader: PageReader
    bench: Workbench
    kind: str = "read"
    pace: float = 0.0

    @property
    def name(self) -> str:
        """The reader."""
        return self.reader.facts.name

    @property
    def paid(self) -> bool:
        """What the reader says."""
        return self.reader.facts.metered

    async def run(self, deadline: Deadline) -> list[Proof]:
        """Its text, however short."""
        url = self.reader.facts.sample
        job = ReadJob((url,), self.bench.fetcher, self.bench.extractor, deadline, ProbeLimits())
        async with job:
            page = await self.reader.read(job, deadline)
        return [Proof(Point.ANSWERED, ok=True, detail=f"{len(page.markdown)} characters of {url}")]


@dataclass(frozen=True, slots=True)
class MapProbe:
    """One address of a site with one page."""

    mapper: SiteMapper
    bench: Workbench
    kind: str = "map"
    pace: float = 0.0

    @property
    def name(self) -> str:
        """The mapper."""
        return self.mapper.facts.name

    @property
    def paid(self) -> bool:
        """What the mapper says."""
        return self.mapper.facts.metered

    async def run(self, deadline: Deadline) -> list[Proof]:
        """Its addresses; that it knows none of them is an answer too."""
        site = SiteJob(HOME, self.bench.fetcher, self.bench.links, self.bench.robots, _nobody)
        try:
            answer = await self.mapper.map(MapQuery(HOME, limit=1), site, deadline)
        except NoContent as error:
            if error.reason not in (Reason.EMPTY, Reason.NOT_FOUND):
                raise
            return [Proof(Point.ANSWERED, ok=True, detail=f"knows no page of {HOME} ({error})")]
        return [Proof(Point.ANSWERED, ok=True, detail=f"{len(answer.pages)} addresses of {HOME}")]


@dataclass(frozen=True, slots=True)
class RerankProbe:
    """Two short texts."""

    reranker: Reranker
    kind: str = "rerank"
    pace: float = 0.0

    @property
    def name(self) -> str:
        """The reranker."""
        return self.reranker.name

    @property
    def paid(self) -> bool:
        """What the reranker says."""
        return self.reranker.metered

    async def run(self, deadline: Deadline) -> list[Proof]:
        """Their order."""
        places = await self.reranker.rerank("When is high tide?", TEXTS, deadline)
        return [Proof(Point.ANSWERED, ok=True, detail=f"{len(places)} texts ordered")]


@dataclass(frozen=True, slots=True)
class ModelProbe:
    """The list of models, which is free, and then one question, unless `only_list`."""

    model: ChosenModel
    only_list: bool = False
    kind: str = "answer"
    pace: float = 0.0

    @property
    def name(self) -> str:
        """The model's instance."""
        return self.model.facts.name

    @property
    def paid(self) -> bool:
        """The list costs nothing."""
        return self.model.facts.metered and not self.only_list

    async def run(self, deadline: Deadline) -> list[Proof]:
        """A dead key ends it before the question is paid for."""
        listed = await self._listed(deadline)
        if self.only_list:
            return [listed]
        answer = await self.model.answer(Question(QUESTION, extra_sources=0), deadline)
        if not listed.ok:
            listed = Proof(Point.MODEL, ok=True, detail=f"{listed.detail}, and yet it answers")
        return [
            listed,
            Proof(Point.ANSWERED, ok=bool(answer.text), detail=f"{len(answer.text)} characters"),
            Proof(Point.SEARCHED, ok=answer.searched),
            Proof(Point.CITED, ok=bool(answer.citations), detail=str(len(answer.citations))),
        ]

    async def _listed(self, deadline: Deadline) -> Proof:
        model = self.model.facts.model
        try:
            names = await self.model.models(deadline)
        except BadReply:
            return Proof(Point.MODEL, ok=False, detail="its list of models cannot be read")
        if {model, model.partition(":")[0]} & set(names):
            return Proof(Point.MODEL, ok=True, detail=model)
        if len(names) >= _MOST_MODELS:
            return Proof(Point.MODEL, ok=False, detail=f"{model} is not among the first {len(names)}")
        return Proof(Point.MODEL, ok=False, detail=f"{model} is not one of {', '.join(names)}")


async def _nobody(count: int) -> None:
    """Nobody waits for the count."""
