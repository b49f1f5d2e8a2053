"""One reader's turn: is it free, what came of it, and what that means for its next turns."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping
from dataclasses import replace

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import (
    BadReply,
    NoContent,
    QuotaSpent,
    RateLimited,
    Reason,
    Rejected,
    ResearchError,
    Transient,
    UrlRefused,
)
from research_mcp.core.models import Attempt, Page
from research_mcp.core.ports import Clock, Job, PageReader, Parking, ReaderFacts, Rest, TextJudge
from research_mcp.observe.events import Emit, ProviderCall
from research_mcp.observe.overview import BreakerState
from research_mcp.observe.spans import provider_span
from research_mcp.pipelines.breaker import Breaker
from research_mcp.pipelines.guarded import guarded
from research_mcp.pipelines.read.verdict import FLAG_OF, Outcome, failed, judged
from research_mcp.pipelines.read.wash import washed

IN_FLIGHT = 8
QUEUE_WAIT = 2.0
PATIENCE = 8.0
"""Seconds before a hedge while a reader's latency is unknown."""

LEAST_PATIENCE = 0.25
"""Seconds: readers that are quicker than this may stumble a little before the next one is asked."""

_NO_PAGE = {
    Reason.BLOCKED: "the site answered it with a bot check or a question for consent",
    Reason.NOT_FOUND: "the site told it that there is no such page",
}
"""What a reader's text may be of which no word is worth showing."""

_SAMPLES = 50
_ENOUGH_SAMPLES = 5
_FAIR_TIME = 10.0
"""A reader that had less than this, and less than its cap, is not to blame for a time-out."""


class Rungs:
    """Runs readers, each in a bulkhead and behind a breaker, and remembers how fast they are."""

    def __init__(self, parking: Parking, clock: Clock, emit: Emit, judge: TextJudge, min_chars: int) -> None:
        self._parking = parking
        self._clock = clock
        self._emit = emit
        self._judge = judge
        self._min_chars = min_chars
        self._breaker = Breaker()
        self._slots: dict[str, asyncio.Semaphore] = {}
        self._seconds: dict[str, deque[float]] = {}

    def took(self, name: str, seconds: float) -> None:
        """A good answer of `name` took so long."""
        self._seconds.setdefault(name, deque(maxlen=_SAMPLES)).append(seconds)

    def patience(self, name: str) -> float:
        """Seconds after which 95 % of this reader's good answers were there."""
        seconds = sorted(self._seconds.get(name, ()))
        if len(seconds) < _ENOUGH_SAMPLES:
            return PATIENCE
        return max(LEAST_PATIENCE, seconds[min(len(seconds) - 1, int(len(seconds) * 0.95))])

    def breakers(self) -> Mapping[str, BreakerState]:
        """The state of the breaker of each reader that was called."""
        return self._breaker.states()

    async def resting(self, facts: ReaderFacts) -> Outcome | None:
        """The outcome of a reader that may not run now; None when it may.

        What works on the probe's document calls nobody, so nobody can tell it to rest.
        """
        if facts.needs_document:
            return None
        rest = await self._parking.rest(f"instance:{facts.name}")
        if rest is None:
            return None
        if rest.until is None:
            attempt = Attempt(facts.name, rest.reason, f"resting until the operator acts: {rest.detail}")
        else:
            attempt = Attempt(facts.name, rest.reason, f"resting: {rest.detail}", rest.until)
        return Outcome(facts, attempt=attempt)

    async def run(self, reader: PageReader, job: Job, deadline: Deadline) -> Outcome:
        """The outcome of one turn. Raises `UrlRefused`, which ends the whole read."""
        name = reader.facts.name
        slots = self._slots.setdefault(name, asyncio.Semaphore(IN_FLIGHT))
        started = asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout(min(QUEUE_WAIT, deadline.remaining())):
                await slots.acquire()
        except TimeoutError:
            return failed(reader.facts, Reason.OVERLOADED, f"{IN_FLIGHT} reads are in flight there")
        try:
            outcome = await self._turn(reader, job, deadline)
        except asyncio.CancelledError:
            self._tell(failed(reader.facts, Reason.CANCELLED, ""), started)
            raise
        finally:
            slots.release()
        self._tell(outcome, started)
        return outcome

    async def _turn(self, reader: PageReader, job: Job, deadline: Deadline) -> Outcome:
        facts = reader.facts
        given = deadline.remaining()
        started = asyncio.get_running_loop().time()
        try:
            with provider_span("read", facts.name):
                async with deadline.enforce():
                    page = await guarded(f"reader {facts.name}", reader.read(job, deadline))
        except UrlRefused:
            raise
        except ResearchError as error:
            return await self._refused(facts, error)
        except TimeoutError:
            if given >= min(facts.cap, _FAIR_TIME):
                await self._count(facts, Reason.TIMEOUT)
            return failed(facts, Reason.TIMEOUT, f"no answer in {given:.0f} s")
        self._breaker.succeeded(facts.name)
        self.took(facts.name, asyncio.get_running_loop().time() - started)
        return self._weighed(page, facts)

    def _weighed(self, page: Page, facts: ReaderFacts) -> Outcome:
        """Good, thin or useless. Extraction has looked at its own text; here others' is looked at."""
        if facts.needs_document:
            return judged(page, facts, self._min_chars)
        page = washed(page)
        reason = None if facts.site else self._judge(page.markdown)
        if reason in _NO_PAGE:
            return failed(facts, reason, _NO_PAGE[reason], on_target=True)
        if (flag := FLAG_OF.get(reason) if reason else None) and flag not in page.flags:
            page = replace(page, flags=(*page.flags, flag))
        return judged(page, facts, self._min_chars)

    async def _refused(self, facts: ReaderFacts, error: ResearchError) -> Outcome:
        """Parks or counts what is the reader's own fault; what the page lacks is nobody's."""
        if isinstance(error, RateLimited | QuotaSpent | Rejected):
            if not error.sent:  # a resting key or a spent budget says so itself, each time
                return failed(facts, error.reason, str(error))
            until = None if error.rest_for is None else self._clock.now() + error.rest_for
            await self._park(facts, Rest(until, error.reason, str(error)))
        elif isinstance(error, Transient | BadReply):
            await self._count(facts, error.reason)
        on_target = isinstance(error, NoContent) and error.reason is not Reason.DEADLINE
        return failed(facts, error.reason, str(error), on_target=on_target)

    async def _count(self, facts: ReaderFacts, reason: Reason) -> None:
        seconds = 0.0 if facts.needs_document else self._breaker.failed(facts.name)
        if seconds:
            await self._park(facts, Rest(self._clock.now() + seconds, reason, "it failed too often"))

    async def _park(self, facts: ReaderFacts, rest: Rest) -> None:
        await self._parking.park(f"instance:{facts.name}", rest)

    def _tell(self, outcome: Outcome, started: float) -> None:
        attempt = outcome.attempt
        seconds = asyncio.get_running_loop().time() - started
        self._emit(
            ProviderCall(
                instance=outcome.facts.name,
                operation="read",
                outcome=attempt.reason.value if attempt else "ok",
                ms=round(seconds * 1000),
                detail=attempt.detail if attempt else "",
                reason=attempt.reason.value if attempt else "",
            )
        )
