"""The forms in which models write a list of sources: calls, cards, folded blocks, headed lines, a tail.

Each function takes away only what it is certain about and puts the addresses into `listed`.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from enum import Enum

from research_mcp.core.answers import Citation
from research_mcp.providers.kit.answer.code import Code
from research_mcp.providers.kit.answer.links import (
    LINK,
    SNIPPET_CHARS,
    URL,
    links,
    plain_title,
    strings,
    trimmed,
    without_strings,
)

_WORDS = (
    "sources?(?: used| cited| consulted)?|(?:cited|key|main) sources|references?|citations?|works cited"
    "|source links?|bibliography|来源|信息来源|数据来源|资料来源|引用来源|参考来源|引用|参考"
    "|参考资料|参考文献|参考链接"
    "|источники?|ссылки|список источников|quellen|fuentes|sources et références|références"
)
_LIST_CALL = re.compile(
    r"(?m)^[ \t]{0,3}(?:sources?|citations?|references?|(?:citation|source)_cards)\(", re.IGNORECASE
)
_CALL_ENDS = ("source(", "sources(", "citation(", "citations(", "reference(", "references(", "_cards(")
_CARD = re.compile(r"(?<![\w(,\[])(?:citation|source)_card\(", re.IGNORECASE)
_CARD_ANYWHERE = re.compile(r"\b(?:citation|source)_cards?\(", re.IGNORECASE)
_GROUP = re.compile(r"(?<![^\[,\s(])[{(]")
_KEYWORD = re.compile(r"\b(?:url|uri|link|href|title|name|label|sources?|citations?|None|null)\b")
_TOKEN = re.compile(r"(?<=[(,\[{=: ])\"(?:[^\"\\\n]|\\.)*+\"|(?<=[(,\[{=: ])'(?:[^'\\\n]|\\.)*+'|[()]")
_LONGEST_CALL = 40_000

_DETAILS = re.compile(r"<(/?)details\b[^<>]{0,200}>", re.IGNORECASE)
_SUMMARY = re.compile(r"<summary\b[^<>]{0,200}>([^<>]{0,200})</summary>", re.IGNORECASE)
_TITLED = re.compile(
    rf"[ \t>]{{0,6}}(?:[-*]\s)?[\W_]{{0,8}}(?:{_WORDS})(?:\s?[(（]\d{{1,3}}[)）])?"
    r"[*_ \t]{0,4}[:：]?[*_# \t]{0,8}",
    re.IGNORECASE,
)
_TITLE_AND_LINKS = re.compile(
    rf"[ \t>]{{0,6}}[*_#]{{0,8}}\s?(?:{_WORDS})[*_]{{0,3}}[:：][*_]{{0,3}}(?=.*https?://)", re.IGNORECASE
)
_INDENTED = re.compile(r" {4}|\t")
_ITEM = re.compile(r"[ \t>]{0,12}(?:[-*+•·]|\d{1,3}[.)、]|\[\^?\d{1,3}\^?\]:?)[ \t]*")
_DEFINITION = re.compile(
    r"[ \t]{0,3}\[\^?\d{1,3}\^?\]:?[ \t]*<?https?://[^\s<>]++>?(?:[ \t]+\"[^\"\n]{0,300}\")?[ \t]*",
    re.IGNORECASE,
)
_RULE = re.compile(r"[ \t]{0,3}(?:-{3,}|\*{3,}|_{3,})[ \t]*")
_MAY_BE_BARE = re.compile(r"[\W_]{0,12}(?:https?:|\[)", re.IGNORECASE)
_LONGEST_LINE = 8_000
_LONGEST_ENTRY = 240
_LETTER = re.compile(r"[^\W_]")


class _Line(Enum):
    PROSE = 0
    BLANK = 1
    TITLE = 2
    TITLE_WITH_LINKS = 3
    ENTRY = 4
    """An item with an address and a few words, a list's line only under a title."""
    BARE = 5
    """Nothing but addresses."""


def call_lists(text: str, listed: list[Citation]) -> str:
    """Without `sources(...)` and its like at the start of a line, when nothing but addresses is inside."""
    lower = text.lower()
    if not any(end in lower for end in _CALL_ENDS) or not _LIST_CALL.search(text):
        return text
    code, pieces, place = Code(text), [], 0
    for match, end in _calls(_LIST_CALL, text):
        inner = text[match.end() : end - 1]
        line_end = text.find("\n", end)
        rest = text[end : line_end if line_end >= 0 else len(text)]
        if match.start() < place or match.start() in code or rest.strip(" \t.;") or _has_words(inner):
            continue
        found = list(_entries(inner))
        if found:
            listed += found
            pieces.append(text[place : match.start()])
            place = end + len(rest)
    return "".join([*pieces, text[place:]])


def cards(text: str) -> list[tuple[int, int, str, str]]:
    """Start, end, address and title of each card that stands by itself in the text."""
    if "_card(" not in text.lower():
        return []
    found = []
    for match, end in _calls(_CARD, text):
        entry = next(_entries(text[match.end() : end - 1]), None)
        if entry:
            found.append((match.start(), end, entry.url, entry.title))
    return found


def _calls(pattern: re.Pattern[str], text: str) -> Iterator[tuple[re.Match[str], int]]:
    """Each call with the place after its closing bracket. Unclosed ones may cost as much as all others."""
    budget = 4 * len(text)
    for match in pattern.finditer(text):
        depth = 1
        for token in _TOKEN.finditer(text, match.end(), match.end() + _LONGEST_CALL):
            depth += {"(": 1, ")": -1}.get(token[0], 0)
            if not depth:
                yield match, token.end()
                break
        else:
            budget -= min(_LONGEST_CALL, len(text) - match.end())
            if budget < 0:
                return


def _entries(inner: str) -> Iterator[Citation]:
    """The addresses in the arguments of a call, each with the string beside it that names it."""
    starts = [match.start() for match in _CARD_ANYWHERE.finditer(inner)] or [
        match.start() for match in _GROUP.finditer(inner)
    ]
    bounds = [0, *starts, len(inner)]
    for start, end in itertools.pairwise(bounds):
        group = inner[start:end]
        titles = [
            title for each in strings(group) if (title := plain_title(each)) and not _KEYWORD.fullmatch(each)
        ]
        urls = [trimmed(match[0]) for match in URL.finditer(group)]
        for number, url in enumerate(urls):
            yield Citation(url, titles[number] if number < len(titles) else "")


def _has_words(inner: str) -> bool:
    bare = _KEYWORD.sub(" ", _CARD_ANYWHERE.sub(" ", URL.sub(" ", LINK.sub(" ", without_strings(inner)))))
    return _LETTER.search(re.sub(r"\d", "", bare)) is not None


def details(text: str, listed: list[Citation]) -> str:
    """Without `<details>` blocks that hold nothing but addresses under a title of sources."""
    if "<" not in text or not _DETAILS.search(text):
        return text
    code, pieces, place = Code(text), [], 0
    depth, opened, plain = 0, 0, True
    for tag in _DETAILS.finditer(text):
        if tag.start() in code:
            continue
        if not tag[1]:
            plain = depth == 0
            opened = tag.start() if plain else opened
            depth += 1
        elif depth:
            depth -= 1
            found = _folded(text[opened : tag.end()]) if plain and depth == 0 else []
            if found:
                listed += found
                pieces.append(_between(text, place, opened).rstrip())
                place = tag.end()
    return "\n\n".join([*pieces, _between(text, place, len(text))])


def _between(text: str, start: int, end: int) -> str:
    """The text from the end of a block that went, without the blank lines after it."""
    return text[start:end].lstrip(" \t").lstrip("\n") if start else text[:end]


def _folded(block: str) -> list[Citation]:
    """The addresses of a block; none when it holds anything else."""
    body = _DETAILS.sub("\n", block)
    summary = _SUMMARY.search(body)
    if summary:
        if summary[1].strip() and not _TITLED.fullmatch(summary[1].strip()):
            return []
        body = _SUMMARY.sub("\n", body, count=1)
    lines = body.split("\n")
    kinds = [_kind(line) for line in lines]
    if any(kind in (_Line.PROSE, _Line.TITLE_WITH_LINKS) for kind in kinds):
        return []
    return [entry for line in lines for entry in _of_line(line)]


def listed_lines(text: str, listed: list[Citation]) -> str:
    """Without lists under a title of sources, wherever they stand, and without addresses at the end."""
    if "://" not in text:
        return text
    lines = text.split("\n")
    kinds = _kinds(text, lines)
    gone = set(_titled(kinds))
    gone |= set(_tail(kinds, lines, gone))
    if not gone:
        return text
    for place in sorted(gone):
        listed += _of_line(lines[place])
    kept: list[str] = []
    for place, line in enumerate(lines):
        after_gone = place - 1 in gone and not line.strip()
        if not (place in gone or after_gone):
            kept.append(line)
        elif kept and kept[-1].strip():
            kept.append("")
    while kept and (not kept[-1].strip() or _RULE.fullmatch(kept[-1])):
        kept.pop()
    return "\n".join(kept)


def _kinds(text: str, lines: Sequence[str]) -> list[_Line]:
    kinds = [_kind(line) for line in lines]
    if all(kind in (_Line.PROSE, _Line.BLANK) for kind in kinds):
        return kinds
    code, place = Code(text), 0
    for number, line in enumerate(lines):
        if line and place in code and place + len(line) - 1 in code:
            kinds[number] = _Line.PROSE
        place += len(line) + 1
    return kinds


def _kind(line: str) -> _Line:
    if not line.strip():
        return _Line.BLANK
    if "://" not in line:
        short = len(line) < 100 and not _INDENTED.match(line)
        return _Line.TITLE if short and _TITLED.fullmatch(line) else _Line.PROSE
    item = _ITEM.match(line)
    if len(line) > _LONGEST_LINE or not (item or _MAY_BE_BARE.match(line) or _TITLE_AND_LINKS.match(line)):
        return _Line.PROSE
    words = _words_beside(line[item.end() :] if item else line)
    if not words or _DEFINITION.fullmatch(line):
        return _Line.BARE
    titled = _TITLE_AND_LINKS.match(line)
    if titled and not _words_beside(line[titled.end() :]):
        return _Line.TITLE_WITH_LINKS
    return _Line.ENTRY if item and len(words) <= _LONGEST_ENTRY else _Line.PROSE


def _words_beside(line: str) -> str:
    """What a line says beside its addresses and their titles; "" when that has no letter."""
    rest = URL.sub(" ", LINK.sub(" ", line))
    return " ".join(rest.split()).strip("-–—:：*_|•·<>()（）[] ") if _LETTER.search(rest) else ""


def _titled(kinds: Sequence[_Line]) -> Iterator[int]:
    """The lines of every titled list, titles included."""
    place = 0
    while place < len(kinds):
        start, kind = place, kinds[place]
        place += 1
        if kind not in (_Line.TITLE, _Line.TITLE_WITH_LINKS):
            continue
        last = start if kind is _Line.TITLE_WITH_LINKS else -1
        while place < len(kinds) and kinds[place] in (_Line.BLANK, _Line.ENTRY, _Line.BARE):
            last = place if kinds[place] is not _Line.BLANK else last
            place += 1
        if last >= 0:
            yield from range(start, last + 1)


def _tail(kinds: Sequence[_Line], lines: Sequence[str], gone: set[int]) -> Iterator[int]:
    """Two or more lines of nothing but addresses at the end, after a blank line that ends prose.

    Not after a heading or a colon: then the list is the answer.
    """
    end = len(kinds)
    while end and (end - 1 in gone or kinds[end - 1] is _Line.BLANK):
        end -= 1
    start = end
    while start and start - 1 not in gone and kinds[start - 1] in (_Line.BARE, _Line.BLANK):
        start -= 1
    bare = [place for place in range(start, end) if kinds[place] is _Line.BARE]
    if len(bare) < 2 or not start or kinds[start] is not _Line.BLANK or start - 1 in gone:
        return
    before = lines[start - 1].strip()
    if not before.startswith("#") and not before.rstrip("*_ ").endswith((":", "：")):
        yield from range(start, end)


def _of_line(line: str) -> list[Citation]:
    """The addresses of one line; what it says beside them goes with the first."""
    titled = _TITLE_AND_LINKS.match(line)
    start = titled or _ITEM.match(line)
    words = _words_beside(line[start.end() :] if start else line)[:SNIPPET_CHARS]
    found = []
    for link in links(line):
        found.append(Citation(link.url, link.title or plain_title(words), words))
        words = ""
    return found
