"""Supadata's transcripts: native captions only, errors by their code."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from research_mcp.core.errors import (
    BadReply,
    NoContent,
    ProviderError,
    QuotaSpent,
    RateLimited,
    Reason,
    Rejected,
    Transient,
    UrlRefused,
)
from research_mcp.core.models import Kind
from research_mcp.providers.vendors.supadata import SupadataRead
from tests.kit.reading import FakeFetcher, document
from tests.kit.sites import FIXTURES, Desk, Turn, fixture
from tests.kit.wire import KEY

VIDEO = "https://youtu.be/aaaaaaaaaaa?si=x"
WATCH = "https://www.youtube.com/watch?v=aaaaaaaaaaa"
OEMBED = (
    "https://www.youtube.com/oembed?url=https%3A%2F%2Fwww.youtube.com%2Fwatch%3Fv%3Daaaaaaaaaaa&format=json"
)
API = "https://api.supadata.ai/v1/transcript"
JOB = f"{API}/job%2F1%20invented"


def desk(answer: Turn, **more: Any) -> Desk:
    lines: dict[str, Any] = {f"GET {API}": answer, **more.pop("lines", {})}
    head = (FIXTURES / "supadata" / "oembed.json").read_text()
    more.setdefault("fetcher", FakeFetcher({OEMBED: document(OEMBED, head)}))
    return Desk(SupadataRead, lines, keys=[KEY], **more)


def named(code: str, status: int) -> httpx.Response:
    body = {"error": code, "message": "M", "details": "D", "documentationUrl": "https://docs.invalid"}
    return httpx.Response(status, json=body)


def test_a_video_becomes_its_transcript_under_title_and_channel() -> None:
    bench = desk(fixture("supadata/ok.json"))
    page = bench.page(VIDEO)
    assert page.markdown == (
        "# Marsh\n\nChannel: Invented Waters\n\n## Transcript (en)\n\n"
        "[0:00] welcome back to the marsh.\n\n[1:05] High tide."
    )
    assert (page.kind, page.title, page.author, page.language, page.final_url) == (
        Kind.TRANSCRIPT,
        "Marsh",
        "Invented Waters",
        "en",
        WATCH,
    )
    (sent,) = bench.sent
    assert dict(sent.url.params) == {"url": WATCH, "mode": "native"}
    assert sent.headers["x-api-key"] == KEY
    assert "authorization" not in sent.headers


@pytest.mark.parametrize(
    "head",
    [
        document(OEMBED, "nothing", 401),
        document(OEMBED, "[]"),
        UrlRefused("a private address"),
        NoContent("silence", reason=Reason.TIMEOUT),
    ],
)
def test_a_title_that_cannot_be_had_is_left_out(head: Any) -> None:
    page = desk(fixture("supadata/ok.json"), fetcher=FakeFetcher({OEMBED: head})).page(VIDEO)
    assert page.markdown.startswith("## Transcript (en)")


def test_a_title_is_not_waited_for() -> None:
    fetcher = FakeFetcher({OEMBED: "{}"}, seconds=30)
    assert desk(fixture("supadata/ok.json"), fetcher=fetcher).page(VIDEO).title == ""


def test_a_long_video_is_asked_for_until_it_is_done() -> None:
    turns = [
        fixture("supadata/active.json"),
        fixture("supadata/active.json"),
        fixture("supadata/completed.json"),
    ]
    bench = desk(fixture("supadata/job.json", 202), lines={f"GET {JOB}": turns})
    assert bench.page(VIDEO).markdown.endswith("## Transcript (en)\n\nwelcome back to the marsh.")
    assert bench.lines() == [f"GET {API}", *[f"GET {JOB}"] * 3]
    assert all(request.headers["x-api-key"] == KEY for request in bench.sent)


def test_content_beside_the_status_of_a_job_counts_as_well() -> None:
    done = httpx.Response(200, json={"status": "completed", "content": "low tide", "lang": ""})
    bench = desk(fixture("supadata/job.json", 202), lines={f"GET {JOB}": done})
    assert bench.page(VIDEO).markdown.endswith("## Transcript\n\nlow tide")


@pytest.mark.parametrize(
    ("turn", "kind", "reason"),
    [
        (fixture("supadata/failed.json"), NoContent, Reason.NO_TRANSCRIPT),
        (httpx.Response(200, json={"status": "failed"}), Transient, Reason.UPSTREAM_ERROR),
        (fixture("supadata/active.json"), Transient, Reason.TIMEOUT),
        (httpx.Response(200, json={"status": "completed"}), BadReply, Reason.UPSTREAM_ERROR),
    ],
)
def test_a_job_that_comes_to_nothing_says_why(turn: Turn, kind: type[ProviderError], reason: Reason) -> None:
    error = desk(fixture("supadata/job.json", 202), lines={f"GET {JOB}": turn}).error(VIDEO)
    assert (type(error), error.reason) == (kind, reason)


@pytest.mark.parametrize(
    ("answer", "kind", "reason"),
    [
        (fixture("supadata/unavailable.json", 206), NoContent, Reason.NO_TRANSCRIPT),
        (httpx.Response(206), NoContent, Reason.NO_TRANSCRIPT),
        (named("not-found", 404), NoContent, Reason.NOT_FOUND),
        (named("video-not-found", 400), NoContent, Reason.NOT_FOUND),
        (named("upgrade-required", 402), QuotaSpent, Reason.OUT_OF_CREDITS),
        (named("upgrade-required", 403), QuotaSpent, Reason.OUT_OF_CREDITS),
        (named("unauthorized", 401), Rejected, Reason.BAD_KEY),
        (named("limit-exceeded", 429), RateLimited, Reason.RATE_LIMITED),
        (named("limit-exceeded", 400), RateLimited, Reason.RATE_LIMITED),
        (named("invalid-request", 400), BadReply, Reason.UPSTREAM_ERROR),
        (named("internal-error", 500), Transient, Reason.UPSTREAM_ERROR),
        (named("something-new", 400), BadReply, Reason.UPSTREAM_ERROR),
        (httpx.Response(402), QuotaSpent, Reason.OUT_OF_CREDITS),
        (httpx.Response(500, text="<html>"), Transient, Reason.UPSTREAM_ERROR),
        (httpx.Response(200, text="<html>"), BadReply, Reason.UPSTREAM_ERROR),
        (httpx.Response(200, json=[]), BadReply, Reason.UPSTREAM_ERROR),
        (httpx.Response(200, json={"content": []}), NoContent, Reason.NO_TRANSCRIPT),
        (httpx.ReadTimeout("x"), Transient, Reason.TIMEOUT),
    ],
)
def test_each_documented_error_is_named_as_what_it_is(
    answer: Turn, kind: type[ProviderError], reason: Reason
) -> None:
    error = desk(answer).error(VIDEO)
    assert (type(error), error.reason) == (kind, reason)


def test_a_limit_lasts_as_long_as_the_vendor_says() -> None:
    answer = named("limit-exceeded", 429)
    answer.headers["retry-after"] = "7"
    bench = desk(answer)
    assert bench.error(VIDEO).rest_for == pytest.approx(7)
    assert list(bench.parking.rests) == ["account:own#1"]


def test_only_youtube_videos_are_accepted_and_the_verdict_is_final() -> None:
    assert SupadataRead().accepts(VIDEO)
    assert not SupadataRead().accepts("https://www.tiktok.com/@a/video/1")
    facts = SupadataRead.facts("supadata", metered=True)
    assert (facts.site, facts.final, facts.metered) == (True, True, True)
