"""Text that a page carries as data, for when its tree shows little: shells, teasers, cut articles.

Sources, the most exact first: JSON-LD bodies and posts, Discourse's preloaded topic, React's flight
data, the state that single-page frameworks leave in a script. All are read with bounds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from selectolax.lexbor import LexborHTMLParser

from research_mcp.extract.html.flight import flight_html
from research_mcp.extract.html.metadata import iso_date
from research_mcp.extract.jsondata import Json, objects, read, read_first, text_at, walk

MOST_TEXT = 600_000
LITTLE = 500  # characters of a page's text below which its data is asked for text
BODY_GAIN = 1.3  # a stated article body has to be longer than the text found by this factor
_TAG = re.compile(
    r"</?(?:p|br|div|h[1-6]|ul|ol|li|a|em|strong|span|blockquote|pre|figure|section|b|i)\b[^<>]{0,400}>"
)
_STATE = re.compile(
    r"(?:__[A-Z][A-Z_]+__|__NUXT__|initialState|preloadedState|initialData)\s*=\s*(?:JSON\.parse\()?"
)
_DATA_IDS = frozenset({"__NEXT_DATA__", "__NUXT_DATA__", "serverApp-state", "ng-state", "shoebox-main"})
_NOT_TEXT = re.compile(
    r"url|href|src|class|style|css|script|svg|icon|token|hash|query|fragment|seo|meta|locale|i18n|translation|messages"
    r"|cookie|consent|legal|config|setting|tracking|analytics|schema|footer|nav|menu|alt$|path|slug|^id$|key|image",
    re.IGNORECASE,
)
_WORDS = re.compile(r"(?<!\S)\S++(?:\s++\S++){5}")
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{12}")


@dataclass(frozen=True, slots=True)
class PageData:
    """The data of a page, as its scripts and attributes hold it. `linked` is its JSON-LD."""

    linked: tuple[Json, ...]
    states: tuple[str, ...]
    scripts: tuple[str, ...]
    preloaded: str


def read_data(tree: LexborHTMLParser) -> PageData:
    """Collect the data of a page before its scripts are dropped; only JSON-LD is parsed at once."""
    linked: list[Json] = []
    states: list[str] = []
    scripts: list[str] = []
    for node in tree.css("script"):
        attributes = node.attributes
        kind = (attributes.get("type") or "").lower()
        text = node.text(deep=True) or ""
        if "ld+json" in kind:
            linked.append(read(text))
        elif attributes.get("id") in _DATA_IDS or (kind == "application/json" and len(text) > LITTLE):
            states.append(text)
        elif "__next_f" in text:
            scripts.append(text)
        elif found := _STATE.search(text[:5_000]):
            states.append(text[found.end() :])
    holder = tree.css_first("[data-preloaded]")
    preloaded = (holder.attributes.get("data-preloaded") or "") if holder is not None else ""
    return PageData(
        tuple(value for value in linked if value is not None), tuple(states), tuple(scripts), preloaded
    )


def rescue(data: PageData, found: int) -> str:
    """HTML of a text that clearly outweighs the `found` characters of the page; "" when none does."""
    body = _body(data.linked)
    if len(body) > LITTLE / 2 and _size(body) > BODY_GAIN * found:
        return body
    if found >= LITTLE:
        return ""
    for candidate in (
        _posts(data.preloaded),
        _thread(data.linked),
        flight_html(list(data.scripts)),
        _prose(data.states),
    ):
        if _size(candidate) > max(LITTLE / 2, 2 * found):
            return candidate[:MOST_TEXT]
    return ""


def _size(html: str) -> int:
    return len(_TAG.sub("", html))


def _body(linked: tuple[Json, ...]) -> str:
    bodies = [
        value
        for root in linked
        for item in objects(root)
        if isinstance(value := item.get("articleBody", item.get("reviewBody")), str)
    ]
    return as_html(max(bodies, key=len, default="")[:MOST_TEXT])


def as_html(text: str) -> str:
    """A text from data as HTML: what holds tags stays, a line of plain text is a paragraph."""
    if _TAG.search(text):
        return text
    if "&lt;" in text and "&gt;" in text:
        return text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"').replace("&amp;", "&")
    return "".join(f"<p>{escape(line, quote=False)}</p>" for line in text.split("\n") if line.strip())


def _thread(linked: tuple[Json, ...]) -> str:
    posts: list[str] = []
    for root in linked:
        for item in objects(root):
            text = item.get("text")
            if isinstance(text, str) and len(text) > 20:
                author = item.get("author")
                name = text_at(author, "name") if isinstance(author, dict) else ""
                posts.append(_post(name, text_at(item, "dateCreated", "datePublished"), as_html(text)))
    return "".join(dict.fromkeys(posts))


def _posts(preloaded: str) -> str:
    """Discourse: a JSON object of JSON texts, one of which holds the topic with its rendered posts."""
    outer = read(preloaded) if preloaded else None
    posts: list[str] = []
    for value in outer.values() if isinstance(outer, dict) else ():
        inner = read(value) if isinstance(value, str) and '"cooked"' in value else value
        for item in objects(inner):
            cooked = item.get("cooked")
            if isinstance(cooked, str):
                posts.append(_post(text_at(item, "username", "name"), text_at(item, "created_at"), cooked))
    return "".join(posts)


def _post(name: str, stated: str, body: str) -> str:
    strong = f"<strong>{escape(name)}</strong>" if name else ""
    head = ", ".join(part for part in (strong, iso_date(stated)) if part)
    return f"<div><p>{head}</p>{body}</div>" if head else f"<div>{body}</div>"


def _prose(states: tuple[str, ...]) -> str:
    """The running text among the strings of a framework's state, in order, each once."""
    texts: dict[str, None] = {}
    size = 0
    for state in states:
        value = read(state)
        for text in _running(value if value is not None else read_first(state)):
            if text not in texts and size < MOST_TEXT:
                texts[text] = None
                size += len(text)
    longest = max(texts, key=len, default="")
    if len(longest) * 2 > size:
        return as_html(longest)
    return "".join(f"<div>{as_html(text)}</div>" for text in texts)


def _running(value: Json) -> Iterator[str]:
    for name, text in walk(value):
        if not isinstance(text, str) or len(text) < 40 or _NOT_TEXT.search(name):
            continue
        if _TAG.search(text) or _WORDS.search(text) or _CJK.search(text):
            yield text
