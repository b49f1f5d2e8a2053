"""What a worker may meet: entries for the pool that spin, crash, eat memory or answer."""

from __future__ import annotations

import os
import signal

from research_mcp.core.models import Extracted, Kind
from research_mcp.core.wire import Document


def behave(document: Document, seconds: float) -> Extracted:
    """Do what the path of the url says."""
    act = document.url.rpartition("/")[2]
    if act == "spin":
        while True:
            pass
    if act == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    if act == "eat":
        return Extracted(Kind.TEXT, markdown=str(len(bytearray(3_000_000_000))))
    if act == "recurse":
        return behave_again(document, seconds)
    if act == "pid":
        return Extracted(Kind.TEXT, markdown=str(os.getpid()))
    if act == "long":
        return Extracted(Kind.TEXT, markdown="x" * 4_000_000)
    if act == "surrogate":
        return Extracted(Kind.TEXT, markdown="a\udc80b")
    return Extracted(Kind.TEXT, markdown=f"{len(document.body)} {document.headers.get('x', '')}")


def behave_again(document: Document, seconds: float) -> Extracted:
    """Never ends by itself."""
    return behave_again(document, seconds)
