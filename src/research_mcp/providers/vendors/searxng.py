"""SearXNG: a self-hosted metasearch engine, free and without a key.

Docs:   https://docs.searxng.org/dev/search_api.html
Sends:  GET /search with `q`, `format=json`, `language` (`de` or `de-AT`), `time_range`; domains as words.
Gets:   `{"results": [{"title", "url", "content", "publishedDate", "score"}, ...],
        "unresponsive_engines": [["google", "Suspended: too many requests"], ...]}`.
Quirks: JSON is off as shipped (403 or 200 with HTML); its engines get blocked one by one, and no
        results from blocked engines is a failure, not an empty answer; bang words redirect elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

from research_mcp.core.errors import BadReply, ProviderError, RateLimited, Reason, Transient
from research_mcp.core.models import Filter, Hit, SearchQuery
from research_mcp.core.wire import JsonValue, Reply, Request
from research_mcp.providers.kit.registry import register
from research_mcp.providers.kit.search import JsonSearch
from research_mcp.providers.kit.shape import Shape, plain
from research_mcp.providers.kit.sites import SiteQuery

RESTS_FOR = 180.0
"""Seconds: the shortest time that SearXNG itself leaves a blocked engine alone."""

FORMAT_RESTS_FOR = 600.0
"""Seconds after which a corrected `settings.yml` is noticed."""

_BANG = re.compile(r"(?<!\S)!+(?=\S)")
_BLOCKS = ("captcha", "too many requests", "access denied", "suspended")
_MOST_NAMED = 8


@register("search.searxng", needs=("url",))
class SearxngSearch(JsonSearch):
    """The first page of one SearXNG instance; how long it is depends on its engines."""

    docs = "https://docs.searxng.org/dev/search_api.html"
    index = "searxng"
    prior = 1.0
    pace = 45.0
    max_count = 50
    applies = frozenset(Filter)
    site_words = True
    # the optional bot limiter turns away clients without these
    headers: ClassVar[Mapping[str, str]] = {
        "Accept": "application/json, text/html;q=0.5",
        "Accept-Language": "en",
    }
    shape = Shape(snippet="content", date="publishedDate", score="score")

    def request(self, query: SearchQuery) -> Request:
        """One GET; a country, else the region of the asked tag, travels inside the language tag."""
        params: dict[str, str | int] = {"q": self.worded(query).text, "format": "json"}
        if query.language:
            params["language"] = "-".join(filter(None, (query.language, query.country or query.region)))
        if query.time_range:
            params["time_range"] = query.time_range.value
        return Request("GET", "/search", params=params)

    def country(self, query: SearchQuery) -> str:
        """Not without a language, beside which it stands."""
        return query.country if query.language else ""

    def worded(self, query: SearchQuery) -> SiteQuery:
        """Without bang words."""
        bare = _BANG.sub("", query.text).strip() or f'"{query.text}"'
        return super().worded(replace(query, text=bare))

    def refusal(self, reply: Reply) -> ProviderError | None:
        """A page where JSON was asked for; or a refusal, which no key is to blame for."""
        if reply.media_type == "text/html" and reply.status in (200, 403):
            said = (
                f"SearXNG answers with a page instead of JSON (status {reply.status}): add `json` to "
                "`search.formats` in its settings.yml"
            )
        elif reply.status in (401, 403):
            said = (
                f"SearXNG refuses this server (status {reply.status}): allow `json` under `search.formats` "
                "in its settings.yml, and this server in its limiter or the proxy before it"
            )
        else:
            return None
        return BadReply(said, reason=Reason.NOT_CONFIGURED, rest_for=FORMAT_RESTS_FOR)

    def parse(self, reply: Reply) -> list[Hit]:
        """The results. Raises when there are none because SearXNG's own engines failed."""
        value = reply.json()
        hits = self.shape.hits(value)
        if not hits and (broken := _broken(value)):
            said = f"SearXNG found nothing because its engines fail: {', '.join(broken[:_MOST_NAMED])}"
            if any(sign in one.lower() for one in broken for sign in _BLOCKS):
                raise RateLimited(said, reason=Reason.BLOCKED, rest_for=RESTS_FOR)
            raise Transient(said)
        return hits


def _broken(value: JsonValue) -> list[str]:
    """`google (timeout)` for each engine that SearXNG could not ask."""
    pairs = value.get("unresponsive_engines") if isinstance(value, dict) else None
    named = []
    for pair in pairs if isinstance(pairs, list) else ():
        words = [plain(word, 60) for word in pair] if isinstance(pair, list) else []
        named.append(f"{words[0]} ({words[1]})" if len(words) > 1 else "an engine")
    return named
