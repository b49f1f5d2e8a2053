"""The vocabulary of answers: what is asked of a model that searches, what it states, what is handed on."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from research_mcp.core.models import Attempt, SearchReport


@dataclass(frozen=True, slots=True)
class Question:
    """One question to a model that searches by itself.

    `recency_days` 0: any age. Domains are bare lower-case hosts; a domain covers its subdomains.
    `extra_sources`: how many sources of the search pipeline stand beside the model's own; 0 asks no
    engine unless the model fails. `include_x`: posts of X may be searched, if the operator allows it.
    `zone`: the user's time zone where the client states one that `core.zones` knows, "" for none.
    """

    text: str
    recency_days: int = 0
    include_domains: tuple[str, ...] = ()
    exclude_domains: tuple[str, ...] = ()
    extra_sources: int = 3
    include_x: bool = False
    zone: str = ""


class Use(StrEnum):
    """What a source is to the answer: named in it, only visited for it, or found by other engines."""

    CITED = "cited"
    VISITED = "visited"
    SUPPLEMENTARY = "supplementary"


@dataclass(frozen=True, slots=True)
class Citation:
    """A web address as the model stated it. `date` is ISO or ""; a title that is only a number is ""."""

    url: str
    title: str = ""
    snippet: str = ""
    date: str = ""
    cited: bool = True


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """What one model answered: prose without its source list, and the addresses it stated.

    A `[n]` in `text` means the n-th of `citations`. `searched`: the reply shows that the web was
    searched. `partial` says why the text may be cut off, "" when it ended properly. `refusal` is the
    model's own wording when it refused. `warnings` are codes with a sentence: `code: sentence`.
    """

    text: str = field(repr=False)
    citations: tuple[Citation, ...] = ()
    searched: bool = True
    partial: str = ""
    refusal: str = ""
    model: str = ""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AnswerFacts:
    """What the answer pipeline may know of a model.

    `label` stands in the provenance of its sources; `model` is the name that the provider knows.
    """

    name: str
    label: str
    metered: bool = False
    model: str = ""


class Fallback(StrEnum):
    """Why sources stand in the place of an answer."""

    TIMEOUT = "grok_timeout"
    AUTH_ERROR = "grok_auth_error"
    PARSE_ERROR = "grok_parse_error"
    PROVIDER_ERROR = "grok_provider_error"
    CONTENT_EMPTY = "grok_content_empty"
    SOURCES_EMPTY = "grok_sources_empty"
    SOURCES_FILTERED = "grok_sources_filtered"
    REFUSED = "grok_refused"
    DISABLED = "grok_disabled"


@dataclass(frozen=True, slots=True)
class AnswerSource:
    """One source of an answer. `provenance` names every way it came: model label, `<vendor>_enrichment`
    beside an answer, `<vendor>_fallback` in the place of one."""

    url: str
    title: str = ""
    snippet: str = ""
    date: str = ""
    use: Use = Use.SUPPLEMENTARY
    provenance: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AnswerReport:
    """An answer with its sources, or sources alone.

    `content` is only ever text that sources stand behind; `unverified` is what the model said without
    any. A `[n]` in `content` means the n-th of `sources`. `provider` is the label of the model, or
    `source_fallback`. `attempts` are the models that failed, `search` what the engines did (None when
    none was asked). `expires_at`: epoch seconds until which `session_id` can be read.
    """

    question: Question
    content: str = field(default="", repr=False)
    unverified: str = field(default="", repr=False)
    sources: tuple[AnswerSource, ...] = ()
    provider: str = ""
    fallback: Fallback | None = None
    partial: str = ""
    warnings: tuple[str, ...] = ()
    attempts: tuple[Attempt, ...] = ()
    search: SearchReport | None = None
    session_id: str = ""
    expires_at: float = 0.0

    @property
    def verifiable(self) -> bool:
        """True when the text is an answer and sources of its own stand behind it."""
        return self.fallback is None and bool(self.content) and self.count(Use.CITED, Use.VISITED) > 0

    @property
    def empty(self) -> bool:
        """True when there is nothing to hand on: neither text nor a source."""
        return not (self.content or self.unverified or self.sources)

    def count(self, *uses: Use) -> int:
        """How many sources are of these uses."""
        return sum(source.use in uses for source in self.sources)


class Lost(StrEnum):
    """Why a kept answer is not there: never kept here, too old, pushed out by newer ones, or the store
    cannot be asked now."""

    UNKNOWN = "unknown"
    EXPIRED = "expired"
    EVICTED = "evicted"
    OUT_OF_REACH = "out_of_reach"
