"""What the answers of sites mean that anybody may ask, with a key or without."""

from __future__ import annotations

import email.utils

from research_mcp.core.errors import NoContent, ProviderError, Reason
from research_mcp.core.ports import Job
from research_mcp.core.wire import JsonValue, Reply
from research_mcp.providers.kit.read import target_error

_WALLS = frozenset({401, 403, 410, 451})
LONGEST = 86_400.0


def closed(reply: Reply) -> ProviderError | None:
    """The error of a page that is not for everybody; None for what the common table knows.

    Where nobody has a key, a 401 or 403 cannot mean that the key is bad. One in HTML is the site's edge.
    """
    if reply.status in _WALLS and reply.media_type != "text/html":
        return target_error(reply.status)
    return None


def seconds_until(reply: Reply, header: str, otherwise: float) -> float:
    """Seconds from the answer's own `Date` to the epoch second that `header` states; at most a day."""
    try:
        sent = email.utils.parsedate_to_datetime(reply.headers["date"]).timestamp()
        seconds = int(reply.headers[header]) - sent
    except (KeyError, ValueError, TypeError, IndexError, OverflowError):
        return otherwise
    return min(max(seconds, 1.0), LONGEST)


async def site_json(job: Job, url: str, software: str) -> JsonValue:
    """The JSON that the API of a site with `software` gives at `url`; the host comes from the page's url.

    Raises `NoContent`: for an answer in anything but JSON `empty`, since such a site is most likely not
    made with `software`, which tells nothing about the page; else the reason of the status. Raises
    `UrlRefused` as `Job.fetch` does.
    """
    document = await job.fetch(url, accept="application/json")
    if document.truncated:
        reason = Reason.UPSTREAM_ERROR if document.broken else Reason.TOO_LARGE
        raise NoContent(f"the answer of {software} broke off: {document.truncated}", reason=reason)
    reply = Reply(document.status, document.headers, document.body, document.final_url)
    try:
        value = reply.json()
    except ProviderError:
        raise NoContent(f"no API of {software} answers there (status {document.status})") from None
    if error := target_error(document.status):
        raise error
    return value
