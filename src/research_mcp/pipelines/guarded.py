"""The one guard around a provider call: whatever goes wrong inside becomes an error with a remedy."""

from __future__ import annotations

import logging
from collections.abc import Awaitable
from typing import TypeVar

from research_mcp.core.errors import BadReply, Reason, ResearchError, Transient

T = TypeVar("T")

log = logging.getLogger(__name__)


async def guarded(name: str, call: Awaitable[T]) -> T:
    """The result of one provider call. Raises `ResearchError` only, and passes cancellation on.

    A crash is the adapter's: its traceback goes to the log, its words to nobody.
    """
    try:
        return await call
    except ResearchError:
        raise
    except TimeoutError:
        raise Transient(f"{name} did not answer in time", reason=Reason.TIMEOUT) from None
    except Exception as crash:
        log.exception("%s crashed", name)
        raise BadReply(f"{name} crashed ({type(crash).__name__}); the log has the details") from None
