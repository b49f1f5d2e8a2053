"""The labels of docker-compose.yml in a real Traefik, which finds them through a stand-in for the Docker API."""

from __future__ import annotations

import http.server
import json
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

import httpx
import pytest
import yaml

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
TRAEFIK = Path(sys.executable).parent / "traefik"
HOST = "mcp.test"
LOGIN = ("alice", "s3cret")
USERS = "alice:$apr1$L1J.IA41$zwTqmXWu4i3dglUgiJwd70\n"


class Upstream(http.server.BaseHTTPRequestHandler):
    """In the place of our service: says what reached it, or sends a stream in two parts."""

    protocol_version = "HTTP/1.1"
    go_on: ClassVar[threading.Event]

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path == "/mcp/stream":
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(b"data: first\n\n")
            self.wfile.flush()
            self.go_on.wait(10)
            self.wfile.write(b"data: last\n\n")
            self.close_connection = True
            return
        body = json.dumps(
            {"path": self.path, "headers": {k.lower(): v for k, v in self.headers.items()}}
        ).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self) -> None:
        self.do_POST()

    def log_message(self, *_: object) -> None:
        pass


def labels(upstream_port: int, users: Path) -> dict[str, str]:
    """The service's labels as compose would hand them to Docker; the port is the stand-in's."""
    values = {"PUBLIC_HOST": HOST, "TRAEFIK_USERS_FILE": str(users)}
    service = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]["research-mcp"]
    filled = {
        label: re.sub(r"\$\{(\w+):-([^}]*)\}", lambda found: values.get(found[1], found[2]), value)
        for label, value in service["labels"].items()
    }
    return {**filled, "traefik.http.services.research-mcp.loadbalancer.server.port": str(upstream_port)}


def container(its_labels: dict[str, str]) -> dict[str, Any]:
    """The container on its two networks; only the one that the label names leads to it."""
    networks = {
        "research-mcp-edge": {"IPAddress": "127.0.0.1", "NetworkID": "edge"},
        "research-mcp-backend": {"IPAddress": "127.0.0.254", "NetworkID": "backend"},
    }
    state = {"Status": "running", "Running": True, "Health": {"Status": "healthy"}}
    return {
        "Id": "c" * 64,
        "Name": "/research-mcp-1",
        "Names": ["/research-mcp-1"],
        "State": state,
        "Config": {"Labels": its_labels},
        "Labels": its_labels,
        "HostConfig": {"NetworkMode": "research-mcp-edge"},
        "NetworkSettings": {"Networks": networks, "Ports": {}},
    }


def docker_api(its_labels: dict[str, str]) -> type[http.server.BaseHTTPRequestHandler]:
    class DockerApi(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = re.sub(r"^/v1\.\d+", "", self.path.partition("?")[0])
            if path == "/events":
                threading.Event().wait(30)
                return
            answers: dict[str, object] = {
                "/version": {
                    "ApiVersion": "1.47",
                    "MinAPIVersion": "1.24",
                    "Version": "28.0.0",
                    "Os": "linux",
                },
                "/_ping": "OK",
                "/containers/json": [{**container(its_labels), "State": "running"}],
                f"/containers/{'c' * 64}/json": container(its_labels),
            }
            body = json.dumps(answers.get(path, {})).encode()
            self.send_response(200 if path in answers else 404)
            self.send_header("Api-Version", "1.47")
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(body)

        def do_HEAD(self) -> None:
            self.do_GET()

        def log_message(self, *_: object) -> None:
            pass

    return DockerApi


@contextmanager
def serving(handler: type[http.server.BaseHTTPRequestHandler]) -> Iterator[int]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server.server_port
    server.shutdown()
    thread.join()
    server.socket.close()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def options(docker: int, plain: int, secure: int, folder: Path) -> list[str]:
    """The compose file's own command line, on free loopback ports and without a way to the internet."""
    command = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]["traefik"]["command"]
    ours = {
        "--entrypoints.web.address": f"127.0.0.1:{plain}",
        "--entrypoints.websecure.address": f"127.0.0.1:{secure}",
        "--entrypoints.traefik.address": f"127.0.0.1:{free_port()}",
        "--certificatesresolvers.letsencrypt.acme.storage": str(folder / "acme.json"),
        "--certificatesresolvers.letsencrypt.acme.email": "",
        "--certificatesresolvers.letsencrypt.acme.caserver": "https://127.0.0.1:9/directory",
        "--providers.docker.endpoint": f"tcp://127.0.0.1:{docker}",
        "--providers.providersthrottleduration": "100ms",
    }
    kept = [option for option in command if option.partition("=")[0] not in ours]
    return [*kept, *(f"{name}={value}" for name, value in ours.items())]


class Proxy:
    """A client that speaks to the running Traefik under the public name."""

    def __init__(self, plain: int, secure: int) -> None:
        self.plain = plain
        self._base = f"https://127.0.0.1:{secure}"
        self._client = httpx.Client(verify=False, trust_env=False, timeout=10)

    def post(self, path: str, *, host: str = HOST, **options: Any) -> httpx.Response:
        extensions = {"sni_hostname": host}
        return self._client.post(
            f"{self._base}{path}", headers={"Host": host}, extensions=extensions, **options
        )

    def stream(self, path: str) -> Any:
        extensions = {"sni_hostname": HOST}
        return self._client.stream(
            "POST", f"{self._base}{path}", headers={"Host": HOST}, auth=LOGIN, extensions=extensions
        )

    def close(self) -> None:
        self._client.close()


@contextmanager
def traefik(folder: Path) -> Iterator[Proxy]:
    """The real program with the users file in `folder`, which may be missing; ready or not."""
    Upstream.go_on = threading.Event()
    plain, secure = free_port(), free_port()
    with (
        serving(Upstream) as upstream,
        serving(docker_api(labels(upstream, folder / "users"))) as docker,
        (folder / "traefik.log").open("wb") as log,
    ):
        command = [str(TRAEFIK), *options(docker, plain, secure, folder)]
        process = subprocess.Popen(command, stdout=log, stderr=log)
        proxy = Proxy(plain, secure)
        try:
            yield proxy
        finally:
            Upstream.go_on.set()
            proxy.close()
            process.kill()
            process.wait()


def wait_until(holds: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + 20
    while time.monotonic() < end:
        try:
            if holds():
                return
        except httpx.TransportError:
            pass
        time.sleep(0.05)
    raise AssertionError(what)


@pytest.fixture
def proxy(tmp_path: Path) -> Iterator[Proxy]:
    (tmp_path / "users").write_text(USERS)
    for tries_left in (2, 1, 0):  # a port that was free may be taken before Traefik binds it
        with traefik(tmp_path) as proxy:
            try:
                wait_until(
                    lambda proxy=proxy: proxy.post("/mcp").status_code == 401,
                    "Traefik has no route with a login to /mcp",
                )
            except AssertionError:
                if tries_left:
                    continue
                raise
            yield proxy
            return


def test_without_a_login_nothing_reaches_the_server(proxy: Proxy) -> None:
    answer = proxy.post("/mcp")
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == 'Basic realm="research-mcp"'
    assert proxy.post("/mcp", auth=("alice", "wrong")).status_code == 401


def test_with_a_login_the_server_is_reached_and_never_sees_the_credential(proxy: Proxy) -> None:
    answer = proxy.post("/mcp", auth=LOGIN)
    assert answer.status_code == 200
    seen = answer.json()["headers"]
    assert seen["host"] == HOST
    assert "authorization" not in seen


@pytest.mark.parametrize("path", ["/", "/status", "/status.json", "/healthz", "/readyz", "/metrics"])
def test_only_the_endpoint_is_routed(proxy: Proxy, path: str) -> None:
    assert proxy.post(path, auth=LOGIN).status_code == 404


def test_other_names_are_not_routed(proxy: Proxy) -> None:
    assert proxy.post("/mcp", host="other.test", auth=LOGIN).status_code == 404


def test_plain_http_is_sent_to_https(proxy: Proxy) -> None:
    answer = httpx.get(f"http://127.0.0.1:{proxy.plain}/mcp", headers={"Host": HOST}, trust_env=False)
    assert answer.status_code in (301, 308)
    assert answer.headers["location"].startswith(f"https://{HOST}")


def test_guessing_passwords_is_slowed_down(proxy: Proxy) -> None:
    codes = [proxy.post("/mcp", auth=("alice", str(number))).status_code for number in range(40)]
    assert set(codes) == {401, 429}
    assert codes.count(401) <= 30


def test_a_stream_arrives_as_it_is_written(proxy: Proxy) -> None:
    with proxy.stream("/mcp/stream") as answer:
        parts = answer.iter_text()
        assert next(parts) == "data: first\n\n"
        Upstream.go_on.set()
        assert "".join(parts) == "data: last\n\n"


def test_a_missing_users_file_closes_the_door(tmp_path: Path) -> None:
    log = tmp_path / "traefik.log"
    with traefik(tmp_path) as proxy:
        wait_until(lambda: "users: no such file" in log.read_text(), "Traefik did not miss the file")
        wait_until(lambda: proxy.post("/mcp", auth=LOGIN).status_code == 404, "Traefik does not answer")
        assert {proxy.post("/mcp", auth=LOGIN).status_code for _ in range(5)} == {404}
