"""A real proxy server in a process of its own, which says where it was asked to connect."""

from __future__ import annotations

import asyncio
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

_START = """
import sys, types
sys.modules["uvloop"] = types.SimpleNamespace(install=lambda: None)  # its use of one fails where it is there
from pproxy.server import main
main()
"""


@dataclass
class RealProxy:
    """`lines` are what the proxy says: one for each connection, such as `socks5 127.0.0.1:1 -> host:80`."""

    port: int
    lines: list[str] = field(default_factory=list)

    def targets(self, protocol: str) -> list[str]:
        """Where `protocol` clients asked to be connected to, as they spelt it."""
        return [line.rpartition("-> ")[2] for line in self.lines if line.startswith(f"{protocol} ")]


@asynccontextmanager
async def real_proxy(login: str = "") -> AsyncIterator[RealProxy]:
    """SOCKS5 and HTTP on one port; with `login` ("user:password") only for those who know it."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    listen = f"socks5+http://127.0.0.1:{port}" + (f"#{login}" if login else "")
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-u", "-c", _START, "-v", "-l", listen),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    assert process.stdout is not None
    while b"Serving on" not in (said := await process.stdout.readline()):
        assert said, "the proxy did not start"
    proxy = RealProxy(port)

    async def listen_to(stream: asyncio.StreamReader) -> None:
        while line := await stream.readline():
            proxy.lines.append(line.decode().strip())

    listener = asyncio.create_task(listen_to(process.stdout))
    try:
        yield proxy
    finally:
        process.kill()
        await process.wait()
        await listener
