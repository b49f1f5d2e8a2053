"""What clients are told about the tools: small, flat, portable."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS

from research_mcp import __version__
from research_mcp.server.app import build_server
from research_mcp.server.config import ServerConfig
from research_mcp.server.texts.languages import CATALOGUES
from tests.server.fakes import FakePipelines

REFUSED_KEYS = {
    "$ref",
    "$defs",
    "$schema",
    "anyOf",
    "oneOf",
    "allOf",
    "not",
    "title",
    "format",
    "enum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "prefixItems",
}


async def tools(language: str = "en") -> list[dict[str, Any]]:
    server = build_server(FakePipelines().services(), ServerConfig(language=language))
    async with Client(server) as client:
        listed = (await client.list_tools()).tools
    return [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in listed]


def nodes(schema: Any) -> Iterator[dict[str, Any]]:
    """Every subschema, the root first."""
    yield schema
    for inner in schema.get("properties", {}).values():
        yield from nodes(inner)
    if "items" in schema:
        yield from nodes(schema["items"])


async def test_the_default_tool_list_stays_under_eight_kilobytes() -> None:
    assert len(json.dumps({"tools": await tools()}).encode()) <= 8192, "with a space after each sign, too"


@pytest.mark.parametrize("language", sorted(CATALOGUES))
async def test_schemas_hold_nothing_that_a_client_refuses(language: str) -> None:
    for tool in await tools(language):
        for schema in (tool["inputSchema"], tool.get("outputSchema", {"type": "object"})):
            assert schema["type"] == "object"
            for node in nodes(schema):
                assert isinstance(node["type"], str)
                assert not REFUSED_KEYS & node.keys()
                assert node.get("default", "") is not None
                assert "items" in node or node["type"] != "array"
        for described in tool["inputSchema"]["properties"].values():
            assert described["description"]


async def test_names_titles_and_hints_suit_every_client() -> None:
    for tool in await tools():
        assert len(tool["name"]) <= 20
        assert set(tool["name"]) <= set("abcdefghijklmnopqrstuvwxyz_")
        assert tool["title"] == tool["annotations"]["title"]
        assert tool["annotations"] | {"title": ""} == {
            "title": "",
            "readOnlyHint": True,
            "destructiveHint": False,
            "openWorldHint": True,
        }


async def test_arguments_defaults_and_bounds_are_the_documented_ones() -> None:
    schemas = {tool["name"]: tool["inputSchema"] for tool in await tools()}
    stated = {
        name: {
            argument: (schema.get("default"), schema.get("minimum"), schema.get("maximum"))
            for argument, schema in schema["properties"].items()
        }
        for name, schema in schemas.items()
    }
    filters = {
        "language": ("", None, None),
        "time_range": ("", None, None),
        "include_domains": ([], None, None),
        "exclude_domains": ([], None, None),
        "prefer_domains": ([], None, None),
        "country": ("", None, None),
    }
    assert stated == {
        "web_search": {"query": (None, None, None), "num_results": (8, 1, 50), **filters},
        "read_page": {"url": (None, None, None), "start": (0, 0, None), "max_chars": (0, 0, None)},
        "read_pages": {"urls": (None, None, None)},
        "map_site": {
            "url": (None, None, None),
            "max_results": (50, 1, 500),
            "max_depth": (1, 1, 5),
            "instructions": ("", None, None),
        },
        "search_and_read": {"query": (None, None, None), "num_results": (5, 1, 10), **filters},
    }
    assert [schemas[name]["required"] for name in schemas] == [
        ["query"],
        ["query"],
        ["url"],
        ["urls"],
        ["url"],
    ]


async def test_tools_that_return_pages_ask_clients_to_let_them_through() -> None:
    asking = {tool["name"]: "anthropic/maxResultSizeChars" in tool.get("_meta", {}) for tool in await tools()}
    assert asking == {
        "web_search": False,
        "read_page": True,
        "read_pages": True,
        "map_site": False,
        "search_and_read": True,
    }


async def test_only_read_page_answers_without_a_structure() -> None:
    assert [tool["name"] for tool in await tools() if "outputSchema" not in tool] == ["read_page"]


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
async def test_the_server_introduces_itself_in_both_eras(mode: str) -> None:
    server = build_server(FakePipelines().services(), ServerConfig())
    async with Client(server, mode=mode) as client:
        assert client.instructions is None or "search_and_read" in client.instructions
        assert len((await client.list_tools()).tools) == 5
    assert (server.name, server.version) == ("research", __version__)
    assert "search_and_read" in (server.instructions or "")


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
async def test_an_unknown_prompt_or_resource_is_the_clients_mistake(
    mode: str, caplog: pytest.LogCaptureFixture
) -> None:
    server = build_server(FakePipelines().services(), ServerConfig())

    @server.prompt()
    def hello(name: str) -> str:
        """Greets."""
        return f"Hello {name}"

    async with Client(server, mode=mode) as client:
        with pytest.raises(MCPError, match="There is no prompt 'bye' here") as caught:
            await client.get_prompt("bye")
        assert caught.value.code == INVALID_PARAMS
        with pytest.raises(MCPError) as caught:
            await client.read_resource("research://nothing")
        assert caught.value.code == INVALID_PARAMS
        greeting = await client.get_prompt("hello", {"name": "Ann"})
        assert greeting.messages[0].content.text == "Hello Ann"
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []


async def test_what_is_registered_beside_the_tools_works_too() -> None:
    server = build_server(FakePipelines().services(), ServerConfig())

    @server.tool()
    def extra(text: str) -> str:
        """An extra tool."""
        return text * 2

    async with Client(server) as client:
        assert [tool.name for tool in (await client.list_tools()).tools][-1] == "extra"
        assert (await client.call_tool("extra", {"text": "a"})).content[0].text == "aa"
        assert (await client.call_tool("web_search", {"query": "x"})).is_error is False
    assert (await server.call_tool("web_search", {"query": "x"})).is_error is False
