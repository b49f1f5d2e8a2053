"""One table from a vendor's HTTP status, and its declared phrases, to an error with a remedy."""

from __future__ import annotations

import email.utils
import re
from dataclasses import dataclass

from research_mcp.core.errors import (
    BadReply,
    NoContent,
    ProviderError,
    QuotaSpent,
    RateLimited,
    Reason,
    Rejected,
    Transient,
)
from research_mcp.core.wire import Reply

LONGEST_REST = 7 * 86_400.0
_BODY_LOOKED_AT = 4_096
_SECONDS = re.compile(r"[0-9]{1,8}(?:\.[0-9]{1,6})?")


@dataclass(frozen=True, slots=True)
class Phrases:
    """A vendor's own words, matched case-insensitively in the first 4 KB of an error body.

    `empty`: nothing was found (no error). They are asked in the order of the fields.
    """

    spent: tuple[str, ...] = ()
    rejected: tuple[str, ...] = ()
    limited: tuple[str, ...] = ()
    blocked: tuple[str, ...] = ()
    empty: tuple[str, ...] = ()


NO_PHRASES = Phrases()


def retry_after(reply: Reply, now: float, default: float = 60.0) -> float:
    """Seconds that `Retry-After` asks for: a number or an HTTP date; `default` for none or junk."""
    stated = reply.headers.get("retry-after", "").strip()
    if _SECONDS.fullmatch(stated):
        return min(float(stated), LONGEST_REST) or default
    try:
        seconds = email.utils.parsedate_to_datetime(stated).timestamp() - now
    except (TypeError, ValueError, IndexError, OverflowError):
        return default
    return min(seconds, LONGEST_REST) if seconds > 0 else default


def says(reply: Reply, phrases: tuple[str, ...]) -> bool:
    """True when the start of the body holds one of the phrases."""
    if not phrases:
        return False
    start = reply.body[:_BODY_LOOKED_AT].decode("utf-8", "replace").casefold()
    return any(phrase.casefold() in start for phrase in phrases)


def error_of(
    reply: Reply, now: float, phrases: Phrases = NO_PHRASES, *, keyed: bool = True
) -> ProviderError | None:
    """The error that a vendor's answer stands for, or None when it may be parsed.

    Phrases decide before the status: several vendors say "out of credits" in a 400, 403 or 429.
    `keyed` is False where no key was sent: then the words blame none.
    """
    status = reply.status
    if 200 <= status < 300:
        return None
    if says(reply, phrases.spent) or status in (402, 432, 433):
        return QuotaSpent(f"the plan's credits are spent (status {status})")
    if says(reply, phrases.rejected):
        return _refused(status, keyed)
    if status == 429 or says(reply, phrases.limited):
        return RateLimited(f"too many requests (status {status})", rest_for=retry_after(reply, now))
    if says(reply, phrases.blocked) or (status == 403 and reply.media_type == "text/html"):
        return RateLimited(f"blocked by the vendor's edge (status {status})", reason=Reason.BLOCKED)
    if status in (401, 403):
        return _refused(status, keyed)
    if status == 408 or status >= 500:
        # only a wait that the vendor asks for parks it; a plain failure is for the breaker
        return Transient(f"the vendor failed (status {status})", rest_for=retry_after(reply, now, 0.0))
    if status in (404, 410):
        return NoContent(f"nothing there (status {status})", reason=Reason.NOT_FOUND)
    return BadReply(f"the vendor refused the request (status {status})")


def _refused(status: int, keyed: bool) -> Rejected:
    if keyed:
        return Rejected(f"the key was refused (status {status})")
    return Rejected(f"it refuses calls without a key (status {status})")
