"""Records as bytes: everything comes back, and what is not understood is none."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from research_mcp.core.answers import AnswerReport, AnswerSource, Fallback, Question, Use
from research_mcp.core.errors import Reason
from research_mcp.core.models import (
    Attempt,
    EngineRow,
    EngineState,
    Flag,
    Kind,
    MergedHit,
    Page,
    SearchQuery,
    SearchReport,
    TimeRange,
    Topic,
)
from research_mcp.store.codec import Codec

PAGE = Page(
    "https://a.test/",
    "https://a.test/end",
    "# Überschrift\n\n\U0001f600 \u2028 \x00 text",
    "trafilatura",
    kind=Kind.PDF,
    flags=(Flag.THIN, Flag.ROBOTS),
    notes=("one",),
)
REPORT = SearchReport(
    SearchQuery(
        "tidal power", 5, "en", "DE", TimeRange.WEEK, ("a.test",), topic=Topic.NEWS, since="2026-09-01"
    ),
    (MergedHit("Title", "https://a.test/", engines={"brave": 1, "exa": 4}, also_at=("https://b.test/",)),),
    (EngineRow("brave", EngineState.RATE_LIMITED, reason=Reason.RATE_LIMITED, retry_at=12.5, ms=3),),
)
ANSWER = AnswerReport(
    Question("Is it growing?", 7, ("a.test",)),
    content="Yes [1].",
    sources=(AnswerSource("https://a.test/", use=Use.CITED, provenance=("grok_responses",)),),
    fallback=Fallback.TIMEOUT,
    attempts=(Attempt("grok", Reason.TIMEOUT, "late"),),
    search=REPORT,
    session_id="abc",
    expires_at=1.5,
)


@pytest.mark.parametrize("value", [PAGE, REPORT, ANSWER], ids=["page", "report", "answer"])
def test_every_record_comes_back_as_it_was(value: object) -> None:
    codec = Codec(type(value))
    again = codec.decode(codec.encode(value))
    assert again == value
    assert type(again) is type(value)
    assert hash(getattr(again, "flags", ())) is not None


@dataclass(frozen=True)
class Older:
    """A `Page` as another version of the program knew it."""

    url: str
    markdown: str


@pytest.mark.parametrize(
    "kept",
    [
        None,
        7,
        b"",
        b"{}",
        b"\x80\x04\x95pickle",
        Codec(Page).encode(PAGE)[:-1],
        Codec(Page).encode(PAGE).replace(b'"pdf"', b'"hologram"'),
        Codec(Page).encode(PAGE).replace(b'"url":"https://a.test/"', b'"url":["https://a.test/"]'),
        Codec(Page).encode(PAGE)[13:],
        b"0123456789ab\n" + Codec(Page).encode(PAGE)[13:],
        Codec(Older).encode(Older("https://a.test/", "text")),
        Codec(SearchReport).encode(REPORT),
    ],
)
def test_corrupt_values_and_those_of_another_version_are_none(kept: object) -> None:
    assert Codec(Page).decode(kept) is None


def test_two_processes_of_one_version_understand_each_other() -> None:
    assert Codec(Page).decode(Codec(Page).encode(replace(PAGE, cached=True))) == replace(PAGE, cached=True)
