"""From whatever a gateway sends to one `Stated`: JSON or events, either shape, errors under any status."""

from __future__ import annotations

import re
from collections.abc import Sequence

from research_mcp.core.errors import BadReply, NoContent, ProviderError, Transient
from research_mcp.core.hygiene import clean_line
from research_mcp.core.wire import JsonValue, Reply
from research_mcp.net.status import Phrases, error_of
from research_mcp.providers.kit.answer.shapes import Stated, cited, read_chat, read_responses
from research_mcp.providers.kit.answer.stream import Frames, frames, parsed, without_comments
from research_mcp.providers.kit.fields import Fields
from research_mcp.providers.kit.tree import number, text

BROKE_OFF = "stream_broke_off"
SAID_CHARS = 200

_KEY = re.compile(r"\b(?:xai|sk|key)-[\w*.-]{4,}|\b[\w-]{32,}\b")
_COMMON = Phrases(
    spent=("quota", "insufficient", "out of credits", "all available credits", "spending limit"),
    rejected=("incorrect api key", "invalid api key", "unauthorized"),
    limited=("rate limit", "too many requests", "resource has been exhausted"),
)
_MODEL = re.compile(
    r"model\b[^.]{0,100}?(?:not (?:exist|found|available|a valid)|is (?:unknown|invalid))"
    r"|(?:unknown|invalid|no such|unsupported) model\b",
    re.IGNORECASE,
)
_FINAL = frozenset({"response.completed", "response.done", "response.incomplete"})
_REQUEST_IDS = ("x-request-id", "request-id", "x-oneapi-request-id", "cf-ray")


def read_reply(reply: Reply) -> Stated:
    """What a 2xx answer states. Raises the error that it stands for: `BadReply` for HTML and for other
    shapes, otherwise by what it says of itself."""
    body = reply.text
    if reply.media_type == "text/html" or body.lstrip("\ufeff \r\n\t")[:1] == "<":
        raise BadReply("the gateway returned HTML, such as a login page, in the place of an answer")
    stream = frames(body)
    if stream is not None:
        return _of_stream(stream, reply)
    whole = parsed(without_comments(body))
    if not whole:
        raise BadReply(f"expected JSON or events, got {len(reply.body)} bytes")
    return _of_object(whole[0], reply)


def names_unknown_model(reply: Reply) -> bool:
    """Whether an error is about the name of the model."""
    return reply.status in (400, 403, 404) and _MODEL.search(reply.text[:4_096]) is not None


def said(message: str) -> str:
    """A provider's own words as they may be shown: one line, without anything that looks like a key."""
    return clean_line(_KEY.sub("***", message), SAID_CHARS).replace("<", "(").replace(">", ")")


def words_of(reply: Reply) -> str:
    """What an error body says, "" when it says nothing that can be shown."""
    found = parsed(reply.text[:20_000])
    return said(_error_in(found[0])[0]) if found else ""


def _of_object(body: Fields, reply: Reply) -> Stated:
    stated = Stated()
    _raise_stated(body)
    _read_object(body, stated, reply)
    return stated


def _read_object(body: Fields, stated: Stated, reply: Reply) -> None:
    inner = body.get("response")
    if isinstance(inner, dict):
        _raise_stated(inner)
        body = inner
    if isinstance(body.get("output"), list) or isinstance(body.get("output_text"), str):
        read_responses(body, stated)
    elif isinstance(body.get("choices"), list):
        read_chat(body, stated)
    elif "choices" in body:
        names = [
            f" (request {clean_line(reply.headers[name], 60)})"
            for name in _REQUEST_IDS
            if name in reply.headers
        ]
        raise Transient("the gateway returned an empty placeholder" + "".join(names[:1]))
    else:
        raise BadReply("the answer has neither `output` nor `choices`")


def _of_stream(stream: Frames, reply: Reply) -> Stated:
    stated = Stated(broken=stream.broken)
    if not stream.objects:
        raise BadReply(f"an event stream without a readable event ({stream.broken} broken)")
    chunks = [frame for frame in stream.objects if "choices" in frame]
    events = [frame for frame in stream.objects if "choices" not in frame]
    for frame in stream.objects:
        _raise_stated(frame)
    if chunks and all(frame.get("choices") is None for frame in chunks):
        _read_object(chunks[0], stated, reply)
    for frame in chunks:
        read_chat(frame, stated)
    _read_events(events, stated, reply)
    if not (stated.ended or stream.ended):
        stated.partial = stated.partial or BROKE_OFF
    return stated


def _read_events(events: Sequence[Fields], stated: Stated, reply: Reply) -> None:
    """Deltas first; a final object wins wherever it holds anything."""
    deltas: list[str] = []
    items: list[JsonValue] = []
    finals: list[Fields] = []
    for event in events:
        kind = text(event, "type")
        if kind in _FINAL or not kind:
            finals.append(event)
        else:
            _read_event(kind, event, stated, deltas, items)
    if items:
        ended = stated.ended
        read_responses({"output": items}, stated)
        stated.ended = ended  # an item is no end
    stated.text = "".join(deltas) or stated.text
    for event in finals:
        _read_final(event, stated, reply)


def _read_event(kind: str, event: Fields, stated: Stated, deltas: list[str], items: list[JsonValue]) -> None:
    delta = event.get("delta")
    if kind == "response.output_text.delta" and isinstance(delta, str):
        deltas.append(delta)
    elif kind == "response.refusal.delta" and isinstance(delta, str):
        stated.refusal += delta
    elif kind == "response.output_text.annotation.added":
        stated.citations += cited([event.get("annotation")], True)
    elif kind == "response.output_item.done":
        items.append(event.get("item"))
    elif kind.startswith(("response.web_search_call", "response.x_search_call")):
        stated.searched = True


def _read_final(event: Fields, stated: Stated, reply: Reply) -> None:
    kind = text(event, "type")
    if not kind:
        if "output" in event or "output_text" in event:
            _read_object(event, stated, reply)
        return
    stated.ended = True
    if kind == "response.incomplete":
        stated.partial = "incomplete"
    final = event.get("response")
    if isinstance(final, dict) and isinstance(final.get("output"), list):
        read_responses(final, stated)


def _raise_stated(body: Fields) -> None:
    """Raise the error that a body or frame is, for what it says."""
    message, code, status = _error_in(body)
    if not message:
        return
    probe = Reply(status, {}, f"{code} {message}".encode())
    kind = error_of(probe, 0.0, _COMMON)
    sentence = f"the provider reports: {said(message)}"
    if kind is None or isinstance(kind, NoContent):
        raise BadReply(sentence)
    raise _as(kind, sentence)


def _as(kind: ProviderError, sentence: str) -> ProviderError:
    """An error of the same kind with another sentence."""
    return type(kind)(sentence, reason=kind.reason, rest_for=kind.rest_for)


def _error_in(body: Fields) -> tuple[str, str, int]:
    """Message, code and status of the error that `body` states; an empty message when it states none."""
    failed = text(body, "type") in ("error", "response.failed") or text(body, "status") == "failed"
    inner, response = body.get("error"), body.get("response")
    if inner is None and isinstance(response, dict):
        return _error_in(response)
    holder: Fields = inner if isinstance(inner, dict) else body
    message = inner if isinstance(inner, str) else text(holder, "message") if inner or failed else ""
    code = text(holder, "code") or text(body, "code")
    stated = number(holder, "code") or number(holder, "status") or 0
    status = int(stated) if 400 <= stated < 600 else 500
    if (inner or failed) and not message:
        message = code or "an error without words"
    return (message.strip() if message else ""), code, status
