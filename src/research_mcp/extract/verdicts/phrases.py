"""Walls, teasers and shells in Markdown that another reader made: only the words are left of them."""

from __future__ import annotations

from research_mcp.core.errors import Reason
from research_mcp.extract.verdicts.challenge import Answer, wall
from research_mcp.extract.verdicts.consent import is_consent_text
from research_mcp.extract.verdicts.missing import is_missing_text
from research_mcp.extract.verdicts.notices import notice_in
from research_mcp.extract.verdicts.paywall import teaser
from research_mcp.extract.verdicts.shell import Seen, is_shell

_WHOLE = 2_000
"""Characters from which on a text is a page, whatever it speaks of."""
_START = 1_500


def text_verdict(markdown: str) -> Reason | None:
    """What a reader's Markdown is instead of the page; None when it may well be the page.

    A `core.ports.TextJudge`. Headers and markup are lost, so phrases count only in short texts.
    """
    text = markdown.strip()
    if len(text) < _WHOLE and (wall(Answer(200, {}, text[:_START], text)) or is_consent_text(text)):
        return Reason.BLOCKED
    if len(text) < _WHOLE and is_missing_text(text):
        return Reason.NOT_FOUND
    if found := notice_in(text):
        return found.reason
    if teaser("", text):
        return Reason.PAYWALLED
    if is_shell(Seen(text[:_START], text, scripts=1)):
        return Reason.NEEDS_JAVASCRIPT
    return None
