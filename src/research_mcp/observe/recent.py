"""The last hour in memory, bounded: calls by the minute, how each instance did, what failed."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Sequence

from research_mcp.core.ports import Clock
from research_mcp.observe.events import Event, ProviderCall, ToolCall
from research_mcp.observe.outcomes import outcome_of, reason_of
from research_mcp.observe.overview import Failure, Minute, Record
from research_mcp.observe.redact import one_line

MINUTES = 60
CALLS = 200
FAILURES = 20
_DETAIL = 300
_TARGET = 120


class Recent:
    """A sink of events that remembers the last 60 minutes, 200 calls an instance and 20 failures.

    Events of instances that `names` does not hold count nowhere but among the failures.
    """

    def __init__(self, clock: Clock, names: Iterable[str], redact: Callable[[str], str]) -> None:
        self._clock = clock
        self._redact = redact
        self._minutes: OrderedDict[int, list[int]] = OrderedDict()
        self._calls: dict[str, deque[tuple[bool, int]]] = {name: deque(maxlen=CALLS) for name in names}
        self._failures: OrderedDict[tuple[str, str], Failure] = OrderedDict()

    def emit(self, event: Event) -> None:
        """Count one event."""
        if isinstance(event, ToolCall):
            self._count_minute(outcome_of(event))
        elif isinstance(event, ProviderCall):
            self._count_call(event)
        else:
            return
        if outcome_of(event) == "failed":
            self._note(event)

    def minutes(self) -> tuple[Minute, ...]:
        """The last 60 minutes, oldest first, the running one last."""
        last = int(self._clock.now()) // 60
        spans = range(last - MINUTES + 1, last + 1)
        return tuple(Minute(span * 60.0, *self._minutes.get(span, (0, 0))) for span in spans)

    def record(self, name: str) -> Record:
        """How the last calls of an instance went."""
        calls = self._calls.get(name, ())
        times = sorted(ms for _, ms in calls)
        good = sum(good for good, _ in calls)
        return Record(len(calls), good, _quantile(times, 0.5), _quantile(times, 0.95))

    def failures(self) -> tuple[Failure, ...]:
        """What failed, the latest first."""
        return tuple(reversed(self._failures.values()))

    def _count_minute(self, outcome: str) -> None:
        if outcome == "stopped":
            return
        minute = int(self._clock.now()) // 60
        self._minutes.setdefault(minute, [0, 0])[outcome == "failed"] += 1
        while len(self._minutes) > MINUTES:
            self._minutes.popitem(last=False)

    def _count_call(self, event: ProviderCall) -> None:
        outcome = outcome_of(event)
        if event.instance in self._calls and outcome not in ("stopped", "resting"):
            self._calls[event.instance].append((outcome != "failed", event.ms))

    def _note(self, event: ToolCall | ProviderCall) -> None:
        detail = event.detail
        where = event.tool if isinstance(event, ToolCall) else event.instance
        if isinstance(event, ToolCall) and event.target:
            detail = f"{self._clean(event.target, _TARGET)}: {detail}" if detail else event.target
        key = (self._clean(where, _TARGET), reason_of(event))
        before = self._failures.pop(key, None)
        times = before.times + 1 if before else 1
        self._failures[key] = Failure(self._clock.now(), *key, self._clean(detail, _DETAIL), times)
        if len(self._failures) > FAILURES:
            self._failures.popitem(last=False)

    def _clean(self, text: str, limit: int) -> str:
        return one_line(self._redact(text), limit)


def _quantile(ordered: Sequence[int], share: float) -> int:
    """The value that `share` of the ordered ones do not pass; 0 for none."""
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else 0
