"""The product under test, started the way the README says, and a client for it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil

ROOT = Path(__file__).parent.parent
ALONE = Path(__file__).parent / ".peers" / "research-mcp"


def free_port() -> int:
    """A port that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_ready(port: int, seconds: float = 20.0) -> float:
    """Seconds until the server answers its readiness probe."""
    start = time.perf_counter()
    while time.perf_counter() - start < seconds:
        try:
            with socket.create_connection(("127.0.0.1", port), 1) as line:
                line.sendall(b"GET /readyz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
                if b" 200 " in line.recv(64):
                    return time.perf_counter() - start
        except OSError:
            pass
        time.sleep(0.005)
    raise TimeoutError("the server did not become ready")


def interpreter() -> str:
    """A Python with what `make run` installs and no more: tools of developers slow its start."""
    lock = (ROOT / "requirements.lock").read_text()
    marker = ALONE / ".installed"
    if not marker.exists() or marker.read_text() != lock:
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(ALONE)], check=True)
        pip = [str(ALONE / "bin/python"), "-m", "pip", "install", "--quiet"]
        subprocess.run([*pip, "--require-hashes", "-r", str(ROOT / "requirements.lock")], check=True)
        subprocess.run([*pip, "--no-deps", "-e", str(ROOT)], check=True)
        marker.write_text(lock)
    return str(ALONE / "bin/python")


@contextmanager
def product(python: str = "", **variables: str) -> Iterator[tuple[str, subprocess.Popen[bytes], float]]:
    """(endpoint, process, seconds to ready) of a fresh server that may read loopback pages."""
    port = free_port()
    python = python or interpreter()
    with TemporaryDirectory() as folder:
        env = {
            "PATH": os.environ["PATH"],
            "MCP_PORT": str(port),
            "ALLOW_PRIVATE_NETWORK": "true",
            "DATA_DIR": folder,
            "LOG_FILE": "",
            "LOG_LEVEL": "WARNING",
            **variables,
        }
        process = subprocess.Popen(
            [python, str(ROOT / "main.py")], env=env, cwd=folder, stderr=subprocess.DEVNULL
        )
        try:
            yield f"http://127.0.0.1:{port}/mcp", process, wait_ready(port)
        finally:
            process.terminate()
            process.wait(30)


def tree_memory(pid: int) -> dict[str, float]:
    """Megabytes of a process and all its children: resident, and proportional (shared pages split)."""
    parent = psutil.Process(pid)
    resident = proportional = 0.0
    for process in [parent, *parent.children(recursive=True)]:
        with suppress(psutil.NoSuchProcess):  # a worker that was replaced meanwhile
            memory = process.memory_full_info()
            resident += memory.rss / 1e6
            proportional += memory.pss / 1e6
    return {"resident": round(resident, 1), "proportional": round(proportional, 1)}


def wait_open(port: int, seconds: float = 20.0) -> None:
    """Until something listens on `port`."""
    start = time.perf_counter()
    while time.perf_counter() - start < seconds:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise TimeoutError(f"nothing listens on port {port}")
