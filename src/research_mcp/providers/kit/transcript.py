"""Speech as text: timed pieces joined to paragraphs that begin with their time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

PAUSE = 4.0
"""Seconds of silence that end a paragraph."""

ENOUGH = 30.0
"""Seconds after which the next sentence begins a new paragraph."""

LONGEST = 60.0
"""Seconds after which a paragraph ends, whatever the sentence does: many captions have no full stops."""

MOST = 1_200
"""Characters after which it ends as well."""

_SENTENCE_ENDS = (".", "!", "?", "\u2026", "\u3002", "\uff01", "\uff1f", "\u061f", "\u0964")


@dataclass(frozen=True, slots=True)
class Cue:
    """What is said from second `start` on, for `seconds` (0 when not stated)."""

    start: float
    text: str
    seconds: float = 0.0


def stamp(seconds: float) -> str:
    """`1:05` or `1:01:05`."""
    minutes, second = divmod(max(0, int(seconds)), 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02}:{second:02}" if hours else f"{minute}:{second:02}"


def paragraphs(cues: Iterable[Cue]) -> str:
    """The whole speech, one paragraph a block: `[1:05] What is said...`.

    A paragraph ends at a pause, at the end of a sentence after half a minute, at the latest after a
    minute. A cue that only repeats the one before is dropped.
    """
    return "\n\n".join(f"[{stamp(start)}] {text}" for start, text in _blocks(_spoken(cues)))


def _spoken(cues: Iterable[Cue]) -> Iterator[Cue]:
    before = ""
    for cue in cues:
        text = " ".join(cue.text.split())
        if text and text != before:
            yield Cue(cue.start, text, cue.seconds)
        before = text or before


def _blocks(cues: Iterable[Cue]) -> Iterator[tuple[float, str]]:
    start = end = 0.0
    words: list[str] = []
    length = 0
    for cue in cues:
        if words and _ends(words[-1], length, cue.start - start, cue.start - end):
            yield start, " ".join(words)
            words, length = [], 0
        if not words:
            start = cue.start
        words.append(cue.text)
        length += len(cue.text) + 1
        end = max(end, cue.start + cue.seconds)
    if words:
        yield start, " ".join(words)


def _ends(last: str, length: int, lasted: float, silence: float) -> bool:
    if length > MOST or silence > PAUSE or lasted > LONGEST:
        return True
    return lasted > ENOUGH and last.endswith(_SENTENCE_ENDS)
