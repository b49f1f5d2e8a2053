"""The status resource tells the owner's state without a secret."""

from __future__ import annotations

import json

from mcp import Client

from research_mcp.core.instance import Instance, Status
from research_mcp.server.app import build_server
from research_mcp.server.config import ServerConfig
from tests.server.fakes import FakePipelines

ROWS = (
    Status(Instance("duckduckgo", "search.duckduckgo"), on=True),
    Status(Instance("exa", "search.exa", api_key_env="EXA_API_KEY"), on=False, why="EXA_API_KEY is not set"),
)


async def test_status_lists_providers_and_limits() -> None:
    services = FakePipelines().services(statuses=lambda: ROWS, limits={"SEARCH_TIMEOUT": 12.0})
    async with Client(build_server(services, ServerConfig())) as client:
        (listed,) = (await client.list_resources()).resources
        assert (str(listed.uri), listed.mime_type) == ("research://status", "application/json")
        (content,) = (await client.read_resource("research://status")).contents
    assert json.loads(content.text) == {
        "providers": [
            {"name": "duckduckgo", "type": "search.duckduckgo", "on": True},
            {"name": "exa", "type": "search.exa", "on": False, "why": "EXA_API_KEY is not set"},
        ],
        "limits": {"SEARCH_TIMEOUT": 12.0},
    }
