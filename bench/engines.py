"""Search engines on loopback ports, in a process of their own: each answers after the same delay."""

from __future__ import annotations

import asyncio
import multiprocessing
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection

from tests.kit.vendors import Call, FakeVendor, Rows, Served, all_serving, good
from tests.kit.whole import URLS

EIGHT = ("tavily", "firecrawl", "serper", "exa", "perplexity", "kagi", "linkup", "parallel")
"""Engines without a pace of their own, as many as a busy owner may have keys for."""


def hits(engine: str, words: str) -> Rows:
    """Ten hits: some that others find too, some of this engine alone, in its own order."""
    shared = [f"page-{(place * (len(engine) + 3)) % 17}" for place in range(6)]
    own = [f"{engine}-{place}" for place in range(4)]
    return [
        (
            f"{words}: {name} explained in some depth",
            f"https://{name.partition('-')[0]}{len(name)}.example/{name}?utm_source={engine}",
            f"What {name} says about {words}, with figures for cost, output and sediment, and its sources. "
            * 2,
        )
        for name in [*shared, *own]
    ]


def _words(call: Call) -> str:
    return call.params.get("q", "") or "tidal power"


@dataclass
class Engines:
    """The running engines, from the bench's side."""

    ports: Mapping[str, int]
    pipe: Connection

    def variables(self) -> dict[str, str]:
        """What the product needs to find them, and nowhere else to go."""
        nowhere = ("duckduckgo", "openalex", "semantic_scholar", "wikipedia", "marginalia")
        found = {URLS[name]: "http://127.0.0.1:9" for name in nowhere}
        for name, port in self.ports.items():
            found[URLS[name]] = f"http://127.0.0.1:{port}"
            if name not in ("searxng", *nowhere):
                found[f"{'TAVILY_1' if name == 'tavily' else name.upper()}_API_KEY"] = f"key-of-{name}"
        return found

    def delay(self, name: str, seconds: float | None, status: int = 200) -> None:
        """Let one engine answer after `seconds` with `status`; with `seconds` None never."""
        self.pipe.send((name, (seconds, status)))
        self.pipe.recv()

    def calls(self, name: str) -> int:
        """How often one engine was asked so far."""
        self.pipe.send((name, "calls"))
        return int(self.pipe.recv())


class _Engine(FakeVendor):
    def __init__(self, name: str, seconds: float) -> None:
        super().__init__(name, answer=self._served)
        self.seconds: float | None = seconds
        self.status = 200
        self.asked = 0

    def _served(self, call: Call) -> Served:
        self.asked += 1
        self.calls.clear()
        if self.status != 200:
            return Served({"error": "out of order"}, self.status, {"retry-after": "2"}, self.seconds)
        return good(self.name, hits(self.name, _words(call)), self.seconds)


async def _serve(pipe: Connection, names: tuple[str, ...], seconds: float) -> None:
    engines = {name: _Engine(name, seconds) for name in names}
    stopped = asyncio.Event()

    def told() -> None:
        name, what = pipe.recv()
        if name == "stop":
            stopped.set()
        elif what == "calls":
            pipe.send(engines[name].asked)
        else:
            engines[name].seconds, engines[name].status = what
            pipe.send(True)

    async with all_serving(engines.values()):
        asyncio.get_running_loop().add_reader(pipe.fileno(), told)
        pipe.send({name: engine.port for name, engine in engines.items()})
        await stopped.wait()


def _main(pipe: Connection, names: tuple[str, ...], seconds: float) -> None:
    asyncio.run(_serve(pipe, names, seconds))


@contextmanager
def engines(*names: str, seconds: float = 0.2) -> Iterator[Engines]:
    """`names` running, each answering after `seconds`."""
    here, there = multiprocessing.Pipe()
    context = multiprocessing.get_context("spawn")
    process = context.Process(target=_main, args=(there, names, seconds), daemon=True)
    process.start()
    try:
        yield Engines(here.recv(), here)
    finally:
        here.send(("stop", None))
        process.join(5)
