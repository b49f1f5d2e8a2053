"""Code: lines and indentation as the page shows them, the language when it is stated."""

from __future__ import annotations

import re

from lxml.html import HtmlElement

from research_mcp.extract.locate.textmap import MARKS

_LANGUAGE = re.compile(
    r"(?:^|[\s_-])(?:lang(?:uage)?|highlight-source|highlight|brush|prism)(?:[-_]|:\s*)"
    r"([A-Za-z][\w+#.-]{0,19})"
)
_NO_LANGUAGE = frozenset(
    {
        "area",
        "block",
        "blocks",
        "body",
        "box",
        "code",
        "container",
        "content",
        "copy",
        "default",
        "example",
        "figure",
        "frame",
        "group",
        "header",
        "highlight",
        "highlighted",
        "hljs",
        "inner",
        "line",
        "line-numbers",
        "linenos",
        "lines",
        "none",
        "notranslate",
        "plain",
        "plaintext",
        "pre",
        "shell-session-copy",
        "snippet",
        "source",
        "tab",
        "tabs",
        "text",
        "toolbar",
        "wrap",
        "wrapper",
    }
)
_SOURCE_CODE = re.compile(
    r"(?:^|\s)(?:sourceCode|hljs|prettyprint|sh_|code)\s+([A-Za-z][\w+#-]{0,19})(?:\s|$)"
)
_GUTTER = re.compile(
    r"(?:^|[\s_-])(?:line-?nos?|linenos?|line-?num(?:ber)?s?(?:-rows)?|line_numbers?|gutter|rouge-gutter|blob-num"
    r"|ln-num|hljs-ln-(?:numbers|n)|lineno-container)(?:$|[\s_-])",
    re.IGNORECASE,
)
_BLOCKS = frozenset({"div", "p", "li", "tr", "table", "tbody", "ol", "ul", "pre"})
_SKIPPED = frozenset({"button", "script", "style"})
_BACKTICKS = re.compile(r"`+")


def is_gutter(element: HtmlElement) -> bool:
    """True for a column or span that only counts lines."""
    named = _GUTTER.search(f"{element.get('class', '')} {element.get('id', '')}")
    return bool(named or element.get("data-line-number")) and _digits_only(element)


def _digits_only(element: HtmlElement) -> bool:
    words = MARKS.sub("", "".join(str(part) for part in element.itertext())).split()
    return all(word.strip(".:|").isdigit() for word in words)


def code_text(element: HtmlElement) -> str:
    """The lines of a code block: <br>, <div> and table rows end a line, gutters are left out."""
    pieces: list[str] = []
    _collect(element, pieces)
    text = MARKS.sub("", "".join(pieces)).replace("\r\n", "\n").replace("\u00a0", " ")
    lines = [line.rstrip() for line in text.split("\n")]
    while lines and not lines[0]:
        lines.pop(0)
    while lines and not lines[-1]:
        lines.pop()
    return "\n".join(lines)


def _collect(root: HtmlElement, pieces: list[str]) -> None:
    """Iterative on purpose: highlighters nest spans as deep as the page likes."""
    stack: list[tuple[HtmlElement, bool]] = [(root, False)]
    while stack:
        element, done = stack.pop()
        block = element is not root and element.tag in _BLOCKS
        if block and pieces and not pieces[-1].endswith("\n"):
            pieces.append("\n")
        if not done:
            if element.tag == "br":
                pieces.append("\n")
            skipped = element is not root and (element.tag in _SKIPPED or is_gutter(element))
            if not skipped:
                pieces.append(element.text or "")
                stack.append((element, True))
                stack.extend((child, False) for child in reversed(element))
                continue
        if element is not root and element.tail:
            pieces.append(element.tail)


def language_of(element: HtmlElement) -> str:
    """The language that the block, its code child or a close wrapper states; "" when none does."""
    near: list[HtmlElement] = [*element.iter("code"), element]
    for ancestor in element.iterancestors():
        if len(near) > 5 or ancestor.tag in ("body", "main", "article", "section", "li"):
            break
        near.append(ancestor)
    for candidate in near[:8]:
        for attribute in ("data-lang", "data-language", "lang-name"):
            stated = candidate.get(attribute, "").strip().lower()
            if stated and stated not in _NO_LANGUAGE and re.fullmatch(r"[\w+#.-]{1,20}", stated):
                return str(stated)
        classes = candidate.get("class", "")
        for pattern in (_LANGUAGE, _SOURCE_CODE):
            for found in pattern.findall(classes):
                if found.lower() not in _NO_LANGUAGE:
                    return str(found).lower()
    return ""


def fence(code: str, language: str = "") -> str:
    """A fenced block whose fence is longer than any run of backticks inside."""
    longest = max((len(run) for run in _BACKTICKS.findall(code)), default=0)
    ticks = "`" * max(3, longest + 1)
    return f"{ticks}{language}\n{code}\n{ticks}"


def code_span(code: str) -> str:
    """Inline code, with as many backticks as its text needs."""
    code = " ".join(code.split())
    if not code:
        return ""
    longest = max((len(run) for run in _BACKTICKS.findall(code)), default=0)
    if not longest:
        return f"`{code}`"
    ticks = "`" * (longest + 1)
    return f"{ticks} {code} {ticks}"
