"""Brave Search API: an own general web index.

Docs:   https://api-dashboard.search.brave.com/app/documentation/web-search/get-started
Sends:  GET /res/v1/web/search with `q` (400 characters, 50 words), `count` (1 to 20), `country`,
        `search_lang`, `freshness`; domains as words; the key in `X-Subscription-Token`.
Gets:   `{"query": {...}, "web": {"results": [{"title", "url", "description", "page_age"}, ...]}}`;
        without results `web` is missing.
Quirks: a wrong key is a 422; a 429 is either the rate (`RATE_LIMITED`) or the month (`QUOTA_LIMITED`),
        and `X-RateLimit-Reset` has the seconds of both (`1, 1419704`); `offset` counts pages;
        countries and languages come from closed lists, other codes are a 422.
"""

from __future__ import annotations

import re

from research_mcp.core.errors import ProviderError, QuotaSpent, RateLimited
from research_mcp.core.models import Filter, SearchQuery, TimeRange
from research_mcp.core.wire import Reply, Request
from research_mcp.providers.kit.auth import HeaderKey
from research_mcp.providers.kit.fields import says
from research_mcp.providers.kit.registry import register
from research_mcp.providers.kit.search import JsonSearch, Phrases
from research_mcp.providers.kit.shape import Shape

BASE = "https://api.search.brave.com/res/v1"
KEY = HeaderKey("X-Subscription-Token", prefix="")
PHRASES = Phrases(
    spent=("QUOTA_LIMITED",),
    rejected=("SUBSCRIPTION_TOKEN_INVALID", "SUBSCRIPTION_NOT_FOUND"),
    limited=("RATE_LIMITED",),
)

LONGEST_RATE = 60.0
LONGEST_MONTH = 31 * 86_400.0
"""Seconds: a reset that is further off is not what the header is known to state."""

_RESETS = re.compile(r"\s*(?P<rate>[0-9]{1,9})\s*,\s*(?P<month>[0-9]{1,9})\s*")
_AGES = {TimeRange.DAY: "pd", TimeRange.WEEK: "pw", TimeRange.MONTH: "pm", TimeRange.YEAR: "py"}
_COUNTRIES = frozenset(
    "AR AU AT BE BR CA CL DK FI FR DE HK IN ID IT JP KR MY MX NL NZ NO CN PL PT PH RU SA ZA ES SE CH TW TR"  # noqa: SIM905
    " GB US".split()
)
_LANGUAGES = frozenset(
    "ar eu bn bg ca hr cs da nl en et fi fr gl de gu he hi hu is it kn ko lv lt ms ml mr nb pl pa ro ru sr sk"  # noqa: SIM905
    " sl es sv ta te th tr uk vi".split()
)
_OWN_CODES = {"ja": "jp", "no": "nb", "nn": "nb", "zh": "zh-hans", "pt": "pt-br"}
_IN_COUNTRIES = {
    ("zh", "TW"): "zh-hant",
    ("zh", "HK"): "zh-hant",
    ("zh", "MO"): "zh-hant",
    ("pt", "BR"): "pt-br",
    ("pt", "PT"): "pt-pt",
    ("en", "GB"): "en-gb",
}


@register("search.brave", needs=("api_key",), metered=True)
class BraveSearch(JsonSearch):
    """Brave's web results."""

    docs = "https://api-dashboard.search.brave.com/app/documentation/web-search/get-started"
    price = "$5 per 1,000; $5 free a month"
    usd = 0.005
    endpoint = f"{BASE}/web/search"
    index = "brave"
    prior = 1.0
    pace = 1.1
    max_count = 20
    max_query = 400
    max_words = 50
    applies = frozenset(Filter)
    site_words = True
    key_place = KEY
    phrases = PHRASES
    shape = Shape(
        "web.results",
        snippet=("description", "extra_snippets"),
        date=("page_age", "age"),
        may_lack=True,
        always=("query", "type"),
    )

    def request(self, query: SearchQuery) -> Request:
        """One GET. `ALL` stands for any country: without it Brave looks from the United States."""
        params: dict[str, str | int] = {
            "q": self.worded(query).text,
            "count": query.limit,
            "country": self.country(query) or "ALL",
            "result_filter": "web",
            "text_decorations": "false",
        }
        if language := self.language(query):
            params["search_lang"] = language
        if query.time_range:
            params["freshness"] = _AGES[query.time_range]
        return Request("GET", self.endpoint, params=params)

    def language(self, query: SearchQuery) -> str:
        """Brave's code."""
        own = _IN_COUNTRIES.get((query.language, query.variant)) or _OWN_CODES.get(query.language)
        return own or (query.language if query.language in _LANGUAGES else "")

    def country(self, query: SearchQuery) -> str:
        """One of Brave's list."""
        return query.country if query.country in _COUNTRIES else ""

    def refusal(self, reply: Reply) -> ProviderError | None:
        """Either limit, with the time that its header states; without one the common table decides."""
        stated = _RESETS.fullmatch(reply.headers.get("x-ratelimit-reset", ""))
        if reply.status != 429 or stated is None:
            return None
        rate, month = float(stated["rate"]), float(stated["month"])
        if says(reply, PHRASES.spent) and month <= LONGEST_MONTH:
            return QuotaSpent("the month's credits are spent (status 429)", rest_for=max(month, 1.0))
        if says(reply, PHRASES.limited) and "retry-after" not in reply.headers and rate <= LONGEST_RATE:
            return RateLimited("too many requests (status 429)", rest_for=max(rate, 1.0))
        return None
