"""What documents state about themselves: title, author, date, language."""

from __future__ import annotations

import re

from research_mcp.extract.office.draft import Draft
from research_mcp.extract.office.xmltree import Element, every, text_of

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}|\d{4}(?:-\d{2})?$")
_NO_TITLE = re.compile(
    r"(?:microsoft \w+ - |powerpoint presentation$|presentation\d*$|untitled|document\d*$|book\d*$|slide \d+$"
    r"|\S+\.(?:docx?|xlsx?|pptx?|odt|rtf|pdf)$)",
    re.IGNORECASE,
)
_DATES = ("modified", "date", "created", "creation-date")
"""The last change first: the day of creation may be a template's."""


def state(draft: Draft, properties: Element | None) -> None:
    """Keep the Dublin Core facts of a properties part, a package file or an OpenDocument's meta."""
    facts: dict[str, str] = {}
    authors: list[str] = []
    for element in every(properties, "title", "creator", "initial-creator", "language", *_DATES):
        key, text = str(element.tag).rpartition("}")[2], text_of(element)
        if key in ("creator", "initial-creator"):
            authors += [text] if text and text not in authors else []
        elif text:
            facts.setdefault(key, text)
    title = facts.get("title", "")
    draft.title = "" if _NO_TITLE.match(title) else title
    draft.author = ", ".join(authors[:10])
    days = (_DAY.match(facts.get(key, "")) for key in _DATES)
    draft.date = next((day[0] for day in days if day), "")
    draft.language = facts.get("language", "")
