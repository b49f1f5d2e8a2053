"""A configured site reader as the composition root builds it, on a fake wire, with a job to read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import httpx

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import ProviderError
from research_mcp.core.instance import Account, Secret
from research_mcp.core.models import Page
from research_mcp.core.ports import Http
from research_mcp.net.policy import CallLimits, VendorClient
from research_mcp.pipelines.read.job import ProbeLimits, ReadJob
from research_mcp.providers.kit.base import Means
from research_mcp.providers.kit.keys import KeyRing
from research_mcp.providers.kit.legs import KeyedHttp, Leg, Legs
from research_mcp.providers.kit.read import ReadType
from research_mcp.providers.kit.reader import ConfiguredReader
from tests.kit.reading import FakeExtractor, FakeFetcher, FakeParking
from tests.kit.virtual_time import VirtualClock, run
from tests.kit.wire import KEY, Wire

FIXTURES = Path(__file__).parents[1] / "fixtures" / "read"
MEDIA = {".html": "text/html; charset=utf-8", ".json": "application/json", ".xml": "application/xml"}

Turn = httpx.Response | Exception | Callable[[httpx.Request], httpx.Response]


def fixture(name: str, status: int = 200, **headers: str) -> httpx.Response:
    """An answer with the body of a file below `tests/fixtures/read`."""
    path = FIXTURES / name
    return httpx.Response(
        status, headers={"content-type": MEDIA[path.suffix], **headers}, content=path.read_bytes()
    )


class Script:
    """Answers by `METHOD url` without its query; the last of several turns again and again.

    Whatever no line names is not found.
    """

    def __init__(self, lines: Mapping[str, Turn | Sequence[Turn]]) -> None:
        self.lines = {
            name: list(turns) if isinstance(turns, Sequence) else [turns] for name, turns in lines.items()
        }

    def __call__(self, request: httpx.Request) -> httpx.Response:
        name = f"{request.method} {request.url.copy_with(query=None, fragment=None)}"
        turns = self.lines.get(name)
        if turns is None:
            return httpx.Response(404, headers={"content-type": "text/html"}, content=b"<h1>Not found</h1>")
        turn = turns.pop(0) if len(turns) > 1 else turns[0]
        if isinstance(turn, Exception):
            raise turn
        if callable(turn):
            return turn(request)
        return httpx.Response(turn.status_code, headers=turn.headers, content=turn.content)


class Desk:
    """One instance of a reader with everything around it in reach of the test.

    `keys` are those of its account, `leg_keys` those of its keyed legs, `urls` base urls by leg ("" for
    the instance's own).
    """

    def __init__(
        self,
        cls: type[ReadType],
        lines: Mapping[str, Turn | Sequence[Turn]],
        *,
        options: Mapping[str, str] | None = None,
        keys: Sequence[str] = (),
        leg_keys: Mapping[str, Sequence[str]] | None = None,
        urls: Mapping[str, str] | None = None,
        fetcher: FakeFetcher | None = None,
        extractor: FakeExtractor | None = None,
    ) -> None:
        self.clock = VirtualClock()
        self.parking = FakeParking(self.clock)
        self.wire = Wire(Script(lines))
        self.fetcher = fetcher or FakeFetcher()
        self.extractor = extractor or FakeExtractor()
        self._urls = dict(urls or {})
        leg_keys = leg_keys or {}
        type_ = cls(Means(options or {}, self._urls.get("", ""), frozenset(leg_keys), keyed=bool(keys)))
        main = self._client("instance", cls.endpoint, self._urls.get("", ""))
        ways = {leg.endpoint: self._way(name, leg, leg_keys.get(name, ())) for name, leg in cls.legs.items()}
        self.reader = ConfiguredReader(
            "instance", type_, Legs(main, ways), self._ring("own", keys), self.clock
        )

    @property
    def sent(self) -> list[httpx.Request]:
        return self.wire.sent

    def lines(self) -> list[str]:
        """What was sent, as `METHOD url` without queries."""
        return [f"{r.method} {r.url.copy_with(query=None, fragment=None)}" for r in self.sent]

    def outcome(self, url: str, seconds: float = 45.0) -> Page | ProviderError:
        """The page, or the error that the reader raises. In virtual time."""

        async def main() -> Page | ProviderError:
            assert self.reader.accepts(url)
            deadline = Deadline.after(seconds)
            async with ReadJob((url,), self.fetcher, self.extractor, deadline, ProbeLimits()) as job:
                try:
                    return await self.reader.read(job, deadline)
                except ProviderError as error:
                    return error

        return run(main())

    def page(self, url: str) -> Page:
        outcome = self.outcome(url)
        assert isinstance(outcome, Page), f"{type(outcome).__name__} {outcome.reason}: {outcome}"
        return outcome

    def error(self, url: str) -> ProviderError:
        outcome = self.outcome(url)
        assert isinstance(outcome, ProviderError), outcome
        said = str(outcome)
        assert 0 < len(said) < 300
        assert "<" not in said
        assert KEY not in said
        return outcome

    def _client(self, name: str, endpoint: str, base_url: str, body: int = 5_000_000) -> Http:
        network: Any = self.wire
        return VendorClient(
            network,
            name,
            clock=self.clock,
            user_agent="research-mcp/0 (test)",
            endpoint=endpoint,
            base_url=base_url,
            limits=CallLimits(body=body),
        )

    def _way(self, name: str, leg: Leg, keys: Sequence[str]) -> Http:
        client = self._client(name, leg.endpoint, self._urls.get(name, ""), leg.body)
        return KeyedHttp(leg, client, self._ring(name, keys), self.clock) if leg.keyed else client

    def _ring(self, name: str, keys: Sequence[str]) -> KeyRing:
        accounts = [Account(f"{name}#{n}", Secret(key)) for n, key in enumerate(keys, start=1)]
        return KeyRing(accounts, self.parking, self.clock)
