"""Three replicas on one Valkey behind a real proxy with basic auth, one of them killed in the middle."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from research_mcp.bootstrap.state import state_of
from tests.kit.answers import chat
from tests.kit.nginx import LOGIN, Nginx, nginx
from tests.kit.valkey import Server, free_port, server
from tests.kit.vendors import FakeVendor, Served, all_serving, rows
from tests.kit.whole import Whole, whole

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]

ROOT = Path(__file__).parents[2]
CALLS = 1_000
BUDGET = 200
ERAS = ("legacy", "2026-07-28")
TEXT = b"Tidal power grows with every tide. " * 20
PAGE = b"<html><head><title>Tides</title></head><body><article><p>%s</p></article></body></html>" % TEXT
ANSWER = "Tides rise [[1]](https://a.dev/1)."


@dataclass
class Replica:
    """One server process."""

    port: int
    process: asyncio.subprocess.Process

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"


@dataclass
class House:
    """Everything that runs: vendors in this process, replicas, their store and the proxy in front."""

    vendors: Whole
    site: FakeVendor
    store: Server
    replicas: list[Replica]
    proxy: Nginx

    async def exact(self, name: str) -> tuple[int, int]:
        """Used and billed of the first budget of `name`, as any replica would see it."""
        state = state_of(self.vendors.configuration(**shared(self.store)), self.vendors.clock)
        await state.opened()
        try:
            (line,) = [line for line in await state.meter.usage() if line.instance == name]
        finally:
            await state.closed()
        return line.used, line.billed


def shared(store: Server) -> Mapping[str, str]:
    return {
        "VALKEY_URL": store.url,
        "ALLOW_PRIVATE_NETWORK": "true",
        "MCP_ALLOWED_HOSTS": "mcp.test",
        "SEARCH_CACHE_TTL": "600",
        "EXA_BUDGET": f"{BUDGET}/total",
    }


@asynccontextmanager
async def replica(environment: Mapping[str, str], folder: Path) -> AsyncIterator[Replica]:
    port = free_port()
    env = {"PATH": os.environ["PATH"], **environment, "MCP_PORT": str(port), "DATA_DIR": str(folder)}
    with (folder / "stderr").open("wb") as stderr:
        process = await asyncio.create_subprocess_exec(
            sys.executable, str(ROOT / "main.py"), env=env, cwd=folder, stderr=stderr
        )
    try:
        yield Replica(port, process)
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
            await asyncio.wait_for(process.wait(), 30)


async def ready(replicas: list[Replica]) -> None:
    async with httpx.AsyncClient(trust_env=False) as client:
        for one in replicas:
            for _ in range(600):
                try:
                    state = (await client.get(f"http://127.0.0.1:{one.port}/readyz")).json()["status"]
                except httpx.TransportError:  # it listens before it answers
                    state = "not yet"
                if state == "ready":
                    break
                await asyncio.sleep(0.05)
            assert state == "ready"


@asynccontextmanager
async def house(folder: Path, count: int) -> AsyncIterator[House]:
    async with AsyncExitStack() as stack:
        store = stack.enter_context(server("redis-server", folder / "store", appendonly="yes"))
        site = FakeVendor(
            "site", answer=lambda _: Served(PAGE, headers={"content-type": "text/html"}, delay=0.01)
        )
        relay = FakeVendor("relay", answer=lambda _: Served(chat(ANSWER)))
        await stack.enter_async_context(all_serving([site, relay]))
        engines = (
            FakeVendor("exa", rows("a", "b", "c", "d"), delay=0.02),
            FakeVendor("duckduckgo", rows("a", "b", "e")),
        )
        made = await stack.enter_async_context(whole(folder, *engines))
        model = {
            "OPENAI_COMPATIBLE_API_URL": f"{relay.url}/v1",
            "OPENAI_COMPATIBLE_API_KEY": "CANARY-relay",
            "OPENAI_COMPATIBLE_MODEL": "any",
        }
        environment = made.environment(**shared(store), **model)
        folders = [folder / f"replica-{number}" for number in range(count)]
        for own in folders:
            own.mkdir()
        replicas = [await stack.enter_async_context(replica(environment, own)) for own in folders]
        await ready(replicas)
        proxy = stack.enter_context(nginx([one.port for one in replicas], folder / "nginx"))
        yield House(made, site, store, replicas, proxy)


@asynccontextmanager
async def client(url: str, era: str, login: tuple[str, str] | None = LOGIN) -> AsyncIterator[Client]:
    async with (
        httpx2.AsyncClient(auth=login, timeout=30, trust_env=False) as http,
        Client(streamable_http_client(url, http_client=http), mode=era, read_timeout_seconds=30) as made,
    ):
        yield made


@dataclass
class Load:
    """A thousand calls, shared out among clients of both eras."""

    house: House
    session: str
    site: str
    calls: Iterator[int] = field(default_factory=lambda: iter(range(CALLS)))
    done: Counter[str] = field(default_factory=Counter)
    lost: list[tuple[float, float]] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    far: asyncio.Event = field(default_factory=asyncio.Event)

    async def worker(self, era: str) -> None:
        """Call after call; after one that was lost, with a new client."""
        at = next(self.calls, None)
        while at is not None:
            began = time.monotonic()
            try:
                async with client(self.house.proxy.url, era) as here:
                    while at is not None:
                        began = time.monotonic()
                        await self.call(here, era, at)
                        at = next(self.calls, None)
            except Exception:  # noqa: BLE001  # in whatever way a client says it
                self.lost.append((began, time.monotonic()))
                at = next(self.calls, None)

    async def call(self, here: Client, era: str, at: int) -> None:
        kind = ("search", "page", "sources", "search", "pages")[at % 5]
        arguments: Mapping[str, tuple[str, dict[str, Any]]] = {
            "search": ("web_search", {"query": f"tidal power {at}"}),
            "page": ("read_page", {"url": f"{self.site}/{at % 80}"}),
            "sources": ("get_sources", {"session_id": self.session}),
            "pages": ("read_pages", {"urls": [f"{self.site}/{at % 80}", f"{self.site}/{at % 50}"]}),
        }
        result = await here.call_tool(*arguments[kind])
        text = str(result.content[0])
        # once the budget is spent and the free engine paces itself, no engine is left: an answer, too
        if result.is_error and not (kind == "search" and "budget for exa is spent" in text):
            self.wrong.append(text)
        self.done[f"{kind} {era}"] += 1
        if sum(self.done.values()) > CALLS * 0.4:
            self.far.set()


async def killed_midway(load: Load, victim: Replica) -> tuple[float, float]:
    """Kill when four hundred calls are done; from when to when it died.

    A process that is being killed still takes connections until the kernel has torn it down.
    """
    await load.far.wait()
    killed = time.monotonic()
    victim.process.kill()
    await victim.process.wait()
    return killed, time.monotonic()


async def test_a_thousand_calls_on_three_replicas_of_which_one_dies(tmp_path: Path) -> None:
    async with house(tmp_path, 3) as here:
        exa, duckduckgo = here.vendors.vendors["exa"], here.vendors.vendors["duckduckgo"]
        started = time.monotonic()
        async with client(here.replicas[0].url, ERAS[0], None) as direct:
            answered = await direct.call_tool("web_answer", {"query": "Is tidal power growing?"})
        session = answered.structured_content["session_id"]

        load = Load(here, session, here.site.url)
        killing = asyncio.create_task(killed_midway(load, here.replicas[0]))
        workers = [load.worker(era) for era in ERAS for _ in range(8)]
        await asyncio.gather(*workers)
        (killed, dead), elapsed = await killing, time.monotonic() - started

        assert load.wrong == []
        assert sum(load.done.values()) + len(load.lost) == CALLS
        assert len(load.lost) <= 16
        late = [(b - dead, e - killed) for b, e in load.lost if b > dead or e < killed]
        assert late == [], "lost only what was in flight"
        assert {f"{kind} {era}" for kind in ("search", "page", "sources", "pages") for era in ERAS} == set(
            load.done
        )
        assert set(here.proxy.passed_to()) >= {f"127.0.0.1:{one.port}" for one in here.replicas}

        used, billed = await here.exact("exa")
        assert used == BUDGET
        assert BUDGET - 16 <= billed <= BUDGET
        assert BUDGET - 16 <= len(exa.calls) <= BUDGET, "a killed call may have been counted and not sent"
        assert 1 <= len(duckduckgo.calls) <= 1 + elapsed // 45

        for one in here.replicas[1:]:
            async with client(one.url, ERAS[1], None) as direct:
                sources = await direct.call_tool("get_sources", {"session_id": session})
                assert sources.structured_content["sources"][0]["url"] == "https://a.dev/1"


async def test_without_the_password_nothing_comes_through(tmp_path: Path) -> None:
    with nginx([free_port()], tmp_path / "nginx") as proxy:
        async with httpx.AsyncClient(trust_env=False) as http:
            for login in (None, ("alice", "wrong"), ("mallory", "s3cret")):
                assert (await http.post(proxy.url, auth=login, json={})).status_code == 401
            assert (await http.post(proxy.url, auth=LOGIN, json={})).status_code == 502


async def test_what_one_replica_found_and_read_the_others_reuse(tmp_path: Path) -> None:
    async with house(tmp_path, 2) as here:
        site, exa = here.site, here.vendors.vendors["exa"]
        for one in here.replicas:
            async with client(one.url, ERAS[1], None) as direct:
                page = await direct.call_tool("read_page", {"url": f"{site.url}/shared"})
                assert "Tidal power grows" in str(page.content[0])
                found = await direct.call_tool("web_search", {"query": "tidal power"})
                assert not found.is_error
        assert len([call for call in site.calls if call.path == "/shared"]) == 1
        assert len(exa.calls) == 1


@contextmanager
def gone(store: Server) -> Iterator[None]:
    store.kill()
    yield
    store.start()


async def status(one: Replica) -> dict[str, Any]:
    async with httpx.AsyncClient(trust_env=False) as http:
        answer: dict[str, Any] = (await http.get(f"http://127.0.0.1:{one.port}/readyz")).json()
        return answer


async def test_without_the_store_free_tools_go_on_and_metered_ones_stop_until_it_is_back(
    tmp_path: Path,
) -> None:
    async with house(tmp_path, 1) as here:
        exa, site = here.vendors.vendors["exa"], here.site
        async with client(here.replicas[0].url, ERAS[1], None) as direct:
            with gone(here.store):
                began = time.monotonic()
                while (state := await status(here.replicas[0]))["status"] != "degraded":
                    assert time.monotonic() - began < 5
                    await asyncio.sleep(0.1)
                assert "it cannot be reached" in state["degraded"][0]
                found = await direct.call_tool("web_search", {"query": "tidal power"})
                assert not found.is_error, "the free engine answers"
                assert "metered providers pause until it works again" in str(found.content[0])
                page = await direct.call_tool("read_page", {"url": f"{site.url}/one"})
                assert not page.is_error
                assert exa.calls == []
            began = time.monotonic()
            while (await status(here.replicas[0]))["status"] != "ready":
                assert time.monotonic() - began < 5
                await asyncio.sleep(0.1)
            found = await direct.call_tool("web_search", {"query": "tidal power again"})
            assert not found.is_error
            assert len(exa.calls) == 1
