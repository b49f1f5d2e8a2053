"""Tavily: a general web index for language models, a reader of pages and a mapper of sites.

Docs:   https://docs.tavily.com/documentation/api-reference/endpoint/search, .../extract, .../map
Sends:  POST /search with `query` (400 characters), `max_results` (20 at most), `country` as an English
        name, `time_range`, `include_domains` (300), `exclude_domains` (150); the key as Bearer.
        POST /extract with `urls`, `extract_depth`, `format`, `timeout` (seconds).
        POST /map with `url`, `max_depth` (5 at most), `max_breadth` and `limit` (500 at most),
        `instructions`, `allow_external`, `timeout` (10 seconds at least).
Gets:   `{"results": [{"title", "url", "content", "score", "published_date"}, ...]}`.
        `{"results": [{"url", "raw_content"}], "failed_results": [{"url", "error"}]}`.
        `{"base_url", "results": [url, ...]}`.
Quirks: 432 and 433 are spent plans; without a key it answers under a header of its own, and limits
        those calls in another envelope; `auto_parameters` would double the price; no language.
        A page that cannot be read is a good answer with a failed result, and free; the url in it may
        be written a little differently. 403 is a page that is not allowed.
        A map follows 20 links a level unless told otherwise, leaves the site by default, and costs twice
        as much with instructions.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

from research_mcp.core.errors import BadReply, NoContent, ProviderError, RateLimited, Reason
from research_mcp.core.models import Filter, Hit, Page, SearchQuery
from research_mcp.core.sitemaps import MapOption, MapQuery, SitePage
from research_mcp.core.url_key import url_key
from research_mcp.core.wire import JsonValue, Reply, Request
from research_mcp.providers.kit.base import Means
from research_mcp.providers.kit.fields import Fields, object_of, text_at
from research_mcp.providers.kit.map import HttpMap, site_pages
from research_mcp.providers.kit.options import SHARE
from research_mcp.providers.kit.read import HttpRead, declined
from research_mcp.providers.kit.regions import ENGLISH_NAMES
from research_mcp.providers.kit.registry import register
from research_mcp.providers.kit.search import JsonSearch, Phrases
from research_mcp.providers.kit.shape import Shape
from research_mcp.providers.kit.tree import rows

BASE = "https://api.tavily.com"
KEYLESS: Mapping[str, str] = {"X-Tavily-Access-Mode": "keyless"}
PHRASES = Phrases(spent=("exceeds your plan's set usage limit",))

JUNK_BELOW = 0.1
"""Scores below this are results that only fill up the answer to a long question."""

WORKS_FOR = 20.0
"""Seconds that Tavily may take: less than a call may last here, so that a failed page is named, and free."""

WIDEST = 500
"""Links that a map may follow from one page."""

_IMAGE = re.compile(r"!\[[^\]]{0,300}\]\([^)\s]{0,1000}\)")
_LONGEST_WAIT = 86_400.0


@register(
    "search.tavily", needs=("api_key",), options=("min_score",), metered=True, rules={"min_score": SHARE}
)
class TavilySearch(JsonSearch):
    """Tavily's basic search: one credit a call."""

    docs = "https://docs.tavily.com/documentation/api-reference/endpoint/search"
    price = "1 credit a search ($0.008); 1,000 free a month"
    usd = 0.008
    endpoint = f"{BASE}/search"
    account = f"{BASE}/usage"
    index = "tavily"
    prior = 1.0
    max_count = 20
    max_query = 400
    applies = frozenset({Filter.COUNTRY, Filter.TIME_RANGE, Filter.INCLUDE_DOMAINS, Filter.EXCLUDE_DOMAINS})
    most_included = 300
    most_excluded = 150
    phrases = PHRASES
    shape = Shape(snippet="content", date="published_date", score="score")

    def __init__(self, means: Means | None = None) -> None:
        super().__init__(means)
        self._min_score = float(self.means.options.get("min_score") or JUNK_BELOW)

    def request(self, query: SearchQuery) -> Request:
        """One POST; the depth is stated, so that nothing dearer is chosen."""
        body: dict[str, JsonValue] = {
            "query": query.text,
            "max_results": query.limit,
            "search_depth": "basic",
            "topic": "general",
        }
        if country := self.country(query):
            body["country"] = country
        if query.time_range:
            body["time_range"] = query.time_range.value
        if query.include_domains:
            body["include_domains"] = list(query.include_domains[: self.most_included])
        if query.exclude_domains:
            body["exclude_domains"] = list(query.exclude_domains[: self.most_excluded])
        return Request("POST", self.endpoint, json=body)

    def country(self, query: SearchQuery) -> str:
        """Its English name."""
        return ENGLISH_NAMES.get(query.country, "")

    def parse(self, reply: Reply) -> list[Hit]:
        """The results that Tavily itself finds fitting, their passages without pictures."""
        return [
            replace(hit, snippet=" ".join(_IMAGE.sub(" ", hit.snippet).split()))
            for hit in super().parse(reply)
            if hit.score is None or hit.score >= self._min_score
        ]


@register("search.tavily_keyless", options=("min_score",), rules={"min_score": SHARE})
class TavilyKeylessSearch(TavilySearch):
    """The same search without a key, limited by address."""

    price = "free, with small limits"
    headers: ClassVar[Mapping[str, str]] = KEYLESS

    def refusal(self, reply: Reply) -> ProviderError | None:
        """The limit's own envelope, which states how long to wait, under whatever status."""
        return keyless_limit(reply)


@register("read.tavily", needs=("api_key",), metered=True)
class TavilyRead(HttpRead):
    """Tavily's extraction in its advanced form: two credits for five pages."""

    docs = "https://docs.tavily.com/documentation/api-reference/endpoint/extract"
    endpoint = f"{BASE}/extract"
    account = f"{BASE}/usage"
    phrases = PHRASES
    usd = 0.0032

    def request(self, url: str) -> Request:
        """One POST; the advanced form also reads tables and pages that need scripts."""
        body: dict[str, JsonValue] = {
            "urls": [url],
            "extract_depth": "advanced",
            "format": "markdown",
            "timeout": WORKS_FOR,
        }
        return Request("POST", self.endpoint, json=body)

    def refusal(self, reply: Reply) -> ProviderError | None:
        """403 is about the page: the key stays in use."""
        return _not_allowed(reply)

    def parse(self, reply: Reply, url: str) -> Page:
        """The text of the one result. Raises `NoContent` when Tavily says that it failed."""
        value = object_of(reply)
        if found := _about(url, rows(value, "results")):
            return self.page(url, text_at(found, "raw_content"))
        if _about(url, rows(value, "failed_results")):
            raise NoContent("Tavily could not read the page", reason=Reason.EMPTY)
        raise BadReply("neither a result nor a failed result for the page")


@register("read.tavily_keyless")
class TavilyKeylessRead(TavilyRead):
    """Tavily's extraction without a key, limited by address."""

    headers: ClassVar[Mapping[str, str]] = KEYLESS

    def refusal(self, reply: Reply) -> ProviderError | None:
        """The limit's own envelope, under whatever status; else as with a key."""
        return keyless_limit(reply) or super().refusal(reply)


@register("map.tavily", needs=("api_key",), metered=True)
class TavilyMap(HttpMap):
    """Tavily follows the links of the site."""

    docs = "https://docs.tavily.com/documentation/api-reference/endpoint/map"
    price = "1 credit for 10 addresses ($0.008), 2 with instructions"
    endpoint = f"{BASE}/map"
    account = f"{BASE}/usage"
    applies = frozenset({MapOption.DEPTH, MapOption.INSTRUCTIONS})
    phrases = PHRASES

    def request(self, query: MapQuery) -> Request:
        """One POST; the breadth is stated, for its default is less than most callers want."""
        body: dict[str, JsonValue] = {
            "url": query.url,
            "limit": query.limit,
            "max_depth": query.depth,
            "max_breadth": min(query.limit, WIDEST),
            "allow_external": False,
            "timeout": WORKS_FOR,
        }
        if query.instructions:
            body["instructions"] = query.instructions
        return Request("POST", self.endpoint, json=body)

    def refusal(self, reply: Reply) -> ProviderError | None:
        """403 is about the site: the key stays in use."""
        return _not_allowed(reply)

    def parse(self, reply: Reply) -> tuple[SitePage, ...]:
        """The addresses, which come without titles."""
        return site_pages(object_of(reply).get("results"))


def _not_allowed(reply: Reply) -> ProviderError | None:
    if reply.status == 403 and reply.media_type != "text/html":
        return declined("Tavily does not read this page (status 403)")
    return None


def _about(url: str, results: list[Fields]) -> Fields | None:
    """The result about `url`; the only one there is counts however it writes the url."""
    if len(results) == 1:
        return results[0]
    key = url_key(url)
    return next((result for result in results if url_key(text_at(result, "url")) == key), None)


def keyless_limit(reply: Reply) -> ProviderError | None:
    """What `{"error": {"retry_after_seconds": n, ...}}` means; None for any other answer."""
    if b'"retry_after_seconds"' not in reply.body[:4_096]:
        return None
    value = reply.json()
    error = value.get("error") if isinstance(value, dict) else None
    seconds = error.get("retry_after_seconds") if isinstance(error, dict) else None
    if isinstance(seconds, str) and seconds.isdecimal():
        seconds = int(seconds[:9])
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not seconds > 0:
        return None
    return RateLimited(
        f"Tavily's share without a key is used up (status {reply.status})",
        rest_for=min(float(seconds), _LONGEST_WAIT),
    )
