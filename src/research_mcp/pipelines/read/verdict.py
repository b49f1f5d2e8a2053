"""Whether a page is good enough, and what to say when none was. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from research_mcp.core.errors import Reason
from research_mcp.core.models import Attempt, Flag, Kind, Page, ReadFailure
from research_mcp.core.ports import ReaderFacts
from research_mcp.core.urls import host_of

_WANTING = {
    Flag.PAYWALLED: Reason.PAYWALLED,
    Flag.NEEDS_JAVASCRIPT: Reason.NEEDS_JAVASCRIPT,
    Flag.THIN: Reason.EMPTY,
}
FLAG_OF = {reason: flag for flag, reason in _WANTING.items()}
"""The caveat that text travels with when this reason speaks against it."""

_WHOLE_HOWEVER_SHORT = frozenset({Kind.MARKDOWN, Kind.TEXT, Kind.JSON, Kind.FEED, Kind.OFFICE, Kind.EPUB})
"""What a document of these kinds holds is all there is: no other reader would find more."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One rung's end. `attempt` says what went wrong or is wanting, None when the page is good;
    `page` may hold thin text then. `on_target`: the attempt tells about the page, not the reader."""

    facts: ReaderFacts
    page: Page | None = None
    attempt: Attempt | None = None
    on_target: bool = False

    @property
    def good(self) -> bool:
        """True when the read may end here."""
        return self.page is not None and self.attempt is None


def failed(facts: ReaderFacts, reason: Reason, detail: str, *, on_target: bool = False) -> Outcome:
    """The outcome of a reader that brought nothing."""
    return Outcome(facts, attempt=Attempt(facts.name, reason, detail), on_target=on_target)


def judged(page: Page, facts: ReaderFacts, min_chars: int) -> Outcome:
    """The outcome of a reader that brought `page`: good, or thin with what it lacks.

    A site reader knows what its page holds, so its text may be short.
    """
    length = len(page.markdown.strip())
    for flag, reason in _WANTING.items():
        if flag in page.flags:
            lack = Attempt(facts.name, reason, f"{flag.value.replace('_', ' ')}, {length} characters")
            return Outcome(facts, page, lack, on_target=True)
    whole = facts.site or (facts.needs_document and page.kind in _WHOLE_HOWEVER_SHORT)
    if length and (whole or length >= min_chars):
        return Outcome(facts, page)
    lack = Attempt(facts.name, Reason.EMPTY, f"only {length} characters of text")
    thin = replace(page, flags=(*page.flags, Flag.THIN)) if length else None
    return Outcome(facts, thin, lack, on_target=True)


def is_thin(page: Page) -> bool:
    """True for text that is only better than none."""
    return any(flag in page.flags for flag in _WANTING)


def last_resort(outcomes: Sequence[Outcome]) -> Page | None:
    """The longest text that fell short, with its flag and a note on what else was tried."""
    thin = [outcome.page for outcome in outcomes if outcome.page is not None]
    if not thin:
        return None
    best = max(thin, key=lambda page: len(page.markdown))
    tried = [o.attempt for o in outcomes if o.attempt is not None and o.page is not best]
    if not tried:
        return best
    others = ", ".join(f"{attempt.reader} ({attempt.reason.value})" for attempt in tried)
    return replace(best, notes=(*best.notes, f"no other reader got more: {others}"))


_OF_TARGET = (
    Reason.GONE,
    Reason.NOT_FOUND,
    Reason.ROBOTS_DISALLOWED,
    Reason.UNSUPPORTED_TYPE,
    Reason.NO_TRANSCRIPT,
    Reason.NO_TEXT_LAYER,
    Reason.PAYWALLED,
    Reason.BLOCKED,
    Reason.FORBIDDEN,
    Reason.RATE_LIMITED,
    Reason.NEEDS_JAVASCRIPT,
    Reason.TOO_LARGE,
    Reason.INTERNAL_ERROR,
    Reason.DNS_FAILED,
    Reason.TLS_FAILED,
    Reason.UNREACHABLE,
    Reason.TIMEOUT,
    Reason.UPSTREAM_ERROR,
    Reason.EMPTY,
)
"""What is known of the page, the most telling first."""

_OF_READERS = (
    Reason.OVERLOADED,
    Reason.DEADLINE,
    Reason.TIMEOUT,
    Reason.RATE_LIMITED,
    Reason.OUT_OF_CREDITS,
    Reason.BLOCKED,
    Reason.BAD_KEY,
    Reason.UPSTREAM_ERROR,
)
"""What kept the readers from knowing anything of the page, the most passing first."""

_SENTENCES = {
    Reason.GONE: "The page was removed from {host} for good.",
    Reason.NOT_FOUND: "{host} has no such page.",
    Reason.NO_TRANSCRIPT: "There is no transcript to read at {host}.",
    Reason.NO_TEXT_LAYER: "The PDF is a scan without a text layer, and no reader could recognise its text.",
    Reason.PAYWALLED: "{host} shows this page to subscribers only.",
    Reason.BLOCKED: "{host} blocks automated readers, and no reader got through.",
    Reason.FORBIDDEN: "{host} refuses access to this page.",
    Reason.RATE_LIMITED: "{host} limits automated readers at the moment.",
    Reason.NEEDS_JAVASCRIPT: "The page at {host} is an empty shell that only a browser fills, and no reader "
    "with a browser got its text.",
    Reason.TOO_LARGE: "The page at {host} is too large to read.",
    Reason.DNS_FAILED: "The host name {host} cannot be resolved.",
    Reason.TLS_FAILED: "No secure connection to {host} is possible, and no other reader got the page.",
    Reason.UNREACHABLE: "{host} does not accept connections, and no other reader got the page.",
    Reason.TIMEOUT: "{host} did not answer in time, and no other reader got the page.",
    Reason.UPSTREAM_ERROR: "{host} answers with an error, and no reader got the page.",
    Reason.INTERNAL_ERROR: "A fault in this server kept it from reading the page at {host}, and no other "
    "reader got it.",
    Reason.EMPTY: "No reader found any text on the page at {host}.",
    Reason.ROBOTS_DISALLOWED: "The robots.txt of {host} asks automated readers to stay away from this page, "
    "and this server obeys it.",
    Reason.DEADLINE: "The time for reading {host} ran out.",
    Reason.OVERLOADED: "This server is too busy to read {host}.",
}
"""What and why; what to do goes with the reason, wherever it is shown."""


def failure(url: str, outcomes: Sequence[Outcome]) -> ReadFailure:
    """Why nothing could be read: the most telling reason about the page, else about the readers."""
    attempts = tuple(outcome.attempt for outcome in outcomes if outcome.attempt is not None)
    of_target = {o.attempt.reason: o.attempt for o in outcomes if o.attempt is not None and o.on_target}
    for reason in _OF_TARGET:
        if reason in of_target:
            return ReadFailure(url, reason, sentence(url, reason, of_target[reason].detail), attempts)
    if not attempts:
        message = "No reader for this kind of page is switched on."
        return ReadFailure(url, Reason.NOT_CONFIGURED, message)
    reasons = [attempt.reason for attempt in attempts]
    reason = next((reason for reason in _OF_READERS if reason in reasons), reasons[0])
    return ReadFailure(url, reason, _readers_sentence(url, reason), attempts)


def sentence(url: str, reason: Reason, detail: str = "") -> str:
    """What happened and why, for a reason that lies with the page."""
    host = host_of(url) or "the site"
    template = _SENTENCES.get(reason)
    if template is None:
        return f"The page at {host} cannot be read: {detail or reason.value}."
    return template.format(host=host)


def _readers_sentence(url: str, reason: Reason) -> str:
    if reason in (Reason.OVERLOADED, Reason.DEADLINE):
        return sentence(url, reason)
    host = host_of(url) or "the site"
    return f"No reader is able to read {host} at the moment ({reason.value})."
