"""`check` finds what `serve` would stumble over."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from research_mcp.cli import program
from research_mcp.core.errors import ConfigError


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DATA_DIR", str(tmp_path / "data"))


def test_it_says_what_is_on_and_what_the_rest_lacks() -> None:
    told = CliRunner().invoke(program, ["check"])
    assert told.exit_code == 0
    assert "search: duckduckgo" in told.output
    assert "brave (BRAVE_API_KEY is not set)" in " ".join(told.output.split())


@pytest.mark.parametrize(
    ("variables", "named"),
    [
        ({"TOOLS": "web_serch"}, "web_serch"),
        ({"CA_FILE": "/nowhere/ca.pem"}, "CA_FILE"),
        ({"EXA_API_KEY": "x", "EXA_PROXY": "ftp://proxy.test"}, "the proxy of exa cannot be used"),
        ({"SEARXNG_URL": "localhost:8080"}, "the base url of searxng"),
        ({"SEARCH_TIMEOUT": "soon"}, "SEARCH_TIMEOUT"),
        ({"LOG_ROTATION": "banana"}, "LOG_ROTATION"),
        ({"MCP_HOST": "nonsense.invalid"}, "MCP_HOST"),
    ],
)
def test_what_the_server_would_refuse_is_refused_here(
    variables: dict[str, str], named: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    told = CliRunner().invoke(program, ["check"])
    assert isinstance(told.exception, ConfigError)
    assert named in str(told.exception)
