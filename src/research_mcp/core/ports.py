"""The seams of the house: what one part needs of another, as protocols.

Pipelines and providers never import each other or the network; `bootstrap` hands each what stands
here. Tests hand in fakes of the same shape.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, TypeVar

from research_mcp.core.answers import AnswerFacts, AnswerReport, Lost, ModelAnswer, Question
from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import Reason
from research_mcp.core.models import (
    Attempt,
    BatchReport,
    EngineAnswer,
    Extracted,
    Filter,
    Page,
    ReadFailure,
    ResearchReport,
    SearchQuery,
    SearchReport,
    Topic,
)
from research_mcp.core.wire import Document, Reply, Request

__all__ = ["Attempt", "ReadFailure"]  # moved to core.models, still found here

Progress = Callable[[int, int, str], Awaitable[None]]
"""`await progress(done, total, message)`; must be cheap and must not raise."""


async def no_progress(done: int, total: int, message: str) -> None:
    """The progress sink for callers that asked for none."""


class Clock(Protocol):
    """Wall time in epoch seconds. Durations come from the event loop through `Deadline`."""

    def now(self) -> float: ...


class Http(Protocol):
    """A vendor's way out: retry, proxy, caps and deadline are already around it.

    Returns any status. Raises `Transient` when no answer came (reason `timeout`, `unreachable`,
    `dns_failed`, `tls_failed`, or `upstream_error` for one that broke off), `BadReply` past the cap
    (`too_large`) and for an address out of an answer that is not public (`address_refused`), and
    `Rejected` for a key that no header can carry.
    """

    async def send(self, request: Request, deadline: Deadline) -> Reply: ...


class PageFetcher(Protocol):
    """The only door to a url that a caller named.

    `normal_form` and `check` raise `UrlRefused`; `check` also resolves the name (raises `NoContent` with
    `dns_failed` for unknown names). `shareable` says whether a reader elsewhere may be told of a url
    that passed: it is public by name and address, whatever the operator opened for this machine. It
    never raises.
    `fetch` prefers Markdown unless `accept` says otherwise, returns any status and raises `UrlRefused`
    (also for a redirect to a refused address) or `NoContent`: `dns_failed`, `unreachable` and
    `tls_failed` mean that nothing connected, `timeout` and `upstream_error` (broken HTTP, redirects
    without end) that something did; also `too_large` and `unsupported_type`.
    """

    def normal_form(self, url: str) -> str: ...

    async def check(self, url: str, deadline: Deadline) -> None: ...

    async def shareable(self, url: str, deadline: Deadline) -> bool: ...

    async def fetch(self, url: str, deadline: Deadline, *, accept: str = "") -> Document: ...


class Extractor(Protocol):
    """CPU work in killable processes. Never raises for content: the reason is in the result.

    Raises `Overloaded` when its queue is full and `NoContent` (`deadline`) when the worker was
    stopped for time or memory.
    """

    async def extract(self, document: Document, deadline: Deadline) -> Extracted: ...


class Job(Protocol):
    """One read, shared by all its rungs: the probe happens at most once.

    `fetch` is a further guarded GET, for readers that ask a site's own API; it raises as
    `PageFetcher.fetch` does. `extract` takes the text out of any document that a reader found, as
    `Extractor.extract` does.
    """

    @property
    def url(self) -> str: ...

    async def document(self) -> Document: ...

    async def extracted(self) -> Extracted: ...

    async def fetch(self, url: str, *, accept: str = "") -> Document: ...

    async def extract(self, document: Document) -> Extracted: ...


@dataclass(frozen=True, slots=True)
class EngineFacts:
    """What the search pipeline may know of an engine: never its type's name.

    `index` is the declared index family (two resellers of one index share one vote); `pace` the
    least seconds between two queries; an engine without the general topic joins only for its own
    topics. `prior` (0 to 1) is how often others may be expected to confirm it before it has a history:
    1 for a general web index. `weight` is the operator's word and multiplies.
    """

    name: str
    index: str
    metered: bool = False
    pace: float = 0.0
    reserve: bool = False
    topics: frozenset[Topic] = frozenset({Topic.GENERAL})
    applies: frozenset[Filter] = frozenset()
    weight: float = 1.0
    prior: float = 0.5


class SearchEngine(Protocol):
    """One search instance. `search` raises `ProviderError` for every failure."""

    @property
    def facts(self) -> EngineFacts: ...

    async def search(self, query: SearchQuery, deadline: Deadline) -> EngineAnswer: ...


class Reranker(Protocol):
    """A model that orders texts by how well they answer a question.

    `rerank` names the place of each of `texts` once, best first. Raises `ProviderError` for every
    failure, an answer that leaves some out included.
    """

    @property
    def name(self) -> str: ...

    @property
    def metered(self) -> bool: ...

    async def rerank(self, query: str, texts: Sequence[str], deadline: Deadline) -> Sequence[int]: ...


@dataclass(frozen=True, slots=True)
class ReaderFacts:
    """What the read pipeline may know of a reader.

    `site`: it knows its own urls and is offered them before the probe; `final`: its reasons are the
    answer; `needs_document`: it works on the probe's document; `from_here`: it connects from this
    machine's network, so an unreachable host is unreachable for it too, and it may be told of private
    urls that the operator opened, as nobody else may; `unlocker`: only for pages
    that everything cheaper bounced off; `archive`: only for pages that are gone; `cap`: seconds.
    """

    name: str
    site: bool = False
    final: bool = False
    metered: bool = False
    needs_document: bool = False
    from_here: bool = False
    unlocker: bool = False
    archive: bool = False
    cap: float = 25.0


TextJudge = Callable[[str], Reason | None]
"""What extraction's tables of phrases say about Markdown that another reader made: `blocked`,
`paywalled`, `needs_javascript`, or None. Cheap: looks at the start and the end of short texts."""


class PageReader(Protocol):
    """One read instance. `read` raises `ProviderError`; thin or teaser text comes back as a page
    with its flag, so that the pipeline can keep it as the last resort."""

    @property
    def facts(self) -> ReaderFacts: ...

    def accepts(self, url: str) -> bool: ...

    async def read(self, job: Job, deadline: Deadline) -> Page: ...


@dataclass(frozen=True, slots=True)
class Rest:
    """Why something rests, and until when (epoch seconds; None until restart)."""

    until: float | None
    reason: Reason
    detail: str = ""


class Parking(Protocol):
    """Who rests until when: accounts (`account:ID`) and instances (`instance:NAME`)."""

    async def rest(self, name: str) -> Rest | None: ...

    async def park(self, name: str, rest: Rest) -> None: ...

    async def release(self, name: str) -> None: ...


class Paces(Protocol):
    """The least time between two uses of a name, shared by all callers.

    `take` takes the slot and returns 0.0, or takes nothing and returns the seconds to wait.
    """

    async def take(self, name: str, interval: float) -> float: ...


class Searcher(Protocol):
    """The search pipeline as the server sees it."""

    async def search(self, query: SearchQuery, progress: Progress = ...) -> SearchReport: ...


class Reader(Protocol):
    """The read pipeline as the server sees it: it never raises for a page, only cancels."""

    async def read(self, url: str, *, seconds: float | None = None) -> Page | ReadFailure: ...


class BatchReader(Protocol):
    """The batch tools as the server sees them: they never raise for a page and end in time.

    `search_and_read` reads until `count` pages are good; `query.limit` may be raised to over-fetch.
    Progress counts pages read of pages asked.
    """

    async def read_many(self, urls: Sequence[str], progress: Progress = ...) -> BatchReport: ...

    async def search_and_read(
        self, query: SearchQuery, count: int, progress: Progress = ...
    ) -> ResearchReport: ...


class RobotsRule(StrEnum):
    """What a site's robots.txt means for one url under the operator's policy."""

    ALLOWED = "allowed"
    DISCOURAGED = "discouraged"
    REFUSED = "refused"


class Robots(Protocol):
    """The site's wish about automated readers. `rule` never raises and ends within 3 s.

    `binding`: the policy can refuse, so a read waits for the answer before it goes on. Otherwise the
    answer only adds `Flag.ROBOTS` to the page.
    """

    @property
    def binding(self) -> bool: ...

    async def rule(self, url: str) -> RobotsRule: ...


@dataclass(frozen=True, slots=True)
class Reservation:
    """Units set aside for one call: `key` is unique for the call, `units` what it may cost at most."""

    key: str
    account: str
    instance: str
    units: int


@dataclass(frozen=True, slots=True)
class Usage:
    """One line of the money table: a budget, or an instance without one (then `limit` is None).

    `used` counts `period` ("2026-09", "2026-09-01", "total"), open reservations included. `billed` is
    the instance's settled sum since the store began; it never falls.
    """

    instance: str
    used: int
    limit: int | None
    per: str
    period: str
    renews_at: float | None
    billed: int
    source: str = ""


@dataclass(frozen=True, slots=True)
class StoreHealth:
    """Whether the store can be written, and if not, why: one sentence."""

    ok: bool
    detail: str = ""


class Meter(Protocol):
    """Money, counted before it is spent.

    `reserve` raises `BudgetSpent` (a `QuotaSpent`) when a budget of this server has no room and
    `StoreUnavailable` when nothing can be counted; either way nothing may be sent. The same `key`
    again gives the same reservation, charged once. A reservation that is neither settled nor refunded
    counts as spent. `settle` and `refund` never raise and do not wait for a slow store; what cannot be
    written now is written later. `usage` raises `StoreUnavailable`.
    """

    async def reserve(self, account: str, instance: str, units: int, key: str) -> Reservation: ...

    async def settle(self, reservation: Reservation, units: int) -> None: ...

    async def refund(self, reservation: Reservation) -> None: ...

    async def usage(self) -> tuple[Usage, ...]: ...

    async def health(self) -> StoreHealth: ...


V = TypeVar("V")


class Cache(Protocol[V]):
    """Good answers, kept for a while. `get` gives None for what is unknown or too old.

    Never raises: without its store it keeps nothing.
    """

    async def get(self, key: str) -> V | None: ...

    async def put(self, key: str, value: V) -> None: ...


@dataclass(frozen=True, slots=True)
class Confirmed:
    """How often another index family found an engine's results too: mean share and how many lists."""

    share: float
    lists: int


class Agreements(Protocol):
    """What was observed of each engine within a topic: moving averages over some hundred questions.

    Never raises: without its store nothing is known and the priors decide.
    """

    async def known(self, topic: Topic) -> Mapping[str, Confirmed]: ...

    async def learn(self, topic: Topic, shares: Mapping[str, float]) -> None: ...


class AnswerModel(Protocol):
    """One model that searches by itself. `answer` raises `ProviderError` for every failure."""

    @property
    def facts(self) -> AnswerFacts: ...

    async def answer(self, question: Question, deadline: Deadline) -> ModelAnswer: ...


class AnswerStore(Protocol):
    """Answers by id, each kept for `seconds`. Bounded; never raises."""

    @property
    def seconds(self) -> float: ...

    async def keep(self, session_id: str, report: AnswerReport) -> None: ...

    async def find(self, session_id: str) -> AnswerReport | Lost: ...


class Answerer(Protocol):
    """The answer pipeline as the server sees it. `answer` ends in time and raises `InvalidArgument` only.

    `kept` gives an earlier report back; it raises `ResearchError` with `session_unknown`,
    `session_expired` or `session_evicted`.
    """

    async def answer(self, question: Question, progress: Progress = ...) -> AnswerReport: ...

    async def kept(self, session_id: str) -> AnswerReport: ...
