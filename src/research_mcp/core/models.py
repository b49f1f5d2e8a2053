"""The vocabulary: what a search asks and finds, what a read brings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from research_mcp.core.errors import Reason


class TimeRange(StrEnum):
    """How recent results must be."""

    ANY = ""
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    YEAR = "year"


class Topic(StrEnum):
    """The class of a question; engines state which they serve."""

    GENERAL = "general"
    SCHOLARLY = "scholarly"
    CODE = "code"
    NEWS = "news"


class PageType(StrEnum):
    """What kind of source a result is, as far as host and path tell."""

    OFFICIAL = "official"
    DOCS = "docs"
    REPO = "repo"
    PAPER = "paper"
    NEWS = "news"
    FORUM = "forum"
    SOCIAL = "social"
    VIDEO = "video"


class Filter(StrEnum):
    """What a query may ask of an engine beside its words."""

    LANGUAGE = "language"
    COUNTRY = "country"
    TIME_RANGE = "time_range"
    INCLUDE_DOMAINS = "include_domains"
    EXCLUDE_DOMAINS = "exclude_domains"


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """One question to all engines. `limit` is how many hits the caller wants at the end.

    `language` is ISO 639-1 lower case ("de"), `country` ISO 3166 upper case ("DE"); "" is any.
    Domains are bare lower-case hosts; a domain covers its subdomains. `topic` None: told from the
    words. `since` is the first ISO day of `time_range`; the kit sets it for vendors that want a date.
    `prefer_domains` drop nobody: what lies on them ranks higher. `region` is that of a language tag
    (`TW` of `zh-TW`): it tells variants of the language apart and keeps no country out.
    """

    text: str
    limit: int = 8
    language: str = ""
    country: str = ""
    time_range: TimeRange = TimeRange.ANY
    include_domains: tuple[str, ...] = ()
    exclude_domains: tuple[str, ...] = ()
    topic: Topic | None = None
    since: str = ""
    prefer_domains: tuple[str, ...] = ()
    region: str = ""

    @property
    def variant(self) -> str:
        """The region that decides between variants of the language: that of its tag, else the country."""
        return self.region or self.country

    def filters(self) -> frozenset[Filter]:
        """The filters that this query really asks for."""
        asked = {
            Filter.LANGUAGE: self.language,
            Filter.COUNTRY: self.country,
            Filter.TIME_RANGE: self.time_range,
            Filter.INCLUDE_DOMAINS: self.include_domains,
            Filter.EXCLUDE_DOMAINS: self.exclude_domains,
        }
        return frozenset(name for name, value in asked.items() if value)


@dataclass(frozen=True, slots=True)
class Hit:
    """One result as an engine stated it. `date` is ISO (`2026-09-01`) or "" when not stated."""

    title: str
    url: str
    snippet: str = ""
    date: str = ""
    score: float | None = None


@dataclass(frozen=True, slots=True)
class EngineAnswer:
    """One engine's hits in its order, with what it could not do for this query."""

    hits: tuple[Hit, ...]
    unapplied: frozenset[Filter] = frozenset()
    notes: tuple[str, ...] = ()


class EngineState(StrEnum):
    """What became of one engine in one search."""

    OK = "ok"
    EMPTY = "empty"
    BLOCKED = "blocked"
    RATE_LIMITED = "rate_limited"
    TIMED_OUT = "timed_out"
    NOT_WAITED_FOR = "not_waited_for"
    RESTING = "resting"
    SKIPPED = "skipped"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class EngineRow:
    """The honest line about one engine. `retry_at`: epoch seconds, 0 when it makes no sense."""

    name: str
    state: EngineState
    count: int = 0
    reason: Reason | None = None
    detail: str = ""
    retry_at: float = 0.0
    ms: int = 0


@dataclass(frozen=True, slots=True)
class MergedHit:
    """One entry of the fused list.

    `engines` maps each engine that found it to its rank there (from 1); `also_at` are twin urls; `moved`
    says what moved it beside votes ("lowered by the owner", "reranked from #4");
    `why` explains the position ("votes 0.0325: duckduckgo #1, brave #4; text match #2"). `type` is None
    for most pages.
    """

    title: str
    url: str
    snippet: str = ""
    date: str = ""
    engines: Mapping[str, int] = field(default_factory=dict)
    also_at: tuple[str, ...] = ()
    moved: str = ""
    why: str = ""
    type: PageType | None = None


@dataclass(frozen=True, slots=True)
class SearchReport:
    """The answer of the search pipeline: the list, a row for each engine, notes."""

    query: SearchQuery
    hits: tuple[MergedHit, ...]
    rows: tuple[EngineRow, ...]
    notes: tuple[str, ...] = ()
    cached: bool = False

    @property
    def answered(self) -> bool:
        """True when at least one engine answered, be it with an empty list."""
        return any(row.state in (EngineState.OK, EngineState.EMPTY) for row in self.rows)

    @property
    def retry_at(self) -> float:
        """The soonest epoch second at which an engine is free again; 0 when unknown."""
        return min((row.retry_at for row in self.rows if row.retry_at), default=0.0)


class Kind(StrEnum):
    """What a page turned out to be."""

    HTML = "html"
    MARKDOWN = "markdown"
    TEXT = "text"
    JSON = "json"
    FEED = "feed"
    PDF = "pdf"
    OFFICE = "office"
    EPUB = "epub"
    IMAGE = "image"
    BINARY = "binary"
    TRANSCRIPT = "transcript"
    POST = "post"
    PAPER = "paper"


class Flag(StrEnum):
    """A caveat that travels with a page's text."""

    THIN = "thin"
    PAYWALLED = "paywalled"
    NEEDS_JAVASCRIPT = "needs_javascript"
    TRUNCATED = "truncated"
    BROKEN_OFF = "broken_off"
    HIDDEN_TEXT = "hidden_text"
    ODD_CHARACTERS = "odd_characters"
    ROBOTS = "robots"
    ARCHIVED = "archived"
    FADED_KEPT = "faded_kept"


@dataclass(frozen=True, slots=True)
class Extracted:
    """What extraction made of a document: text and stated facts, or the reason there is none.

    `reason` set: the text, if any, is only a teaser or remnant and `detail` says why in one
    sentence. `title`, `author`, `date` are as the page states them, "" when it does not.
    `refresh_to` is where a Refresh of at most 5 s leads, as written (may be relative), else "".
    """

    kind: Kind
    markdown: str = field(default="", repr=False)
    title: str = ""
    author: str = ""
    date: str = ""
    site: str = ""
    language: str = ""
    reason: Reason | None = None
    detail: str = ""
    flags: tuple[Flag, ...] = ()
    notes: tuple[str, ...] = ()
    refresh_to: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """A read page: Markdown under stated facts. `reader` is the instance that won."""

    url: str
    final_url: str
    markdown: str = field(repr=False)
    reader: str
    kind: Kind = Kind.HTML
    title: str = ""
    author: str = ""
    date: str = ""
    site: str = ""
    language: str = ""
    flags: tuple[Flag, ...] = ()
    notes: tuple[str, ...] = ()
    cached: bool = False


@dataclass(frozen=True, slots=True)
class Attempt:
    """One rung of a read that failed: for the error text and the log.

    `retry_at`: epoch seconds at which its rest is over, 0 for none.
    """

    reader: str
    reason: Reason
    detail: str = ""
    retry_at: float = 0.0


@dataclass(frozen=True, slots=True)
class ReadFailure:
    """Why a url could not be read: the main reason, one sentence, every reader's own reason."""

    url: str
    reason: Reason
    message: str
    attempts: tuple[Attempt, ...] = ()


@dataclass(frozen=True, slots=True)
class PageRow:
    """One requested url of a batch: exactly one of `page` and `failure` is set."""

    url: str
    page: Page | None = None
    failure: ReadFailure | None = None


@dataclass(frozen=True, slots=True)
class BatchReport:
    """A row for each requested url, in the order of the request, duplicates included."""

    rows: tuple[PageRow, ...]
    notes: tuple[str, ...] = ()

    @property
    def asked(self) -> int:
        """How many urls were requested."""
        return len(self.rows)

    @property
    def read(self) -> int:
        """How many rows hold a page."""
        return sum(row.page is not None for row in self.rows)

    @property
    def failed(self) -> int:
        """How many rows hold a failure."""
        return self.asked - self.read


@dataclass(frozen=True, slots=True)
class HitRow:
    """One search hit that was tried: exactly one of `page` and `failure` is set."""

    hit: MergedHit
    page: Page | None = None
    failure: ReadFailure | None = None


@dataclass(frozen=True, slots=True)
class ResearchReport:
    """A search and its read pages: a row for each hit that was tried, in the order of the search.

    `asked` is how many pages the caller wants; failed hits are replaced by the next ones, so there
    may be more rows than that. `skipped` hits were found but not needed or not reached in time.
    """

    search: SearchReport
    rows: tuple[HitRow, ...]
    asked: int
    skipped: int = 0
    notes: tuple[str, ...] = ()

    @property
    def read(self) -> int:
        """How many rows hold a page."""
        return sum(row.page is not None for row in self.rows)

    @property
    def failed(self) -> int:
        """How many rows hold a failure."""
        return len(self.rows) - self.read
