"""What parent and worker say to each other: length-prefixed JSON, with a page's bytes behind it.

Only JSON of plain types crosses: the parent never unpickles what a process that handled hostile
bytes has written, and never reads more of it than a cap.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from research_mcp.core.errors import Reason
from research_mcp.core.models import Extracted, Flag, Kind
from research_mcp.core.sitemaps import LinkKind, Links, SitePage
from research_mcp.core.wire import Document

LENGTHS = struct.Struct("!II")
"""Bytes of the JSON, and of what follows it."""


@dataclass(frozen=True, slots=True)
class Task:
    """One document, the seconds that the worker may use, and what is wanted: its text or its links."""

    document: Document
    seconds: float
    links: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a task: a result, or a failure ("memory", "died", "crash" with its `trace`); and how
    worn the worker is: resident bytes, and seconds of processor time in its whole life."""

    result: Extracted | Links | None
    failure: str = ""
    resident: int = 0
    spent: float = 0.0
    trace: str = ""


def pack_task(task: Task) -> tuple[bytes, bytes]:
    """The head and the body to send."""
    document = task.document
    head = json.dumps(
        {
            "url": document.url,
            "final_url": document.final_url,
            "status": document.status,
            "headers": dict(document.headers),
            "truncated": document.truncated,
            "redirects": document.redirects,
            "broken": document.broken,
            "seconds": task.seconds,
            "links": task.links,
        }
    ).encode()
    return LENGTHS.pack(len(head), len(document.body)) + head, document.body


def unpack_task(head: bytes, body: bytes) -> Task:
    """The inverse of `pack_task`."""
    fields = json.loads(head)
    seconds, links = fields.pop("seconds"), fields.pop("links")
    fields["redirects"] = tuple(fields["redirects"])
    return Task(Document(body=body, **fields), seconds, links)


def pack_outcome(outcome: Outcome) -> bytes:
    """The whole answer. Lone surrogates, which no client could read, become replacement signs."""
    fields = asdict(outcome)
    fields["links"] = isinstance(outcome.result, Links)
    text = json.dumps(fields, ensure_ascii=False)
    head = text.encode("utf-8", "replace")
    return LENGTHS.pack(len(head), 0) + head


def unpack_outcome(head: bytes) -> Outcome:
    """The inverse of `pack_outcome`. Raises `ValueError`, `KeyError` or `TypeError` for anything else."""
    fields = json.loads(head)
    stated = fields["result"]
    read = _links if fields["links"] else _extracted
    return Outcome(
        read(stated) if stated else None,
        str(fields["failure"]),
        int(fields["resident"]),
        float(fields["spent"]),
        str(fields["trace"]),
    )


def _extracted(fields: Mapping[str, Any]) -> Extracted:
    plain = {name: str(value) for name, value in fields.items() if name not in _TYPED}
    return Extracted(
        kind=Kind(fields["kind"]),
        reason=Reason(fields["reason"]) if fields["reason"] else None,
        flags=tuple(Flag(flag) for flag in fields["flags"]),
        notes=tuple(str(note) for note in fields["notes"]),
        **plain,
    )


def _links(fields: Mapping[str, Any]) -> Links:
    return Links(
        LinkKind(fields["kind"]),
        tuple(SitePage(str(page["url"]), str(page["title"]), str(page["date"])) for page in fields["pages"]),
        tuple(map(str, fields["feeds"])),
        str(fields["title"]),
        str(fields["cut"]),
    )


_TYPED = frozenset({"kind", "reason", "flags", "notes"})
