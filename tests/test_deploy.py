"""What ships the product keeps the rules of docs/security.md: compose file, image, workflow."""

from __future__ import annotations

import http.server
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from research_mcp.settings import Settings

ROOT = Path(__file__).parent.parent
OURS = "research-mcp"


def load(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / name).read_text())
    return loaded


COMPOSE = load("docker-compose.yml")
LOCAL = load("deploy/local.yml")
WORKFLOW = load(".github/workflows/ci.yml")
SERVICE: dict[str, Any] = COMPOSE["services"][OURS]
TRAEFIK: dict[str, Any] = COMPOSE["services"]["traefik"]
LABELS: dict[str, str] = SERVICE["labels"]


def routers() -> dict[str, dict[str, str]]:
    """Each router of our service with its settings."""
    found: dict[str, dict[str, str]] = {}
    for label, value in LABELS.items():
        if match := re.fullmatch(r"traefik\.http\.routers\.([^.]+)\.(.+)", label):
            found.setdefault(match[1], {})[match[2]] = value
    return found


def middleware(name: str) -> dict[str, str]:
    prefix = f"traefik.http.middlewares.{name}."
    return {label.removeprefix(prefix): value for label, value in LABELS.items() if label.startswith(prefix)}


def kinds(router: dict[str, str]) -> list[str]:
    """The kinds of the middlewares that a router really passes, in order."""
    return [next(iter(middleware(name))).partition(".")[0] for name in router["middlewares"].split(",")]


# The way in


def test_every_router_demands_a_login_after_the_limits() -> None:
    assert routers()
    for router in routers().values():
        assert kinds(router) == ["ratelimit", "inflightreq", "basicauth", "retry"]


def test_every_router_is_https_on_one_host_and_the_mcp_path_alone() -> None:
    for router in routers().values():
        assert router["entrypoints"] == "websecure"
        assert router["tls"] == "true"
        assert re.fullmatch(r"Host\(`[^`]+`\) && PathPrefix\(`/mcp`\)", router["rule"])


def test_health_metrics_and_admin_pages_are_not_routed() -> None:
    for router in routers().values():
        assert not re.search(r"/(healthz|readyz|metrics)\b|PathPrefix\(`/`\)", router["rule"])


def test_no_middleware_is_defined_without_being_used() -> None:
    defined = {label.split(".")[3] for label in LABELS if label.startswith("traefik.http.middlewares.")}
    used = {name for router in routers().values() for name in router["middlewares"].split(",")}
    assert defined == used


def test_basic_auth_reads_a_file_hides_the_header_and_names_no_identity_header() -> None:
    auth = middleware("research-mcp-auth")
    assert auth["basicauth.removeheader"] == "true"
    assert auth["basicauth.realm"] not in ("", "traefik")
    assert auth["basicauth.usersfile"]
    assert "basicauth.users" not in auth
    assert not [label for label in LABELS if "headerfield" in label.lower()]


def test_the_streaming_route_is_not_buffered_or_compressed() -> None:
    assert not [label for label in LABELS if ".buffering." in label or ".compress" in label]


def test_traefik_is_told_which_of_the_networks_to_use() -> None:
    assert len(SERVICE["networks"]) > 1
    assert LABELS["traefik.docker.network"] == COMPOSE["networks"]["edge"]["name"]
    assert COMPOSE["networks"]["backend"]["internal"] is True
    assert TRAEFIK["networks"] == ["edge"]


def test_traefik_speaks_to_the_port_that_the_server_listens_on() -> None:
    port = LABELS["traefik.http.services.research-mcp.loadbalancer.server.port"]
    assert port == SERVICE["environment"]["MCP_PORT"]


def test_plain_http_is_only_redirected() -> None:
    assert "--entrypoints.web.http.redirections.entrypoint.to=websecure" in TRAEFIK["command"]
    assert "--providers.docker.exposedbydefault=false" in TRAEFIK["command"]
    assert not [option for option in TRAEFIK["command"] if option.startswith("--api")]


def test_the_server_accepts_the_host_that_traefik_routes() -> None:
    (router,) = routers().values()
    public, inside = SERVICE["environment"]["MCP_ALLOWED_HOSTS"].split(",")
    assert f"Host(`{public}`)" in router["rule"]
    assert inside == "research-mcp", "the service's name, under which its neighbours reach it"


def test_the_variables_that_the_image_and_the_compose_file_set_are_the_programs() -> None:
    in_image = re.findall(r"\b(MCP_\w+)=", value_of("ENV"))
    assert in_image
    assert {name.lower() for name in [*SERVICE["environment"], *in_image]} <= set(Settings.model_fields)


def test_the_deployment_guide_lists_every_variable_of_the_compose_files_with_its_default() -> None:
    files = (ROOT / "docker-compose.yml").read_text() + (ROOT / "deploy" / "local.yml").read_text()
    guide = (ROOT / "docs" / "deployment.md").read_text().partition("## Variables")[2].partition("\n## ")[0]
    listed = re.findall(r"(?m)^\| `([A-Z0-9_]+)` \| (?:`([^`]+)`)? *\|", guide)
    assert set(listed) == set(re.findall(r"\$\{([A-Z0-9_]+):-([^}]*)\}", files))


def test_our_service_publishes_no_port_and_sees_no_docker_socket() -> None:
    assert "ports" not in SERVICE
    assert "network_mode" not in SERVICE
    assert not [volume for volume in SERVICE["volumes"] if "docker.sock" in volume]


def test_the_local_override_publishes_on_loopback_alone_and_leaves_traefik() -> None:
    override = LOCAL["services"][OURS]
    assert [port.partition(":")[0] for port in override["ports"]] == ["127.0.0.1"]
    assert override["labels"]["traefik.enable"] == "false"


# The cage


def test_the_container_has_no_privilege_to_lose() -> None:
    user, _, group = SERVICE["user"].partition(":")
    assert user.isdigit()
    assert group.isdigit()
    assert int(user) > 0
    assert SERVICE["read_only"] is True
    assert SERVICE["cap_drop"] == ["ALL"]
    assert "cap_add" not in SERVICE
    assert "privileged" not in SERVICE
    assert "no-new-privileges:true" in SERVICE["security_opt"]


def test_the_container_has_bounds_for_everything_it_can_use_up() -> None:
    assert SERVICE["pids_limit"] == 256
    assert SERVICE["mem_limit"] == SERVICE["memswap_limit"]
    assert SERVICE["cpus"]
    assert SERVICE["ulimits"]["nofile"] == 4096
    assert {"max-size", "max-file"} <= set(SERVICE["logging"]["options"])
    (tmp,) = SERVICE["tmpfs"]
    assert tmp.startswith("/tmp:size=")
    assert "noexec" in tmp


def test_only_the_data_folder_outlives_the_container() -> None:
    assert SERVICE["volumes"] == ["data:/app/data"]


def test_the_container_gets_time_to_finish_calls_in_flight() -> None:
    assert SERVICE["stop_grace_period"] == "30s"
    assert SERVICE["init"] is True


def test_the_bundled_proxy_is_an_option_and_caged_too() -> None:
    assert TRAEFIK["profiles"] == ["traefik"]
    assert TRAEFIK["read_only"] is True
    assert TRAEFIK["cap_drop"] == ["ALL"]
    assert TRAEFIK["cap_add"] == ["NET_BIND_SERVICE"]


# Services that may stand beside ours


def foreign() -> dict[str, dict[str, Any]]:
    return {name: service for name, service in COMPOSE["services"].items() if name != OURS}


def test_every_foreign_service_is_an_option_and_pinned_to_a_version() -> None:
    assert set(foreign()) == {"traefik", "valkey", "searxng", "crawl4ai"}
    for name, service in foreign().items():
        assert service["profiles"] == [name]
        image = re.sub(r"^\$\{[A-Z0-9_]+_IMAGE:-(.+)\}$", r"\1", service["image"])
        assert re.fullmatch(r"[a-z0-9./]+:v?\d+\.\d+\.\d+(-[0-9a-f]{9})?(@sha256:[0-9a-f]{64})?", image), (
            image
        )


def test_every_foreign_service_is_caged() -> None:
    for name, service in foreign().items():
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]
        assert service["pids_limit"]
        assert service["mem_limit"] == service["memswap_limit"]
        assert {"max-size", "max-file"} <= set(service["logging"]["options"])
        assert "privileged" not in service
        assert service.get("read_only", False) is (name != "crawl4ai")
        if name != "traefik":
            assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", service["user"])
            assert "cap_add" not in service
            assert "ports" not in service
            assert "labels" not in service


def test_each_private_service_shares_a_closed_network_with_ours_alone() -> None:
    for name, network in (("valkey", "state"), ("searxng", "search"), ("crawl4ai", "browser")):
        assert COMPOSE["networks"][network] == {"internal": True}
        members = [who for who, service in COMPOSE["services"].items() if network in service["networks"]]
        assert members == [OURS, name]


def test_the_ways_out_of_search_and_browser_are_their_own_and_have_names_for_a_firewall() -> None:
    assert COMPOSE["services"]["valkey"]["networks"] == ["state"], "the store has no way out"
    guide = (ROOT / "docs" / "deployment.md").read_text()
    for name, network in (("searxng", "search-out"), ("crawl4ai", "browser-out")):
        members = [who for who, service in COMPOSE["services"].items() if network in service["networks"]]
        assert members == [name]
        interface = COMPOSE["networks"][network]["driver_opts"]["com.docker.network.bridge.name"]
        assert len(interface) <= 15, "the kernel's limit"
        assert f"-i {interface}" in guide


def test_the_store_writes_before_it_answers_and_pushes_out_only_what_ends() -> None:
    words = COMPOSE["services"]["valkey"]["command"]
    options = dict(zip(words[1::2], words[2::2], strict=True))
    assert options["--appendonly"] == "yes"
    assert options["--appendfsync"] == "always"
    assert options["--maxmemory-policy"].startswith("volatile-")
    assert options["--maxmemory"] == "512mb"
    assert COMPOSE["services"]["valkey"]["volumes"] == ["valkey:/data"]


def test_searxng_answers_in_the_format_that_is_read() -> None:
    settings = load("deploy/searxng/settings.yml")
    assert "json" in settings["search"]["formats"]
    assert COMPOSE["services"]["searxng"]["volumes"] == [
        "./deploy/searxng/settings.yml:/etc/searxng/settings.yml:ro"
    ]


def test_the_service_can_be_scaled() -> None:
    assert not {"container_name", "hostname", "ports"} & set(SERVICE)
    assert LABELS["traefik.http.services.research-mcp.loadbalancer.healthcheck.path"] == "/healthz"


def test_the_users_file_stays_out_of_git_and_of_the_image() -> None:
    (source,) = re.findall(r":-\./(.+)\}", COMPOSE["secrets"]["research-mcp-users"]["file"])
    assert f"/{source}" in (ROOT / ".gitignore").read_text().splitlines()
    assert (ROOT / ".dockerignore").read_text().splitlines()[1] == "*"


# The image


def instructions(file: str = "Dockerfile") -> list[tuple[str, str]]:
    """A Dockerfile as (instruction, arguments), continuation lines joined, comments gone."""
    lines = [line for line in (ROOT / file).read_text().splitlines() if not line.lstrip().startswith("#")]
    joined = "\n".join(lines).replace("\\\n", " ")
    pairs = [line.split(None, 1) for line in joined.splitlines() if line.strip()]
    return [(name.upper(), " ".join(arguments.split())) for name, arguments in pairs]


def final_stage() -> list[tuple[str, str]]:
    found = instructions()
    last = max(index for index, (name, _) in enumerate(found) if name == "FROM")
    return found[last:]


def value_of(name: str) -> str:
    (value,) = [arguments for instruction, arguments in final_stage() if instruction == name]
    return value


def test_the_image_runs_as_a_numeric_user_that_is_not_root() -> None:
    assert re.fullmatch(r"[1-9]\d+:[1-9]\d+", value_of("USER"))
    assert value_of("USER") == SERVICE["user"]


def test_both_stages_use_one_base_that_may_be_pinned_by_digest() -> None:
    (base,) = [arguments for name, arguments in instructions() if name == "ARG"]
    assert re.fullmatch(r"BASE=python:3\.\d+-slim-[a-z]+(@sha256:[0-9a-f]{64})?", base)
    stages = [arguments.split()[0] for name, arguments in instructions() if name == "FROM"]
    assert stages == ["${BASE}", "${BASE}"]


def test_no_image_or_package_is_taken_as_latest() -> None:
    for name in ("Dockerfile", "docker-compose.yml", "deploy/local.yml"):
        assert ":latest" not in (ROOT / name).read_text()


def test_every_package_of_the_image_is_checked_against_the_hashes_of_a_lock() -> None:
    commands = [arguments for name, arguments in instructions() if name == "RUN"]
    installs = [
        step.strip()
        for line in commands
        for step in line.split("&&")
        if " install " in step and "pip" in step
    ]
    assert len(installs) == 3
    for install in installs:
        hashed = "--require-hashes" in install and "--only-binary :all:" in install
        assert hashed or ("--no-deps" in install and "--no-index" in install), install


@pytest.mark.parametrize("extra", ["", "-browser", "-otel", "-build"])
def test_every_locked_package_has_a_hash(extra: str) -> None:
    lock = (ROOT / f"requirements{extra}.lock").read_text()
    entries = re.split(r"\n(?=[A-Za-z0-9])", re.sub(r"(?m)^\s*#.*\n?", "", lock).strip())
    assert entries
    for entry in entries:
        assert re.match(r"[A-Za-z0-9._-]+(\[[a-z,]+\])?==\S+", entry), entry[:80]
        assert "--hash=sha256:" in entry, entry[:80]


def test_the_finished_image_has_no_package_installer_or_compiler() -> None:
    commands = " ".join(arguments for name, arguments in final_stage() if name == "RUN")
    assert "apt-get" not in commands
    assert re.search(r"pip uninstall .*\bpip\b", commands)
    assert [arguments for name, arguments in final_stage() if name == "COPY"] == [
        "--from=build /opt/venv /opt/venv"
    ]


def test_the_build_proves_that_the_parsers_can_be_imported() -> None:
    assert [
        arguments for name, arguments in instructions() if name == "RUN" and "import trafilatura" in arguments
    ]


def test_only_what_the_image_is_made_of_reaches_the_builder() -> None:
    allowed = [line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")]
    copied = {
        part.rstrip("/")
        for file in ("Dockerfile", "deploy/browser.Dockerfile", "deploy/otel.Dockerfile")
        for name, arguments in instructions(file)
        if name == "COPY" and not arguments.startswith("--from")
        for part in arguments.split()[:-1]
    }
    assert set(allowed) == copied
    assert all((ROOT / name).exists() for name in allowed)


def test_the_image_with_a_browser_is_the_plain_one_with_locked_packages_and_no_root() -> None:
    steps = instructions("deploy/browser.Dockerfile")
    last = max(index for index, (name, _) in enumerate(steps) if name == "FROM")
    assert steps[last] == ("FROM", "${PLAIN}")
    assert [arguments for name, arguments in steps[last:] if name == "USER"][-1] == value_of("USER")
    (install,) = [arguments for name, arguments in steps if name == "RUN" and "pip" in arguments]
    assert "--require-hashes -r requirements-browser.lock" in install
    assert "--only-binary :all:" in install
    settings = " ".join(arguments for name, arguments in steps if name == "ENV")
    assert "BROWSER_PATH=chromium-headless-shell" in settings


def test_the_image_with_traces_is_the_plain_one_with_locked_packages() -> None:
    steps = instructions("deploy/otel.Dockerfile")
    last = max(index for index, (name, _) in enumerate(steps) if name == "FROM")
    assert [name for name, _ in steps[last:]] == ["FROM", "COPY"], (
        "user and command stay those of the plain one"
    )
    assert steps[last] == ("FROM", "${PLAIN}")
    (install,) = [arguments for name, arguments in steps if name == "RUN"]
    assert "--only-binary :all: --require-hashes -r requirements-otel.lock" in install


def test_the_browser_gets_room_and_no_right_that_the_plain_service_has_not() -> None:
    service = load("deploy/browser.yml")["services"][OURS]
    assert set(service) == {"tmpfs", "pids_limit", "mem_limit", "memswap_limit"}
    assert all("noexec,nosuid,nodev" in mount for mount in service["tmpfs"])
    assert service["mem_limit"] == service["memswap_limit"]


def test_the_lock_with_a_browser_holds_the_plain_one() -> None:
    def pins(name: str) -> set[str]:
        return set(re.findall(r"(?m)^([a-z0-9._-]+==\S+)", (ROOT / name).read_text()))

    assert pins("requirements.lock") < pins("requirements-browser.lock")


def test_the_image_listens_on_the_port_that_compose_expects() -> None:
    environment = value_of("ENV")
    assert "MCP_HOST=0.0.0.0" in environment
    assert f"MCP_PORT={SERVICE['environment']['MCP_PORT']}" in environment
    assert value_of("EXPOSE") == SERVICE["environment"]["MCP_PORT"]


def test_the_image_stops_on_sigterm_which_reaches_the_program_itself() -> None:
    assert value_of("STOPSIGNAL") == "SIGTERM"
    assert json.loads(value_of("ENTRYPOINT")) == ["research-mcp"]
    assert json.loads(value_of("CMD")) == ["serve"]


@contextmanager
def server_answering(status: int) -> Iterator[str]:
    """A loopback server whose every path answers `status`; yields its port."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status if self.path == "/healthz" else 404)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield str(server.server_port)
        server.shutdown()
        thread.join()


def health_check(port: str) -> int:
    """The exit code of the image's own command, run by this interpreter, with a proxy in the way."""
    options, _, command = value_of("HEALTHCHECK").partition(" CMD ")
    assert options == "--interval=30s --timeout=5s --start-period=20s --retries=3"
    python, *arguments = json.loads(command)
    assert python == "python"
    environment = {
        **os.environ,
        "MCP_PORT": port,
        "http_proxy": "http://127.0.0.1:9",
        "HTTP_PROXY": "http://127.0.0.1:9",
    }
    done = subprocess.run(
        [sys.executable, *arguments], env=environment, capture_output=True, timeout=20, check=False
    )
    return done.returncode


@pytest.mark.parametrize(("status", "code"), [(200, 0), (503, 1)])
def test_the_health_check_says_what_the_server_says(status: int, code: int) -> None:
    with server_answering(status) as port:
        assert health_check(port) == code


def test_the_health_check_fails_where_nothing_listens() -> None:
    with server_answering(200) as port:
        pass
    assert health_check(port) != 0


# The workflow


def steps() -> Iterator[dict[str, Any]]:
    for job in WORKFLOW["jobs"].values():
        yield from job["steps"]


def test_every_action_is_pinned_to_a_commit() -> None:
    for step in steps():
        if "uses" in step:
            assert re.search(r"@[0-9a-f]{40}$", step["uses"]), step["uses"]


def test_the_published_image_is_for_both_architectures_with_sbom_and_provenance() -> None:
    (publish,) = [step["with"] for step in steps() if step.get("with", {}).get("sbom")]
    assert publish["platforms"] == "linux/amd64,linux/arm64"
    assert publish["provenance"] == "mode=max"
    assert publish["build-args"] == "BASE=${{ steps.base.outputs.image }}"
    assert WORKFLOW["jobs"]["image"]["needs"] == "test"


def test_the_workflow_may_write_packages_only_where_it_publishes() -> None:
    assert WORKFLOW["permissions"] == {"contents": "read"}
    writers = [name for name, job in WORKFLOW["jobs"].items() if "write" in str(job.get("permissions", ""))]
    assert writers == ["image"]


def test_the_workflow_runs_the_same_check_as_a_developer() -> None:
    assert [step["run"] for step in WORKFLOW["jobs"]["test"]["steps"] if "run" in step] == ["bash .ci/run"]


def test_pre_commit_uses_the_locked_tools_of_the_environment() -> None:
    hooks = [hook for repo in load(".pre-commit-config.yaml")["repos"] for hook in repo["hooks"]]
    assert {hook["id"] for hook in hooks} >= {"ruff-check", "ruff-format", "mypy", "import-linter"}
    assert all(hook["entry"].startswith(".venv/bin/") for hook in hooks)
