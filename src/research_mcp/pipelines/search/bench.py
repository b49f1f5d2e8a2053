"""Engines that keep answering nothing, or lists that have nothing to do with the question.

Some engines do not say that they turned an address away: they answer with an empty list, or with an
unrelated one, for hours. One such answer proves nothing. Several in a row, each while an engine with
another index found something, do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from research_mcp.core.errors import Reason
from research_mcp.core.models import EngineState, Filter, SearchQuery
from research_mcp.pipelines.search.asking import Asked
from research_mcp.pipelines.turns import Turns

IN_A_ROW = 5
"""Empty answers after which an engine is left alone; one more after each rest."""

REST = 600.0

_NARROWING = frozenset({Filter.INCLUDE_DOMAINS, Filter.TIME_RANGE, Filter.LANGUAGE})
_NARROW_WORDS = ("site:", '"', "filetype:", "intitle:", "inurl:")


class Bench:
    """Counts empty answers by engine. Reserve engines know little and may say so."""

    def __init__(self, turns: Turns) -> None:
        self._turns = turns
        self._empty: Counter[str] = Counter()

    async def judge(self, query: SearchQuery, asked: Sequence[Asked]) -> list[Asked]:
        """`asked`, with the rest stated in the rows of those that are benched from now on."""
        return [await self._judged(query, one, asked) for one in asked]

    async def _judged(self, query: SearchQuery, one: Asked, asked: Sequence[Asked]) -> Asked:
        name = one.facts.name
        if one.row.state is EngineState.OK:
            del self._empty[name]
        if not self._counts(query, one, asked):
            return one
        self._empty[name] += 1
        if self._empty[name] < IN_A_ROW:
            return one
        detail = f"its last {self._empty[name]} answers brought nothing while other engines found results"
        until = await self._turns.bench(name, REST, Reason.EMPTY, detail)
        return replace(one, row=replace(one.row, detail=detail, retry_at=until))

    @staticmethod
    def _counts(query: SearchQuery, one: Asked, asked: Sequence[Asked]) -> bool:
        if one.row.state is not EngineState.EMPTY or one.facts.reserve or _is_narrow(query):
            return False
        return any(o.row.state is EngineState.OK and o.facts.index != one.facts.index for o in asked)


def _is_narrow(query: SearchQuery) -> bool:
    """True when an honest engine may well have nothing."""
    return bool(query.filters() & _NARROWING) or any(word in query.text for word in _NARROW_WORDS)
