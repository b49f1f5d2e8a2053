"""The ladder for one url: site readers, one probe, then the chain from cheap to expensive."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import NO_CONNECTION, NoContent, Reason, ResearchError, UrlRefused
from research_mcp.core.models import Extracted, Flag, Kind, Page, ReadFailure
from research_mcp.core.ports import PageFetcher, PageReader, ReaderFacts, Robots, RobotsRule
from research_mcp.core.urls import host_of
from research_mcp.core.wire import Document
from research_mcp.pipelines.guarded import guarded
from research_mcp.pipelines.read.job import ReadJob
from research_mcp.pipelines.read.rungs import Rungs
from research_mcp.pipelines.read.verdict import Outcome, failed, failure, last_resort, sentence
from research_mcp.pipelines.turns import METERED_FLOOR

RESERVE = 5.0
"""Seconds kept back for each rung that may follow, at most half of what is left for all of them."""

PROBE_CAP = 30.0
"""Seconds for the fetch, its refreshes and the extraction together."""

ROBOTS_GRACE = 0.5
"""Seconds that a finished read waits for a robots.txt which only adds a flag."""

PROBE = ReaderFacts("probe", needs_document=True)
"""Who failed when no reader works on the probe's document."""

_GONE = {404: Reason.NOT_FOUND, 410: Reason.GONE}
_DOCUMENTS = frozenset({Kind.PDF, Kind.OFFICE, Kind.EPUB})


class Stop(Exception):
    """The read ends here, with this failure."""

    def __init__(self, failure: ReadFailure) -> None:
        super().__init__(failure.message)
        self.failure = failure


class Climb:
    """One read. `top` is called once and raises nothing but cancellation."""

    def __init__(
        self,
        job: ReadJob,
        readers: Sequence[PageReader],
        rungs: Rungs,
        fetcher: PageFetcher,
        robots: Robots,
        deadline: Deadline,
    ) -> None:
        self._job = job
        self._readers = readers
        self._rungs = rungs
        self._fetcher = fetcher
        self._robots = robots
        self._deadline = deadline
        self._outcomes: list[Outcome] = []
        self._rules: dict[str, asyncio.Task[RobotsRule]] = {}
        self._silence: ResearchError | None = None
        """Why the probe brought no document."""
        self._here = False
        """Whether it brought one, which then has to be taken up."""
        self._gone = False

    async def top(self) -> Page | ReadFailure:
        """The page that is good enough, else the best thin text, else why there is none."""
        try:
            page = await self._climb() or last_resort(self._outcomes)
            return await self._with_robots_flag(page) if page else self._failure()
        except Stop as stop:
            return stop.failure
        except UrlRefused as error:  # invalid is where a redirect leads: this url is in normal form
            return ReadFailure(self._job.url, Reason.ADDRESS_REFUSED, str(error))
        finally:
            await _cancel(self._rules.values())

    async def _climb(self) -> Page | None:
        await self._admit()
        told = await self._told()
        self._readers = [reader for reader in told if await self._takes(reader)]
        page, final = await self._sites()
        if page or final:
            return page
        if self._gone:
            return await self._archived()
        self._ask_robots(self._job.url)
        page = await self._chain()
        return page or (await self._archived() if self._gone else None)

    def _failure(self) -> ReadFailure:
        return failure(self._job.url, self._outcomes)

    # The guard, and the readers that know their own urls

    async def _admit(self) -> None:
        """The guard's word on the url, before anyone else hears of it."""
        try:
            await guarded("the guard", self._fetcher.check(self._job.url, self._deadline))
        except UrlRefused:
            raise
        except ResearchError as error:
            self._outcomes.append(_silent(PROBE, error))
            raise Stop(self._failure()) from None

    async def _told(self) -> list[PageReader]:
        """The readers that may hear of the url: of a private one only those that read it from here."""
        try:
            shared = await guarded("the guard", self._fetcher.shareable(self._job.url, self._deadline))
        except ResearchError:
            shared = False
        return [reader for reader in self._readers if shared or _is_ours(reader.facts)]

    async def _sites(self) -> tuple[Page | None, bool]:
        """A site reader's page, and whether the read ends with what they said."""
        takers = [reader for reader in self._readers if reader.facts.site]
        for reader in takers:
            outcome = self._missing(reader.facts) or await self._turn(reader)
            self._outcomes.append(outcome)
            if outcome.good:
                return outcome.page, True
            if outcome.on_target and outcome.attempt and outcome.attempt.reason is Reason.GONE:
                self._gone = True
        return None, any(reader.facts.final for reader in takers)

    def _missing(self, facts: ReaderFacts) -> Outcome | None:
        """Nobody is paid for what the site itself told another of its readers: that there is no such page."""
        for told in self._outcomes if facts.metered else ():
            if told.on_target and told.attempt and told.attempt.reason in _GONE.values():
                says = f"skipped: {told.facts.name} learnt that there is no such page"
                return failed(facts, told.attempt.reason, says, on_target=True)
        return None

    # The probe

    async def _probed(self) -> None:
        """The probe and what the site's robots.txt says to it."""
        await self._obey_robots(await self._probe())

    async def _probe(self) -> Document | None:
        """The document after its refreshes, or None when there is none: `_silence` says why."""
        started = asyncio.get_running_loop().time()
        try:
            async with self._deadline.share(PROBE_CAP, reserve=self._reserve(self._remote())).enforce():
                document = await guarded("the probe", self._job.document())
                self._rungs.took(PROBE.name, asyncio.get_running_loop().time() - started)
                self._here = True
                if document.status not in _GONE:
                    await self._classify()
                    document = await self._job.document()
        except (Stop, UrlRefused):
            raise
        except ResearchError as error:
            self._silence = error
        except TimeoutError:
            self._silence = NoContent("no answer in time", reason=Reason.TIMEOUT)
        else:
            if document.status in _GONE and not self._gone:
                self._found_gone(_GONE[document.status], f"status {document.status}")
            return document
        if not any(reader.facts.needs_document for reader in self._readers):
            self._outcomes.append(_silent(PROBE, self._silence))
        return None

    async def _classify(self) -> None:
        """Extraction says what kind of thing it is; its troubles are the document readers' to tell."""
        try:
            extracted = await guarded("extraction", self._job.extracted())
        except UrlRefused:
            raise
        except ResearchError:
            return
        if extracted.reason is Reason.UNSUPPORTED_TYPE:
            raise Stop(_unsupported(self._job.url, await self._job.document(), extracted))
        if extracted.reason and extracted.reason in _GONE.values() and not self._gone:
            self._found_gone(extracted.reason, extracted.detail)

    def _found_gone(self, reason: Reason, detail: str) -> None:
        self._gone = True
        self._outcomes.append(failed(PROBE, reason, detail, on_target=True))

    # The site's wish

    def _ask_robots(self, url: str) -> None:
        if url not in self._rules:
            self._rules[url] = asyncio.create_task(self._robots.rule(url))

    async def _obey_robots(self, document: Document | None) -> None:
        """Ask the host where redirects ended as well; wait for the answers when they bind."""
        for url in set(self._rules) - {self._job.url}:  # https was only a guess, and nobody is there
            await _cancel([self._rules.pop(url)])
        self._ask_robots(self._job.url)
        if document is not None and host_of(document.final_url) != host_of(self._job.url):
            self._ask_robots(document.final_url)
        if not self._robots.binding:
            return
        if RobotsRule.REFUSED in await asyncio.gather(*self._rules.values()):
            url = self._job.url
            raise Stop(ReadFailure(url, Reason.ROBOTS_DISALLOWED, sentence(url, Reason.ROBOTS_DISALLOWED)))

    async def _with_robots_flag(self, page: Page) -> Page:
        if not self._rules:
            return page
        done, _ = await asyncio.wait(self._rules.values(), timeout=ROBOTS_GRACE)
        if any(task.result() is RobotsRule.DISCOURAGED for task in done):
            return replace(page, flags=(*page.flags, Flag.ROBOTS))
        return page

    # The chain

    async def _chain(self) -> Page | None:
        """The probe, then the first good page. What is free is hedged, the probe too; what is metered runs
        alone."""
        queue = self._order()
        running: dict[asyncio.Task[Outcome], PageReader] = {}
        probing = {asyncio.create_task(self._probed())}
        latest = PROBE
        try:
            while (probing or queue or running) and not self._gone:
                if not probing and queue and (not running or queue[0].facts.needs_document):
                    latest = self._start(queue[0], queue, running)
                follower = self._follower(queue, running, probed=not probing)
                patience = self._rungs.patience(latest.name) if follower else None
                done, _ = await asyncio.wait(
                    (*probing, *running), timeout=patience, return_when=asyncio.FIRST_COMPLETED
                )
                if not done and (follower := self._follower(queue, running, probed=not probing)):
                    latest = self._start(follower, queue, running)
                for probe in probing & done:
                    probe.result()
                    probing.clear()
                for task in running.keys() & done:
                    del running[task]
                    if (outcome := self._note(task.result())).good:
                        return outcome.page
            return None
        finally:
            await _cancel((*probing, *running))

    def _order(self) -> list[PageReader]:
        """As configured, unlockers after everything else."""
        chain = [r for r in self._readers if not (r.facts.site or r.facts.archive)]
        return sorted(chain, key=lambda reader: reader.facts.unlocker)

    def _start(
        self,
        reader: PageReader,
        queue: list[PageReader],
        running: dict[asyncio.Task[Outcome], PageReader],
    ) -> ReaderFacts:
        queue.remove(reader)
        running[asyncio.create_task(self._turn(reader, followers=len(queue)))] = reader
        return reader.facts

    def _follower(
        self,
        queue: list[PageReader],
        running: dict[asyncio.Task[Outcome], PageReader],
        *,
        probed: bool,
    ) -> PageReader | None:
        """Who may start beside what runs, if it takes long: free readers alone, and not beside one that only
        has to take up what the probe brought. Beside the probe when only one address can be meant, and
        when robots.txt is no more than a wish."""
        if not probed and (self._here or self._robots.binding or not self._job.certain):
            return None
        waiting = [reader for reader in queue if probed or not reader.facts.needs_document]
        if not waiting or waiting[0].facts.metered or waiting[0].facts.unlocker:
            return None
        if any(reader.facts.metered or reader.facts.needs_document for reader in running.values()):
            return None
        return waiting[0]

    def _note(self, outcome: Outcome) -> Outcome:
        self._outcomes.append(outcome)
        if self._silence and outcome.on_target and outcome.attempt:
            self._gone = self._gone or outcome.attempt.reason in _GONE.values()
        return outcome

    async def _archived(self) -> Page | None:
        """What an archive kept of a page that is gone."""
        for reader in self._readers:
            if reader.facts.archive:
                outcome = await self._turn(reader)
                self._outcomes.append(outcome)
                if outcome.good and outcome.page:
                    return replace(
                        outcome.page, flags=tuple(dict.fromkeys((*outcome.page.flags, Flag.ARCHIVED)))
                    )
        return None

    # One turn

    async def _turn(self, reader: PageReader, *, followers: int = 1) -> Outcome:
        facts = reader.facts
        if outcome := self._pointless(facts) or await self._rungs.resting(facts):
            return outcome
        left = self._deadline.remaining()
        if left <= (METERED_FLOOR if facts.metered else 0.0):
            return failed(facts, Reason.DEADLINE, f"skipped: {left:.0f} s were left")
        share = self._deadline.share(facts.cap, reserve=self._reserve(followers))
        return await self._rungs.run(reader, self._job, share)

    def _pointless(self, facts: ReaderFacts) -> Outcome | None:
        """What is known before a reader is asked: by its service's word, or by the silence of the probe."""
        if (heard := self._heard(facts)) and (attempt := heard.attempt):
            says = f"skipped: {heard.facts.name} asked the same service"
            return failed(facts, attempt.reason, says, on_target=True)
        silence = self._silence
        if silence is None:
            return None
        if facts.needs_document:
            return _silent(facts, silence)
        if facts.from_here and silence.reason in NO_CONNECTION:
            return failed(
                facts, silence.reason, "skipped: the host is out of reach from here", on_target=True
            )
        return None

    def _heard(self, facts: ReaderFacts) -> Outcome | None:
        """What a service said of this page to another of its keys; one more call would buy it again."""
        told = (o for o in self._outcomes if o.on_target and o.facts.service == facts.service)
        return next(told, None) if facts.service else None

    def _remote(self) -> int:
        """How many readers of the chain can do without the probe; one at least, be it the archive."""
        return max(1, sum(not reader.facts.needs_document for reader in self._order()))

    def _reserve(self, followers: int = 1) -> float:
        return min(RESERVE * followers, self._deadline.remaining() / 2)

    async def _takes(self, reader: PageReader) -> bool:
        async def asked() -> bool:
            return reader.accepts(self._job.url)

        try:
            return await guarded(f"reader {reader.facts.name}", asked())
        except ResearchError:
            return False


def _is_ours(facts: ReaderFacts) -> bool:
    return (facts.needs_document or facts.from_here) and not facts.site


def _silent(facts: ReaderFacts, silence: ResearchError) -> Outcome:
    return failed(facts, silence.reason, str(silence), on_target=isinstance(silence, NoContent))


async def _cancel(tasks: Collection[asyncio.Task[Any]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def _unsupported(url: str, document: Document, extracted: Extracted) -> ReadFailure:
    if extracted.kind in _DOCUMENTS:  # its reader knows more: a password, an old format
        return ReadFailure(url, Reason.UNSUPPORTED_TYPE, extracted.detail)
    size = len(document.body)
    shown = f"{size} bytes" if size < 10_000 else f"{size / 1_000:,.0f} KB"
    what = f"{document.media_type or extracted.kind.value}, {shown}"
    return ReadFailure(url, Reason.UNSUPPORTED_TYPE, f"This is no page of text but {what}.")
