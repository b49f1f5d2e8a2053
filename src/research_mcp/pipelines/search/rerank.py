"""The reranker's word on the merged list: all of it or none. What fails costs a note, never a result."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import BadReply, Reason, ResearchError
from research_mcp.core.models import EngineState, MergedHit
from research_mcp.core.ports import Reranker
from research_mcp.observe.events import Emit, ProviderCall
from research_mcp.observe.spans import provider_span
from research_mcp.pipelines.guarded import guarded
from research_mcp.pipelines.search.fuse import Likes
from research_mcp.pipelines.turns import Turn, Turns

KEPT_FOR_IT = 2.5
"""Seconds of a search that its engines leave to the reranker; the most it may take, too."""

MOST_OF_IT = 0.25
"""Never more than this part of a search."""

TEXT_CHARS = 1_000
"""Of a result's title and snippet: more costs tokens and changes no order."""


@dataclass(frozen=True, slots=True)
class Reranked:
    """The list, always with the same entries, and a note when the reranker had no say in its order."""

    hits: Sequence[MergedHit]
    notes: tuple[str, ...] = ()


class Rerank:
    """The step between merge and cut; without a reranker it does nothing."""

    def __init__(self, reranker: Reranker | None, turns: Turns, emit: Emit) -> None:
        self._reranker = reranker
        self._turns = turns
        self._emit = emit

    def leave_time(self, deadline: Deadline) -> Deadline:
        """The engines' deadline: `deadline`, less what this step needs."""
        if self._reranker is None:
            return deadline
        return deadline.share(math.inf, reserve=min(KEPT_FOR_IT, deadline.remaining() * MOST_OF_IT))

    async def order(
        self, query: str, hits: Sequence[MergedHit], deadline: Deadline, likes: Likes
    ) -> Reranked:
        """`hits` in the reranker's order, in which wishes about hosts still count; as they were, with a
        note, when it fails."""
        if self._reranker is None or len(hits) < 2:
            return Reranked(hits)
        name = self._reranker.name
        why = await self._turns.ask(Turn(name)) or await self._turns.enter(name)
        if why:
            return _failed(hits, why.reason, why.detail)
        started = asyncio.get_running_loop().time()
        answered = False
        try:
            with provider_span("rerank", name):
                places = await guarded(name, self._asked(self._reranker, query, hits, deadline))
            answered = True
        except ResearchError as error:
            await self._turns.failed(name, error)
            self._tell(name, EngineState.FAILED, started, error)
            return _failed(hits, error.reason, str(error))
        finally:
            self._turns.leave(name, answered=answered)
        self._turns.succeeded(name)
        self._tell(name, EngineState.OK, started)
        return Reranked(likes.reordered([_moved(hits[place], place) for place in places]))

    async def _asked(
        self, reranker: Reranker, query: str, hits: Sequence[MergedHit], deadline: Deadline
    ) -> Sequence[int]:
        within = deadline.share(KEPT_FOR_IT)
        texts = [f"{hit.title}\n{hit.snippet}"[:TEXT_CHARS] for hit in hits]
        async with within.enforce():
            places = await reranker.rerank(query, texts, within)
        if sorted(places) != list(range(len(hits))):
            raise BadReply(f"{reranker.name} did not place each of the {len(hits)} results once")
        return places

    def _tell(
        self, name: str, state: EngineState, started: float, error: ResearchError | None = None
    ) -> None:
        ms = round((asyncio.get_running_loop().time() - started) * 1000)
        detail, reason = (str(error), error.reason.value) if error else ("", "")
        self._emit(ProviderCall(name, "rerank", state.value, ms, detail, reason))


def _failed(hits: Sequence[MergedHit], reason: Reason, detail: str) -> Reranked:
    because = f": {detail}" if detail else ""
    return Reranked(hits, (f"rerank: failed ({reason.value}){because}; the merged order stays",))


def _moved(hit: MergedHit, place: int) -> MergedHit:
    moved = f"reranked from #{place + 1}"
    return replace(hit, moved=f"{hit.moved}; {moved}".removeprefix("; "), why=f"{hit.why}; {moved}")
