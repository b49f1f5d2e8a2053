"""Budgets: how many units an instance or a key may spend in which stretch of time. All in UTC."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from research_mcp.core.errors import ConfigError
from research_mcp.core.instance import Account, Instance, Quota

PERIODS = ("hour", "day", "month", "total")
_WRITTEN = re.compile(r"([0-9]{1,12})\s*/\s*([a-z]+)", re.IGNORECASE)
_KEYS = {"hour": "%Y-%m-%dT%H", "day": "%Y-%m-%d", "month": "%Y-%m"}


BUDGET = "BUDGET"
"""Ending of the variable that limits an instance (`Instance.own_variable`)."""


@dataclass(frozen=True, slots=True)
class Budget:
    """`quota` for all that `account` spends, whatever it is used for; for `instance` when "" is given.

    `source` is what the operator would change: the variable or "the row's quota".
    """

    instance: str
    quota: Quota
    source: str
    account: str = ""

    def covers(self, account: str, instance: str) -> bool:
        """True when a call of `instance` with `account` counts against this budget."""
        return self.account == account if self.account else self.instance == instance


def is_budget(text: str) -> bool:
    """True for what `parse_budget` understands."""
    found = _WRITTEN.fullmatch(text.strip())
    return found is not None and found[2].lower() in PERIODS


def parse_budget(text: str, name: str) -> Quota:
    """`1000/month`, `50/day`, `200/hour` or `10000/total`. Raises `ConfigError` naming the variable."""
    found = _WRITTEN.fullmatch(text.strip())
    if found is None or found[2].lower() not in PERIODS:
        raise ConfigError(
            f"{name} is {text!r}: write a whole number and a period "
            "(hour, day, month or total), like 1000/month"
        )
    return Quota(int(found[1]), found[2].lower())


def budgets_of(row: Instance, accounts: Sequence[Account], written: str = "") -> tuple[Budget, ...]:
    """The budgets of a row: its quota for each of its keys, and `written` for the instance as a whole.

    `written` is the value of the row's budget variable, "" when unset. Raises `ConfigError`.
    """
    budgets = []
    if row.quota is not None:
        if row.quota.per not in PERIODS or row.quota.limit < 0:
            raise ConfigError(
                f"pipeline_config: the quota of {row.name!r} is {row.quota.limit}/{row.quota.per}: "
                f"the limit must not be negative and the period one of {', '.join(PERIODS)}"
            )
        keyed = [account.id for account in accounts if account.key is not None]
        budgets += [Budget(row.name, row.quota, "the row's quota", id_) for id_ in keyed or [""]]
    if written:
        name = row.own_variable(BUDGET)
        budgets.append(Budget(row.name, parse_budget(written, name), name))
    return tuple(budgets)


def period_start(per: str, now: float) -> float:
    """The epoch second at which the running period began; 0 for `total`."""
    if per == "total":
        return 0.0
    at = datetime.fromtimestamp(now, UTC).replace(minute=0, second=0, microsecond=0)
    if per != "hour":
        at = at.replace(hour=0)
    if per == "month":
        at = at.replace(day=1)
    return at.timestamp()


def renews_at(per: str, now: float) -> float | None:
    """The epoch second at which the next period begins; None for `total`."""
    start = period_start(per, now)
    if per == "total":
        return None
    if per == "month":
        at = datetime.fromtimestamp(start, UTC)
        return at.replace(year=at.year + at.month // 12, month=at.month % 12 + 1).timestamp()
    return start + (3_600 if per == "hour" else 86_400)


def period_key(per: str, now: float) -> str:
    """The running period's name: `2026-09-01T13`, `2026-09-01`, `2026-09` or `total`."""
    return "total" if per == "total" else datetime.fromtimestamp(now, UTC).strftime(_KEYS[per])
