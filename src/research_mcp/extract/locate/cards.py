"""Groups of like siblings: the cards of a listing, the posts of a thread, the rows of a shop."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from lxml.html import HtmlElement

from research_mcp.extract.html.tags import HEADINGS
from research_mcp.extract.locate.textmap import TextMap

_MIN_MEMBERS = 3
_MIN_MEAN = 15  # characters; menus of single words are no cards
_NO_MEMBERS = HEADINGS | {"p", "tr", "td", "th", "br", "pre", "dt", "dd", "span"}


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Siblings of one tag and class. `size` is their characters together, `linked` their share in links."""

    members: tuple[HtmlElement, ...]
    size: int
    linked: float


def find_groups(page: TextMap) -> dict[HtmlElement, Group]:
    """Each member of a group, with its group."""
    found: dict[HtmlElement, Group] = {}
    for parent in page.elements:
        if len(parent) < _MIN_MEMBERS:
            continue
        alike: dict[tuple[str, str], list[HtmlElement]] = defaultdict(list)
        for child in parent:
            start, stop = page.spans[child]
            if start < stop and child.tag not in _NO_MEMBERS:
                alike[child.tag, child.get("class", "").strip().partition(" ")[0]].append(child)
        for members in alike.values():
            if len(members) >= _MIN_MEMBERS:
                group = _group(page, members)
                if group.size >= _MIN_MEAN * len(members):
                    found.update(dict.fromkeys(members, group))
    return found


def _group(page: TextMap, members: list[HtmlElement]) -> Group:
    size = sum(page.length(*page.spans[member]) for member in members)
    linked = sum(page.link_length(*page.spans[member]) for member in members)
    return Group(tuple(members), size, linked / max(1, size))
