"""Figures as people read them: times, spans, shares, money."""

from __future__ import annotations

from datetime import UTC, datetime

from research_mcp.observe.overview import Record

_NEAR = 20 * 3_600.0
"""Seconds within which a time of day can only mean one day."""

_SPANS = ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"))


def clock(epoch: float) -> str:
    """`14:05`, UTC."""
    return f"{datetime.fromtimestamp(epoch, UTC):%H:%M}"


def moment(epoch: float) -> str:
    """`2026-09-01 14:05`, UTC."""
    return f"{datetime.fromtimestamp(epoch, UTC):%Y-%m-%d %H:%M}"


def second(epoch: float) -> str:
    """`2026-09-01 14:05:09`, UTC."""
    return f"{datetime.fromtimestamp(epoch, UTC):%Y-%m-%d %H:%M:%S}"


def when(epoch: float, now: float) -> str:
    """The time alone within a day of `now`, else with its date."""
    return clock(epoch) if abs(now - epoch) < _NEAR else moment(epoch)


def iso(epoch: float) -> str:
    """`2026-09-01T14:05:09Z`, for machines."""
    return f"{datetime.fromtimestamp(epoch, UTC):%Y-%m-%dT%H:%M:%SZ}"


def span(seconds: float) -> str:
    """The two largest parts: `3 d 4 h`, `12 min`, `40 s`."""
    left, parts = max(0, round(seconds)), list[str]()
    for size, name in _SPANS:
        count, left = divmod(left, size)
        if count:
            parts.append(f"{count} {name}")
    return " ".join(parts[:2]) or "0 s"


def ms(milliseconds: float, calls: int = 1) -> str:
    """`850 ms`, `1.2 s`, `12 s`; a dash when nothing was measured."""
    if not calls:
        return "–"
    if milliseconds < 995:
        return f"{milliseconds:.0f} ms"
    return f"{milliseconds / 1000:.1f} s" if milliseconds < 9_950 else f"{milliseconds / 1000:.0f} s"


def share(record: Record) -> str:
    """Good calls of all, in percent, rounded down: 100 % means every one."""
    return f"{100 * record.good // record.calls} %" if record.calls else "–"


def dollars(amount: float | None) -> str:
    """`$12.30`, small amounts with four places; a dash when no price is known."""
    if amount is None:
        return "–"
    return f"${amount:.4f}" if 0 < amount < 0.1 else f"${amount:,.2f}"


def plural(number: int, noun: str) -> str:
    """`1 call`, `2 calls`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def count(number: int) -> str:
    """`12,345`."""
    return f"{number:,}"
