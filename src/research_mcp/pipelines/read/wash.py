"""What readers elsewhere bring gets the care that this machine's own extraction takes. Pure."""

from __future__ import annotations

from dataclasses import replace

from research_mcp.core.hygiene import MANY, clean, clean_line
from research_mcp.core.models import Flag, Page


def washed(page: Page) -> Page:
    """The page without characters that nobody sees, and flagged when there were many."""
    cleaned = clean(page.markdown)
    flags = page.flags
    if cleaned.removed >= MANY and Flag.ODD_CHARACTERS not in flags:
        flags = (*flags, Flag.ODD_CHARACTERS)
    return replace(
        page,
        markdown=cleaned.text.strip(),
        title=clean_line(page.title),
        author=clean_line(page.author),
        date=clean_line(page.date),
        site=clean_line(page.site),
        language=clean_line(page.language),
        flags=flags,
    )
