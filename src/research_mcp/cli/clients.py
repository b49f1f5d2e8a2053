"""What each known client wants to be told about this server. `docs/clients.md` shows the same texts."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from dataclasses import dataclass

from research_mcp.core.wire import JsonValue

SERVER = "web"
"""A short name: some clients drop tools whose server and tool names together are long."""

VARIABLE = "WEB_AUTH"
"""Where clients that can read the environment find the value of the `Authorization` header."""

Snippet = Callable[[str, str], str]
"""From the address and the value of the header ("" for none) to the text; the value is shown only where
the client cannot read a variable."""


@dataclass(frozen=True, slots=True)
class Client:
    """A client: its title, where the text goes, and the text."""

    title: str
    where: str
    snippet: Snippet


def _json(value: JsonValue) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def _servers(entry: dict[str, JsonValue]) -> str:
    return _json({"mcpServers": {SERVER: entry}})


def _headers(value: str, shown: str) -> dict[str, JsonValue]:
    return {"headers": {"Authorization": shown}} if value else {}


def _claude_code(url: str, value: str) -> str:
    command = f"claude mcp add --transport http {SERVER} {shlex.quote(url)}"
    return f'{command} --header "Authorization: ${VARIABLE}"' if value else command


def _claude_code_project(url: str, value: str) -> str:
    return _servers({"type": "http", "url": url, **_headers(value, f"${{{VARIABLE}}}")})


def _claude_desktop(url: str, value: str) -> str:
    arguments: list[JsonValue] = ["-y", "mcp-remote", url]
    if not value:
        return _servers({"command": "npx", "args": arguments})
    # no space after the colon: some systems split the argument there
    arguments += ["--header", f"Authorization:${{{VARIABLE}}}"]
    return _servers({"command": "npx", "args": arguments, "env": {VARIABLE: value}})


def _cursor(url: str, value: str) -> str:
    return _servers({"url": url, **_headers(value, f"${{env:{VARIABLE}}}")})


def _vs_code(url: str, value: str) -> str:
    asked: JsonValue = [
        {
            "type": "promptString",
            "id": "web-auth",
            "description": "Authorization header (Basic ... or Bearer ...)",
            "password": True,
        }
    ]
    entry: JsonValue = {"type": "http", "url": url, **_headers(value, "${input:web-auth}")}
    return _json({**({"inputs": asked} if value else {}), "servers": {SERVER: entry}})


def _cherry_studio(url: str, value: str) -> str:
    entry: dict[str, JsonValue] = {"name": SERVER, "type": "streamableHttp", "baseUrl": url}
    return _servers({**entry, **_headers(value, value), "isActive": True})


def _cline(url: str, value: str) -> str:
    return _servers({"type": "streamableHttp", "url": url, **_headers(value, value)})


def _windsurf(url: str, value: str) -> str:
    return _servers({"serverUrl": url, **_headers(value, f"${{env:{VARIABLE}}}")})


def _codex(url: str, value: str) -> str:
    header = f'env_http_headers = {{ "Authorization" = "{VARIABLE}" }}\n' if value else ""
    return f"[mcp_servers.{SERVER}]\nurl = {json.dumps(url)}\n{header}tool_timeout_sec = 60"


def _gemini_cli(url: str, value: str) -> str:
    header = f' --header "Authorization: ${VARIABLE}"' if value else ""
    return f"gemini mcp add --scope user --transport http{header} {SERVER} {shlex.quote(url)}"


CLIENTS = {
    "claude-code": Client("Claude Code", "run", _claude_code),
    "claude-code-project": Client("Claude Code", "into .mcp.json of a repository", _claude_code_project),
    "claude-desktop": Client("Claude Desktop", "into claude_desktop_config.json", _claude_desktop),
    "cursor": Client("Cursor", "into ~/.cursor/mcp.json", _cursor),
    "vs-code": Client("VS Code", "into .vscode/mcp.json", _vs_code),
    "cherry-studio": Client(
        "Cherry Studio", "Settings > MCP Servers > Add > Import from JSON", _cherry_studio
    ),
    "cline": Client("Cline", "into cline_mcp_settings.json", _cline),
    "windsurf": Client("Windsurf", "into ~/.codeium/windsurf/mcp_config.json", _windsurf),
    "codex": Client("Codex", "into ~/.codex/config.toml", _codex),
    "gemini-cli": Client("Gemini CLI", "run", _gemini_cli),
}
