"""What the meters of all back-ends have in common: how long they remember, and what they say."""

from __future__ import annotations

from datetime import UTC, datetime

from research_mcp.core.budget import Budget, period_key, renews_at
from research_mcp.core.errors import BudgetSpent
from research_mcp.core.ports import Usage

LAPSES_AFTER = 600.0
"""Seconds after which a reservation that nobody closed counts as spent."""
REMEMBERED = 3_600.0
"""Seconds that a closed reservation's key still stands for a call that was paid."""
SWEEP_EVERY = 60.0
HOUR = 3_600
USAGE_KEPT = 32 * 24
"""Hours of usage that are kept: more than the longest period."""


def spent_error(budget: Budget, used: int, now: float) -> BudgetSpent:
    """The refusal of a budget that has no room."""
    limit, per = budget.quota.limit, budget.quota.per
    renewal = renews_at(per, now)
    when = "it never renews, so the operator must raise it"
    if renewal is not None:
        when = f"it renews at {datetime.fromtimestamp(renewal, UTC):%Y-%m-%d %H:%M} UTC"
    return BudgetSpent(
        f"this server's own budget for {budget.instance} is spent: {used} of {limit}/{per} used "
        f"({budget.source}), {when}",
        rest_for=None if renewal is None else renewal - now,
    )


def usage_line(budget: Budget, limit: int | None, used: int, billed: int, now: float, reserved: int) -> Usage:
    """A budget's line of the money table; without a `limit` it only counts."""
    per = budget.quota.per
    return Usage(
        instance=budget.instance,
        used=used,
        limit=limit,
        per=per,
        period=period_key(per, now),
        renews_at=renews_at(per, now),
        billed=billed,
        source=budget.source,
        account=budget.account,
        reserved=reserved,
    )
