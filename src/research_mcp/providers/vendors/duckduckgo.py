"""DuckDuckGo's page without scripts: a general web index, free and without a key.

Docs:   none; the form at https://html.duckduckgo.com/html/
Sends:  POST form `q` (499 characters at most), empty `b`, region `kl`, age `df`.
Gets:   a page of about ten `.web-result` blocks.
Quirks: bots get a picture puzzle with status 202 (also 403, 418, 429) for up to an hour; bang words
        (`!g`) redirect to other sites; links come plain or inside `/l/?uddg=`; a page with neither
        results nor the sign for "nothing found" is a changed page, never an empty answer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar, NamedTuple
from urllib.parse import parse_qs, urljoin, urlsplit

from research_mcp.core.errors import BadReply, ProviderError, RateLimited, Reason
from research_mcp.core.models import Filter, Hit, SearchQuery, TimeRange
from research_mcp.core.wire import Reply, Request
from research_mcp.providers.kit.markup import Element, page
from research_mcp.providers.kit.registry import register
from research_mcp.providers.kit.search import SearchType
from research_mcp.providers.kit.shape import iso_day
from research_mcp.providers.kit.sites import SiteQuery

BLOCKED_FOR = 600.0
"""Seconds of rest after a block: asking earlier prolongs it."""

_BANG = re.compile(r"(?<!\S)[!\\]+|(?<=\w)!+(?!\S)")
_AGES = {TimeRange.DAY: "d", TimeRange.WEEK: "w", TimeRange.MONTH: "m", TimeRange.YEAR: "y"}
_RESULTS = ".result a.result__a"
_NOTHING_FOUND = ".no-results, .result--no-result"
_PUZZLE = '#challenge-form, [class^="anomaly-modal"], form[action*="anomaly.js"]'
_PUZZLE_WORDS = (b"challenge-form", b"anomaly")


@register("search.duckduckgo")
class DuckDuckGo(SearchType):
    """The first result page of html.duckduckgo.com."""

    docs = "https://duckduckgo.com/duckduckgo-help-pages/settings/params/"
    endpoint = "https://html.duckduckgo.com/html/"
    index = "bing"
    prior = 1.0
    pace = 45.0
    max_count = 10
    max_query = 499
    applies = frozenset(Filter)
    site_words = True
    headers: ClassVar[Mapping[str, str]] = {
        "User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
        "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
        "Referer": "https://html.duckduckgo.com/",
        "Sec-Fetch-Dest": "document",
        "Sec-Fetch-Mode": "navigate",
        "Sec-Fetch-Site": "same-origin",
    }

    def request(self, query: SearchQuery) -> Request:
        """The form as the page itself sends it; domains travel inside the query."""
        form = {"q": self.worded(query).text, "b": "", "kl": region(query).code}
        if query.time_range:
            form["df"] = _AGES[query.time_range]
        language = query.language or "en"
        accepted = "en-US,en;q=0.5" if language == "en" else f"{language},en;q=0.3"
        return Request("POST", self.endpoint, headers={"Accept-Language": accepted}, form=form)

    def unapplied(self, query: SearchQuery) -> frozenset[Filter]:
        """What its regions do not have, too."""
        return super().unapplied(query) | (region(query).missing & query.filters())

    def worded(self, query: SearchQuery) -> SiteQuery:
        """Without bang words."""
        text = _BANG.sub("", query.text).strip() or f'"{query.text[:100]}"'
        return super().worded(replace(query, text=text))

    def refusal(self, reply: Reply) -> ProviderError | None:
        """The block page. The word alone proves nothing: results may speak of anomalies."""
        if reply.status in (403, 418, 429):
            return _blocked(reply)
        suspect = reply.status == 202 or any(word in reply.body for word in _PUZZLE_WORDS)
        if not suspect or not 200 <= reply.status < 300:
            return None
        root = page(reply)
        if root.first(_RESULTS) is not None:
            return None
        nothing_found = root.first(_NOTHING_FOUND) is not None
        return None if nothing_found and root.first(_PUZZLE) is None else _blocked(reply)

    def parse(self, reply: Reply) -> list[Hit]:
        """The results, without ads, hidden blocks and repeated addresses."""
        root = page(reply)
        hits: dict[str, Hit] = {}
        for block in root.all(".result"):
            hit = None if _is_hidden(block) or _is_ad(block) else _hit(block)
            if hit is not None:
                hits.setdefault(hit.url, hit)
        if not hits and root.first(_NOTHING_FOUND) is None:
            raise BadReply("the page holds neither results nor the sign for none: its markup has changed")
        return list(hits.values())


def _blocked(reply: Reply) -> RateLimited:
    return RateLimited(
        f"DuckDuckGo takes this address for a bot (status {reply.status}); it does so for up to an hour",
        reason=Reason.BLOCKED,
        rest_for=BLOCKED_FOR,
    )


def _is_hidden(block: Element) -> bool:
    style = block.attribute("style").replace(" ", "").lower()
    return block.has("hidden") or "display:none" in style or bool(block.classes & {"hidden", "is-hidden"})


def _is_ad(block: Element) -> bool:
    if any(name.startswith("result--ad") for name in block.classes) or block.first(".badge--ad"):
        return True
    return any("/y.js?" in link.attribute("href") for link in block.all("a.result__a, a.result__url"))


def _hit(block: Element) -> Hit | None:
    link = block.first("a.result__a")
    url = _target(link.attribute("href")) if link else ""
    if link is None or not url:
        return None
    snippet = block.first(".result__snippet")
    dates = (iso_day(span.text) for span in block.all(".result__extras__url span"))
    return Hit(
        title=link.text,
        url=url,
        snippet=snippet.text if snippet else "",
        date=next((date for date in dates if date), ""),
    )


def _target(href: str) -> str:
    """The address behind a result link, plain or wrapped; "" when there is none."""
    try:
        url = urljoin(DuckDuckGo.endpoint, href.strip())
        parts = urlsplit(url)
    except ValueError:
        return ""
    host = parts.hostname or ""
    if host == "duckduckgo.com" or host.endswith(".duckduckgo.com"):
        url = parse_qs(parts.query).get("uddg", [""])[0] if parts.path == "/l/" else ""
    return url if url.startswith(("http://", "https://")) else ""


# The codes as the page's own menu has them, country first. Their traps: `uk`, `jp-jp`, `kr-kr`,
# `tzh`, `sl-sl` for Slovenia, `xa` for all Arab countries.
_CODES = (
    "us-en us-es uk-en ie-en au-en nz-en in-en ca-en ca-fr za-en sg-en my-en ph-en pk-en id-en th-en vn-en"
    " il-en de-de at-de ch-de ch-fr fr-fr be-fr be-nl nl-nl es-es es-ca it-it pt-pt br-pt mx-es ar-es cl-es"
    " co-es pe-es ru-ru ua-uk pl-pl cz-cs sk-sk hu-hu ro-ro bg-bg gr-el tr-tr se-sv no-no dk-da fi-fi ee-et"
    " lv-lv lt-lt hr-hr sl-sl is-is xa-ar jp-jp kr-kr cn-zh tw-tzh hk-tzh"
)
_COUNTRIES = {"uk": "GB", "sl": "SI", "xa": ""}
_LANGUAGES = {"jp": "ja", "kr": "ko", "tzh": "zh"}
_ARAB = frozenset("AE BH DZ EG IQ JO KW LB LY MA OM PS QA SA SD SY TN YE".split())  # noqa: SIM905
_NORWEGIAN = {"nb": "no", "nn": "no"}
_REGIONS: Mapping[tuple[str, str], str] = {
    (_COUNTRIES.get(country, country.upper()), _LANGUAGES.get(language, language)): f"{country}-{language}"
    for country, _, language in (code.partition("-") for code in _CODES.split())
}
_HOMES = {"en": "US", "es": "ES", "fr": "FR", "de": "DE", "nl": "NL", "pt": "PT", "zh": "CN"}
"""Where a language is asked about that several countries share."""


class Region(NamedTuple):
    """A `kl` code and the filters that it could not take in."""

    code: str
    missing: frozenset[Filter] = frozenset()


def region(query: SearchQuery) -> Region:
    """The region nearest to the asked language and country; the language counts more."""
    language = _NORWEGIAN.get(query.language, query.language)
    country = "" if query.country in _ARAB and language in ("ar", "") else query.country
    if not query.language and not query.country:
        return Region("wt-wt")
    if code := _REGIONS.get((country or query.region, language)):
        return Region(code)
    home = query.region if (query.region, language) in _REGIONS else _HOMES.get(language, "")
    if code := _first(language=language, country=home):
        return Region(code, frozenset({Filter.COUNTRY} if query.country else ()))
    if code := _first(country=country, language="ar" if query.country in _ARAB else ""):
        return Region(code, frozenset({Filter.LANGUAGE} if language else ()))
    return Region("wt-wt", frozenset({Filter.LANGUAGE, Filter.COUNTRY}))


def _first(*, country: str, language: str) -> str:
    """The first region with the given country and language, of which one may be unknown."""
    fitting = (
        code
        for (of, speaks), code in _REGIONS.items()
        if (not country or of == country) and (not language or speaks == language)
    )
    return next(fitting, "") if country or language else ""
