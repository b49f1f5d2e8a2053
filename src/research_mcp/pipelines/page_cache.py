"""Good pages for a few minutes, bounded in bytes."""

from __future__ import annotations

import sys

from cachetools import TTLCache

from research_mcp.core.models import Page
from research_mcp.core.ports import Clock


class PageCache:
    """Pages by the normal form that was asked for. The oldest leave when `max_bytes` are reached."""

    def __init__(self, clock: Clock, ttl: float, max_bytes: int) -> None:
        self._pages: TTLCache[str, Page] = TTLCache(max_bytes, ttl, timer=clock.now, getsizeof=_weight)

    def get(self, url: str) -> Page | None:
        """The page, unless it is too old."""
        return self._pages.get(url)

    def put(self, url: str, page: Page) -> None:
        """Keeps `page`, unless it is larger than the whole cache."""
        if _weight(page) <= self._pages.maxsize:
            self._pages[url] = page


def _weight(page: Page) -> int:
    return sys.getsizeof(page.markdown) + 2_000
