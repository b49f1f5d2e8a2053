"""The running text of JATS: emphasis, links, formulas; citation marks dropped."""

from __future__ import annotations

import re

from research_mcp.providers.kit.markup import XmlElement

_HREF = "{http://www.w3.org/1999/xlink}href"
_DEEPEST = 60
_AROUND = {"italic": "*", "bold": "**", "monospace": "`"}
_TEX_BODY = re.compile(r"\\begin\{document\}(.*?)\\end\{document\}", re.DOTALL)
_DROPPED = frozenset({"graphic", "inline-graphic", "media", "object-id", "fn", "label-alternatives"})
_LINES = ("p", "title", "sec", "list", "list-item", "break", "tr", "def")
_SHORT = 12


def flat(text: str) -> str:
    """Text on one line."""
    return " ".join(text.split())


def inline(element: XmlElement, *, spaced: bool = False) -> str:
    """The Markdown of an element of running text; `spaced` keeps the space at its ends."""
    text = _inline(element, 0)
    return text if spaced else flat(text)


def first(element: XmlElement | None, path: str) -> str:
    """The Markdown of what `path` leads to, "" when it leads nowhere."""
    found = None if element is None else element.first(path)
    return "" if found is None else inline(found)


def verbatim(element: XmlElement) -> str:
    """All its text as it was written, line ends included."""
    return "".join(piece if isinstance(piece, str) else verbatim(piece) for piece in element.pieces)


def formula(element: XmlElement) -> str:
    """A formula's TeX, else the letters of its MathML."""
    tex = element if element.name == "tex-math" else element.first(".//tex-math")
    if tex is None:
        math = element.first(".//{*}math")
        return (math or element).text
    body = _TEX_BODY.search(tex.text)
    return (body[1] if body else tex.text).strip().strip("$").strip()


def _inline(element: XmlElement, depth: int) -> str:
    name = element.name
    if name in _DROPPED or _is_mark(element):
        return ""
    if name in ("inline-formula", "tex-math", "math", "disp-formula"):
        return f"${formula(element)}$"
    inner = element.text if depth > _DEEPEST else _pieces(element, depth)
    if name in _AROUND:
        return _wrapped(inner, _AROUND[name])
    if name == "sup":
        return f"^{inner.strip()}" if 0 < len(inner.strip()) <= _SHORT else inner
    if name in ("ext-link", "uri") and (href := element.attribute(_HREF)):
        return f"[{flat(inner) or href}]({href})" if href.startswith(("http://", "https://")) else inner
    return f" {inner} " if name in _LINES else inner


def _pieces(element: XmlElement, depth: int) -> str:
    return "".join(piece if isinstance(piece, str) else _inline(piece, depth + 1) for piece in element.pieces)


def _is_mark(element: XmlElement) -> bool:
    """A raised number that points to a reference, be the raising around the pointer or in it."""
    inner = {"sup": "xref", "xref": "sup"}.get(element.name, "")
    return bool(inner) and element.first(inner) is not None


def _wrapped(text: str, mark: str) -> str:
    """`text` between marks, the space at its ends outside of them."""
    bare = text.strip()
    if not bare:
        return text
    before, _, after = text.partition(bare)
    return f"{before}{mark}{bare}{mark}{after}"
