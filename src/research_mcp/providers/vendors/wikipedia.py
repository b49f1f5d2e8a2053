"""Wikipedia: the articles of one language's encyclopedia. A reserve: asked when the list stays short.

Docs:   https://www.mediawiki.org/wiki/API:Search
Sends:  GET https://{language}.wikipedia.org/w/api.php with `action=query`, `list=search`, `srsearch`
        (300 characters), `srlimit` (50 at most). No key; the user agent must name a contact.
Gets:   `{"query": {"search": [{"title", "snippet", ...}, ...]}}`; snippets are HTML.
Quirks: an error is a 200 with `error`; the only date is that of the last edit, which dates nothing; the
        language is the host, so it stays out where a base url names another one.
"""

from __future__ import annotations

from urllib.parse import quote, urlsplit

from research_mcp.core.errors import BadReply, ProviderError, RateLimited, Transient
from research_mcp.core.models import Filter, Hit, SearchQuery
from research_mcp.core.wire import Reply, Request
from research_mcp.providers.kit.registry import register
from research_mcp.providers.kit.search import SearchType
from research_mcp.providers.kit.shape import dig, plain

HOST = "en.wikipedia.org"
_OWN_CODES = {"nb": "no"}
_LANGUAGES = frozenset(
    "af ar az be bg bn bs ca cs cy da de el en eo es et eu fa fi fr ga gl he hi hr hu hy id is it ja ka kk kn"  # noqa: SIM905
    " ko ky la lb lt lv mk ml mr ms my nb ne nl nn no pa pl pt ro ru sk sl sq sr sv sw ta te tg th tl tr tt"
    " uk ur uz vi zh".split()
)
"""Editions large enough to be worth a question."""


@register("search.wikipedia")
class WikipediaSearch(SearchType):
    """The full-text search of Wikipedia."""

    docs = "https://www.mediawiki.org/wiki/API:Search"
    endpoint = f"https://{HOST}/w/api.php"
    index = "wikipedia"
    prior = 0.3
    reserve = True
    max_count = 50
    max_query = 300
    applies = frozenset({Filter.LANGUAGE})

    def request(self, query: SearchQuery) -> Request:
        """One GET to the host of the asked language, English when there is none."""
        params: dict[str, str | int] = {
            "action": "query",
            "list": "search",
            "srsearch": query.text,
            "srlimit": query.limit,
            "srprop": "snippet",
            "format": "json",
            "formatversion": 2,
        }
        url = self.endpoint
        if language := self.language(query):
            url = url.replace(HOST, f"{language}.wikipedia.org")
        return Request("GET", url, params=params)

    def language(self, query: SearchQuery) -> str:
        """The name of an edition; under a base url there is only one."""
        if query.language not in _LANGUAGES or (self.means.base_url and query.language != "en"):
            return ""
        return _OWN_CODES.get(query.language, query.language)

    def refusal(self, reply: Reply) -> ProviderError | None:
        """An error inside an answer that claims success."""
        if reply.status != 200 or dig(value := reply.json(), "error") is None:
            return None
        code = dig(value, "error.code")
        if code == "ratelimited":
            return RateLimited("Wikipedia limits this address")
        if code in ("maxlag", "readonly", "cirrussearch-backend-error", "search-backend-error"):
            return Transient("Wikipedia's search is not available now")
        return BadReply("Wikipedia refused the request")

    def parse(self, reply: Reply) -> list[Hit]:
        """The articles, with the addresses that their titles have."""
        rows = dig(reply.json(), "query.search")
        if not isinstance(rows, list):
            raise BadReply("no list at 'query.search'")
        host = urlsplit(reply.url).hostname or ""
        host = host if host.endswith(".wikipedia.org") else HOST
        hits = [
            Hit(title=title, url=f"https://{host}/wiki/{_path(title)}", snippet=plain(row.get("snippet")))
            for row in rows
            if isinstance(row, dict) and isinstance(title := row.get("title"), str) and title.strip()
        ]
        if rows and not hits:
            raise BadReply(f"none of the {len(rows)} rows has a title")
        return hits


def _path(title: str) -> str:
    return quote(title.strip().replace(" ", "_"), safe="/:(),!*'@;")
