"""What YouTube says when it does not play a video, or does not talk to this address."""

from __future__ import annotations

import re

from research_mcp.core.errors import BadReply, NoContent, ProviderError, RateLimited, Reason
from research_mcp.core.wire import JsonValue, Reply
from research_mcp.providers.kit.tree import at, rows, text

REST = 60.0
"""Seconds to leave YouTube alone after it took this server for a bot."""

_BOT = re.compile(r"confirm you.re not a bot", re.IGNORECASE)
_AGE = re.compile(r"inappropriate for some users|confirm your age", re.IGNORECASE)
_PRIVATE = re.compile(r"\bprivate\b", re.IGNORECASE)
_MEMBERS = re.compile(r"\bmembers?\b", re.IGNORECASE)
_COUNTRY = re.compile(r"\bcountr(?:y|ies)\b|\bregion\b|\blocation\b", re.IGNORECASE)
_AGE_GATES = frozenset({"AGE_CHECK_REQUIRED", "AGE_VERIFICATION_REQUIRED", "CONTENT_CHECK_REQUIRED"})


def blocked() -> RateLimited:
    """This address is taken for a bot: nothing is known about the video."""
    return RateLimited(
        "YouTube takes this server for a bot and shows it nothing; a proxy or another reader may get through",
        reason=Reason.BLOCKED,
        rest_for=REST,
    )


def refused(reply: Reply) -> ProviderError | None:
    """The error of an answer with a status that says so by itself; None for a good one."""
    status = reply.status
    if status in (403, 429) or (300 <= status < 400 and "/sorry/" in reply.headers.get("location", "")):
        return blocked()
    if status in (404, 410):
        return NoContent("YouTube has no such video", reason=Reason.NOT_FOUND)
    if status >= 400:
        return BadReply(f"YouTube refused the request (status {status}); the client version may be too old")
    return None


def unplayable(player: JsonValue) -> ProviderError | None:
    """Why the video does not play; None when it does. The bot check comes before all else."""
    state = at(player, "playabilityStatus")
    status = text(state, "status")
    said = _said(state)
    if _BOT.search(said):
        return blocked()
    if status == "OK":
        return None
    if not status:
        return BadReply("the player's answer states no playability")
    if status in _AGE_GATES or _AGE.search(said):
        return _closed("YouTube shows this video only to adults who are logged in")
    if status == "ERROR":
        return NoContent("YouTube has no such video, or it was removed", reason=Reason.NOT_FOUND)
    if status == "LIVE_STREAM_OFFLINE":
        return NoContent("the stream or premiere has not started yet", reason=Reason.NO_TRANSCRIPT)
    if status == "LOGIN_REQUIRED":
        private = "this video is private" if _PRIVATE.search(said) else "YouTube asks for a login"
        return _closed(private)
    if _MEMBERS.search(said):
        return _closed("the video is for members of its channel")
    if _COUNTRY.search(said):
        return _closed("the video is not shown in this server's country; a proxy elsewhere may help")
    return _closed("YouTube does not play this video for this server")


def _closed(why: str) -> NoContent:
    return NoContent(why, reason=Reason.FORBIDDEN)


def _said(state: JsonValue) -> str:
    """All the reasons that the answer gives, in YouTube's words; only for telling them apart."""
    screen = at(state, "errorScreen", "playerErrorMessageRenderer")
    parts = [
        text(state, "reason"),
        text(screen, "subreason", "simpleText"),
        text(screen, "reason", "simpleText"),
    ]
    parts += [text(run, "text") for run in rows(screen, "subreason", "runs")]
    parts += [each for each in _messages(state) if isinstance(each, str)]
    return " ".join(parts)


def _messages(state: JsonValue) -> list[JsonValue]:
    messages = at(state, "messages")
    return messages if isinstance(messages, list) else []
