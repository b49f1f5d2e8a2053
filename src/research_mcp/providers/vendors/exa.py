"""Exa: an own index that is searched by meaning.

Docs:   https://docs.exa.ai/reference/search
Sends:  POST /search with `query`, `numResults` (10 cost as much as one), `userLocation`,
        `startPublishedDate`, `includeDomains`, `excludeDomains`; the key in `x-api-key`.
Gets:   `{"results": [{"title", "url", "publishedDate", "score", "highlights": [...]}, ...]}`.
Quirks: no snippet unless `contents` asks for highlights; title, date and score may be null; a spent
        budget is a 402 with one of three tags; no language. Without a key (about 150 calls a day) its
        tool server answers instead: JSON-RPC, mostly as an event, results as blocks of `Title:`, `URL:`,
        `Published:`, `Author:` and `Highlights:` or `Text:` lines; a spent limit is an error under 200.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar

from research_mcp.core.errors import BadReply, ProviderError
from research_mcp.core.models import Filter, Hit, SearchQuery
from research_mcp.core.wire import JsonValue, Reply, Request
from research_mcp.providers.kit.answer.stream import frames
from research_mcp.providers.kit.auth import HeaderKey
from research_mcp.providers.kit.fields import Fields, object_of, text_at
from research_mcp.providers.kit.registry import register
from research_mcp.providers.kit.search import JsonSearch, Phrases, SearchType, as_if
from research_mcp.providers.kit.shape import Shape, dig, iso_day, plain
from research_mcp.providers.kit.tree import rows

BASE = "https://api.exa.ai"
KEY = HeaderKey("x-api-key", prefix="")
PHRASES = Phrases(
    spent=("NO_MORE_CREDITS", "API_KEY_BUDGET_EXCEEDED", "TEAM_BUDGET_EXCEEDED"),
    rejected=("INVALID_API_KEY",),
)

SNIPPET = 500
"""Characters of highlights for each hit."""

_BLOCK = re.compile(r"^(?=Title: )", re.MULTILINE)
_LINE = re.compile(r"^(Title|URL|Published(?: Date)?): *(.*)$", re.MULTILINE)
_PASSAGES = re.compile(r"^(?:Highlights|Text):\s*(.*?)\s*(?:^---\s*)?\Z", re.MULTILINE | re.DOTALL)


@register("search.exa", needs=("api_key",), metered=True)
class ExaSearch(JsonSearch):
    """Exa's results with highlights."""

    docs = "https://docs.exa.ai/reference/search"
    price = "$7 per 1,000; $10 free a month"
    usd = 0.007
    endpoint = f"{BASE}/search"
    index = "exa"
    prior = 1.0
    max_count = 10
    applies = frozenset({Filter.COUNTRY, Filter.TIME_RANGE, Filter.INCLUDE_DOMAINS, Filter.EXCLUDE_DOMAINS})
    key_place = KEY
    phrases = PHRASES
    shape = Shape(snippet=("highlights", "summary", "text"), date="publishedDate", score="score")

    def request(self, query: SearchQuery) -> Request:
        """One POST."""
        body: dict[str, JsonValue] = {
            "query": query.text,
            "type": "auto",
            "numResults": query.limit,
            "contents": {"highlights": {"maxCharacters": SNIPPET}},
        }
        if query.country:
            body["userLocation"] = query.country
        if query.since:
            body["startPublishedDate"] = f"{query.since}T00:00:00.000Z"
        if query.include_domains:
            body["includeDomains"] = list(query.include_domains)
        if query.exclude_domains:
            body["excludeDomains"] = list(query.exclude_domains)
        return Request("POST", self.endpoint, json=body)


@register("search.exa_keyless")
class ExaKeylessSearch(SearchType):
    """The same index without a key, through Exa's public tool server; limited by address."""

    docs = "https://docs.exa.ai/reference/exa-mcp"
    price = "free, with small limits"
    endpoint = "https://mcp.exa.ai/mcp"
    index = "exa"
    prior = 1.0
    max_count = 10
    phrases = Phrases(limited=("rate limit",))
    headers: ClassVar[Mapping[str, str]] = {"Accept": "application/json, text/event-stream"}

    def request(self, query: SearchQuery) -> Request:
        """One call of its tool, without a session."""
        arguments: JsonValue = {"query": query.text, "numResults": query.limit}
        call: JsonValue = {"name": "web_search_exa", "arguments": arguments}
        body: JsonValue = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
        return Request("POST", self.endpoint, json=body, ends=(b'"jsonrpc"',))

    def parse(self, reply: Reply) -> list[Hit]:
        """The blocks that have an address. Raises `BadReply` for a text without any that is no "none"."""
        text = "".join(text_at(part, "text") for part in rows(_result(reply), "content"))
        hits = [hit for block in _BLOCK.split(text) if (hit := _hit(block))]
        if not hits and "no search results" not in text[:200].lower():
            raise BadReply("its text has no results and does not say so")
        return hits

    def refusal(self, reply: Reply) -> ProviderError | None:
        """An error inside an answer that claims success."""
        if reply.status != 200 or not (_said(reply).get("error") or _result(reply).get("isError") is True):
            return None
        return as_if(reply, 0, self.phrases)


def _said(reply: Reply) -> Fields:
    """The JSON-RPC answer, as an event or alone. Raises `BadReply`."""
    stream = frames(reply.text)
    if stream is None:
        return object_of(reply)
    return next((one for one in stream.objects if "result" in one or "error" in one), {})


def _result(reply: Reply) -> Fields:
    result = dig(_said(reply), "result")
    return result if isinstance(result, dict) else {}


def _hit(block: str) -> Hit | None:
    lines = dict(reversed(_LINE.findall(block.partition("\nHighlights:")[0].partition("\nText:")[0])))
    url = lines.get("URL", "").strip()
    if not url.lower().startswith(("http://", "https://")):
        return None
    passages = _PASSAGES.search(block)
    day = lines.get("Published") or lines.get("Published Date", "")
    return Hit(plain(lines.get("Title"), 300), url, plain(passages[1]) if passages else "", iso_day(day))
