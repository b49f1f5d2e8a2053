"""A real nginx on loopback in front of several servers, with basic auth."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.kit.valkey import free_port

LOGIN = ("alice", "s3cret")
_USERS = "alice:$apr1$abcdefgh$M2T3erDstkD7SsE2QQnfH0\n"
_CONFIGURATION = """
daemon off;
{user}
worker_processes 1;
pid {folder}/pid;
error_log {folder}/error.log;
events {{ worker_connections 1024; }}
http {{
  log_format upstream '$status $upstream_addr $upstream_status';
  access_log {folder}/access.log upstream;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  upstream replicas {{
{servers}
  }}
  server {{
    listen 127.0.0.1:{port};
    location /mcp {{
      auth_basic "research-mcp";
      auth_basic_user_file {folder}/users;
      proxy_pass http://replicas;
      proxy_http_version 1.1;
      proxy_set_header Host mcp.test;
      proxy_set_header Authorization "";
      proxy_buffering off;
      proxy_connect_timeout 2s;
    }}
  }}
}}
"""


@dataclass
class Nginx:
    port: int
    folder: Path

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"

    def passed_to(self) -> list[str]:
        """The address of the server that got each request in the end."""
        lines = (self.folder / "access.log").read_text().splitlines()
        return [line.split(" ")[-2] for line in lines]


@contextmanager
def nginx(ports: Sequence[int], folder: Path) -> Iterator[Nginx]:
    """Shares requests among the servers at `ports`; one that refuses gets none for 10 s."""
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if program is None:
        pytest.skip("nginx is missing: install the Debian package nginx")
    folder.mkdir()
    made = Nginx(free_port(), folder)
    servers = "\n".join(f"    server 127.0.0.1:{port};" for port in ports)
    (folder / "users").write_text(_USERS)
    # as root it would give up the right to read the folders of tests
    user = "user root root;" if os.geteuid() == 0 else ""
    (folder / "nginx.conf").write_text(
        _CONFIGURATION.format(folder=folder, servers=servers, port=made.port, user=user)
    )
    process = subprocess.Popen(
        [program, "-c", str(folder / "nginx.conf"), "-e", str(folder / "error.log"), "-p", str(folder)]
    )
    try:
        for _ in range(500):
            if (folder / "pid").exists() and (folder / "pid").read_text().strip():
                break
            assert process.poll() is None, (folder / "error.log").read_text()
            time.sleep(0.01)
        yield made
    finally:
        process.terminate()
        process.wait(10)
