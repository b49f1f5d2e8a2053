"""What a billed unit of each instance costs, as its type declares it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from research_mcp.core.instance import Instance
from research_mcp.providers.kit.registry import REGISTRY


def prices(rows: Iterable[Instance]) -> Mapping[str, float]:
    """Dollars by instance, without those that count in something else than calls or dollars."""
    types = ((row.name, REGISTRY[row.type]) for row in rows)
    declared = {name: cls.usd for name, cls in types if cls.spec.metered}
    return {name: usd for name, usd in declared.items() if usd is not None}
