"""What a worker may meet: entries for the pool that spin, crash, eat memory or answer."""

from __future__ import annotations

import os
import signal
import time

from research_mcp.core.models import Extracted, Kind
from research_mcp.core.wire import Document


def behave(document: Document, seconds: float) -> Extracted:
    """Do what the path of the url says."""
    act = document.url.rpartition("/")[2]
    if act == "spin":
        spin_for(float("inf"))
    if act in ("starve", "toil"):
        return Extracted(Kind.TEXT, markdown=str(priority_after(act)))
    if act in ("die", "eat", "recurse", "crash"):
        return break_by(act, document, seconds)
    if act == "seconds":
        return Extracted(Kind.TEXT, markdown=str(seconds))
    if act == "pid":
        return Extracted(Kind.TEXT, markdown=str(os.getpid()))
    if act == "long":
        return Extracted(Kind.TEXT, markdown="x" * 4_000_000)
    if act == "surrogate":
        return Extracted(Kind.TEXT, markdown="a\udc80b")
    return Extracted(Kind.TEXT, markdown=f"{len(document.body)} {document.headers.get('x', '')}")


def break_by(act: str, document: Document, seconds: float) -> Extracted:
    """End in one of the ways in which a worker breaks."""
    if act == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    if act == "eat":
        return Extracted(Kind.TEXT, markdown=str(len(bytearray(3_000_000_000))))
    if act == "recurse":
        return behave_again(document, seconds)
    raise ValueError(document.body.decode())


def spin_for(seconds: float) -> None:
    """Take that much time of the processor."""
    ends = time.process_time() + seconds
    while time.process_time() < ends:
        pass


def priority_after(act: str) -> int:
    """The niceness of a task that took long: one that waited for the processor, or one that had it."""
    if act == "toil":
        spin_for(0.5)
    time.sleep(0.9)
    return os.getpriority(os.PRIO_PROCESS, 0)


def behave_again(document: Document, seconds: float) -> Extracted:
    """Never ends by itself."""
    return behave_again(document, seconds)
