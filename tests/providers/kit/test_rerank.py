"""The common rerank request, through a real vendor client on a fake wire."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import httpx
import pytest

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import BadReply, ProviderError, QuotaSpent, RateLimited, Rejected, Transient
from research_mcp.core.instance import Account, Secret
from research_mcp.net.policy import VendorClient
from research_mcp.providers.kit.base import Means
from research_mcp.providers.kit.keys import KeyRing
from research_mcp.providers.kit.rerank import ConfiguredReranker
from research_mcp.providers.vendors.jina import JinaRerank
from research_mcp.store.memory import MemoryParking
from tests.kit.virtual_time import VirtualClock, run
from tests.kit.wire import KEY, Wire

TEXTS = ("tides", "moss", "mills")
Answer = Callable[[httpx.Request], httpx.Response]


def answer(value: object, status: int = 200) -> Answer:
    return lambda request: httpx.Response(status, json=value)


def scores(*pairs: tuple[Any, Any]) -> Answer:
    return answer({"results": [{"index": place, "relevance_score": score} for place, score in pairs]})


class Desk:
    """A configured reranker on a wire."""

    def __init__(
        self,
        reply: Answer,
        *,
        keys: Sequence[str] = (KEY,),
        options: dict[str, str] | None = None,
        base_url: str = "",
    ) -> None:
        self.wire = Wire(reply)
        clock = VirtualClock()
        client = VendorClient(
            self.wire,  # type: ignore[arg-type]  # the two methods of Network that a client uses
            "reranker",
            clock=clock,
            user_agent="research-mcp/0 (test)",
            endpoint=JinaRerank.endpoint,
            base_url=base_url,
        )
        accounts = [Account(f"JINA_API_KEY#{n}", Secret(key)) for n, key in enumerate(keys, start=1)]
        ring = KeyRing(accounts, MemoryParking(clock), clock)
        self.reranker = ConfiguredReranker("reranker", JinaRerank(Means(options or {})), client, ring, clock)

    def ask(self, texts: Sequence[str] = TEXTS) -> list[int]:
        async def main() -> Sequence[int]:
            return await self.reranker.rerank("tidal power", texts, Deadline.after(5))

        return list(run(main()))

    @property
    def body(self) -> Any:
        return json.loads(self.wire.sent[-1].content)


def test_the_common_request_is_sent_with_the_key_in_its_header_alone() -> None:
    desk = Desk(scores((0, 1), (1, 0), (2, 0.5)))
    desk.ask()
    [request] = desk.wire.sent
    assert (request.method, str(request.url)) == ("POST", "https://api.jina.ai/v1/rerank")
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert KEY.encode() not in request.content
    assert desk.body == {
        "model": "jina-reranker-v3.5",
        "query": "tidal power",
        "documents": ["tides", "moss", "mills"],
        "top_n": 3,
        "return_documents": False,
    }


@pytest.mark.parametrize(
    "base_url", ["http://gpu.test:8000", "http://gpu.test:8000/v1/", "http://gpu.test:8000/v1/rerank"]
)
def test_an_own_server_needs_a_base_url_and_a_model_and_no_key(base_url: str) -> None:
    desk = Desk(scores((0, 1), (1, 0), (2, 0.5)), keys=(), options={"model": "bge-m3"}, base_url=base_url)
    assert desk.ask() == [0, 2, 1]
    [request] = desk.wire.sent
    assert str(request.url) == "http://gpu.test:8000/v1/rerank"
    assert "authorization" not in request.headers
    assert desk.body["model"] == "bge-m3"
    assert not desk.reranker.metered


def test_the_places_count_not_the_order_of_the_answer_or_its_documents() -> None:
    rows = [
        {"index": 1, "relevance_score": 0.1, "document": "moss"},
        {"index": 2, "relevance_score": 0.7, "document": {"text": "mills"}},
        {"index": 0, "relevance_score": 0.7},
    ]
    assert Desk(answer({"model": "m", "results": rows})).ask() == [2, 0, 1]


PARTIAL = [
    scores((0, 1), (1, 0)),
    scores((0, 1), (1, 0), (1, 0.5)),
    scores((0, 1), (1, 0), (3, 0.5)),
    scores((0, 1), (1, 0), (2, 0.5), (2, 0.5)),
    scores((0, 1), (1, 0), (2, None)),
    scores((0, 1), (1, 0), (True, 0.5)),
    scores((0, 1), (1, 0), ("2", 0.5)),
    scores((0, 1), (1, 0), (2, "high")),
    scores((0, 1), (1, 0), (2, 10**400)),
    lambda request: httpx.Response(
        200, content=b'{"results": [{"index": 0, "relevance_score": NaN}, {}, {}]}'
    ),
    answer({"results": [None, 7, "x"]}),
    answer({"results": {}}),
    answer({"results": None}),
    answer({}),
    answer([]),
    answer(None),
    lambda request: httpx.Response(200, html="<html>canary</html>"),
    lambda request: httpx.Response(200),
]


@pytest.mark.parametrize("reply", PARTIAL)
def test_an_answer_that_does_not_score_every_text_once_is_no_order(reply: Answer) -> None:
    with pytest.raises(BadReply) as caught:
        Desk(reply).ask()
    assert "canary" not in str(caught.value)


@pytest.mark.parametrize(
    ("status", "detail", "error"),
    [
        (401, "no", Rejected),
        (402, "InsufficientBalanceError", QuotaSpent),
        (403, "InsufficientCreditsError", QuotaSpent),
        (404, "no", BadReply),
        (422, [{"msg": "model"}], BadReply),
        (429, "no", RateLimited),
        (500, "no", Transient),
    ],
)
def test_each_status_has_its_remedy(status: int, detail: object, error: type[ProviderError]) -> None:
    with pytest.raises(error):
        Desk(answer({"detail": detail}, status)).ask()


def test_a_server_that_wants_a_key_and_got_none_blames_no_key() -> None:
    with pytest.raises(Rejected, match="it refuses calls without a key"):
        Desk(answer({"detail": "no"}, 401), keys=()).ask()


def test_a_spent_key_costs_one_call_once_and_the_next_answers() -> None:
    good = scores((0, 1), (1, 0), (2, 0.5))

    def reply(request: httpx.Request) -> httpx.Response:
        return httpx.Response(402) if "dead" in request.headers["authorization"] else good(request)

    desk = Desk(reply, keys=("dead-key", KEY))

    async def main() -> None:
        for _ in range(2):
            await desk.reranker.rerank("x", TEXTS, Deadline.after(5))

    run(main())
    assert len(desk.wire.sent) == 3
    assert desk.reranker.metered
