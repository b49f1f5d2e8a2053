"""What clients may read beside the tools: `research://status`, `research://sources/{session_id}`."""

from __future__ import annotations

import json

from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS

from research_mcp.core.answers import AnswerReport
from research_mcp.core.errors import ResearchError
from research_mcp.core.ports import Answerer
from research_mcp.core.wire import JsonValue
from research_mcp.server.config import Services
from research_mcp.server.protocol import ResearchServer
from research_mcp.server.render.answer import source_line
from research_mcp.server.texts.shape import Texts
from research_mcp.server.tools.calls import explained


def add_resources(server: ResearchServer, services: Services, texts: Texts) -> None:
    """Register the resources on `server`."""

    @server.resource(
        "research://status",
        name="status",
        title="Providers and limits",
        description="Which providers are on, why others are off, and the limits of this server.",
        mime_type="application/json",
    )
    def status() -> str:
        return json.dumps(_status(services), ensure_ascii=False, indent=1)

    if services.answerer is not None:
        _add_sources(server, services.answerer, texts)


def _add_sources(server: ResearchServer, answerer: Answerer, texts: Texts) -> None:
    @server.resource(
        "research://sources/{session_id}",
        name="sources",
        title="Sources of an answer",
        description="The whole text and all sources of a web_answer, for an hour.",
        mime_type="application/json",
    )
    async def sources(session_id: str) -> str:
        try:
            report = await answerer.kept(session_id)
        except ResearchError as error:  # the client named a session that is not there
            raise MCPError(
                code=INVALID_PARAMS, message=explained(error, texts), data={"reason": error.reason.value}
            ) from None
        return json.dumps(_answer(report), ensure_ascii=False, indent=1)


def _answer(report: AnswerReport) -> dict[str, object]:
    return {
        "query": report.question.text,
        "content": report.content,
        "unverified_content": report.unverified,
        "verifiable": report.verifiable,
        "search_provider": report.provider,
        "fallback_reason": report.fallback.value if report.fallback else "",
        "sources": [source_line(source) for source in report.sources],
    }


def _status(services: Services) -> JsonValue:
    providers: list[JsonValue] = [
        {
            "name": row.instance.name,
            "type": row.instance.type,
            "on": row.on,
            **({"why": row.why} if row.why else {}),
        }
        for row in services.statuses()
    ]
    return {"providers": providers, "limits": dict(services.limits)}
