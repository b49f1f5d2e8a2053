"""The owner's file of wishes about hosts, read at start."""

from __future__ import annotations

from pathlib import Path

from research_mcp.core.errors import ConfigError
from research_mcp.pipelines.search.host_rules import host_rules
from research_mcp.pipelines.search.hosts import NO_RULES, HostRules


def owner_rules(path: str) -> HostRules:
    """The rules in the file at `path`, none for "". Raises `ConfigError` that names file and line."""
    if not path:
        return NO_RULES
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no UTF-8 text"
        raise ConfigError(
            f"SEARCH_HOSTS_FILE names {path}, which cannot be read ({why}): mend it or unset the variable"
        ) from None
    return HostRules(host_rules(text, path))
