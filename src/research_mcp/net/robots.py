"""What a site's robots.txt says to this product (RFC 9309), asked once a day for each origin."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from typing import ParamSpec, TypeVar
from urllib.parse import urlsplit

from cachetools import TLRUCache
from protego import Protego

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import ResearchError, UrlRefused
from research_mcp.core.flights import Flights
from research_mcp.core.ports import Clock, PageFetcher, RobotsRule

P = ParamSpec("P")
T = TypeVar("T")

ACCEPT = "text/plain, */*;q=0.5"
WAIT = 3.0
KEPT = 86_400.0
KEPT_TROUBLE = 300.0
"""Seconds for which an answer is used again: a good one, and one that only says "not now"."""

MAX_BYTES = 512_000
"""What RFC 9309 asks a parser to read at least; the rest is ignored."""

MAX_RULE = 2_048
MAX_RULES = 10_000
MAX_SITEMAPS = 100
CACHE_BYTES = 16_000_000
_ENTRY_BYTES = 1_000
"""What an origin takes beside what its file says."""

INLINE_BYTES = 32_000
"""A longer file is parsed in a thread."""

_AGENT_LINE = re.compile(r"\s*user[-\s]*agent\s*[:\s]\s*([^#]*)", re.IGNORECASE)
_SITEMAP_LINE = re.compile(r"\s*site-?map\s*:\s*(\S+)", re.IGNORECASE)
_RULE_LINE = re.compile(r"\s*(?:dis+|di)?a", re.IGNORECASE)
_OTHER = "x-other"


class RobotsMode(StrEnum):
    """The operator's policy: say so, refuse, or never ask."""

    NOTE = "note"
    OBEY = "obey"
    IGNORE = "ignore"


class RobotsGate:
    """A `core.ports.Robots`. `agent` is the product token that sites may name.

    404 and other 4xx allow; 429, 5xx, no answer and none within 3 s disallow, for the time being.
    Only a rule that was really read makes an advisory note.
    """

    def __init__(self, fetcher: PageFetcher, clock: Clock, agent: str, mode: RobotsMode) -> None:
        self._fetcher = fetcher
        self._agent = agent.lower()
        self._mode = mode
        self._flights: Flights[str, _Answer] = Flights()
        self._answers: TLRUCache[str, _Answer] = TLRUCache(
            CACHE_BYTES, ttu=_expiry, timer=clock.now, getsizeof=_bytes_of
        )

    @property
    def binding(self) -> bool:
        """True when the policy can refuse a page."""
        return self._mode is RobotsMode.OBEY

    async def rule(self, url: str) -> RobotsRule:
        """What the policy makes of the site's wish for `url`."""
        if self._mode is RobotsMode.IGNORE:
            return RobotsRule.ALLOWED
        answer = await self._answer(url)
        if await self._allows(answer, url):
            return RobotsRule.ALLOWED
        return RobotsRule.REFUSED if self.binding else RobotsRule.DISCOURAGED

    async def sitemaps(self, url: str) -> tuple[str, ...]:
        """The site maps that robots.txt of the site at `url` names, as they stand there."""
        return (await self._answer(url)).sitemaps

    async def _allows(self, answer: _Answer, url: str) -> bool:
        if answer.trouble:
            return not self.binding
        return await _off_loop(len(answer.text), allows, answer.text, self._agent, url)

    async def _answer(self, url: str) -> _Answer:
        parts = urlsplit(url)
        origin = f"{parts.scheme}://{parts.netloc}"
        kept = self._answers.get(origin)
        if kept is not None:
            return kept
        answer = await self._flights.share(origin, lambda: self._ask(origin))
        self._answers[origin] = answer
        return answer

    async def _ask(self, origin: str) -> _Answer:
        deadline = Deadline.after(WAIT)
        try:
            async with deadline.enforce():
                document = await self._fetcher.fetch(f"{origin}/robots.txt", deadline, accept=ACCEPT)
        except UrlRefused:
            return _Answer()  # it redirects to where nobody may go: there is no robots.txt then
        except (ResearchError, TimeoutError):
            return _Answer(trouble=True)
        if document.status == 429 or document.status >= 500:
            return _Answer(trouble=True)
        if not 200 <= document.status < 300:
            return _Answer()
        text = document.body[:MAX_BYTES].decode("utf-8-sig", "replace")
        return _Answer(
            await _off_loop(len(text), narrowed, text, self._agent),
            sitemaps=await _off_loop(len(text), sitemaps_in, text),
        )


@dataclass(frozen=True, slots=True)
class _Answer:
    """The file ("" allows all) and the site maps that it names, or the trouble of getting none."""

    text: str = ""
    trouble: bool = False
    sitemaps: tuple[str, ...] = ()


async def _off_loop(size: int, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """`work(*args)`, in a thread when it has more than `INLINE_BYTES` to do."""
    if size <= INLINE_BYTES:
        return work(*args, **kwargs)
    return await asyncio.to_thread(work, *args, **kwargs)


def _bytes_of(answer: _Answer) -> int:
    return _ENTRY_BYTES + sum(map(sys.getsizeof, (answer.text, *answer.sitemaps)))


def _expiry(_origin: str, answer: _Answer, now: float) -> float:
    return now + (KEPT_TROUBLE if answer.trouble else KEPT)


def allows(text: str, agent: str, url: str) -> bool:
    """Whether `text`, as `narrowed` left it, lets `agent` (a product token, lower case) fetch `url`."""
    return Protego.parse(text).can_fetch(url, agent)


def sitemaps_in(text: str) -> tuple[str, ...]:
    """The addresses behind `Sitemap:`, each once, which stand apart from all groups of rules."""
    found = (match[1] for line in text.splitlines() if (match := _SITEMAP_LINE.match(line[:MAX_RULE])))
    return tuple(islice(dict.fromkeys(found), MAX_SITEMAPS))


def narrowed(text: str, agent: str) -> str:
    """The rules of a robots.txt, all agents but `agent` and `*` under one name.

    The parser's cost is agents times rules: a file of 500 KB could make that 10^8.
    """
    lines: list[str] = []
    rules = 0
    for line in text.splitlines():
        if found := _AGENT_LINE.match(line[:MAX_RULE]):
            name = found[1].strip().lower()
            token = name.partition("/")[0]
            lines.append(f"user-agent: {name if name == '*' else agent if token == agent else _OTHER}")
        elif len(line) <= MAX_RULE and _RULE_LINE.match(line):
            lines.append(line)
            rules += 1
            if rules == MAX_RULES:
                break
    return "\n".join(lines)
