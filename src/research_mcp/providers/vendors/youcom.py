"""You.com Search: an own web index, with news beside it.

Docs:   https://you.com/docs/search/overview
Sends:  POST /v1/search with `query`, `count` (1 to 100 for each section), `freshness`, `country`,
        `language`, and either `include_domains` or `exclude_domains`; the key in `X-API-Key`.
Gets:   `{"results": {"web": [{"url", "title", "description", "snippets", "page_age"}, ...], "news": [...]},
        "metadata": {...}}`; sections without results may be missing.
Quirks: both domain lists at once are a 422, and so are countries and languages that are not on its
        lists; Norwegian, Portuguese and Chinese have codes of their own; an `error` can come under 200;
        about 100 calls a day without a key, by GET, from another host whose gzip is broken.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from research_mcp.core.errors import ProviderError
from research_mcp.core.models import Filter, SearchQuery
from research_mcp.core.wire import JsonValue, Reply, Request
from research_mcp.providers.kit.auth import HeaderKey
from research_mcp.providers.kit.registry import register
from research_mcp.providers.kit.search import JsonSearch, Phrases, as_if
from research_mcp.providers.kit.shape import Shape, dig

_COUNTRIES = frozenset(
    "AR AT AU BE BR CA CH CL CN DE DK ES FI FR GB HK ID IN IT JP KR MX MY NL NO NZ PH PL PT RU SA SE TR TW"  # noqa: SIM905
    " US ZA".split()
)
_LANGUAGES = frozenset(
    "ar bg bn ca cs da de el en es et eu fi fr gl gu he hi hr hu is it ja kn ko lt lv ml mr ms nb nl pa pl ro"  # noqa: SIM905
    " ru sk sl sr sv ta te th tr uk vi".split()
)
_OWN_CODES = {"no": "NB", "nn": "NB", "zh": "ZH-HANS", "pt": "PT-PT"}
_IN_COUNTRIES = {
    ("zh", "TW"): "ZH-HANT",
    ("zh", "HK"): "ZH-HANT",
    ("zh", "MO"): "ZH-HANT",
    ("pt", "BR"): "PT-BR",
    ("en", "GB"): "EN-GB",
}


@register("search.youcom", needs=("api_key",), metered=True)
class YoucomSearch(JsonSearch):
    """You.com's web and news results."""

    docs = "https://you.com/docs/search/overview"
    price = "$5 per 1,000"
    usd = 0.005
    endpoint = "https://ydc-index.io/v1/search"
    index = "youcom"
    prior = 1.0
    max_count = 100
    max_query = 400
    applies = frozenset(Filter)
    key_place = HeaderKey("X-API-Key", prefix="")
    phrases = Phrases(
        spent=("insufficient credits",), rejected=("api key is required", "invalid or expired api key")
    )
    shape = Shape(
        ("results.web", "results.news"),
        snippet=("snippets", "description"),
        date="page_age",
        may_lack=True,
        always="results",
    )

    def request(self, query: SearchQuery) -> Request:
        """One POST: only there domains are lists."""
        body: dict[str, JsonValue] = {**self._sends(query)}
        if query.include_domains:
            body["include_domains"] = list(query.include_domains)
        elif query.exclude_domains:
            body["exclude_domains"] = list(query.exclude_domains)
        return Request("POST", self.endpoint, json=body)

    def unapplied(self, query: SearchQuery) -> frozenset[Filter]:
        """Domains to leave out, too, when there are others to keep to."""
        both = query.include_domains and query.exclude_domains
        return super().unapplied(query) | ({Filter.EXCLUDE_DOMAINS} if both else set())

    def language(self, query: SearchQuery) -> str:
        """You.com's code."""
        own = _IN_COUNTRIES.get((query.language, query.variant)) or _OWN_CODES.get(query.language)
        return own or (query.language.upper() if query.language in _LANGUAGES else "")

    def country(self, query: SearchQuery) -> str:
        """One of You.com's list."""
        return query.country if query.country in _COUNTRIES else ""

    def refusal(self, reply: Reply) -> ProviderError | None:
        """An error inside an answer that claims success."""
        if reply.status != 200 or not dig(reply.json(), "error"):
            return None
        return as_if(reply, 0, self.phrases)

    def _sends(self, query: SearchQuery) -> dict[str, str | int]:
        """What both ways of asking understand."""
        sent: dict[str, str | int] = {"query": query.text, "count": query.limit}
        if language := self.language(query):
            sent["language"] = language
        if country := self.country(query):
            sent["country"] = country
        if query.time_range:
            sent["freshness"] = query.time_range.value
        return sent


@register("search.youcom_keyless")
class YoucomKeylessSearch(YoucomSearch):
    """The same index without a key, limited by address."""

    price = "free, with small limits"
    endpoint = "https://api.you.com/v1/agents/search"
    applies = frozenset({Filter.LANGUAGE, Filter.COUNTRY, Filter.TIME_RANGE})
    headers: ClassVar[Mapping[str, str]] = {"Accept-Encoding": "identity"}

    def request(self, query: SearchQuery) -> Request:
        """One GET, without domains."""
        return Request("GET", self.endpoint, params=self._sends(query))
