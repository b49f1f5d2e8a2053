"""A server process for a test: started, found by its port, stopped."""

from __future__ import annotations

import asyncio
import re
import signal
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import psutil

from tests.server.fakes import FakePipelines
from tests.server.serving import Running


@dataclass
class Process:
    """One running server process and what it wrote to stderr."""

    process: asyncio.subprocess.Process
    running: Running
    lines: list[str] = field(default_factory=list)

    def rss(self) -> float:
        """Resident memory in MiB."""
        return psutil.Process(self.process.pid).memory_info().rss / 2**20

    async def stop(self, sign: signal.Signals = signal.SIGTERM) -> float:
        """Send `sign`; the seconds until the process is gone."""
        started = time.perf_counter()
        self.process.send_signal(sign)
        await self.process.wait()
        return time.perf_counter() - started


@asynccontextmanager
async def server_process(port: int = 0, drain: int = 3) -> AsyncIterator[Process]:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.e2e.fake_server",
        str(port),
        str(drain),
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stderr is not None
    lines: list[str] = []
    while not lines or "startup complete" not in lines[-1]:
        line = await process.stderr.readline()
        assert line, "".join(lines)
        lines.append(line.decode())
    found = re.search(r"port (\d+)", "".join(lines))
    assert found is not None
    running = Running(int(found[1]), FakePipelines(), None)
    served = Process(process, running, lines)

    async def listen() -> None:
        assert process.stderr is not None
        while line := await process.stderr.readline():
            lines.append(line.decode())

    listener = asyncio.create_task(listen())
    try:
        yield served
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
        await listener
