"""Discussions: pages where what others answered is the text, not a comment on it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from selectolax.lexbor import LexborHTMLParser

from research_mcp.extract.jsondata import Json, objects, types_of

_TYPES = frozenset({"DiscussionForumPosting", "QAPage"})
_ITEMS = ",".join(f"[itemtype$='schema.org/{name}']" for name in sorted(_TYPES))
_ADDRESS = re.compile(
    r"//(?:www\.)?(?:forums?|community|discuss|boards?|ask)\."
    r"|/(?:forums?|threads?|topic|discussions?|viewtopic|showthread|questions|t)(?:[/.?-]|$)",
    re.IGNORECASE,
)
_SOFTWARE = re.compile(
    r"phpbb|discourse|vbulletin|xenforo|vanilla|flarum|nodebb|mybb|simple machines|invision|discuz|punbb",
    re.IGNORECASE,
)


def is_thread(tree: LexborHTMLParser, data: Iterable[Json], url: str) -> bool:
    """True when the data, the software or the address of a page says that it is a discussion."""
    if _ADDRESS.search(url):
        return True
    if any(types_of(item) & _TYPES for value in data for item in objects(value)):
        return True
    if tree.css_first(_ITEMS) is not None:
        return True
    generator = tree.css_first("meta[name=generator]")
    return generator is not None and bool(_SOFTWARE.search(generator.attributes.get("content") or ""))
