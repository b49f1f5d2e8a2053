"""What a billed unit of each instance costs, as its type declares it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from research_mcp.core.instance import Instance
from research_mcp.providers.kit.registry import REGISTRY, spec_of


def prices(rows: Iterable[Instance]) -> Mapping[str, float]:
    """Dollars by instance, without those that count in something else than calls or dollars."""
    declared = {
        row.name: getattr(REGISTRY[row.type], "usd", None)
        for row in rows
        if spec_of(REGISTRY[row.type]).metered
    }
    return {name: usd for name, usd in declared.items() if usd is not None}
