"""Grok: xAI's models with their own web search; relays that speak chat completions; its citations as hits.

Docs:   https://docs.x.ai/docs/guides/tools/search-tools, https://docs.x.ai/docs/api-reference
Sends:  POST /v1/responses with `model`, `input`, `tools` (`web_search` with `filters.allowed_domains` or
        `filters.excluded_domains`, 5 at most and only one list; `x_search` with handles and dates),
        `store` false, `stream` false; the key as Bearer.
        POST /v1/chat/completions with `model`, `messages`, `tools`, for relays.
Gets:   `output` with messages, their `annotations` and search calls; or `choices`; as JSON or as events.
Quirks: a wrong key is a 400; spent money comes as 403 or 429 and says "credits"; an error may hide in a
        200; titles of annotations are mostly numbers; search exists only on /responses, and answers take
        5 to 45 s.
"""

from __future__ import annotations

import datetime as dt

from research_mcp.core.answers import Citation, Question
from research_mcp.core.errors import BadReply, ProviderError
from research_mcp.core.models import Filter, Hit, SearchQuery
from research_mcp.core.wire import JsonValue, Reply, Request
from research_mcp.providers.kit.answer.configured import AnswerType, asked, instructions, is_host
from research_mcp.providers.kit.answer.links import PLAIN_MARK
from research_mcp.providers.kit.answer.reply import names_unknown_model, read_reply
from research_mcp.providers.kit.answer.shapes import Stated
from research_mcp.providers.kit.answer.text import Parted, part
from research_mcp.providers.kit.base import Means
from research_mcp.providers.kit.login.oauth import OAuthServer
from research_mcp.providers.kit.options import SWITCH, few_handles, handles, is_no, is_yes
from research_mcp.providers.kit.registry import register
from research_mcp.providers.kit.search import Phrases, SearchType

BASE = "https://api.x.ai/v1"
MODEL = "grok-4-1-fast-reasoning"
MOST_DOMAINS = 5
MOST_HANDLES = 10
PHRASES = Phrases(
    spent=("used all available credits", "spending limit", "insufficient_quota", "out of credits"),
    rejected=("incorrect api key", "invalid api key", "invalid_api_key"),
)

LOGIN = OAuthServer(
    name="xAI",
    issuer="https://auth.x.ai",
    domain="x.ai",
    client_id="b1a00492-073a-47ea-816f-4c329264a828",  # public, no secret
    scope="openid profile email offline_access grok-cli:access api:access",
    authorize="https://auth.x.ai/oauth2/authorize",
    token="https://auth.x.ai/oauth2/token",  # noqa: S106  an address
    device="https://auth.x.ai/oauth2/device/code",
    redirect="http://127.0.0.1:56121/callback",
    referrer="research-mcp",
    extra={"plan": "generic"},
)
"""Logins of xAI's users. No nonce is sent, since the id token is neither kept nor used."""

_SNIPPET = 300
_TITLE = 120


@register(
    "answer.grok",
    needs=("api_key",),
    options=("model", "x_search", "x_handles", "x_excluded_handles", "flat_filters"),
    metered=True,
    rules={
        "x_search": SWITCH,
        "x_handles": few_handles(MOST_HANDLES),
        "x_excluded_handles": few_handles(MOST_HANDLES),
        "flat_filters": SWITCH,
    },
)
class GrokAnswer(AnswerType):
    """Grok over the Responses API."""

    docs = "https://docs.x.ai/docs/guides/tools/search-tools"
    endpoint = BASE
    label = "grok_responses"
    default_model = MODEL
    setting = "GROK_MODEL"
    phrases = PHRASES
    login = LOGIN

    def request(self, question: Question, now: dt.datetime) -> Request:
        """One POST; domains that fit go as a filter, others as words."""
        include, exclude = native_domains(question.include_domains, question.exclude_domains)
        tools: list[JsonValue] = [web_tool(include, exclude, flat=self._is_on("flat_filters"))]
        if question.include_x and self._is_on("x_search"):
            tools.append(self._x_tool(question, now))
        only = () if include else question.include_domains
        never = () if exclude else question.exclude_domains
        body: JsonValue = {
            "model": self.model,
            "input": [
                {"role": "system", "content": instructions(now, question.zone)},
                {"role": "user", "content": asked(question, now, only=only, never=never)},
            ],
            "tools": tools,
            "store": False,
            "stream": False,
        }
        return Request("POST", f"{BASE}/responses", json=body)

    def warnings(self, question: Question) -> tuple[str, ...]:
        """Posts of X that the operator does not allow, and domains past what the filter takes."""
        found = []
        if question.include_x and not self._is_on("x_search"):
            found.append(
                "x_search_off: the operator does not allow the search of X posts; only the web was searched"
            )
        include, exclude = native_domains(question.include_domains, question.exclude_domains)
        if (question.include_domains and not include) or (question.exclude_domains and not exclude):
            found.append(
                f"domains_filtered_after: Grok filters {MOST_DOMAINS} domains of one list at most; the rest "
                "was asked in words and removed from its citations"
            )
        return tuple(found)

    def _is_on(self, option: str) -> bool:
        return is_yes(self.means.options.get(option, ""))

    def _x_tool(self, question: Question, now: dt.datetime) -> JsonValue:
        tool: dict[str, JsonValue] = {"type": "x_search"}
        allowed, denied = (
            _handles(self.means.options.get(name, "")) for name in ("x_handles", "x_excluded_handles")
        )
        if allowed:
            tool["allowed_x_handles"] = allowed
        elif denied:
            tool["excluded_x_handles"] = denied
        if question.recency_days:
            tool["from_date"] = (now - dt.timedelta(days=question.recency_days)).date().isoformat()
        return tool


@register(
    "answer.chat",
    needs=("api_key", "url"),
    options=("model", "web_search"),
    metered=True,
    rules={"web_search": SWITCH},
)
class ChatAnswer(AnswerType):
    """A relay that serves searching models over chat completions."""

    docs = "https://docs.x.ai/docs/api-reference#chat-completions"
    endpoint = BASE
    label = "openai_compatible"
    default_model = MODEL
    setting = "OPENAI_COMPATIBLE_MODEL"
    phrases = PHRASES

    @property
    def model(self) -> str:
        """OpenRouter searches when the model's name says so."""
        name = super().model
        return f"{name}:online" if self._on_openrouter and ":" not in name else name

    def request(self, question: Question, now: dt.datetime) -> Request:
        """One POST; everything but the question itself goes as words."""
        words = asked(question, now, only=question.include_domains, never=question.exclude_domains)
        body: dict[str, JsonValue] = {
            "model": self.model,
            "messages": [
                {"role": "system", "content": instructions(now, question.zone)},
                {"role": "user", "content": words},
            ],
            "stream": False,
        }
        wanted = not is_no(self.means.options.get("web_search", ""))
        if wanted and not self._on_openrouter:
            body["tools"] = [{"type": "web_search"}]
        return Request("POST", f"{BASE}/chat/completions", json=body)

    def warnings(self, question: Question) -> tuple[str, ...]:
        """Relays do not search X."""
        if question.include_x:
            return ("x_search_off: a chat relay does not search X posts; only the web was searched",)
        return ()

    def searched(self, stated: Stated, parted: Parted) -> bool:
        """Relays state no searches: any address counts."""
        return super().searched(stated, parted) or bool(parted.sources)

    @property
    def _on_openrouter(self) -> bool:
        return is_host(self.means.base_url, "openrouter.ai")


@register("search.grok", needs=("api_key",), options=("model",), metered=True)
class GrokSearch(SearchType):
    """The pages that Grok cites for a query, as a list."""

    price = "about $5 per 1,000 searches, and the model's tokens"
    docs = "https://docs.x.ai/docs/guides/tools/search-tools"
    endpoint = BASE
    index = "grok"
    prior = 0.7
    max_count = 20
    max_query = 2_000
    applies = frozenset(Filter) - {Filter.TIME_RANGE}
    phrases = PHRASES
    login = LOGIN

    def __init__(self, means: Means | None = None) -> None:
        super().__init__(means)
        self._model = self.means.options.get("model", "").strip() or MODEL

    def request(self, query: SearchQuery) -> Request:
        """One POST that asks for pages and a line about each; language and country are words of it."""
        include, exclude = native_domains(query.include_domains, query.exclude_domains)
        wanted = (
            f"Search the web and name up to {query.limit} pages that answer this best, each with one "
            f"sentence about what it says and a citation.{_wish(query)}"
        )
        body: JsonValue = {
            "model": self._model,
            "input": [{"role": "user", "content": f"{wanted}\n\n{query.text}"}],
            "tools": [web_tool(include, exclude)],
            "store": False,
            "stream": False,
        }
        return Request("POST", f"{BASE}/responses", json=body)

    def unapplied(self, query: SearchQuery) -> frozenset[Filter]:
        """What Grok cannot filter, and domains past its limit."""
        include, exclude = native_domains(query.include_domains, query.exclude_domains)
        missing = set(query.filters() - self.applies)
        if query.include_domains and not include:
            missing.add(Filter.INCLUDE_DOMAINS)
        if query.exclude_domains and not exclude:
            missing.add(Filter.EXCLUDE_DOMAINS)
        return frozenset(missing)

    def refusal(self, reply: Reply) -> ProviderError | None:
        """A model that xAI does not know: for the operator, whatever the status."""
        if names_unknown_model(reply):
            return BadReply(
                f"xAI does not know the model {self._model!r}: set GROK_MODEL to one of its models"
            )
        return None

    def parse(self, reply: Reply) -> list[Hit]:
        """The citations, cited ones first; each with the line of the answer that cites it."""
        stated = read_reply(reply)
        parted = part(stated.text)
        lines = _cited_lines(parted.content)
        ranked = [*parted.sources, *sorted(stated.citations, key=lambda citation: not citation.cited)]
        hits: dict[str, Hit] = {}
        for place, citation in enumerate(ranked, start=1):
            line = lines.get(place, "") if place <= len(parted.sources) else ""
            if citation.url not in hits:
                hits[citation.url] = _hit(citation, line)
        return list(hits.values())


def _wish(query: SearchQuery) -> str:
    """The asked language and country, as a sentence for the model; "" for neither."""
    tag = "-".join(filter(None, (query.language, query.region)))
    wished = [
        f"written in the language with the BCP 47 tag {tag}" if tag else "",
        f"from or about the country with the ISO 3166 code {query.country}" if query.country else "",
    ]
    return f" Prefer pages {' and '.join(filter(None, wished))}." if any(wished) else ""


def native_domains(
    include: tuple[str, ...], exclude: tuple[str, ...]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The one list that the API's filter takes, if it fits; the other is empty."""
    if include:
        return (include, ()) if len(include) <= MOST_DOMAINS else ((), ())
    return ((), exclude) if len(exclude) <= MOST_DOMAINS else ((), ())


def web_tool(include: tuple[str, ...], exclude: tuple[str, ...], *, flat: bool = False) -> JsonValue:
    """The web search tool with the filter that there is. `flat`: as some gateways want it."""
    filters: dict[str, JsonValue] = {}
    if include:
        filters["allowed_domains"] = list(include)
    elif exclude:
        filters["excluded_domains"] = list(exclude)
    if not filters:
        return {"type": "web_search"}
    return {"type": "web_search", **filters} if flat else {"type": "web_search", "filters": filters}


def _handles(text: str) -> list[JsonValue]:
    return [*handles(text)[:MOST_HANDLES]]


def _cited_lines(content: str) -> dict[int, str]:
    """For each number in the text the first line that counts it, without the numbers."""
    lines: dict[int, str] = {}
    for line in content.split("\n"):
        for match in PLAIN_MARK.finditer(line):
            words = " ".join(PLAIN_MARK.sub("", line).strip("-*•#> ").split())
            lines.setdefault(int(match[0].strip("[]")), words[:_SNIPPET])
    return lines


def _hit(citation: Citation, line: str) -> Hit:
    snippet = citation.snippet or line
    return Hit(citation.title or snippet[:_TITLE], citation.url, snippet, citation.date)
