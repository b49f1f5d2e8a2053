"""The posts of a thread: where each begins, who wrote it and when, as its markup states.

No site is known by name. A post is marked by schema.org (`Comment`, `Answer`, ...), by role, or by a
class whose last word says so, and it has to hold an author or a date of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from lxml.html import HtmlElement

from research_mcp.extract.escape import escape
from research_mcp.extract.html.metadata import iso_date
from research_mcp.extract.locate.textmap import TextMap

_FEWEST = 2
_MOST_STEPS = 400  # elements of a post that are looked at
_LONGEST_NAME = 40
_LONGEST_DATE = 40
_ITEMS = re.compile(r"schema\.org/(?:Comment|Answer|Question|DiscussionForumPosting|SocialMediaPosting)\b")
_POST = re.compile(
    r"(?:^|\s)(?:[a-z]{1,12}-){0,2}(?:post|comment|message|reply|answer|question)"
    r"(?:bit|box|container|wrapper|view|item|row|stream__?item)?(?:[-_]?\d+)?(?=\s|$)",
    re.IGNORECASE,
)
_AUTHOR = re.compile(
    r"(?:^|[\s_-])(?:user-?name|author(?:-?name)?|poster(?:-?name)?|nick(?:-?name)?|commenter|creator|names?"
    r"|user-?(?:link|details)|by-?line)(?=$|[\s_-])",
    re.IGNORECASE,
)
_DATE = re.compile(
    r"(?:^|[\s_-])(?:(?:post-?|comment-?|relative-?)?(?:date|time|timestamp)|posted(?:-on)?|published)(?=$|[\s_-])",
    re.IGNORECASE,
)
_BODY = re.compile(
    r"(?:^|[\s_-])(?:(?:post|comment|message|reply|answer)-?(?:body|content|text|message)|post_?body|content|cooked"
    r"|bbwrapper|message-?(?:body|content)|s-prose|user-?text)(?=$|[\s_-])",
    re.IGNORECASE,
)
_TEXTS = frozenset({"text", "articleBody", "commentText"})
_DATES = frozenset({"dateCreated", "datePublished", "commentTime"})
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_BY = re.compile(r"^(?:posted |written )?by:?\s+|[:,]$", re.IGNORECASE)
_CLOCK = re.compile(r"T(\d{2}:\d{2})")
_KINDS = (("post", _POST), ("author", _AUTHOR), ("date", _DATE), ("body", _BODY))


@dataclass(frozen=True, slots=True)
class Post:
    """One post: its element, a line of who and when, where those stand in the page, and its text."""

    element: HtmlElement
    byline: str
    heads: tuple[HtmlElement, ...]
    body: HtmlElement | None


def find_posts(page: TextMap) -> list[Post]:
    """The posts of a thread in page order; none when fewer than two look alike."""
    found: list[Post] = []
    seen: set[HtmlElement] = set()
    for element in page.elements:
        if _is_post(element):
            post = _post(element, page)
            if post is not None and seen.isdisjoint(post.heads):
                seen.update(post.heads)
                found.append(post)
    return found if len(found) >= _FEWEST else []


def _is_post(element: HtmlElement) -> bool:
    if element.get("role") == "comment" or _ITEMS.search(element.get("itemtype", "")):
        return True
    return "post" in _kinds(element.get("class", ""))


@lru_cache(maxsize=4096)
def _kinds(names: str) -> frozenset[str]:
    """What a class says that an element is."""
    if not names:
        return frozenset()
    split = _CAMEL.sub("-", names)
    return frozenset(kind for kind, pattern in _KINDS if pattern.search(split))


def _post(element: HtmlElement, page: TextMap) -> Post | None:
    author = date = body = None
    name = day = ""
    for step, inner in enumerate(element.iter("*")):
        if step > _MOST_STEPS or (name and day and body is not None):
            break
        if inner is element:
            continue
        if not name and _says_author(inner) and (name := _name(inner, page)):
            author = inner
        elif not day and _says_date(inner) and (day := _day(inner, page)):
            date = inner
        elif body is None and _says_body(inner) and page.spans[inner][0] < page.spans[inner][1]:
            body = inner
    if not name and not day:
        return None
    body = _behind_heads(body, author, date, page)
    byline = ", ".join(part for part in (f"**{escape(name)}**" if name else "", escape(day)) if part)
    heads = tuple(head for head in (author, date) if head is not None and not _inside(head, body))
    return Post(element, byline, heads, body) if heads else None


def _behind_heads(
    body: HtmlElement | None, author: HtmlElement | None, date: HtmlElement | None, page: TextMap
) -> HtmlElement | None:
    """The text itself, when what is named a body holds the line of who and when before it."""
    inside = [head for head in (author, date) if head is not None and _inside(head, body)]
    if body is None or not inside:
        return body
    last = max(page.spans[head][1] for head in inside)
    most = page.length(*page.spans[body]) / 2  # what is shorter is a comment below the text
    for inner in body.iterdescendants("*"):
        start, stop = page.spans[inner]
        if start >= last and page.length(start, stop) >= most and _says_body(inner):
            return inner
    return body


def _says_author(element: HtmlElement) -> bool:
    if element.get("itemprop") in ("author", "creator") or "author" in element.get("rel", ""):
        return True
    return "author" in _kinds(element.get("class", ""))


def _says_date(element: HtmlElement) -> bool:
    if element.tag == "time" or element.get("itemprop") in _DATES:
        return True
    return "date" in _kinds(element.get("class", ""))


def _says_body(element: HtmlElement) -> bool:
    return element.get("itemprop") in _TEXTS or "body" in _kinds(element.get("class", ""))


def _name(element: HtmlElement, page: TextMap) -> str:
    """A short text: that of the name or link inside, or of the element."""
    for holder in (*_inner_names(element), element):
        text = _BY.sub("", page.text_of(holder)).strip()
        if 0 < len(text) <= _LONGEST_NAME and any(character.isalpha() for character in text):
            return text
    return ""


def _inner_names(element: HtmlElement) -> Iterator[HtmlElement]:
    for inner in element.iterdescendants():
        if inner.get("itemprop") == "name" or inner.tag == "a":
            yield inner


def _day(element: HtmlElement, page: TextMap) -> str:
    """The day and hour in ISO form where a machine may read them, else the words of the page."""
    for holder in (element, *element.iterdescendants("time", "abbr", "span")):
        for name in ("datetime", "content", "title"):
            stated = holder.get(name, "")
            if day := iso_date(stated):
                clock = _CLOCK.search(stated)
                return f"{day} {clock[1]}" if clock else day
    text = page.text_of(element)
    return text if len(text) <= _LONGEST_DATE and any(sign.isdigit() for sign in text) else ""


def _inside(element: HtmlElement, container: HtmlElement | None) -> bool:
    return container is not None and container in element.iterancestors()
