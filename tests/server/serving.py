"""A real server on a loopback port inside the test's loop, and a raw HTTP client to probe it."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import h11

from research_mcp.server.app import build_app
from research_mcp.server.config import Listen, ServerConfig
from research_mcp.server.run import http_server
from tests.server.fakes import FakePipelines

MODERN = "2026-07-28"
BOTH = "application/json, text/event-stream"


@dataclass
class Answer:
    """One HTTP answer, whole."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    def json(self) -> Any:
        return json.loads(self.body)

    def events(self) -> list[Any]:
        """The data of each event of a stream."""
        blocks = self.text.replace("\r\n", "\n").split("\n\n")
        lines = [line for block in blocks for line in block.split("\n") if line.startswith("data:")]
        return [json.loads(line[5:]) for line in lines]

    def rpc(self) -> Any:
        """The JSON-RPC answer, in whichever form it came."""
        if self.headers["content-type"].startswith("text/event-stream"):
            return self.events()[-1]
        return self.json()


@dataclass
class Running:
    """A server that answers at `port` over `pipelines`."""

    port: int
    pipelines: FakePipelines
    server: Any = field(repr=False)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"

    async def ask(
        self,
        method: str = "POST",
        path: str = "/mcp",
        headers: Mapping[str, str] | None = None,
        body: bytes = b"",
    ) -> Answer:
        reader, writer = await self.send(method, path, headers, body)
        try:
            return await receive(reader, method)
        finally:
            writer.close()
            await writer.wait_closed()

    async def send(
        self, method: str, path: str, headers: Mapping[str, str] | None, body: bytes
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        fields = {"Host": f"127.0.0.1:{self.port}", "Connection": "close", **(headers or {})}
        if body or method == "POST":
            fields["Content-Length"] = str(len(body))
        lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items())]
        writer.write("\r\n".join([*lines, "", ""]).encode("latin-1") + body)
        await writer.drain()
        return reader, writer

    async def rpc(
        self,
        method: str,
        params: Mapping[str, Any] | None = None,
        *,
        accept: str | None = BOTH,
        headers: Mapping[str, str] | None = None,
        path: str = "/mcp",
        modern: bool = False,
    ) -> Answer:
        sent, body = request(method, params, modern=modern)
        sent.update({"Accept": accept} if accept is not None else {})
        return await self.ask(path=path, headers={**sent, **(headers or {})}, body=body)


def request(
    method: str, params: Mapping[str, Any] | None = None, *, modern: bool = False
) -> tuple[dict[str, str], bytes]:
    """Headers and body of one JSON-RPC request, in the handshake era or the one of 2026-07-28."""
    headers = {"Content-Type": "application/json"}
    content: dict[str, Any] = dict(params or {})
    if modern:
        headers |= {"MCP-Protocol-Version": MODERN, "Mcp-Method": method}
        if "name" in content:
            headers["Mcp-Name"] = content["name"]
        content["_meta"] = {
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientCapabilities": {},
            **content.get("_meta", {}),
        }
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": content}
    return headers, json.dumps(message).encode()


def call(tool: str, progress: str = "", **arguments: Any) -> dict[str, Any]:
    """The params of a tool call."""
    meta = {"_meta": {"progressToken": progress}} if progress else {}
    return {"name": tool, "arguments": arguments, **meta}


INITIALIZE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "probe", "version": "1"},
}


async def receive(reader: asyncio.StreamReader, method: str = "POST") -> Answer:
    """One answer, to its end."""
    connection = h11.Connection(h11.CLIENT)
    connection.send(h11.Request(method=method, target="/", headers=[("Host", "x"), ("Connection", "close")]))
    connection.send(h11.EndOfMessage())
    status, headers, body = 0, {}, b""
    while True:
        event = connection.next_event()
        if event is h11.NEED_DATA:
            connection.receive_data(await reader.read(65536))
        elif isinstance(event, h11.Response):
            status = event.status_code
            headers = {name.decode(): value.decode() for name, value in event.headers}
        elif isinstance(event, h11.Data):
            body += bytes(event.data)
        else:
            return Answer(status, headers, body)


def both_ways(writer: asyncio.StreamWriter) -> asyncio.Transport:
    """The transport under `writer`, which can stop reading as well."""
    assert isinstance(writer.transport, asyncio.Transport)
    return writer.transport


async def until(condition: Callable[[], bool], seconds: float = 15.0) -> float:
    """Wait for `condition`; the seconds it took."""
    loop = asyncio.get_running_loop()
    started = loop.time()
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110 - the condition belongs to code that sets no event
            await asyncio.sleep(0.005)
    return loop.time() - started


@asynccontextmanager
async def serving(
    pipelines: FakePipelines | None = None,
    config: ServerConfig | None = None,
    listen: Listen | None = None,
    **services: Any,
) -> AsyncIterator[Running]:
    """The product's own application and server over fake pipelines."""
    pipelines = pipelines or FakePipelines()
    app = build_app(pipelines.services(**services), config or ServerConfig())
    bound = socket.create_server(("127.0.0.1", 0))
    server = http_server(app, listen or Listen(drain_seconds=3))
    task = asyncio.create_task(server.serve([bound]))
    try:
        await until(lambda: server.started)
        yield Running(bound.getsockname()[1], pipelines, server)
    finally:
        server.should_exit = True
        await task
