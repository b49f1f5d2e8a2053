"""How a call went, in few words: closed sets, so that no label and no table grows without bound."""

from __future__ import annotations

from research_mcp.core.errors import Reason
from research_mcp.observe.events import ProviderCall, ToolCall

GOOD = frozenset({"ok", "empty", "partial"})
"""Outcomes of an answer, be it an empty one."""

STOPPED = frozenset({"not_waited_for", Reason.CANCELLED.value})
"""Outcomes of a call that this server or its client ended: nobody's fault."""

RESTING = "resting"
_REASONS = frozenset(Reason)


def outcome_of(call: ToolCall | ProviderCall) -> str:
    """`ok`, `empty`, `partial`, `resting`, `stopped` or `failed`."""
    if call.outcome in GOOD or call.outcome == RESTING:
        return call.outcome
    return "stopped" if call.outcome in STOPPED else "failed"


def reason_of(call: ToolCall | ProviderCall) -> str:
    """A value of `Reason`, or "" for what did not fail (or failed for no stated reason)."""
    reason = call.reason if isinstance(call, ProviderCall) else call.outcome
    return reason if reason in _REASONS else ""
