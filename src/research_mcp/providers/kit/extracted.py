"""From a document and what extraction made of it to a page, or to the reason why it is none."""

from __future__ import annotations

from research_mcp.core.errors import NoContent, Reason
from research_mcp.core.models import Extracted, Flag, Page
from research_mcp.core.wire import Document
from research_mcp.providers.kit.read import ReadType, target_error

_KEPT_WITH = {
    Reason.PAYWALLED: Flag.PAYWALLED,
    Reason.NEEDS_JAVASCRIPT: Flag.NEEDS_JAVASCRIPT,
    Reason.EMPTY: Flag.THIN,
    Reason.DEADLINE: Flag.TRUNCATED,
    Reason.TOO_LARGE: Flag.TRUNCATED,
}
"""Verdicts under which some text is better than none, and the caveat it travels with."""


def page_of(type_: ReadType, document: Document, extracted: Extracted) -> Page:
    """The page of a document. Raises `NoContent` with the verdict's reason, or that of the status."""
    flag = _verdict(extracted, document)
    flags = dict.fromkeys(each for each in (*extracted.flags, flag, document.caveat) if each)
    return type_.page(
        document.url,
        extracted.markdown,
        final_url=document.final_url,
        kind=extracted.kind,
        title=extracted.title,
        author=extracted.author,
        date=extracted.date,
        site=extracted.site,
        language=extracted.language,
        flags=tuple(flags),
        notes=extracted.notes,
    )


def _verdict(extracted: Extracted, document: Document) -> Flag | None:
    """The caveat of the text, if any. Raises `NoContent` when there is no page to give."""
    flag = _KEPT_WITH.get(extracted.reason) if extracted.reason and extracted.markdown.strip() else None
    refused = target_error(document.status)
    if refused and extracted.reason is not Reason.BLOCKED and flag is not Flag.PAYWALLED:
        raise refused
    if extracted.reason and not flag:
        raise NoContent(extracted.detail or "there is no text in it", reason=extracted.reason)
    return flag
