"""What the merged list must satisfy whatever the engines did."""

from __future__ import annotations

import datetime as dt

import pytest

from research_mcp.core.models import Hit, SearchQuery, TimeRange
from research_mcp.core.url_key import url_key
from research_mcp.pipelines.search.filters import Removal, Sieve, oldest_day
from research_mcp.pipelines.search.hosts import NO_RULES

NOW = dt.datetime(2026, 9, 15, 12, tzinfo=dt.UTC).timestamp()


def removal(url: str, date: str = "", **query: object) -> Removal | None:
    asked = SearchQuery("tides", **query)  # type: ignore[arg-type]  # each test names the fields it means
    return Sieve.of(asked, NO_RULES, NOW).removal(url_key(url), Hit("", url, date=date))


@pytest.mark.parametrize(
    ("domain", "url", "stays"),
    [
        ("good.test", "https://good.test/a", True),
        ("good.test", "https://www.good.test/a", True),
        ("www.good.test", "https://docs.good.test/a", True),
        ("good.test", "https://notgood.test/a", False),
        ("good.test", "https://good.test.evil.test/a", False),
        ("good.test", "https://good.test:8443/a", True),
        ("good.test/docs", "https://good.test/docs/a", True),
        ("good.test/docs", "https://good.test/docsx", False),
        ("twitter.com", "https://twitter.com/mill/status/1", True),
        ("twitter.com", "https://x.com/mill/status/1", True),
        ("youtu.be", "https://youtu.be/dQw4w9WgXcQ", True),
        ("en.m.wikipedia.org", "https://en.wikipedia.org/wiki/Tide", True),
        ("bücher.test", "https://xn--bcher-kva.test/a", True),
        ("gov", "https://tides.noaa.gov/a", True),
        ("Good.Test.", "https://good.test/a", True),
    ],
)
def test_include_domains_are_strict_and_cover_subdomains(domain: str, url: str, *, stays: bool) -> None:
    assert (removal(url, include_domains=(domain,)) is None) is stays
    assert (removal(url, exclude_domains=(domain,)) is Removal.EXCLUDED) is stays


@pytest.mark.parametrize(
    ("time_range", "date", "stays"),
    [
        (TimeRange.DAY, "2026-09-13", True),
        (TimeRange.DAY, "2026-09-12", False),
        (TimeRange.WEEK, "2026-09-08", True),
        (TimeRange.WEEK, "2026-09-01", False),
        (TimeRange.MONTH, "2026-08-15", True),
        (TimeRange.YEAR, "2025-09-15", True),
        (TimeRange.YEAR, "2025-09-01", False),
        (TimeRange.DAY, "", True),
        (TimeRange.ANY, "1995-01-01", True),
    ],
)
def test_dates_before_the_range_go_and_pages_without_a_date_stay(
    time_range: TimeRange, date: str, *, stays: bool
) -> None:
    assert (removal("https://a.test/", date, time_range=time_range) is None) is stays


def test_no_range_means_no_oldest_day() -> None:
    assert oldest_day(TimeRange.ANY, NOW) == ""
