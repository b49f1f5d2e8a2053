"""Formulas: the TeX that a page carries beside what it draws, or MathML spelled out.

Runs on the tree before its text is numbered. Each formula becomes one <span> with an attribute, so
that extractors see a word and the converter writes `$...$` untouched.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from lxml.html import HtmlElement

ATTRIBUTE = "formula"  # "inline" or "display"; the page's own attribute of that name is dropped
SIGNS = (b"<math", b"math/tex", b" formula=")
"""What markup as a parser writes it must hold one of, or `rewrite` finds nothing to do."""

_DRAWN = re.compile(
    r"(?:^|\s)(?:MathJax(?:_Display|_Preview|_SVG\w*)?|MathJax_CHTML|MJX_Assistive_MathML)(?:\s|$)"
)
_CONTAINER = re.compile(r"(?:^|\s)(?:katex|katex-display|mwe-math-element|math|mathjax)(?:\s|$)")
_TEX_TEXT = re.compile(r"\\\((.{1,600}?)\\\)|\\\[(.{1,2000}?)\\\]|\$\$(.{1,2000}?)\$\$", re.DOTALL)
_STYLED = re.compile(r"^\{\\(?:display|text)style\s*(.*)\}$", re.DOTALL)
_TYPESETTERS = ("mathjax", "MathJax", "katex", "KaTeX", "arithmatex", 'class="math inline"')
_BINARY = {"mfrac": r"\frac{%s}{%s}", "msup": "%s^{%s}", "msub": "%s_{%s}"}
_MAX_DEPTH = 40


def rewrite(root: HtmlElement) -> None:
    """Replace every formula under `root` by a <span> that holds its TeX."""
    for element in root.xpath("//*[@formula]"):
        del element.attrib[ATTRIBUTE]
    for script in root.xpath("//script[starts-with(@type, 'math/tex')]"):
        display = "mode=display" in script.get("type", "")
        _drop_drawing(script)
        _replace(script, script.text or "", display)
    for element in list(root.iter("math")):
        if element.getparent() is None or root not in element.iterancestors():
            continue
        tex = _annotation(element) or _spell(element, 0)
        outer = _outermost(element)
        display = element.get("display") == "block" or "katex-display" in outer.get("class", "")
        _replace(outer, tex, display)


def runs_tex(html: str) -> bool:
    """True when a script of the page typesets TeX between `\\(` and `\\)`."""
    return any(name in html for name in _TYPESETTERS)


def split_tex(text: str, plain: Callable[[str], str]) -> str:
    """Text with raw TeX in it: `plain` is applied to what stands between the formulas."""
    pieces: list[str] = []
    end = 0
    for found in _TEX_TEXT.finditer(text):
        pieces.append(plain(text[end : found.start()]))
        inline, block, dollars = found.groups()
        pieces.append(written(inline or block or dollars, display=inline is None))
        end = found.end()
    return "".join([*pieces, plain(text[end:])])


def written(tex: str, *, display: bool) -> str:
    """`$tex$`, or `$$tex$$` for a formula of its own."""
    tex = " ".join(tex.split())
    sign = "$$" if display else "$"
    return f"{sign}{tex}{sign}" if tex else ""


def _replace(element: HtmlElement, tex: str, display: bool) -> None:
    tex = " ".join(tex.split())
    parent = element.getparent()
    if parent is None:
        return
    span = parent.makeelement("span", {ATTRIBUTE: "display" if display else "inline"})
    span.text, span.tail = tex or None, element.tail
    parent.replace(element, span)


def _drop_drawing(script: HtmlElement) -> None:
    """MathJax 2 draws beside the script that holds the source: before it, in one to three spans."""
    previous = script.getprevious()
    while previous is not None and _DRAWN.search(previous.get("class", "")):
        before = previous.getprevious()
        tail = previous.tail or ""
        if tail.strip():
            break
        previous.getparent().remove(previous)
        previous = before


def _outermost(element: HtmlElement) -> HtmlElement:
    """The wrapper that draws this formula and nothing else."""
    outer = element
    for ancestor in element.iterancestors():
        classes = ancestor.get("class", "")
        if ancestor.tag == "mjx-container" or _CONTAINER.search(classes) or "katex-mathml" in classes:
            if len(ancestor.xpath(".//math")) > 1:
                break
            outer = ancestor
        elif ancestor.tag not in ("span", "mjx-assistive-mml", "semantics"):
            break
    return outer


def _annotation(math: HtmlElement) -> str:
    for note in math.iter("annotation"):
        if "tex" in note.get("encoding", "").lower() and (note.text or "").strip():
            return _unstyled(note.text or "")
    return _unstyled(math.get("alttext", ""))


def _unstyled(tex: str) -> str:
    found = _STYLED.match(tex.strip())
    return (found.group(1) if found else tex).strip()


def _spell(element: HtmlElement, depth: int) -> str:
    """MathML without a TeX annotation, spelled in TeX: enough for fractions, powers and roots."""
    if depth > _MAX_DEPTH:
        return " ".join(str(text).strip() for text in element.itertext())
    if element.tag in ("annotation", "annotation-xml"):
        return ""
    parts = [_spell(child, depth + 1) for child in element]
    text = (element.text or "").strip()
    if element.tag == "msqrt":
        return rf"\sqrt{{{' '.join(parts)}}}"
    if element.tag == "mroot" and len(parts) == 2:
        return rf"\sqrt[{parts[1]}]{{{parts[0]}}}"
    if element.tag in ("msubsup", "munderover") and len(parts) == 3:
        return f"{parts[0]}_{{{parts[1]}}}^{{{parts[2]}}}"
    if element.tag in _BINARY and len(parts) == 2:
        return _BINARY[element.tag] % (parts[0], parts[1])
    if element.tag == "mtr":
        return " & ".join(parts) + r" \\"
    return " ".join(part for part in [text, *parts] if part)
