"""What clients may read beside the tools: `research://status`."""

from __future__ import annotations

import json

from research_mcp.core.wire import JsonValue
from research_mcp.server.config import Services
from research_mcp.server.protocol import ResearchServer


def add_resources(server: ResearchServer, services: Services) -> None:
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
