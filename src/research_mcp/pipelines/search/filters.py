"""What the merged list must satisfy, whatever the engines made of the filters."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from research_mcp.core.models import Hit, SearchQuery, TimeRange
from research_mcp.core.url_key import url_key
from research_mcp.pipelines.search.hosts import NO_RULES, HostRules, Wish
from research_mcp.pipelines.search.pool import Entry

_DAYS: Mapping[TimeRange, int] = {
    TimeRange.DAY: 1,
    TimeRange.WEEK: 7,
    TimeRange.MONTH: 31,
    TimeRange.YEAR: 366,
}


class Removal(StrEnum):
    """Why an entry was taken off the list."""

    OUTSIDE = "outside"
    EXCLUDED = "excluded"
    OLDER = "older"
    UNWANTED = "unwanted"


@dataclass(frozen=True, slots=True)
class Sieve:
    """The strict part of one query: domains, dates, removed hosts.

    `oldest` is the earliest ISO day that may be stated, "" for any. Undated pages always pass.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    oldest: str = ""
    rules: HostRules = NO_RULES

    @classmethod
    def of(cls, query: SearchQuery, rules: HostRules, now: float) -> Sieve:
        """The sieve of a query asked at `now` (epoch seconds)."""
        oldest = oldest_day(query.time_range, now)
        return cls(_both_forms(query.include_domains), _both_forms(query.exclude_domains), oldest, rules)

    def removal(self, key: str, hit: Hit) -> Removal | None:
        """Why a page with this url key goes; None when it stays."""
        if self.include and not _on_any(self.include, key, hit.url):
            return Removal.OUTSIDE
        if self.exclude and _on_any(self.exclude, key, hit.url):
            return Removal.EXCLUDED
        rule = self.rules.rule(key)
        if rule is not None and rule.wish is Wish.REMOVE:
            return Removal.UNWANTED
        return Removal.OLDER if hit.date and hit.date < self.oldest else None

    def pass_on(self, entries: Iterable[Entry]) -> tuple[list[Entry], Counter[Removal]]:
        """The entries that stay, and how many went for which cause."""
        kept = []
        gone: Counter[Removal] = Counter()
        for entry in entries:
            cause = self.removal(entry.key, Hit("", entry.url, date=entry.date))
            if cause is None:
                kept.append(entry)
            else:
                gone[cause] += 1
        return kept, gone


@dataclass(frozen=True, slots=True)
class Preferred:
    """The domains that the caller would rather have results from."""

    domains: tuple[str, ...] = ()

    @classmethod
    def of(cls, domains: Iterable[str]) -> Preferred:
        """Those of a query, in each form that addresses write them."""
        return cls(_both_forms(domains))

    def covers(self, key: str, url: str) -> bool:
        """Whether a page lies on one of them."""
        return bool(self.domains) and _on_any(self.domains, key, url)


NOBODY_PREFERRED = Preferred()


def _both_forms(domains: Iterable[str]) -> tuple[str, ...]:
    """Each domain as it was written and as url keys spell it (`twitter.com` is `x.com` there)."""
    written = [domain.strip().strip(".").lower().removeprefix("www.") for domain in domains]
    return tuple(dict.fromkeys(form for domain in written for form in (domain, url_key(domain)) if form))


def _on_any(domains: Iterable[str], key: str, url: str) -> bool:
    place = url.partition("://")[2]
    return any(within(domain, key) or within(domain, place) for domain in domains)


def within(domain: str, place: str) -> bool:
    """True when `place` (host and path) lies on `domain` or a subdomain; a domain may carry a path."""
    host, _, path = place.partition("/")
    domain, _, below = domain.partition("/")
    host = host.partition(":")[0].lower()
    below = below.rstrip("/")
    return (host == domain or host.endswith("." + domain)) and (
        not below or path == below or path.startswith(below + "/")
    )


def oldest_day(time_range: TimeRange, now: float) -> str:
    """The first ISO day of a range that ends now, one day of grace for time zones; "" for any."""
    days = _DAYS.get(time_range)
    if days is None:
        return ""
    today = dt.datetime.fromtimestamp(now, dt.UTC).date()
    return (today - dt.timedelta(days=days + 1)).isoformat()
