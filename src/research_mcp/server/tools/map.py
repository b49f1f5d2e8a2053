"""The tool that lists the pages of a site."""

from __future__ import annotations

from research_mcp.core.ports import Progress
from research_mcp.core.sitemaps import MapQuery
from research_mcp.server.render.map import (
    map_answer,
    map_answered,
    map_failure,
    map_failure_reason,
    map_text,
)
from research_mcp.server.tools.arguments import Arguments, Integer, Text
from research_mcp.server.tools.base import Served
from research_mcp.server.tools.calls import Answer, failure
from research_mcp.server.tools.schemas import MapAnswer, Shape


class MapSite(Served):
    """`map_site`: the pages of one site."""

    name = "map_site"
    fields = (
        Text(name="url", required=True, limit=8192),
        Integer(name="max_results", default=50, minimum=1, maximum=500, clamp=True),
        Integer(name="max_depth", default=1, minimum=1, maximum=5, clamp=True),
        Text(name="instructions", limit=1000),
    )
    shape = Shape(MapAnswer)

    def target(self, arguments: Arguments) -> str:
        """The url."""
        return arguments.text("url")

    async def run(self, arguments: Arguments, progress: Progress) -> Answer:
        """The pages, or why no mapper knows any."""
        report = await self._services.mapper.map(map_query(arguments), progress)
        voice = self._voice()
        if not report.pages:
            return failure(map_failure_reason(report), map_failure(report, voice), detail=report.message)
        notes = (*arguments.notes, *report.notes)
        return Answer(
            map_text(report, notes, voice),
            self.shape.checked(map_answer(report, notes, voice)),
            by=map_answered(report),
            count=len(report.pages),
        )


def map_query(arguments: Arguments) -> MapQuery:
    """The question to the mappers."""
    return MapQuery(
        url=arguments.text("url"),
        limit=arguments.integer("max_results"),
        depth=arguments.integer("max_depth"),
        instructions=arguments.text("instructions"),
    )
