"""A page as the model reads it: a short head, the text in a frame, and how to go on when it is cut."""

from __future__ import annotations

import re

from research_mcp.core.errors import Reason
from research_mcp.core.models import Attempt, Page, ReadFailure
from research_mcp.pipelines.read.outline import Cut, Heading
from research_mcp.server.render.frames import clean, line, url_in_text
from research_mcp.server.render.voice import Voice, joined

_FIRST_HEADING = re.compile(r"\s*#{1,6}[ \t]+([^\n]*)")
_EMPHASIS = re.compile(r"[*_`\\]")


def page_text(page: Page, part: Cut, asked: str, voice: Voice) -> str:
    """The whole answer of `read_page` for `part` of `page`."""
    body = voice.framed(page_body(page, part), page.final_url)
    blocks = [page_head(page, part, asked, voice), voice.texts.data, body]
    if part.next_start is not None:
        blocks.append(_continuation(part, part.next_start, voice))
    return "\n".join(blocks)


def page_body(page: Page, part: Cut) -> str:
    """The cleaned text, under the stated facts where the page begins."""
    facts = title_lines(page) if part.start == 0 else ""
    return joined((facts, clean(part.text)), "\n\n")


def page_head(page: Page, part: Cut, asked: str, voice: Voice) -> str:
    """Where the text comes from, who read it, how long it is, and what to mind."""
    words = voice.texts.page
    final = url_in_text(page.final_url)
    if final != url_in_text(asked):
        final = f"{final} ({words.asked_for.format(url=url_in_text(asked))})"
    whole = part.start == 0 and part.next_start is None
    end = part.start + len(part.text)
    size = words.characters if whole else words.part
    facts = joined(
        (
            words.kinds[page.kind],
            words.read_by.format(reader=page.reader),
            size.format(count=part.total, start=part.start, end=end, total=part.total),
            words.cached if page.cached else "",
        )
    )
    return joined((final, facts, "\n".join(caveats(page, voice))), "\n")


def caveats(page: Page, voice: Voice) -> list[str]:
    """A sentence for each flag and note of the page."""
    words = voice.texts.page
    return [words.caveat.format(text=words.flags[flag]) for flag in page.flags] + [
        words.note.format(text=line(voice.said(note))) for note in page.notes
    ]


def title_lines(page: Page) -> str:
    """Title, author, date and site as the page states them; no title that the text repeats."""
    title = line(page.title)
    first = _FIRST_HEADING.match(page.markdown)
    if first and _bare(line(first[1])) == _bare(title):
        title = ""
    facts = joined((line(page.author, 200), line(page.date, 40), line(page.site, 100)))
    return joined((f"# {title}" if title else "", facts), "\n")


def _bare(title: str) -> str:
    """A title as it compares: catalogues leave out italics, and some end it with a full stop."""
    return _EMPHASIS.sub("", title).rstrip(". ").casefold()


def cut_mark(limit: int, voice: Voice) -> str:
    """The mark at the end of a page that a batch tool cut at `limit` characters."""
    return voice.texts.page.cut_rest.format(limit=limit)


def failure_text(failure: ReadFailure, voice: Voice) -> str:
    """What failed, why, every reader's reason, and what to do."""
    words = voice.texts.page
    told = words.failed.format(
        url=url_in_text(failure.url), reason=failure.reason.value, message=line(voice.said(failure.message))
    )
    tried = "; ".join(_attempt(attempt, voice) for attempt in failure.attempts)
    return joined(
        (told, words.attempts.format(attempts=tried) if tried else "", voice.remedy(failure.reason)), "\n"
    )


def _attempt(attempt: Attempt, voice: Voice) -> str:
    why = line(voice.said(attempt.detail), 160).rstrip(".")
    free = voice.texts.search.free_again.format(when=voice.at(attempt.retry_at)) if attempt.retry_at else ""
    return joined((f"{attempt.reader} {attempt.reason.value}", joined((why, free), ", ")), ": ")


def failure_line(failure: ReadFailure, voice: Voice) -> str:
    """The same in one line, for a row of a batch."""
    return joined((line(voice.said(failure.message)), voice.remedy(failure.reason)), " ")


def unread_text(reason: Reason, sentence: str, voice: Voice) -> str:
    """The place of a page's text when it could not be read."""
    return voice.texts.page.unread.format(reason=reason.value, message=sentence)


def _continuation(part: Cut, next_start: int, voice: Voice) -> str:
    words = voice.texts.page
    lines = [
        words.cut.format(limit=next_start - part.start),
        words.rest.format(start=next_start, left=part.total - next_start),
    ]
    ahead = [_outline_line(heading) for heading in part.outline]
    return "\n".join([*lines, words.outline, voice.framed("\n".join(ahead))] if ahead else lines)


def _outline_line(heading: Heading) -> str:
    return f"{'  ' * (heading.level - 1)}{heading.start} {line(heading.title, 120)}"
