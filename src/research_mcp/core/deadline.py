"""One deadline per call, passed down; each step takes a share and leaves a reserve."""

from __future__ import annotations

import asyncio


class Deadline:
    """A point in the running loop's time. Immutable; `share` makes earlier ones."""

    __slots__ = ("_at",)

    def __init__(self, at: float) -> None:
        self._at = at

    @classmethod
    def after(cls, seconds: float) -> Deadline:
        """`seconds` from now. Must be called inside a running event loop."""
        return cls(asyncio.get_running_loop().time() + seconds)

    def remaining(self) -> float:
        """Seconds left, never negative."""
        return max(0.0, self._at - asyncio.get_running_loop().time())

    def overdue(self) -> float:
        """Seconds since it passed, never negative: how late whoever looks is."""
        return max(0.0, asyncio.get_running_loop().time() - self._at)

    @property
    def expired(self) -> bool:
        """True when nothing is left."""
        return self.remaining() <= 0.0

    def share(self, cap: float, *, reserve: float = 0.0) -> Deadline:
        """The earlier of `cap` seconds from now and this deadline less `reserve` seconds."""
        now = asyncio.get_running_loop().time()
        return Deadline(min(now + cap, max(now, self._at - reserve)))

    def enforce(self) -> asyncio.Timeout:
        """For `async with`: cancels the block at the deadline and raises `TimeoutError` from it."""
        return asyncio.timeout_at(self._at)
