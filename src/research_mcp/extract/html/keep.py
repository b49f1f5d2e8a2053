"""What of a page is kept: a choice of slots, asked by element."""

from __future__ import annotations

from itertools import accumulate

from lxml.html import HtmlElement

from research_mcp.extract.locate.textmap import TextMap


class Keep:
    """A choice of slots of a `TextMap`. `chosen` holds one byte for each slot."""

    def __init__(self, page: TextMap, chosen: bytearray) -> None:
        self.page = page
        self.chosen = chosen
        self._sums = [0, *accumulate(chosen)]

    def count(self, element: HtmlElement) -> int:
        """How many slots under the element are kept."""
        start, stop = self.page.spans[element]
        return self._sums[stop] - self._sums[start]

    def whole(self, element: HtmlElement) -> bool:
        """True when every slot under the element is kept."""
        start, stop = self.page.spans[element]
        return self._sums[stop] - self._sums[start] == stop - start

    def near(self, element: HtmlElement) -> bool:
        """True when text right before or right after the element is kept."""
        start, stop = self.page.spans[element]
        last = len(self.chosen)
        return bool((start > 0 and self.chosen[start - 1]) or (stop < last and self.chosen[stop]))

    def text(self, element: HtmlElement) -> str:
        """The element's own kept text before its first child."""
        return self._slot(self.page.text_slots.get(element))

    def tail(self, element: HtmlElement) -> str:
        """The kept text right after the element."""
        return self._slot(self.page.tail_slots.get(element))

    def _slot(self, slot: int | None) -> str:
        return self.page.texts[slot] if slot is not None and self.chosen[slot] else ""
