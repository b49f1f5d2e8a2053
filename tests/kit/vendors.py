"""Vendors on loopback ports: real sockets, each vendor's own form of answer, faults as the test says."""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlsplit

Rows = Sequence[tuple[str, str, str]]
"""Title, url and snippet of each hit."""


@dataclass(frozen=True, slots=True)
class Call:
    """One request as it came over the wire."""

    at: float
    method: str
    path: str
    params: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes = b""

    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def key(self) -> str:
        """The key that the call was signed with, wherever it stood."""
        bearer = self.headers.get("authorization", "").removeprefix("Bearer ").removeprefix("Bot ")
        return bearer or self.headers.get("x-api-key", "") or self.headers.get("x-subscription-token", "")


@dataclass(frozen=True, slots=True)
class Served:
    """An answer: after `delay` seconds; `delay` None never comes."""

    body: Any = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float | None = 0.0

    def octets(self, keep: bool) -> bytes:
        raw = self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()
        fields = {
            "content-type": "application/json",
            **self.headers,
            "content-length": str(len(raw)),
            "connection": "keep-alive" if keep else "close",
        }
        head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        return f"HTTP/1.1 {self.status} X\r\n{head}\r\n".encode() + raw


Answer = Callable[[Call], Served]


def _named(url: str, title: str, snippet: str) -> Callable[[Rows], list[dict[str, str]]]:
    return lambda rows: [dict(zip((title, url, snippet), row, strict=True)) for row in rows]


_plain = _named("url", "title", "content")
_described = _named("url", "title", "description")
_snippets = _named("url", "title", "snippet")


def _wikipedia(rows: Rows) -> Any:
    """Only titles and snippets: the addresses follow from the titles."""
    return {"query": {"search": [{"title": title, "snippet": snippet} for title, _, snippet in rows]}}


FORMS: Mapping[str, Callable[[Rows], Any]] = {
    "searxng": lambda rows: {"results": _plain(rows)},
    "brave": lambda rows: {"web": {"results": _described(rows)}},
    "tavily": lambda rows: {"results": _plain(rows)},
    "firecrawl": lambda rows: {"success": True, "data": {"web": _described(rows)}},
    "jina": lambda rows: {"code": 200, "data": _described(rows)},
    "parallel": lambda rows: {
        "results": [{"title": t, "url": u, "excerpts": [s]} for t, u, s in rows],
    },
    "octen": lambda rows: {"code": 0, "data": {"results": _named("url", "title", "highlight")(rows)}},
    "linkup": lambda rows: {
        "results": [{"type": "text", **row} for row in _named("url", "name", "content")(rows)]
    },
    "youcom": lambda rows: {
        "results": {"web": [{"title": t, "url": u, "snippets": [s]} for t, u, s in rows], "news": []}
    },
    "serper": lambda rows: {"organic": _named("link", "title", "snippet")(rows)},
    "exa": lambda rows: {"results": [{"title": t, "url": u, "highlights": [s]} for t, u, s in rows]},
    "perplexity": lambda rows: {"results": _snippets(rows)},
    "kagi": lambda rows: {"data": {"search": _snippets(rows)}},
    "marginalia": lambda rows: {"results": _described(rows)},
    "wikipedia": _wikipedia,
    "openalex": lambda rows: {"results": []},
    "semantic_scholar": lambda rows: {"total": 0, "data": []},
}
"""What each vendor's success looks like."""

PAGE = "<div id='links'>{}</div>"
RESULT = (
    '<div class="result web-result"><h2 class="result__title"><a class="result__a" href="{1}">{0}</a></h2>'
    '<a class="result__snippet">{2}</a></div>'
)


def rows(*names: str, host: str = "sea.example", topic: str = "Tidal power") -> Rows:
    """A hit on the topic for each name."""
    return [
        (f"{topic} {name}", f"https://{host}/{name}", f"About {name} and {topic.lower()}.") for name in names
    ]


def good(vendor: str, hits: Rows, delay: float | None = 0.0) -> Served:
    """A success of `vendor`."""
    if vendor == "duckduckgo":
        page = PAGE.format("".join(RESULT.format(*hit) for hit in hits))
        return Served(page.encode(), headers={"content-type": "text/html; charset=utf-8"}, delay=delay)
    return Served(FORMS[vendor](hits), delay=delay)


class FakeVendor:
    """One vendor's API. `answer` may be changed at any time; `script` goes before it, one item a call."""

    def __init__(
        self, name: str, hits: Rows = (), *, answer: Answer | None = None, delay: float = 0.0
    ) -> None:
        self.name = name
        self.answer: Answer = answer or (lambda _: good(name, hits, delay))
        self.script: list[Served] = []
        self.calls: list[Call] = []
        self.in_flight = 0
        self.most_in_flight = 0
        self.connections = 0
        self.port = 0
        self._open: set[asyncio.StreamWriter] = set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def keys(self) -> list[str]:
        """The keys of all calls, in order."""
        return [call.key for call in self.calls]

    @asynccontextmanager
    async def serving(self, tls: ssl.SSLContext | None = None) -> AsyncIterator[FakeVendor]:
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0, backlog=512, ssl=tls)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()
            self.drop()

    def drop(self) -> None:
        """Cut every connection that is open now."""
        for writer in self._open:
            writer.transport.abort()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self._open.add(writer)
        try:
            while await self._exchange(reader, writer):
                pass
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            self._open.discard(writer)
            writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        call = await _received(reader)
        self.calls.append(call)
        served = self.script.pop(0) if self.script else self.answer(call)
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        gone = asyncio.ensure_future(reader.read(1))  # a client that leaves frees its place
        try:
            await asyncio.wait({gone}, timeout=served.delay)
        finally:
            self.in_flight -= 1
        if gone.done():
            return False
        gone.cancel()
        await asyncio.wait({gone})
        writer.write(served.octets(keep=True))
        await writer.drain()
        return True


async def _received(reader: asyncio.StreamReader) -> Call:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.split("\r\n")
    method, target, _ = first.split(" ")
    pairs = (line.partition(":") for line in lines if line)
    headers = {name.lower(): value.strip() for name, _, value in pairs}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    parts = urlsplit(target)
    at = asyncio.get_running_loop().time()
    return Call(at, method, parts.path, dict(parse_qsl(parts.query)), headers, body)


@asynccontextmanager
async def all_serving(vendors: Iterable[FakeVendor]) -> AsyncIterator[None]:
    """Every vendor at its port."""
    async with AsyncExitStack() as stack:
        for vendor in vendors:
            await stack.enter_async_context(vendor.serving())
        yield
