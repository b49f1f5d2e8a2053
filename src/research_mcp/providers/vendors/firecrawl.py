"""Firecrawl: search results, a reader of pages and a mapper of sites, from its API or a self-hosted copy.

Docs:   https://docs.firecrawl.dev/api-reference/endpoint/search, .../scrape, .../map
Sends:  POST /v2/search with `query` (500 characters), `limit` (10 cost as much as one), `country`, `tbs`,
        `includeDomains` or `excludeDomains`; the key as Bearer.
        POST /v2/scrape with `url`, `formats`, `onlyMainContent`, `maxAge`, `timeout` (milliseconds).
        POST /v2/map with `url`, `limit`, `includeSubdomains`, `sitemap`, `timeout`; one credit.
Gets:   v2 `{"success": true, "data": {"web": [{"title", "url", "description"}, ...]}}`, where an empty
        section is missing; v1 `{"success": true, "data": [{"title", "url", "description"}, ...]}`.
        `{"success": true, "data": {"markdown", "metadata": {"title", "language", "statusCode", ...}}}`.
        v2 `{"success": true, "links": [{"url", "title", "description"}, ...]}`; v1 `"links": [url, ...]`.
Quirks: a base url that ends in `/v1` is asked in v1's terms, which refuse fields they do not know;
        more than 10 results cost double; not both domain lists at once.
        A page that the site refused is a success, and billed: its status is in `metadata`. A failed
        page is a 500 with a code of its own. v2 may serve a copy two days old and skips the check of
        certificates unless told not to. Pages of X cost some 30 credits.
"""

from __future__ import annotations

import re
from dataclasses import replace

from research_mcp.core.errors import BadReply, NoContent, ProviderError, Reason
from research_mcp.core.models import Filter, Flag, Hit, Kind, Page, SearchQuery
from research_mcp.core.sitemaps import MapQuery, SitePage
from research_mcp.core.urls import host_of, within_domain
from research_mcp.core.wire import JsonValue, Reply, Request
from research_mcp.providers.kit.ages import QDR
from research_mcp.providers.kit.fields import Fields, count_at, object_of, says, text_at, web_address
from research_mcp.providers.kit.map import HttpMap, site_pages
from research_mcp.providers.kit.options import SWITCH, is_yes
from research_mcp.providers.kit.read import HttpRead, declined, target_error
from research_mcp.providers.kit.registry import register
from research_mcp.providers.kit.search import JsonSearch, Phrases, as_if
from research_mcp.providers.kit.shape import Shape, iso_day, plain
from research_mcp.providers.kit.sites import SiteQuery

BASE = "https://api.firecrawl.dev/v2"
PHRASES = Phrases(spent=("insufficient credits", "payment required"))

MAX_AGE = 3_600_000
"""Milliseconds: how old a copy in Firecrawl's cache may be."""

WORKS_FOR = 20_000
"""Milliseconds that Firecrawl may take: less than a call may last here, so that it says what failed."""

_NO_SUCCESS = re.compile(rb'"success"\s*:\s*false')
_V1 = Shape("data", snippet="description")
_X = ("x.com", "twitter.com")
_UNSUPPORTED = ("not currently supported", "no longer supported", "not support this site")
_PAGE_FAULTS = {
    "SCRAPE_ALL_ENGINES_FAILED": (Reason.EMPTY, "none of Firecrawl's ways led to the page"),
    "SCRAPE_DNS_RESOLUTION_ERROR": (Reason.DNS_FAILED, "the host name cannot be resolved"),
    "SCRAPE_SSL_ERROR": (Reason.TLS_FAILED, "the site's certificate is not valid"),
    "SCRAPE_SITE_ERROR": (Reason.UPSTREAM_ERROR, "the site failed"),
    "SCRAPE_TIMEOUT": (Reason.TIMEOUT, "the page took too long"),
    "SCRAPE_PDF_PREFETCH_FAILED": (Reason.UPSTREAM_ERROR, "the PDF could not be fetched"),
    "SCRAPE_PDF_INSUFFICIENT_TIME_ERROR": (
        Reason.TIMEOUT,
        "the PDF takes longer than there was time",
    ),
    "SCRAPE_PDF_ANTIBOT_ERROR": (Reason.BLOCKED, "the site asks for a bot check before the PDF"),
    "SCRAPE_UNSUPPORTED_FILE_ERROR": (Reason.EMPTY, "Firecrawl does not read this kind or size of file"),
}
"""What Firecrawl could not do with one page, by its code."""


def is_v1(base_url: str) -> bool:
    """Whether an operator's base url leads to the older API."""
    path = base_url.partition("://")[2].rstrip("/").split("/")[1:]
    return path[-1:] == ["v1"]


@register("search.firecrawl", needs=("api_key",), metered=True)
class FirecrawlSearch(JsonSearch):
    """Firecrawl's web results, without their pages."""

    docs = "https://docs.firecrawl.dev/api-reference/endpoint/search"
    price = "2 credits per 10 results"
    endpoint = f"{BASE}/search"
    account = f"{BASE}/team/credit-usage"
    index = "google"
    prior = 1.0
    max_count = 10
    max_query = 500
    applies = frozenset({Filter.COUNTRY, Filter.TIME_RANGE, Filter.INCLUDE_DOMAINS, Filter.EXCLUDE_DOMAINS})
    site_words = True
    phrases = PHRASES
    shape = Shape("data.web", snippet="description", may_lack=True, always="data")

    def request(self, query: SearchQuery) -> Request:
        """One POST. Of two domain lists the second one travels inside the query."""
        body: dict[str, JsonValue] = {"query": self.worded(query).text, "limit": query.limit}
        if query.time_range:
            body["tbs"] = QDR[query.time_range]
        if country := self.country(query):
            body["country"] = country
        if not self._is_v1:
            if query.include_domains:
                body["includeDomains"] = list(query.include_domains)
            elif query.exclude_domains:
                body["excludeDomains"] = list(query.exclude_domains)
        return Request("POST", self.endpoint, json=body)

    def country(self, query: SearchQuery) -> str:
        """v1 has no field for it."""
        return "" if self._is_v1 else query.country

    def worded(self, query: SearchQuery) -> SiteQuery:
        """With those domains that have no field of their own."""
        if not self._is_v1:
            both = query.include_domains and query.exclude_domains
            query = replace(query, include_domains=(), exclude_domains=query.exclude_domains if both else ())
        return super().worded(query)

    def refusal(self, reply: Reply) -> ProviderError | None:
        """An error inside an answer that claims success."""
        failed = reply.status == 200 and _NO_SUCCESS.search(reply.body[:4_096])
        return as_if(reply, 400, self.phrases) if failed else None

    def parse(self, reply: Reply) -> list[Hit]:
        """The results in either version's shape."""
        value = reply.json()
        flat = isinstance(value, dict) and isinstance(value.get("data"), list)
        return (_V1 if flat else self.shape).hits(value)

    @property
    def _is_v1(self) -> bool:
        return is_v1(self.means.base_url)


@register("search.firecrawl_keyless")
class FirecrawlKeylessSearch(FirecrawlSearch):
    """The same search without a key, limited by address and day."""

    price = "free, with small limits"


@register("read.firecrawl", needs=("api_key",), options=("x_urls",), metered=True, rules={"x_urls": SWITCH})
class FirecrawlRead(HttpRead):
    """Firecrawl's scrape: one credit a page. Pages of X only with the option `x_urls`."""

    docs = "https://docs.firecrawl.dev/api-reference/endpoint/scrape"
    endpoint = f"{BASE}/scrape"
    account = f"{BASE}/team/credit-usage"
    phrases = PHRASES

    def accepts(self, url: str) -> bool:
        """Any page, but those of X only when the operator said so."""
        host = host_of(url)
        of_x = any(within_domain(host, domain) for domain in _X)
        return not of_x or is_yes(self.means.options.get("x_urls", ""))

    def request(self, url: str) -> Request:
        """One POST. v1 already checks certificates and never serves a copy from its cache."""
        body: dict[str, JsonValue] = {
            "url": url,
            "formats": ["markdown"],
            "onlyMainContent": True,
            "timeout": WORKS_FOR,
        }
        if not is_v1(self.means.base_url):
            body["maxAge"] = MAX_AGE
            body["skipTlsVerification"] = False
        return Request("POST", self.endpoint, json=body)

    def refusal(self, reply: Reply) -> ProviderError | None:
        """Faults of the page under the statuses of faults of Firecrawl."""
        return _refusal(reply)

    def parse(self, reply: Reply, url: str) -> Page:
        """The page. Raises `NoContent` for what the site answered with an error."""
        value = object_of(reply)
        if value.get("success") is not True:
            raise _page_fault(reply) or BadReply("it reports no success")
        data = value.get("data")
        if not isinstance(data, dict):
            raise BadReply("no page at 'data'")
        metadata = data.get("metadata")
        metadata = metadata if isinstance(metadata, dict) else {}
        if error := target_error(count_at(metadata, "statusCode")):
            raise error
        return self.page(
            url,
            text_at(data, "markdown"),
            final_url=web_address(text_at(metadata, "url")),
            kind=Kind.PDF if "pdf" in text_at(metadata, "contentType").lower() else Kind.HTML,
            title=plain(text_at(metadata, "title", "ogTitle"), 300),
            author=plain(text_at(metadata, "author"), 200),
            date=iso_day(text_at(metadata, "publishedTime", "article:published_time")),
            site=plain(text_at(metadata, "ogSiteName", "og:site_name"), 200),
            language=plain(text_at(metadata, "language"), 35),
            flags=(Flag.TRUNCATED,) if _is_cut(metadata) else (),
        )


@register("read.firecrawl_keyless")
class FirecrawlKeylessRead(FirecrawlRead):
    """Firecrawl's scrape without a key, limited by address and day."""


@register("map.firecrawl", needs=("api_key",), metered=True)
class FirecrawlMap(HttpMap):
    """Firecrawl reads site maps and its own index of the site."""

    docs = "https://docs.firecrawl.dev/api-reference/endpoint/map"
    price = "1 credit a call"
    endpoint = f"{BASE}/map"
    account = f"{BASE}/team/credit-usage"
    phrases = PHRASES

    def request(self, query: MapQuery) -> Request:
        """One POST; there is no depth to state."""
        body: dict[str, JsonValue] = {"url": query.url, "limit": query.limit, "includeSubdomains": True}
        if not is_v1(self.means.base_url):
            body["sitemap"] = "include"
            body["timeout"] = WORKS_FOR
        return Request("POST", self.endpoint, json=body)

    def refusal(self, reply: Reply) -> ProviderError | None:
        """Faults of the site under the statuses of faults of Firecrawl."""
        return _refusal(reply)

    def parse(self, reply: Reply) -> tuple[SitePage, ...]:
        """The addresses in either version's shape."""
        value = object_of(reply)
        if value.get("success") is not True:
            raise _page_fault(reply) or BadReply("it reports no success")
        return site_pages(value.get("links"))


def _refusal(reply: Reply) -> ProviderError | None:
    if reply.status < 400:
        return None
    if reply.status == 403 and says(reply, _UNSUPPORTED):
        return declined("Firecrawl does not read this site (status 403)")
    return _page_fault(reply)


def _page_fault(reply: Reply) -> NoContent | None:
    """What the code in an error says about the page; None when it says nothing of the kind."""
    try:
        code = text_at(object_of(reply), "code")
    except BadReply:
        return None
    if code not in _PAGE_FAULTS:
        return None
    reason, why = _PAGE_FAULTS[code]
    return NoContent(f"{why} ({code})", reason=reason)


def _is_cut(metadata: Fields) -> bool:
    return count_at(metadata, "totalPages") > count_at(metadata, "numPages") > 0
