"""Budgets as operators write them, and the stretches of time they cover."""

from datetime import UTC, datetime

import pytest

from research_mcp.core.budget import (
    BUDGET,
    Budget,
    budgets_of,
    parse_budget,
    period_key,
    period_start,
    renews_at,
)
from research_mcp.core.errors import ConfigError
from research_mcp.core.instance import KEYLESS, Account, Instance, Quota, Secret


def at(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("text", "quota"),
    [
        ("1000/month", Quota(1000, "month")),
        ("50/day", Quota(50, "day")),
        ("200/hour", Quota(200, "hour")),
        ("10000/total", Quota(10_000, "total")),
        ("  7 / Day ", Quota(7, "day")),
        ("0/total", Quota(0, "total")),
        ("999999999999/month", Quota(999_999_999_999, "month")),
    ],
)
def test_a_budget_is_a_whole_number_and_a_period(text: str, quota: Quota) -> None:
    assert parse_budget(text, "BRAVE_BUDGET") == quota


@pytest.mark.parametrize(
    "text",
    [
        "1000",
        "/day",
        "50/week",
        "-5/day",
        "1.5/day",
        "1e3/day",
        "5/day/day",
        "many/day",
        "1,000/month",
        "٥/day",
        "",
        "9" * 13 + "/day",
    ],
)
def test_anything_else_is_refused_with_variable_value_and_rule(text: str) -> None:
    with pytest.raises(ConfigError) as refused:
        parse_budget(text, "BRAVE_BUDGET")
    assert str(refused.value) == (
        f"BRAVE_BUDGET is {text!r}: write a whole number and a period "
        "(hour, day, month or total), like 1000/month"
    )


@pytest.mark.parametrize(
    ("per", "now", "start", "end", "key"),
    [
        ("hour", "2026-09-21T14:59:59.9", "2026-09-21T14:00", "2026-09-21T15:00", "2026-09-21T14"),
        ("day", "2026-09-21T23:59:59.9", "2026-09-21T00:00", "2026-09-22T00:00", "2026-09-21"),
        ("day", "2026-12-31T00:00", "2026-12-31T00:00", "2027-01-01T00:00", "2026-12-31"),
        ("month", "2026-09-21T14:00", "2026-09-01T00:00", "2026-10-01T00:00", "2026-09"),
        ("month", "2026-12-31T23:59:59", "2026-12-01T00:00", "2027-01-01T00:00", "2026-12"),
        ("month", "2028-02-29T12:00", "2028-02-01T00:00", "2028-03-01T00:00", "2028-02"),
    ],
)
def test_periods_begin_and_end_in_utc(per: str, now: str, start: str, end: str, key: str) -> None:
    assert period_start(per, at(now)) == at(start)
    assert renews_at(per, at(now)) == at(end)
    assert period_key(per, at(now)) == key


def test_a_total_has_no_end() -> None:
    assert period_start("total", at("2026-09-21")) == 0.0
    assert renews_at("total", at("2026-09-21")) is None
    assert period_key("total", at("2026-09-21")) == "total"


def test_the_variable_is_the_instances_name() -> None:
    assert Instance("tavily-1", "read.tavily").own_variable(BUDGET) == "TAVILY_1_BUDGET"


def test_a_rows_quota_holds_for_each_key_and_the_variable_for_the_instance() -> None:
    row = Instance("tavily-search", "search.tavily", quota=Quota(1000, "month"))
    keys = [Account("A#1", Secret("one")), Account("A#2", Secret("two"))]
    assert budgets_of(row, keys, "50/day") == (
        Budget("tavily-search", Quota(1000, "month"), "the row's quota", "A#1"),
        Budget("tavily-search", Quota(1000, "month"), "the row's quota", "A#2"),
        Budget("tavily-search", Quota(50, "day"), "TAVILY_SEARCH_BUDGET"),
    )


@pytest.mark.parametrize("accounts", [[], [KEYLESS]])
def test_a_quota_without_a_key_holds_for_the_instance(accounts: list[Account]) -> None:
    row = Instance("exa", "search.exa", quota=Quota(9, "day"))
    assert budgets_of(row, accounts) == (Budget("exa", Quota(9, "day"), "the row's quota"),)


def test_a_row_without_limits_has_no_budget() -> None:
    assert budgets_of(Instance("exa", "search.exa"), [KEYLESS]) == ()


@pytest.mark.parametrize("quota", [Quota(-1, "day"), Quota(5, "week")])
def test_a_rows_impossible_quota_stops_the_start(quota: Quota) -> None:
    with pytest.raises(ConfigError, match="the quota of 'exa' is"):
        budgets_of(Instance("exa", "search.exa", quota=quota), [])


def test_a_budget_covers_its_instance_or_its_key() -> None:
    whole = Budget("exa", Quota(1), "EXA_BUDGET")
    assert whole.covers("any", "exa")
    assert not whole.covers("any", "brave")
    one_key = Budget("exa", Quota(1), "the row's quota", "A#1")
    assert one_key.covers("A#1", "brave")
    assert not one_key.covers("A#2", "exa")
