"""Which instances exist, in what order they are tried, and what their variables mean.

NAMES of environment variables, never values. Variables unset: the row is off, one log line says
which one is missing. A type, name or option that does not exist stops the start.
"""

from __future__ import annotations

from collections.abc import Mapping

from research_mcp.core.instance import Instance

INSTANCES: tuple[Instance, ...] = (
    # Search
    Instance("duckduckgo", "search.duckduckgo", base_url_env="DUCKDUCKGO_API_URL"),
    # Read
    Instance("trafilatura", "read.direct"),
)

SEARCH_PIPELINE: tuple[str, ...] = ("duckduckgo",)
"""Order breaks ties and decides whose copy of a hit is shown."""

READ_PIPELINE: tuple[str, ...] = ("trafilatura",)
"""From cheap to expensive: the first sufficient answer wins. Site readers stand first."""

ALIASES: Mapping[str, str] = {}
"""Names of earlier tools, each with the variable it stands for."""

VARIABLES: Mapping[str, str] = {
    "DUCKDUCKGO_API_URL": "Another address for DuckDuckGo's page without scripts (a gateway, a test).",
}
"""One sentence for each variable that a row names; printed into `.env.example` and the README."""
