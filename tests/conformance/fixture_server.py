"""The product's own application with the tools, resources and prompts that the conformance suite calls.

Only for tests: `python -m tests.conformance.fixture_server PORT`. Sampling, elicitation, logging and
subscriptions are no features of the product, so they have no fixtures; the baseline names them.
"""

from __future__ import annotations

import asyncio
import base64
import logging
import sys
from typing import Any

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.prompts.base import UserMessage
from mcp_types import (
    AudioContent,
    EmbeddedResource,
    ImageContent,
    TextContent,
    TextResourceContents,
)

from research_mcp.server.app import build_server, wrap
from research_mcp.server.config import Listen, ServerConfig
from research_mcp.server.protocol import ResearchServer
from research_mcp.server.run import http_server
from tests.server.fakes import FakePipelines

PNG = base64.b64encode(
    base64.b64decode(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
    )
).decode()
WAV = base64.b64encode(
    b"RIFF$\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0@\x1f\0\0@\x1f\0\0\x01\0\x08\0data\0\0\0\0"
).decode()


def add_tools(server: ResearchServer) -> None:
    @server.tool()
    def test_simple_text() -> TextContent:
        """Returns one text."""
        return TextContent(type="text", text="This is a simple text response for testing.")

    @server.tool()
    def test_image_content() -> ImageContent:
        """Returns an image."""
        return ImageContent(type="image", data=PNG, mime_type="image/png")

    @server.tool()
    def test_audio_content() -> AudioContent:
        """Returns a sound."""
        return AudioContent(type="audio", data=WAV, mime_type="audio/wav")

    @server.tool()
    def test_embedded_resource() -> EmbeddedResource:
        """Returns a resource."""
        return _embedded("test://embedded-resource", "This is an embedded resource content.")

    @server.tool()
    def test_multiple_content_types() -> list[Any]:
        """Returns a text, an image and a resource."""
        return [
            TextContent(type="text", text="Multiple content types test:"),
            ImageContent(type="image", data=PNG, mime_type="image/png"),
            _embedded("test://mixed-content-resource", '{"test":"data","value":123}', "application/json"),
        ]

    @server.tool()
    def test_error_handling() -> str:
        """Always fails."""
        raise ValueError("This tool intentionally returns an error for testing")

    @server.tool()
    async def test_tool_with_progress(ctx: Context) -> str:
        """Reports progress three times."""
        for step in (0, 50, 100):
            await ctx.report_progress(step, 100, f"Completed step {step} of 100")
            await asyncio.sleep(0.05)
        return "done"


def add_resources(server: ResearchServer) -> None:
    @server.resource("test://static-text", mime_type="text/plain")
    def static_text() -> str:
        """A text."""
        return "This is the content of the static text resource."

    @server.resource("test://static-binary", mime_type="image/png")
    def static_binary() -> bytes:
        """An image."""
        return base64.b64decode(PNG)

    @server.resource("test://template/{id}/data", mime_type="application/json")
    def template(id: str) -> str:  # noqa: A002 - the suite's name
        """A text for an id."""
        return f'{{"id": "{id}", "templateTest": true, "data": "Data for ID: {id}"}}'


def add_prompts(server: ResearchServer) -> None:
    @server.prompt()
    def test_simple_prompt() -> str:
        """One message."""
        return "This is a simple prompt for testing."

    @server.prompt()
    def test_prompt_with_arguments(arg1: str, arg2: str) -> str:
        """A message with both arguments."""
        return f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"

    @server.prompt()
    def test_prompt_with_embedded_resource(resourceUri: str) -> list[UserMessage]:  # noqa: N803
        """A message with a resource."""
        text = TextContent(type="text", text="Please process the embedded resource above.")
        return [
            UserMessage(_embedded(resourceUri, "Embedded resource content for testing.")),
            UserMessage(text),
        ]

    @server.prompt()
    def test_prompt_with_image() -> list[UserMessage]:
        """A message with an image."""
        text = TextContent(type="text", text="Please analyze the image above.")
        return [
            UserMessage(ImageContent(type="image", data=PNG, mime_type="image/png")),
            UserMessage(text),
        ]


def _embedded(uri: str, text: str, mime_type: str = "text/plain") -> EmbeddedResource:
    contents = TextResourceContents(uri=uri, mime_type=mime_type, text=text)
    return EmbeddedResource(type="resource", resource=contents)


def main() -> None:
    logging.basicConfig(level=logging.INFO, stream=sys.stderr)
    services, config = FakePipelines().services(), ServerConfig()
    server = build_server(services, config)
    add_tools(server)
    add_resources(server)
    add_prompts(server)
    http_server(wrap(server, services, config), Listen(port=int(sys.argv[1]))).run()


if __name__ == "__main__":
    main()
