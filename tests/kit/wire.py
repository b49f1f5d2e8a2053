"""The network's edge under a real vendor client: a transport that answers as the test says."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

import httpx

from research_mcp.core.instance import Account, Secret
from research_mcp.net.policy import VendorClient
from research_mcp.providers.kit.base import Means
from research_mcp.providers.kit.engine import ConfiguredEngine
from research_mcp.providers.kit.keys import KeyRing
from research_mcp.providers.kit.search import SearchType
from research_mcp.store.memory import MemoryParking
from tests.kit.virtual_time import VirtualClock

Answer = Callable[[httpx.Request], httpx.Response]
KEY = "k3y-CANARY-93af"


class Wire:
    """Stands for `net.client.Network`: every way out leads to `answer`. Keeps the requests."""

    def __init__(self, answer: Answer | httpx.Response) -> None:
        self.answer = answer
        self.sent: list[httpx.Request] = []

    def direct(self, proxy: str = "") -> httpx.AsyncBaseTransport:
        return httpx.MockTransport(self._handle)

    guarded = direct

    def _handle(self, request: httpx.Request) -> httpx.Response:
        self.sent.append(request)
        answer = self.answer if isinstance(self.answer, httpx.Response) else self.answer(request)
        if not answer.is_stream_consumed:
            return answer
        return httpx.Response(answer.status_code, headers=answer.headers, stream=_Chunks(answer.content))


class _Chunks(httpx.AsyncByteStream):
    """A body that arrives in pieces, as from a socket."""

    def __init__(self, body: bytes) -> None:
        self._body = body

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for start in range(0, len(self._body), 65_536):
            yield self._body[start : start + 65_536]


def search_engine(
    cls: type[SearchType],
    wire: Wire,
    *,
    keys: Sequence[str] = (),
    options: dict[str, str] | None = None,
    base_url: str = "",
    clock: VirtualClock | None = None,
    weight: float = 1.0,
    **more: Any,
) -> ConfiguredEngine:
    """An instance of a type as the composition root builds it, on a fake wire."""
    clock = clock or VirtualClock()
    name = cls.spec.name.partition(".")[2]
    client = VendorClient(
        wire,  # type: ignore[arg-type]  # the two methods of Network that a client uses
        name,
        clock=clock,
        user_agent="research-mcp/0 (test)",
        endpoint=cls.endpoint,
        base_url=base_url,
    )
    accounts = [Account(f"{name.upper()}_API_KEY#{n}", Secret(key)) for n, key in enumerate(keys, start=1)]
    ring = KeyRing(accounts, MemoryParking(clock), clock)
    means = Means(options or {}, base_url, weight=weight)
    return ConfiguredEngine(name, cls(means), client, ring, clock, **more)
