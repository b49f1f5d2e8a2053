"""What the page shows of an overview: groups of providers, sums, bars, and one word for everything."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from research_mcp.observe.overview import BreakerState, Minute, Overview, Provider, Record, Spending
from research_mcp.server.status.words import clock, plural, span, when

_TITLES = (
    ("search", "Search engines"),
    ("read", "Page readers"),
    ("answer", "Answering models"),
    ("map", "Site maps"),
    ("rerank", "Rerankers"),
)
FINE = "fine"
WIDTH, HEIGHT = 600, 100
_STEP, _GAP = 10, 2


@dataclass(frozen=True, slots=True)
class State:
    """The server in one word, with its tone: fine, rest or bad."""

    title: str
    tone: str

    @classmethod
    def of(cls, now: Overview) -> State:
        """Ready, degraded or not ready, as `/readyz` says."""
        if not now.ready:
            return cls("Not ready", "bad")
        return cls("Degraded", "rest") if now.degraded else cls("Ready", FINE)


@dataclass(frozen=True, slots=True)
class Standing:
    """A provider that is on: what it does now, in words and tone."""

    name: str
    state: str
    tone: str
    detail: str
    record: Record


@dataclass(frozen=True, slots=True)
class Group:
    """The providers of one kind: those with something to tell, those that are free and were not called
    since the start (`idle`), and those that are off."""

    id: str
    title: str
    on: Sequence[Standing]
    idle: Sequence[Standing]
    off: Sequence[Provider]


def groups(now: Overview) -> Iterator[Group]:
    """One for each kind that the configuration has rows of."""
    for kind, title in _TITLES:
        rows = [provider for provider in now.providers if provider.kind == kind]
        if rows:
            on = [standing(row, now.at) for row in rows if row.on]
            told = [one for one in on if one.record.calls or one.tone != FINE]
            idle = [one for one in on if one not in told]
            yield Group(kind, title, told, idle, [row for row in rows if not row.on])


def standing(provider: Provider, now: float) -> Standing:
    """Free, resting until when and why, or on trial."""
    state, tone, detail = "free", FINE, ""
    if rest := provider.rest:
        tone, detail = "rest", rest.detail
        if rest.until is None:
            state, tone = f"rests until a new key or `quota reset` ({rest.reason})", "bad"
        else:
            state = f"rests until {when(rest.until, now)}, {span(rest.until - now)} more ({rest.reason})"
    elif provider.breaker is not BreakerState.CLOSED:
        state, tone, detail = "on trial", "rest", "it failed too often; one more failure lets it rest again"
    return Standing(provider.name, state, tone, detail, provider.record)


@dataclass(frozen=True, slots=True)
class Money:
    """Sums: dollars where prices are known (None: nowhere), units of everyone."""

    today: float | None
    month: float | None
    units_today: int
    units_month: int

    @classmethod
    def of(cls, spending: Sequence[Spending]) -> Money:
        """The sums of all lines; nothing billed costs nothing."""
        today = [line.today for line in spending if line.today is not None]
        month = [line.month for line in spending if line.month is not None]
        unknown = bool(spending) and not month
        return cls(
            None if unknown else sum(today),
            None if unknown else sum(month),
            sum(line.spent.today for line in spending),
            sum(line.spent.month for line in spending),
        )


@dataclass(frozen=True, slots=True)
class Bar:
    """One minute as a stack: failed calls stand on answered ones. In units of the chart."""

    x: int
    good_y: float
    good: float
    failed_y: float
    failed: float
    words: str
    width: int = _STEP - _GAP


@dataclass(frozen=True, slots=True)
class Chart:
    """The bars of an hour and what they say, for those who do not see them."""

    bars: Sequence[Bar]
    words: str
    first: float
    middle: float
    width: int = WIDTH
    height: int = HEIGHT

    @classmethod
    def of(cls, minutes: Sequence[Minute]) -> Chart:
        """Scaled to the busiest minute."""
        busiest = max(minutes, key=_calls)
        scale = HEIGHT / max(1, _calls(busiest))
        bars = [_bar(minute, place * _STEP, scale) for place, minute in enumerate(minutes) if _calls(minute)]
        return cls(bars, _words(minutes, busiest), minutes[0].start, minutes[len(minutes) // 2].start)


def total(minutes: Sequence[Minute]) -> Minute:
    """The sum of all."""
    return Minute(0.0, sum(minute.good for minute in minutes), sum(minute.failed for minute in minutes))


def _calls(minute: Minute) -> int:
    return minute.good + minute.failed


def _bar(minute: Minute, x: int, scale: float) -> Bar:
    good, failed = round(minute.good * scale, 2), round(minute.failed * scale, 2)
    words = f"{clock(minute.start)}: {plural(_calls(minute), 'call')}, {minute.failed} failed"
    return Bar(x, round(HEIGHT - good, 2), good, round(HEIGHT - good - failed, 2), failed, words)


def _words(minutes: Sequence[Minute], busiest: Minute) -> str:
    whole = total(minutes)
    if not _calls(whole):
        return "No calls in the last hour."
    return (
        f"{plural(_calls(whole), 'call')}, {whole.failed} failed; "
        f"most in one minute: {_calls(busiest)}, at {clock(busiest.start)}."
    )
