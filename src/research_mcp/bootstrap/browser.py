"""The browser of this machine, when an instance renders with it: what it may take, and the browser itself."""

from __future__ import annotations

from collections.abc import Iterable

from research_mcp.bootstrap.instances import Resolved
from research_mcp.net.browser.limits import BrowserLimits
from research_mcp.net.browser.program import usable_program
from research_mcp.providers.kit.read import ReadType
from research_mcp.providers.kit.registry import REGISTRY
from research_mcp.settings import Settings

_MEGABYTE = 1_000_000


def renders(resolved: Resolved) -> bool:
    """Whether the instance reads with the browser of this machine."""
    cls = REGISTRY[resolved.instance.type]
    return issubclass(cls, ReadType) and cls.renders


def browser_limits(read: Iterable[Resolved], settings: Settings, user_agent: str) -> BrowserLimits | None:
    """The browser that the instances ask for, if any. Raises `ConfigError` when it cannot run."""
    for resolved in read:
        if renders(resolved):
            return BrowserLimits(
                program=usable_program(resolved.options["program"], sandbox=settings.browser_sandbox),
                user_agent=user_agent,
                sandbox=settings.browser_sandbox,
                memory=settings.browser_memory_mb * _MEGABYTE,
                pages=settings.browser_pages,
            )
    return None
