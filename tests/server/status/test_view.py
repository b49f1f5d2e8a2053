"""What the page says of an overview."""

from __future__ import annotations

from dataclasses import replace

import pytest

from research_mcp.core.ports import Spent
from research_mcp.observe.overview import Minute, Record, Spending
from research_mcp.server.status.view import Chart, Money, State, groups, standing, total
from tests.server.status.overviews import FRESH, FULL, NOW


@pytest.mark.parametrize(
    ("ready", "degraded", "title", "tone"),
    [
        (True, (), "Ready", "fine"),
        (True, ("store: x",), "Degraded", "rest"),
        (False, ("x",), "Not ready", "bad"),
    ],
)
def test_the_state_is_the_one_of_the_probe(
    ready: bool, degraded: tuple[str, ...], title: str, tone: str
) -> None:
    assert State.of(replace(FRESH, ready=ready, degraded=degraded)) == State(title, tone)


def test_providers_are_grouped_by_kind_and_those_that_are_off_stand_apart() -> None:
    found = [
        (group.title, [one.name for one in group.on], [one.name for one in group.idle], len(group.off))
        for group in groups(FULL)
    ]
    assert found == [
        ("Search engines", ["searxng", "exa", "serper", "kagi"], ["openalex"], 2),
        ("Page readers", ["trafilatura"], [], 0),
        ("Answering models", ["grok"], [], 0),
        ("Rerankers", [], [], 1),
    ]


def test_a_provider_that_rests_is_told_of_though_nobody_called_it() -> None:
    resting = replace(FULL, providers=(replace(FULL.providers[1], record=Record()),))
    (group,) = groups(resting)
    assert [one.name for one in group.on] == ["exa"]


def test_every_standing_has_words_and_not_only_a_colour() -> None:
    found = {row.name: standing(row, NOW) for row in FULL.providers if row.on}
    assert (found["searxng"].state, found["searxng"].tone) == ("free", "fine")
    assert found["exa"].state == "rests until 08:04, 4 min more (rate_limited)"
    assert found["exa"].tone == "rest"
    assert found["serper"].state == "rests until a new key or `quota reset` (bad_key)"
    assert found["serper"].tone == "bad"
    assert found["kagi"].state == "on trial"


def test_costs_are_summed_where_prices_are_known_and_units_everywhere() -> None:
    money = Money.of(FULL.spending)
    assert (money.units_today, money.units_month) == (35, 924)
    assert money.today == pytest.approx(0.217)
    assert money.month == pytest.approx(5.838)


def test_unknown_prices_give_no_sum_and_nothing_billed_costs_nothing() -> None:
    assert Money.of((Spending(Spent("xmlriver", 1, 2)),)) == Money(None, None, 1, 2)
    assert Money.of(()) == Money(0, 0, 0, 0)


def test_the_chart_is_scaled_to_the_busiest_minute_and_says_what_it_shows() -> None:
    chart = Chart.of(FULL.minutes)
    assert chart.words == "18 calls, 3 failed; most in one minute: 14, at 07:59."
    busiest, last = chart.bars
    assert (busiest.x, last.x) == (580, 590)
    assert busiest.failed_y == pytest.approx(0, abs=0.02)
    assert busiest.good + busiest.failed == pytest.approx(100, abs=0.02)
    assert (last.words, last.failed) == ("08:00: 4 calls, 0 failed", 0)


def test_an_hour_without_calls_is_an_empty_chart_with_words() -> None:
    chart = Chart.of(FRESH.minutes)
    assert (list(chart.bars), chart.words) == ([], "No calls in the last hour.")


def test_the_hour_is_summed() -> None:
    assert total(FULL.minutes) == Minute(0.0, 15, 3)
