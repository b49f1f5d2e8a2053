"""Supadata: transcripts of YouTube videos for those whose own address YouTube blocks.

Docs:   https://docs.supadata.ai/get-transcript
Sends:  GET /v1/transcript with `url`, `mode=native` (captions that exist; `auto` and `generate` may bill
        speech recognition by the minute); GET /v1/transcript/{job} while it works on a long one.
Gets:   `{"content": [{"text", "offset", "duration", "lang"}, ...], "lang", "availableLangs"}`, times in ms.
Quirks: "no transcript" is a 206; the `error` in a body says more than its status. Title and channel are
        no part of it: they come from YouTube's oEmbed.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import ClassVar
from urllib.parse import quote, urlencode

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import (
    BadReply,
    NoContent,
    ProviderError,
    QuotaSpent,
    Reason,
    Rejected,
    ResearchError,
    Transient,
)
from research_mcp.core.models import Kind, Page
from research_mcp.core.ports import Http, Job
from research_mcp.core.wire import JsonValue, Reply, Request
from research_mcp.providers.kit.auth import HeaderKey
from research_mcp.providers.kit.read import ReadType
from research_mcp.providers.kit.registry import register
from research_mcp.providers.kit.search import as_if
from research_mcp.providers.kit.thread import blocks
from research_mcp.providers.kit.transcript import Cue, paragraphs
from research_mcp.providers.kit.tree import at, number, rows, text
from research_mcp.providers.kit.videos import youtube_id
from research_mcp.providers.kit.waiting import until

_WATCH = "https://www.youtube.com/watch?v="
_OEMBED = "https://www.youtube.com/oembed"
_HEAD_CAP = 3.0
"""Seconds that a title may take."""

_WORKING = ("queued", "active")


@dataclass(frozen=True, slots=True)
class _Head:
    title: str = ""
    author: str = ""


@register("read.supadata", needs=("api_key",), metered=True)
class SupadataRead(ReadType):
    """Existing captions only: what would be billed as speech recognition is never asked for."""

    docs = "https://docs.supadata.ai/get-transcript"
    endpoint = "https://api.supadata.ai/v1"
    account = "https://api.supadata.ai/v1/me"
    site = True
    sample = "https://www.youtube.com/watch?v=jNQXAC9IVRw"
    final = True
    cap = 40.0
    key_place: ClassVar[HeaderKey] = HeaderKey("x-api-key", prefix="")

    def accepts(self, url: str) -> bool:
        """Addresses of one YouTube video, in all their forms."""
        return bool(youtube_id(url))

    async def read(self, job: Job, http: Http, deadline: Deadline) -> Page:
        """The transcript. Raises `NoContent` (`no_transcript`, `not_found`) for a video without one."""
        url = _WATCH + youtube_id(job.url)
        request = Request("GET", f"{self.endpoint}/transcript", params={"url": url, "mode": "native"})
        answer = (await http.send(request, deadline)).json()
        if ticket := text(answer, "jobId"):
            answer = await self._finished(ticket, http, deadline)
        spoken = _spoken(answer)
        if not spoken:
            raise NoContent("the video's captions hold no words", reason=Reason.NO_TRANSCRIPT)
        language = text(answer, "lang")
        head = await _head(url, job, deadline)
        return self.page(
            job.url,
            blocks(
                f"# {head.title}" if head.title else "",
                f"Channel: {head.author}" if head.author else "",
                f"## Transcript ({language})" if language else "## Transcript",
                spoken,
            ),
            final_url=url,
            kind=Kind.TRANSCRIPT,
            title=head.title,
            author=head.author,
            site="YouTube",
            language=language,
        )

    async def _finished(self, ticket: str, http: Http, deadline: Deadline) -> JsonValue:
        """What became of a job; its content may stand in `result`."""
        request = Request("GET", f"{self.endpoint}/transcript/{quote(ticket, safe='')}")
        answer = (await until(_is_over, http, request, deadline)).json()
        if text(answer, "status") == "failed" or at(answer, "error"):
            raise _ERRORS.get(_code(answer), _FAILED).error()
        result = at(answer, "result")
        return result if isinstance(result, dict) else answer

    def refusal(self, reply: Reply) -> ProviderError | None:
        """The error that a body names, whatever its status; None where the status says enough."""
        code = _code_in(reply)
        if known := _ERRORS.get(code):
            return known.error()
        if code == "limit-exceeded" and reply.status != 429:
            return as_if(reply, 429)
        if reply.status == 206:
            return _ERRORS["transcript-unavailable"].error()
        return None


@dataclass(frozen=True, slots=True)
class _Fault:
    kind: type[ProviderError]
    says: str
    reason: Reason | None = None

    def error(self) -> ProviderError:
        return self.kind(self.says, reason=self.reason)


_FAILED = _Fault(Transient, "the transcript could not be made")
_GONE = _Fault(NoContent, "the video does not exist, or is private", Reason.NOT_FOUND)
_ERRORS = {
    "transcript-unavailable": _Fault(NoContent, "the video has no captions", Reason.NO_TRANSCRIPT),
    "not-found": _GONE,
    "video-not-found": _GONE,
    "upgrade-required": _Fault(QuotaSpent, "the plan's credits are spent"),
    "unauthorized": _Fault(Rejected, "the key was refused"),
    "invalid-request": _Fault(BadReply, "the vendor refused the request as invalid"),
    "internal-error": _Fault(Transient, "the vendor failed"),
}


def _code_in(reply: Reply) -> str:
    """The code of an error body; "" for a body that names none, be it JSON or not."""
    try:
        return _code(json.loads(reply.body[:10_000])) if reply.status >= 206 else ""
    except (ValueError, RecursionError):
        return ""


def _code(value: JsonValue) -> str:
    return text(value, "error") or text(value, "error", "error") or text(value, "error", "code")


def _is_over(reply: Reply) -> bool:
    return text(reply.json(), "status") not in _WORKING


def _spoken(value: JsonValue) -> str:
    """The paragraphs of an answer. Raises `BadReply` when it has no content at all."""
    content = at(value, "content")
    if isinstance(content, str):
        return content.strip()
    if not isinstance(content, list):
        raise BadReply("an answer without 'content'")
    return paragraphs(
        Cue(_seconds(row, "offset"), text(row, "text"), _seconds(row, "duration")) for row in rows(content)
    )


def _seconds(row: JsonValue, name: str) -> float:
    return (number(row, name) or 0.0) / 1_000


async def _head(url: str, job: Job, deadline: Deadline) -> _Head:
    """Title and channel as YouTube's oEmbed gives them without a key; empty when it does not."""
    query = urlencode({"url": url, "format": "json"})
    try:
        async with deadline.share(_HEAD_CAP).enforce():
            document = await job.fetch(f"{_OEMBED}?{query}", accept="application/json")
        value = Reply(document.status, document.headers, document.body).json()
    except (ResearchError, TimeoutError):
        return _Head()
    return _Head(text(value, "title"), text(value, "author_name"))
