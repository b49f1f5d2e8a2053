"""Frozen records of what happened. Producers emit them; log and metrics render them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One tool call as the operator sees it: the one log line."""

    tool: str
    target: str
    outcome: str
    by: str = ""
    count: int = 0
    ms: int = 0
    billed: int = 0
    detail: str = ""


@dataclass(frozen=True, slots=True)
class ProviderCall:
    """One call of one instance: `operation` is search, rerank, read, answer or map."""

    instance: str
    operation: str
    outcome: str
    ms: int = 0
    billed: int = 0
    detail: str = ""


Event = ToolCall | ProviderCall
Emit = Callable[[Event], None]


def ignore(event: Event) -> None:
    """The sink for those who do not listen."""
