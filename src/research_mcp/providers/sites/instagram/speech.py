"""What is said in a clip: its smallest audio, through Groq's Whisper.

Docs:   https://console.groq.com/docs/speech-to-text
Sends:  POST /audio/transcriptions, multipart, `response_format=verbose_json`. The audio is uploaded,
        since Instagram's signed addresses often refuse Groq's; its address goes there only for what is
        too large to upload, and only when it is at Instagram's own CDN.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import BadReply, NoContent, Reason
from research_mcp.core.ports import Http
from research_mcp.core.urls import host_of, within_domain
from research_mcp.core.wire import JsonValue, Reply, Request
from research_mcp.providers.kit.legs import Leg
from research_mcp.providers.kit.markup import XmlElement, xml
from research_mcp.providers.kit.multipart import File, multipart
from research_mcp.providers.kit.transcript import Cue, paragraphs
from research_mcp.providers.kit.tree import at, number, rows, text
from research_mcp.providers.sites.instagram.media import Clip

GROQ: Final = Leg("https://api.groq.com/openai/v1", keyed=True)

_DOWNLOAD = 15.0
_HEARING = 30.0
"""Seconds for the download and for the transcription."""

_KEPT = 1.0
"""Seconds kept back, so that a late transcript does not cost the caption."""

_CDNS = ("cdninstagram.com", "fbcdn.net")
_NO_SPEECH, _NO_CONFIDENCE = 0.6, -1.0
"""Whisper's own bounds for a segment that is silence or music."""


@dataclass(frozen=True, slots=True)
class Speech:
    """The words as paragraphs, and the language's name as Groq gives it."""

    words: str
    language: str


async def heard(clip: Clip, model: str, http: Http, deadline: Deadline) -> Speech:
    """What is said in `clip`; no words when nobody speaks. Raises `ProviderError`."""
    source = audio_of(clip)
    fields = {"model": model, "response_format": "verbose_json", "temperature": "0"}
    try:
        file = await _downloaded(source, http, deadline.share(_DOWNLOAD, reserve=_KEPT))
        kind, body = multipart(fields, file)
        request = Request("POST", headers={"Content-Type": kind}, content=body)
    except BadReply as error:
        if error.reason is not Reason.TOO_LARGE or not _is_cdn(source.url):
            raise
        request = Request("POST", form={**fields, "url": source.url})
    request = _to_groq(request)
    answer = (await http.send(request, deadline.share(_HEARING, reserve=_KEPT))).json()
    return Speech(_words(answer), text(answer, "language").capitalize())


@dataclass(frozen=True, slots=True)
class Source:
    """Where a clip's sound is, and as what."""

    url: str
    name: str
    media_type: str


def audio_of(clip: Clip) -> Source:
    """The audio of the lowest rate in the manifest, else the smallest file with picture and sound.

    Raises `NoContent` when neither is stated.
    """
    url = _lowest_audio(clip.manifest) if clip.manifest else ""
    if url:
        return Source(url, "audio.m4a", "audio/mp4")
    if not clip.url:
        raise NoContent("Instagram gives no address of the video's sound", reason=Reason.NO_TRANSCRIPT)
    return Source(clip.url, "video.mp4", "video/mp4")


def _lowest_audio(manifest: str) -> str:
    """The address of the lowest audio rate; "" for a manifest without one, or that is none."""
    try:
        root = xml(Reply(200, body=manifest.encode()), "{*}MPD")
    except BadReply:
        return ""
    found = [
        (number(each.attribute("bandwidth")) or 0.0, address.text)
        for group in root.all("{*}Period/{*}AdaptationSet")
        for each in group.all("{*}Representation")
        if (_is_audio(each) or _is_audio(group)) and (address := each.first("{*}BaseURL"))
    ]
    return min(found, default=(0.0, ""))[1]


def _is_audio(element: XmlElement) -> bool:
    return element.attribute("mimeType") == "audio/mp4" or element.attribute("codecs").startswith("mp4a")


async def _downloaded(source: Source, http: Http, deadline: Deadline) -> File:
    if urlsplit(source.url).scheme not in ("http", "https"):
        raise NoContent("Instagram gives no address of the video's sound", reason=Reason.NO_TRANSCRIPT)
    reply = await http.send(Request("GET", source.url), deadline)
    if reply.status != 200 or not reply.body:
        raise NoContent(f"the video's sound could not be fetched (status {reply.status})")
    return File("file", source.name, source.media_type, reply.body)


def _to_groq(request: Request) -> Request:
    return Request(
        request.method,
        f"{GROQ.endpoint}/audio/transcriptions",
        headers=request.headers,
        form=request.form,
        content=request.content,
    )


def _is_cdn(url: str) -> bool:
    return any(within_domain(host_of(url), cdn) for cdn in _CDNS)


def _words(answer: JsonValue) -> str:
    if not isinstance(at(answer, "text"), str):
        raise BadReply("a transcription without 'text'")
    if not rows(answer, "segments"):
        return text(answer, "text")
    return paragraphs(_cues(answer))


def _cues(answer: JsonValue) -> Iterator[Cue]:
    for segment in rows(answer, "segments"):
        silent = (number(segment, "no_speech_prob") or 0.0) > _NO_SPEECH
        if silent and (number(segment, "avg_logprob") or 0.0) < _NO_CONFIDENCE:
            continue
        start = number(segment, "start") or 0.0
        yield Cue(start, text(segment, "text"), (number(segment, "end") or start) - start)
