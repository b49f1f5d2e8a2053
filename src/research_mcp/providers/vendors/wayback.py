"""The Wayback Machine: what the Internet Archive kept of a page that is gone.

Docs:   https://archive.org/help/wayback_api.php
Sends:  GET https://archive.org/wayback/available with `url`; where that knows of no copy,
        GET https://web.archive.org/cdx/search/cdx with `url`, `filter`, `limit`;
        GET https://web.archive.org/web/TIMESTAMPid_/ADDRESS for the copy as it was.
Gets:   `{"archived_snapshots": {"closest": {"available", "url", "timestamp", "status"}}}`, or `{}` in it;
        `[["timestamp", "original", "statuscode"], ["20260102030405", "...", "200"]]`, or `[]`.
Quirks: the first question often denies copies that exist, the second one is slow (5 to 30 s); 429 and
        503 are frequent.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import BadReply, NoContent, Reason
from research_mcp.core.models import Flag, Page
from research_mcp.core.ports import Http, Job
from research_mcp.core.wire import Document, JsonValue, Reply, Request
from research_mcp.providers.kit.extracted import page_of
from research_mcp.providers.kit.fields import object_of, text_at
from research_mcp.providers.kit.legs import Leg
from research_mcp.providers.kit.read import ReadType
from research_mcp.providers.kit.registry import register
from research_mcp.providers.kit.shape import dig

BASE = "https://archive.org"
WEB = "https://web.archive.org"

_STAMP = re.compile(r"[0-9]{14}")
_NOT_FOUND = 404


@register("read.wayback", options=("web_url",))
class WaybackRead(ReadType):
    """The newest good copy of a page that is gone, dated. `web_url`: another address for the copies."""

    docs = "https://archive.org/help/wayback_api.php"
    endpoint = BASE
    legs: ClassVar[Mapping[str, Leg]] = {"web": Leg(WEB, body=10_000_000)}
    archive = True
    cap = 30.0
    passes = frozenset({_NOT_FOUND})

    async def read(self, job: Job, http: Http, deadline: Deadline) -> Page:
        """The copy, extracted on this machine. Raises `NoContent` (`not_found`) where there is none."""
        stamp = await self._stamp(job.url, http, deadline)
        reply = await http.send(Request("GET", f"{WEB}/web/{stamp}id_/{job.url}"), deadline)
        if reply.status == _NOT_FOUND:
            raise _no_copy()
        document = Document(
            url=job.url,
            final_url=job.url,
            status=reply.status,
            headers={name: reply.headers[name] for name in ("content-type",) if name in reply.headers},
            body=reply.body,
        )
        page = page_of(self, document, await job.extract(document))
        return replace(
            page,
            final_url=f"{WEB}/web/{stamp}/{job.url}",
            flags=tuple(dict.fromkeys((*page.flags, Flag.ARCHIVED))),
            notes=(*page.notes, f"archived copy of {_day(stamp)} from the Wayback Machine"),
        )

    async def _stamp(self, url: str, http: Http, deadline: Deadline) -> str:
        """When the newest good copy was made, as 14 digits."""
        ask = Request("GET", f"{BASE}/wayback/available", params={"url": url})
        if stamp := _closest(await http.send(ask, deadline)):
            return stamp
        params: dict[str, str | int] = {
            "url": url,
            "output": "json",
            "fl": "timestamp,original,statuscode",
            "filter": "statuscode:200",
            "limit": -1,
            "fastLatest": "true",
        }
        index = await http.send(Request("GET", f"{WEB}/cdx/search/cdx", params=params), deadline)
        return _latest(index.json())


def _closest(reply: Reply) -> str:
    """The time of the copy in the first answer, "" for none that can be used."""
    closest = dig(object_of(reply), "archived_snapshots.closest")
    if not isinstance(closest, dict) or closest.get("available") is not True:
        return ""
    stamp = text_at(closest, "timestamp")
    return stamp if text_at(closest, "status") in ("", "200") and _is_time(stamp) else ""


def _latest(rows: JsonValue) -> str:
    """The time in the last row of the index, whose first row names the columns."""
    if not isinstance(rows, list):
        raise BadReply("expected a list of copies")
    if len(rows) < 2:  # nothing, or nothing under the names of the columns
        raise _no_copy()
    last = rows[-1]
    stamp = last[0] if isinstance(last, list) and last else None
    if not isinstance(stamp, str) or not _is_time(stamp):
        raise BadReply("the last copy in the list has no time")
    return stamp


def _no_copy() -> NoContent:
    return NoContent("the Wayback Machine has no copy of it", reason=Reason.NOT_FOUND)


def _is_time(stamp: str) -> bool:
    return bool(_STAMP.fullmatch(stamp)) and bool(_day(stamp))


def _day(stamp: str) -> str:
    """`2026-01-02` from `20260102030405`, "" for a day that never was."""
    try:
        return dt.date(int(stamp[:4]), int(stamp[4:6]), int(stamp[6:8])).isoformat()
    except ValueError:
        return ""
