"""The base of the tools: the services and texts that each works with."""

from __future__ import annotations

from typing import ClassVar

from research_mcp.server.config import ServerConfig, Services
from research_mcp.server.render.batch import BatchRenderer
from research_mcp.server.render.voice import Voice
from research_mcp.server.texts.shape import Texts
from research_mcp.server.tools.calls import Tool


class Served(Tool):
    """A tool with the services and texts it works with.

    `needs_answerer`: it is only listed when there is a model that answers.
    """

    needs_answerer: ClassVar[bool] = False

    def __init__(self, services: Services, config: ServerConfig, texts: Texts) -> None:
        self._services = services
        self._config = config
        self._texts = texts

    def _voice(self) -> Voice:
        return Voice(self._texts, self._services.clock.now())

    def _batch(self) -> BatchRenderer:
        return BatchRenderer(self._voice(), self._config.read_batch_max_chars)
