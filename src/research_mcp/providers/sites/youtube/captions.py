"""Captions in the three forms that YouTube serves: json3, srv3 and the old XML."""

from __future__ import annotations

import html
from collections.abc import Iterator
from urllib.parse import parse_qsl, urlencode, urlsplit

from research_mcp.core.errors import BadReply
from research_mcp.core.wire import JsonValue, Reply
from research_mcp.providers.kit.markup import XmlElement, xml
from research_mcp.providers.kit.transcript import Cue
from research_mcp.providers.kit.tree import number, rows

_MOST = 4_000_000
"""Octets of XML: ten hours of speech are one."""


def as_json(url: str) -> str:
    """The address of a track, asking for json3."""
    parts = urlsplit(url)
    query = [
        pair for pair in parse_qsl(parts.query, keep_blank_values=True) if pair[0] not in ("fmt", "xosf")
    ]
    return parts._replace(query=urlencode([*query, ("fmt", "json3")]), fragment="").geturl()


def cues(reply: Reply) -> list[Cue]:
    """What is said when. Raises `BadReply` for what is none of the three forms."""
    start = reply.body.lstrip()[:1]
    if start == b"{":
        return list(_json3(reply.json()))
    if start != b"<":
        raise BadReply(f"expected captions, got {len(reply.body)} bytes of {reply.media_type or 'no type'}")
    if b"<timedtext" in reply.body[:2_000]:
        return list(_srv3(xml(reply, "timedtext", most=_MOST)))
    return list(_legacy(xml(reply, "transcript", most=_MOST)))


def _json3(value: JsonValue) -> Iterator[Cue]:
    if not isinstance(value, dict) or not isinstance(value.get("events"), list):
        raise BadReply("captions without a list of events")
    for event in rows(value, "events"):
        words = "".join(part for seg in rows(event, "segs") if isinstance(part := seg.get("utf8"), str))
        yield Cue(_seconds(event.get("tStartMs")), words, _seconds(event.get("dDurationMs")))


def _srv3(root: XmlElement) -> Iterator[Cue]:
    for line in root.all("body/p"):
        yield Cue(_seconds(line.attribute("t")), line.text, _seconds(line.attribute("d")))


def _legacy(root: XmlElement) -> Iterator[Cue]:
    for line in root.all("text"):
        words = html.unescape(line.text)  # escaped twice
        yield Cue(number(line.attribute("start")) or 0.0, words, number(line.attribute("dur")) or 0.0)


def _seconds(milliseconds: JsonValue) -> float:
    return (number(milliseconds) or 0.0) / 1_000
