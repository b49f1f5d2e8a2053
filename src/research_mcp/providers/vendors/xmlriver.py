"""XMLRiver: Google's and Yandex's result pages as XML.

Docs:   https://xmlriver.com/apidoc/api-about/ and https://xmlriver.com/apiydoc/apiy-about/
Sends:  GET /search/xml (Google) or /search_yandex/xml with `query` (400 characters, 40 words); Google:
        `lr` language, `country` 2000 + ISO number, `tbs`; Yandex: `lr` region number, `lang`, `within`;
        domains as words; `user` and `key` in the query string, which is their only place.
Gets:   `yandexsearch/response/results/grouping/group/doc` with `url`, `title`, `passages/passage`,
        `pubDate`; about ten.
Quirks: every error is a 200 with `response/error`, now and then without its `code`; 15 is "nothing
        found", 500 a passing fault of the vendor's network that is worth one more try; highlights are
        `hlword` elements inside the texts; Yandex knows no year, and for a week two.
"""

from __future__ import annotations

import re

from research_mcp.core.errors import BadReply, ProviderError, QuotaSpent, RateLimited, Rejected, Transient
from research_mcp.core.models import Filter, Hit, SearchQuery, TimeRange
from research_mcp.core.wire import Reply, Request
from research_mcp.providers.kit.ages import QDR
from research_mcp.providers.kit.auth import ParamKey
from research_mcp.providers.kit.markup import XmlElement, xml
from research_mcp.providers.kit.options import NUMBER, OWN_NUMBER
from research_mcp.providers.kit.regions import ISO_NUMBERS
from research_mcp.providers.kit.registry import register
from research_mcp.providers.kit.search import SearchType
from research_mcp.providers.kit.shape import iso_day, plain

NOTHING_FOUND = "15"
PAUSE = 1_200.0
"""Seconds that error 201 asks for."""

BUSY = 15.0
"""Seconds of rest while all of the vendor's channels are taken."""

_YANDEX_AGES = {TimeRange.DAY: "77", TimeRange.WEEK: "1", TimeRange.MONTH: "2"}
_YANDEX_LANGUAGES = frozenset({"ru", "uk", "be", "kk", "tr", "en"})
_YANDEX_REGIONS = {"RU": "225", "UA": "187", "BY": "149", "KZ": "159", "UZ": "171", "TR": "983"}
_NETWORK_ERROR = re.compile(rb'<error\s+code="500"')
_WORDS = (
    (
        NOTHING_FOUND,
        ("nothing found", "нигде не встречается", "ничего не найдено", "отсутствуют результаты"),
    ),
    ("200", ("no money", "insufficient funds", "недостаточно средств", "закончились деньги")),
    ("42", ("wrong key", "invalid key", "неверный ключ")),
)
"""What an error without its code says, lower case, and the code it should have."""


class _XmlRiver(SearchType):
    """What both engines share."""

    prior = 1.0
    max_count = 10
    max_query = 400
    max_words = 40
    applies = frozenset(Filter)
    site_words = True
    key_place = ParamKey("key")

    def _sends(self, query: SearchQuery) -> dict[str, str | int]:
        """The parameters of either engine."""
        return {"user": self.means.options.get("user", ""), "query": self.worded(query).text}

    def stumbled(self, reply: Reply) -> bool:
        """Error 500, the vendor's own network: frequent, and over at once."""
        return _NETWORK_ERROR.search(reply.body[:1_024]) is not None

    def parse(self, reply: Reply) -> list[Hit]:
        """The organic results. Raises what `response/error` stands for."""
        response = xml(reply, "yandexsearch").first("response")
        if response is None:
            raise BadReply("an answer without `response`")
        if (error := response.first("error")) is not None:
            if (code := _code(error)) == NOTHING_FOUND:
                return []
            raise _error(code)
        docs = response.all("results/grouping/group/doc")
        if not docs and _text(response, "found[@priority='all']") == "0":
            return []
        hits = [hit for doc in docs if (hit := _hit(doc))]
        if not hits:
            raise BadReply(f"none of the {len(docs)} results has a web address")
        return hits


@register(
    "search.xmlriver_google",
    needs=("api_key", "user"),
    options=("country",),
    metered=True,
    rules={"user": OWN_NUMBER, "country": NUMBER},
)
class XmlRiverGoogle(_XmlRiver):
    """Google's results. The option `country` is Google's number for questions that name no country."""

    docs = "https://xmlriver.com/apidoc/api-about/"
    price = "12 to 25 roubles per 1,000"
    endpoint = "https://xmlriver.com/search/xml"
    index = "google"

    def request(self, query: SearchQuery) -> Request:
        """One GET."""
        params = self._sends(query)
        if query.language:
            params["lr"] = query.language
        if country := self.country(query) or self.means.options.get("country", ""):
            params["country"] = country
        if query.time_range:
            params["tbs"] = QDR[query.time_range]
        return Request("GET", self.endpoint, params=params)

    def country(self, query: SearchQuery) -> str:
        """Google's number."""
        number = ISO_NUMBERS.get(query.country)
        return str(2000 + number) if number else ""


@register(
    "search.xmlriver_yandex",
    needs=("api_key", "user", "region"),
    metered=True,
    rules={"user": OWN_NUMBER, "region": NUMBER},
)
class XmlRiverYandex(_XmlRiver):
    """Yandex's results. The option `region` is Yandex's number for questions that name no country."""

    docs = "https://xmlriver.com/apiydoc/apiy-about/"
    price = "12 to 25 roubles per 1,000"
    endpoint = "https://xmlriver.com/search_yandex/xml"
    index = "yandex"

    def request(self, query: SearchQuery) -> Request:
        """One GET. The first page has number 0, which is the default."""
        params = self._sends(query)
        params["lr"] = self.country(query) or self.means.options.get("region", "")
        if language := self.language(query):
            params["lang"] = language
        if age := _YANDEX_AGES.get(query.time_range):
            params["within"] = age
        return Request("GET", self.endpoint, params=params)

    def unapplied(self, query: SearchQuery) -> frozenset[Filter]:
        """Ages, too, that Yandex does not have."""
        lacks_age = query.time_range in (TimeRange.WEEK, TimeRange.YEAR)
        return super().unapplied(query) | ({Filter.TIME_RANGE} if lacks_age else set())

    def language(self, query: SearchQuery) -> str:
        """One of Yandex's list."""
        return query.language if query.language in _YANDEX_LANGUAGES else ""

    def country(self, query: SearchQuery) -> str:
        """Yandex's number for the whole of it."""
        return _YANDEX_REGIONS.get(query.country, "")


def _hit(doc: XmlElement) -> Hit | None:
    url = _text(doc, "url")
    if not url.lower().startswith(("http://", "https://")):
        return None
    passages = [text for passage in doc.all("passages/passage") if (text := passage.text)]
    return Hit(
        title=plain(_text(doc, "title"), 300),
        url=url,
        snippet=plain(" … ".join(passages) or _text(doc, "extendedpassage")),
        date=iso_day(_text(doc, "pubDate")),
    )


def _text(doc: XmlElement, name: str) -> str:
    found = doc.first(name)
    return found.text if found else ""


def _code(error: XmlElement) -> str:
    """The error's code; by its words when the attribute is missing, "" for words nobody knows."""
    if code := error.attribute("code").strip():
        return code
    says = error.text.casefold()
    return next((code for code, words in _WORDS if any(word in says for word in words)), "")


def _error(code: str) -> ProviderError:
    """The error behind a code, without the vendor's words: they may repeat what was sent."""
    if code == "200":
        return QuotaSpent("the account at XMLRiver has no money left (error 200)")
    if code in ("31", "42", "45"):
        return Rejected(f"XMLRiver refuses the user, the key or this address (error {code})")
    if code in ("110", "111", "115"):
        return RateLimited(f"all channels of XMLRiver are busy (error {code})", rest_for=BUSY)
    if code == "201":
        return RateLimited("XMLRiver asks for a pause of 20 minutes (error 201)", rest_for=PAUSE)
    if code in ("20", "21", "22", "23", "24", "101", "202", "500"):
        return Transient(f"XMLRiver failed (error {code})")
    return BadReply(
        f"XMLRiver refused the request (error {code})"
        if code.isdigit()
        else "XMLRiver names an error without a code"
    )
