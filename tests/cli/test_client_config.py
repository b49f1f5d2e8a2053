"""`research-mcp client-config`: the snippets of the guide, for one's own server."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from research_mcp.cli import program
from research_mcp.cli.clients import CLIENTS

GUIDE = (Path(__file__).parents[2] / "docs" / "clients.md").read_text()
HERE, THERE = "http://127.0.0.1:8000/mcp", "https://mcp.example.org/mcp"
EXAMPLE = "Basic YWxpY2U6czNjcmV0"
SECRET = "canary-93af-canary-93af"


@pytest.fixture(autouse=True)
def _nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def run(*arguments: str, **env: str) -> Result:
    return CliRunner().invoke(program, ["client-config", *arguments], env=env)


def section(title: str) -> str:
    return GUIDE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


@pytest.mark.parametrize("name", CLIENTS)
def test_the_guide_shows_what_the_command_prints(name: str) -> None:
    client = CLIENTS[name]
    assert client.snippet(THERE, EXAMPLE) in section(client.title)


def test_the_guide_shows_nothing_else() -> None:
    printed = {
        line
        for client in CLIENTS.values()
        for snippet in (client.snippet(HERE, ""), client.snippet(THERE, EXAMPLE))
        for line in snippet.splitlines()
    }
    for title in {client.title for client in CLIENTS.values()}:
        for block in re.findall(r"(?ms)^```\w+\n(.*?)^```", section(title)):
            assert set(block.splitlines()) <= printed


@pytest.mark.parametrize("name", CLIENTS)
def test_every_snippet_can_be_pasted_with_and_without_a_login(name: str) -> None:
    for value in ("", "Bearer <token>"):
        text = CLIENTS[name].snippet(THERE, value)
        if name == "codex":
            (server,) = tomllib.loads(text)["mcp_servers"].values()
            assert server["url"] == THERE
        elif name in ("claude-code", "gemini-cli"):
            assert THERE in shlex.split(text)
        else:
            assert THERE in json.dumps(json.loads(text))
        assert ("Authorization" in text) is bool(value)


def test_one_client_comes_alone_on_stdout_and_the_rest_on_stderr() -> None:
    done = run("cursor")
    assert json.loads(done.stdout) == {"mcpServers": {"web": {"url": HERE}}}
    assert done.stderr == "Cursor: into ~/.cursor/mcp.json\n"


@pytest.mark.parametrize(
    ("host", "address"),
    [("::", "[::1]"), ("::1", "[::1]"), ("fd00::7", "[fd00::7]"), ("10.0.0.7", "10.0.0.7")],
)
def test_the_server_s_own_address_is_one_that_clients_understand(host: str, address: str) -> None:
    done = run("cursor", MCP_HOST=host)
    assert json.loads(done.stdout)["mcpServers"]["web"]["url"] == f"http://{address}:8000/mcp"


def test_without_a_name_all_clients_are_printed() -> None:
    done = run("--url", "https://mcp.example.org/")
    assert done.exit_code == 0
    assert done.stdout.count(THERE) == len(CLIENTS)
    assert all(f"# {client.title}: {client.where}\n" in done.stdout for client in CLIENTS.values())


def test_the_address_follows_the_settings_and_tokens_bring_their_header_without_the_token() -> None:
    done = run("cherry-studio", MCP_HOST="0.0.0.0", MCP_PORT="9001", MCP_BEARER_TOKENS=SECRET)
    entry = json.loads(done.stdout)["mcpServers"]["web"]
    assert entry["baseUrl"] == "http://127.0.0.1:9001/mcp"
    assert entry["headers"] == {"Authorization": "Bearer <token>"}
    assert "WEB_AUTH" not in done.stderr
    assert SECRET not in done.output
    assert "WEB_AUTH holds the whole header value: Bearer <token>" in run("cursor", "--auth", "bearer").stderr


@pytest.mark.parametrize(
    "url", ["mcp.example.org/mcp", "ftp://x.example", "http://[x", "https://", "https://x.example/mcp?a=b"]
)
def test_what_is_no_address_is_refused(url: str) -> None:
    done = run("cursor", "--url", url)
    assert done.exit_code == 2
    assert "is no address like https://mcp.example.org/mcp" in done.stderr


def test_credentials_inside_the_address_are_refused_and_not_repeated() -> None:
    done = run("cursor", "--url", f"https://alice:{SECRET}@mcp.example.org/mcp")
    assert done.exit_code == 2
    assert "--auth says which header" in done.stderr
    assert SECRET not in done.output


def test_an_unknown_client_is_told_which_are_known() -> None:
    done = run("emacs")
    assert done.exit_code == 2
    assert "'cursor'" in done.stderr
