"""Search engines, the reranker, and the pipeline over them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from research_mcp.core.deadline import Deadline
from research_mcp.core.models import EngineAnswer, Filter, SearchQuery, SearchReport, Topic
from research_mcp.core.ports.calls import Progress


@dataclass(frozen=True, slots=True)
class EngineFacts:
    """What the search pipeline may know of an engine: never its type's name.

    `index` is the declared index family (two resellers of one index share one vote); `pace` the
    least seconds between two queries; an engine without the general topic joins only for its own
    topics. `prior` (0 to 1) is how often others may be expected to confirm it before it has a history:
    1 for a general web index. `weight` is the operator's word and multiplies.
    """

    name: str
    index: str
    metered: bool = False
    pace: float = 0.0
    reserve: bool = False
    topics: frozenset[Topic] = frozenset({Topic.GENERAL})
    applies: frozenset[Filter] = frozenset()
    weight: float = 1.0
    prior: float = 0.5


class SearchEngine(Protocol):
    """One search instance. `search` raises `ProviderError` for every failure."""

    @property
    def facts(self) -> EngineFacts: ...

    async def search(self, query: SearchQuery, deadline: Deadline) -> EngineAnswer: ...


class Reranker(Protocol):
    """A model that orders texts by how well they answer a question.

    `rerank` names the place of each of `texts` once, best first. Raises `ProviderError` for every
    failure, an answer that leaves some out included.
    """

    @property
    def name(self) -> str: ...

    @property
    def metered(self) -> bool: ...

    async def rerank(self, query: str, texts: Sequence[str], deadline: Deadline) -> Sequence[int]: ...


class Searcher(Protocol):
    """The search pipeline as the server sees it."""

    async def search(self, query: SearchQuery, progress: Progress = ...) -> SearchReport: ...
