"""Pages that say "not found" under status 200, told from pages that speak of such errors.

A short page is one when a line of it begins so. A long one, with menus and other stories around the
message, has to say it as its whole title or heading and then tell the visitor in a sentence of its
own, or hold next to nothing else; articles about errors quote such sentences in their prose.
"""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import urlsplit

from research_mcp.extract.tokens import words_of
from research_mcp.extract.verdicts.lines import lines_of
from research_mcp.extract.verdicts.missing_words import LINE, TOLD
from research_mcp.extract.verdicts.shell import ENOUGH, Seen

_SHORT = re.compile(
    r"(?:error )?404(?: error)?\b|not found$"
    r"|(?:sorry, )?(?:the |this )?(?:page|article|content|file)(?: you requested)?"
    r" (?:(?:was |is |could |can )?not (?:be )?found"
    r"|(?:doesn.t|does not|no longer) exists?|is (?:not|no longer) available)"
    r"|seite nicht gefunden|page (?:introuvable|non trouvée)|página no encontrada|страница не найдена"
    r"|页面不存在|找不到(?:网页|頁面)|ページが見つかりません|페이지를 찾을 수 없",
    re.IGNORECASE,
)
_TITLE = re.compile(r"<title\b[^>]{0,300}>([^<]{0,500})", re.IGNORECASE)
_HEADING = re.compile(r"<h1\b[^>]{0,300}>((?:[^<]|<(?!/h1)){0,300})", re.IGNORECASE)
_SEPARATORS = re.compile(r"\s[-–—|·•»«:/]+\s|[|·•»«–—]|:\s")
_SIGNS = re.compile(r"[\W_]+")
_NAMED = re.compile(r"404|not[-_]?found|notfound|missing[-_]?page|page[-_]?error", re.IGNORECASE)
_PRERENDERED = re.compile(
    r"""<meta\b[^>]{0,200}prerender-status-code["'][^>]{0,100}content\s*=\s*["']?(?:404|410)""", re.IGNORECASE
)
_SENTENCE = re.compile(r"(?<=[.!?…。！？])\s+|\n|(?<=[。！？])")
_LINK = re.compile(r"!?\[[^\[\]\n]{0,300}\]\([^()\s]{0,2000}\)")
_HEAD = 500_000
_MESSAGE = 900
"""Characters of a message, from its heading to the next one: whoever says more has written an article."""
_LONG = 160
"""Characters of a line from which on it is prose, not a teaser or a label."""
_ARTICLE = 6_000
_OPENING = 12
"""Lines of a text that may hold its message: menus come before it."""
_NOTE = 500


def is_missing(seen: Seen, url: str, final_url: str) -> bool:
    """True for a "not found" that came with status 200."""
    headings = [words_of(found[1]) for found in _HEADING.finditer(seen.html[:_HEAD])]
    if len(seen.text) < ENOUGH:
        return _is_short(seen, headings[:1])
    if _NAMED.search(urlsplit(url).path):
        return False
    parts = [part for title in _titles(seen) for part in (title, *_SEPARATORS.split(title))]
    titled = [found for part in parts if (found := _said(part))]
    said = [*titled, *(found for heading in headings if (found := _said(heading)))]
    sent = _NAMED.search(urlsplit(final_url).path) is not None or _PRERENDERED.search(seen.html[:_HEAD])
    if not said:
        return False
    prose = sum(len(line) for line in _LINK.sub("", seen.text).splitlines() if len(line) >= _LONG)
    if prose >= _ARTICLE:
        return False
    if prose < _NOTE and (sent or any(not (found["bare"] or found["other"]) for found in said)):
        return True
    return _tells(seen.html, anywhere=bool(titled))


def is_missing_text(markdown: str) -> bool:
    """True for another reader's Markdown that opens with "page not found", or says so to the visitor."""
    lines = [" ".join(_LINK.sub("", line).lstrip("#* >").split()) for line in markdown.splitlines()]
    shown = [line for line in lines if line][:_OPENING]
    said = [found for line in shown if (found := _said(line))]
    if any(not (found["bare"] or found["other"]) for found in said[:1]):
        return True
    sentences = (sentence for line in shown for sentence in _SENTENCE.split(line.replace("’", "'").lower()))
    return bool(said) and any(TOLD.match(sentence) for sentence in sentences)


def _is_short(seen: Seen, headings: list[str]) -> bool:
    lines = [seen.title.strip(), *headings]
    if _explains(seen.text):
        return False
    if any(len(line) < 120 and (_SHORT.match(line) or _said(line)) for line in lines):
        return True
    start = seen.text.lstrip("# \n")
    return len(seen.text) < ENOUGH // 2 and bool(_SHORT.match(start) or _said(start.partition("\n")[0]))


def _explains(text: str) -> bool:
    """True for prose about something, as against what is told to the visitor."""
    prose = [
        line for line in _LINK.sub("", text).lower().replace("’", "'").splitlines() if len(line) >= _LONG
    ]
    return bool(prose) and not any(
        TOLD.match(sentence) for line in prose for sentence in _SENTENCE.split(line)
    )


def _titles(seen: Seen) -> set[str]:
    found = _TITLE.search(seen.html[:_HEAD])
    return {seen.title, unescape(found[1]) if found else ""}


def _said(line: str) -> re.Match[str] | None:
    """A line that says "not found" and nothing else."""
    return LINE.fullmatch(_SIGNS.sub(" ", line.lower()).strip()) if len(line) < 120 else None


def _tells(html: str, *, anywhere: bool) -> bool:
    """Whether a message below such a heading, above every heading or `anywhere` tells the visitor."""
    message, size = True, 0
    told = False
    for is_heading, line in lines_of(html):
        if is_heading:
            if told and size < _MESSAGE:
                return True
            message, size = anywhere or _said(line) is not None, 0
            told = message and TOLD.match(line) is not None
        elif message:
            size += len(line) if len(line) >= _LONG // 2 else 0
            told = told or any(TOLD.match(sentence) for sentence in _SENTENCE.split(line))
    return told and size < _MESSAGE
