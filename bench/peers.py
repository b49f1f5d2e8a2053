"""The peers' read tools: installed from the package registries on first use, spoken to over stdio."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

AT_ONCE = 5
HOME = Path(__file__).parent / ".peers"


@dataclass(frozen=True, slots=True)
class Peer:
    """One rival: its package, how it starts, how its read tool is called on a local page."""

    name: str
    package: str
    command: tuple[str, ...]
    tool: str
    argument: str = "url"
    extra: dict[str, object] = field(default_factory=dict)
    env: dict[str, str] = field(default_factory=dict)
    npm: bool = False

    @property
    def folder(self) -> Path:
        return HOME / self.name

    def install(self) -> bool:
        """Install into a folder of its own; False when the registry does not have it."""
        marker = self.folder / ".installed"
        if marker.exists():
            return True
        self.folder.mkdir(parents=True, exist_ok=True)
        done = self._npm() if self.npm else self._pip()
        if done:
            marker.touch()
        return done

    def start(self) -> tuple[str, list[str], dict[str, str]]:
        """Program, arguments and environment."""
        bins = self.folder / ("node_modules/.bin" if self.npm else "venv/bin")
        env = {
            "PATH": f"{bins}:{os.environ['PATH']}",
            "HOME": str(self.folder),
            "PYTHONWARNINGS": "ignore",
            **self.env,
        }
        return str(bins / self.command[0]), list(self.command[1:]), env

    def _pip(self) -> bool:
        subprocess.run([sys.executable, "-m", "venv", str(self.folder / "venv")], check=True)
        pip = [str(self.folder / "venv/bin/python"), "-m", "pip", "install", "--quiet", "-U"]
        return (
            subprocess.run([*pip, "pip"], check=False, stderr=subprocess.DEVNULL).returncode == 0
            and subprocess.run([*pip, self.package, "lxml_html_clean"], check=False).returncode == 0
        )

    def _npm(self) -> bool:
        if not shutil.which("npm"):
            return False
        install = ["npm", "install", "--silent", "--prefix", str(self.folder), "node@22", self.package]
        return subprocess.run(install, check=False).returncode == 0


PEERS = (
    Peer(
        "mcp-server-fetch",
        "mcp-server-fetch==2026.10.24",
        ("mcp-server-fetch", "--allow-private-ips", "--ignore-robots-txt"),
        "fetch",
        extra={"max_length": 900_000},
    ),
    Peer(
        "duckduckgo-mcp-server",
        "duckduckgo-mcp-server==0.7.0",
        ("duckduckgo-mcp-server", "--allow-private-urls", "--fetch-rpm", "100000"),
        "fetch_content",
        extra={"max_length": 900_000, "parse_mode": "markdown"},
    ),
    Peer(
        "free-search-mcp",
        "free-search-mcp==0.16.0",
        ("free-search-mcp",),
        "fetch",
        env={"SEARCH_MCP_ALLOW_PRIVATE_HOSTS": "true"},
    ),
    Peer(
        "mcp-searxng",
        "mcp-searxng@2.4.0",
        ("mcp-searxng",),
        "web_url_read",
        env={"SEARXNG_URL": "http://127.0.0.1:9", "MCP_HTTP_ALLOW_PRIVATE_URLS": "true"},
        npm=True,
    ),
)


@asynccontextmanager
async def reading(peer: Peer) -> AsyncIterator[Callable[[list[str]], Awaitable[list[str]]]]:
    """The read tool of a running peer, five urls at a time: the text of each, "" where it failed."""
    command, args, env = peer.start()
    server = StdioServerParameters(command=command, args=args, env=env)
    with Path("/dev/null").open("w") as quiet:
        async with Client(stdio_client(server, errlog=quiet)) as client:
            places = asyncio.Semaphore(AT_ONCE)

            async def one(url: str) -> str:
                async with places:
                    answer = await client.call_tool(peer.tool, {peer.argument: url, **peer.extra})
                    text = "".join(getattr(part, "text", "") for part in answer.content)
                    return "" if answer.is_error else text

            async def read(urls: list[str]) -> list[str]:
                return await asyncio.gather(*(one(url) for url in urls))

            yield read
