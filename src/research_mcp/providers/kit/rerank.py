"""Rerankers: the request that Jina, Cohere and most self-hosted servers share, and an instance of one.

POST {"model": ..., "query": ..., "documents": [...], "top_n": n, "return_documents": false}
-> {"results": [{"index": 2, "relevance_score": 0.71}, ...]}
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import BadReply, NoContent
from research_mcp.core.instance import Account
from research_mcp.core.wire import JsonValue, Reply, Request
from research_mcp.net.status import error_of
from research_mcp.providers.kit.base import ProviderType
from research_mcp.providers.kit.configured import ConfiguredType
from research_mcp.providers.kit.shape import dig

_HUGE = 1e300
"""No score: larger than any float that can be compared. NaN is not below it either."""


class RerankType(ProviderType):
    """A server that takes the common request. The two methods are pure.

    The option `model` replaces `model`.
    """

    model: ClassVar[str] = ""

    def request(self, query: str, texts: Sequence[str]) -> Request:
        """The call that asks for the places of all `texts`."""
        body: JsonValue = {
            "model": self.means.options.get("model") or self.model,
            "query": query,
            "documents": [*texts],
            "top_n": len(texts),
            "return_documents": False,
        }
        return Request("POST", self.endpoint, json=body)

    def places(self, reply: Reply, count: int) -> list[int]:
        """The places of `count` texts, best score first, ties in the server's order.

        Raises `BadReply` unless the answer scores each of them once.
        """
        rows = dig(reply.json(), "results")
        if not isinstance(rows, list):
            raise BadReply("no list at 'results'")
        scored = [pair for row in rows if isinstance(row, dict) and (pair := _scored(row))]
        if sorted(place for place, _ in scored) != list(range(count)):
            raise BadReply(f"its answer places {len(scored)} of {count} texts, or some of them twice")
        return [place for place, _ in sorted(scored, key=lambda pair: -pair[1])]


def _scored(row: dict[str, JsonValue]) -> tuple[int, float] | None:
    place, score = row.get("index"), row.get("relevance_score")
    if isinstance(place, bool) or not isinstance(place, int):
        return None
    if isinstance(score, bool) or not isinstance(score, int | float) or not abs(score) < _HUGE:
        return None
    return place, float(score)


class ConfiguredReranker(ConfiguredType[RerankType]):
    """One row of the configuration as the search pipeline sees it (`core.ports.Reranker`)."""

    async def rerank(self, query: str, texts: Sequence[str], deadline: Deadline) -> Sequence[int]:
        """The places of all `texts`, best first, with the first key that works."""
        request = self._type.request(query, texts)
        reply = await self._ring.use(lambda account: self._ask(request, account, deadline))
        return self._type.places(reply, len(texts))

    async def _ask(self, request: Request, account: Account, deadline: Deadline) -> Reply:
        async with self._metering.call(account, self._http) as http:
            reply = await http.send(self._type.signed(request, account), deadline)
        keyed = account.key is not None
        error = error_of(reply, self._clock.now(), self._type.phrases, keyed=keyed)
        if isinstance(error, NoContent):
            raise BadReply(f"the server has no such endpoint or model (status {reply.status})")
        if error:
            raise error
        return reply
