"""The MCP server: our tools on the SDK's server class, which keeps the protocol of both eras."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import anyio
from mcp.server import CacheHint, MCPServer
from mcp.server.mcpserver import Context
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolResult,
    GetPromptResult,
    InputRequiredResult,
    TextContent,
    ToolAnnotations,
)
from mcp_types import Tool as ListedTool

from research_mcp import __version__
from research_mcp.core.wire import JsonValue
from research_mcp.server.caller import stated_zone
from research_mcp.server.tools.arguments import input_schema
from research_mcp.server.tools.calls import Answer, Report, Tool, Toolbox

LONGEST_RESULT = 500_000
"""Characters that clients are asked to let through for page texts, the most they accept."""

LIST_TTL_MS = 300_000


class ResearchServer(MCPServer[None]):
    """Lists and calls the tools of a `Toolbox`; whatever is registered beside them still works."""

    def __init__(self, toolbox: Toolbox) -> None:
        super().__init__(
            name="research",
            title="research-mcp",
            version=__version__,
            instructions=toolbox.texts.instructions,
            subscriptions=False,  # a listen stream would hold up every stop
            log_level="WARNING",
            cache_hints={"tools/list": CacheHint(ttl_ms=LIST_TTL_MS, scope="public")},
        )
        self._toolbox = toolbox
        self._listed = [listed(tool, toolbox) for tool in toolbox.tools.values()]

    async def list_tools(self) -> list[ListedTool]:
        """Our tools first."""
        return [*self._listed, *await super().list_tools()]

    async def call_tool(
        self, name: str, arguments: Mapping[str, Any], context: Context[None, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Call one tool; every failure is a result that the model reads."""
        if name in {tool.name for tool in await super().list_tools()}:
            return await super().call_tool(name, dict(arguments), context)
        zone = stated_zone(context.request_context.meta, context.headers) if context else ""
        return _result(await self._toolbox.call(name, arguments, _reporter(context), zone))

    async def get_prompt(
        self,
        name: str,
        arguments: dict[str, Any] | None = None,
        context: Context[None, Any] | None = None,
    ) -> GetPromptResult | InputRequiredResult:
        """A prompt; an unknown name is the client's mistake, not a fault of the server."""
        if name not in {prompt.name for prompt in await self.list_prompts()}:
            raise MCPError(code=INVALID_PARAMS, message=f"There is no prompt {name[:60]!r} here.")
        return await super().get_prompt(name, arguments, context)


def listed(tool: Tool, toolbox: Toolbox) -> ListedTool:
    """What `tools/list` says about `tool`."""
    text = toolbox.texts.tools[tool.name]
    return ListedTool(
        name=tool.name,
        title=text.title,
        description=text.description,
        input_schema=input_schema(tool.fields, text),
        output_schema=tool.shape.schema if tool.shape else None,
        annotations=ToolAnnotations(
            title=text.title,
            read_only_hint=True,
            destructive_hint=False,
            open_world_hint=True,
        ),
        _meta={"anthropic/maxResultSizeChars": LONGEST_RESULT} if tool.pages else None,
    )


def _result(answer: Answer) -> CallToolResult:
    structure: dict[str, JsonValue] | None = dict(answer.structure) if answer.structure else None
    return CallToolResult(
        content=[TextContent(type="text", text=answer.text)],
        structured_content=structure,
        is_error=answer.failed,
    )


def _reporter(context: Context[None, Any] | None) -> Report:
    async def report(progress: float, total: float | None, message: str) -> None:
        if context is None:
            return
        # The client may be gone: then its call is being cancelled.
        with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
            await context.report_progress(progress, total, message)

    return report
