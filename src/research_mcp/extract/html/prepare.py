"""From HTML to a clean tree: parsed as browsers do, without what is never text."""

from __future__ import annotations

import re

from lxml import etree
from lxml.html import HtmlComment, HtmlElement, HTMLParser, HtmlProcessingInstruction, document_fromstring
from selectolax.lexbor import LexborHTMLParser, LexborNode

from research_mcp.extract.html import formulas, tables
from research_mcp.extract.html.footnotes import is_way_back
from research_mcp.extract.html.tags import HEADINGS

_NEVER_TEXT = [
    "style", "template", "svg", "iframe", "object", "embed", "applet", "canvas", "audio", "video", "map",
    "select", "textarea", "input", "datalist", "progress", "meter", "noembed", "noframes", "dialog",
    "title", "link", "meta", "frameset",
]  # fmt: skip
_ANCHOR_SIGN = re.compile(
    r"(?:^|[\s_-])(?:header-?link|hash-?link|perma-?link|anchor(?:js)?(?:-?link)?|octicon|heading-?link)",
    re.IGNORECASE,
)
_SIGN_WORDS = frozenset({"link", "permalink", "anchor", "direct link", "copy link"})
_LABELS = HEADINGS | {"summary", "dt"}
_WAYS = ("skip to", "jump to", "back to top", "go to top", "return to top")
_EDIT_SIGN = re.compile(r"(?:^|\s)mw-editsection(?:\s|$)")
_PLACE_SIGNS = frozenset({"¶", "#", "§", "🔗"})  # a link to the place where it stands
_SIGNS = re.compile(r"^[\W_]*$")
_TARGET = "target"  # no tag of HTML
_LINES = bytes.maketrans(b"\x0b\x0c", b"\n\n")  # form feeds part the pages of old texts
_REFUSED = bytes({*range(0x20)} - {*b"\t\n\x0b\x0c\r"})
_QUESTION = 15  # characters; shorter ones ("Help?") open a box of their own
_NOSCRIPT_MIN = 200  # characters; shorter ones ask to turn scripts on
_NOSCRIPT_SHARE = 1.0
# One class for all elements: lxml's own table of classes by tag is asked in Python for each.
_CLASSES = etree.ElementDefaultClassLookup(
    element=HtmlElement, comment=HtmlComment, pi=HtmlProcessingInstruction
)


def clean(tree: LexborHTMLParser) -> HtmlElement | None:
    """The tree for extraction, `None` when the page has no body text to speak of."""
    for node in tree.css("script"):
        if not (node.attributes.get("type") or "").startswith("math/tex"):
            node.decompose()
    for box in tree.css("li input[type=checkbox][disabled]"):
        box.replace_with("[x] " if "checked" in box.attributes else "[ ] ")
    tree.strip_tags(_NEVER_TEXT)
    _settle_noscript(tree)
    html = _writable(tree.html or "")
    if not html.strip():
        return None
    parser = HTMLParser(huge_tree=True, remove_comments=True, remove_pis=True, encoding="utf-8")
    parser.set_element_class_lookup(_CLASSES)
    root = document_fromstring(html, parser=parser)
    if any(sign in html for sign in formulas.SIGNS):
        formulas.rewrite(root)
    etree.strip_elements(root, "script", with_tail=False)
    _free_targets(root)
    _drop_signs(root)
    if b"aria-hidden" in html:
        _drop_copies(root)
    for cell in root.iter("td", "th"):
        tables.set_spans(cell)
    return root


def _free_targets(root: HtmlElement) -> None:
    """An <a> that only names a place is no link, though it may stand round a heading or all that follows."""
    anchors = root.xpath("//a[not(@href)][@name or @id]")
    for anchor in anchors:
        anchor.tag = _TARGET
    if anchors:
        etree.strip_tags(root, _TARGET)


def _writable(html: str) -> bytes:
    """UTF-8, which is parsed fastest, without the signs that a tree refuses to write."""
    written = html.encode("utf-8", "ignore").translate(_LINES, _REFUSED)
    return written.replace("\ufffe".encode(), b"").replace("\uffff".encode(), b"")


def _settle_noscript(tree: LexborHTMLParser) -> None:
    """Text for readers without scripts counts when it outweighs what the page shows them otherwise."""
    nodes = tree.css("noscript")
    sizes = [_size(node) for node in nodes]
    inside = sum(sizes)
    outweighs = max(sizes, default=0) >= _NOSCRIPT_MIN and inside > _NOSCRIPT_SHARE * (
        _size(tree.body) - inside
    )
    for node, size in zip(nodes, sizes, strict=True):
        if outweighs and size >= _NOSCRIPT_MIN:
            node.unwrap()
        else:
            node.decompose()


def _size(node: LexborNode | None) -> int:
    """Characters of text under a node, runs of space counted once."""
    return len(" ".join(node.text(separator=" ").split())) if node is not None else 0


def _drop_signs(root: HtmlElement) -> None:
    """Buttons that neither stand in a heading nor ask, the anchor sign of headings, the way back of notes."""
    for button in list(root.iter("button")):
        if any(ancestor.tag in _LABELS for ancestor in button.iterancestors()):
            button.drop_tag()
        elif _asks(button):
            button.tag = "summary"
        else:
            button.drop_tree()
    for heading in root.iter(*HEADINGS):
        for link in list(heading.iter("a", "span")):
            if _is_sign(link, heading):
                link.drop_tree()
    for link in [link for link in root.iter("a") if link.get("href", "").startswith("#")]:
        text = _text(link).strip()
        if text in _PLACE_SIGNS or is_way_back(link, text) or _is_skip(link, text):
            link.drop_tree()


def _drop_copies(root: HtmlElement) -> None:
    """A text in two forms side by side, one to be seen and one to be read out: "$34.99" twice."""
    for shown in [span for span in root.iter("span") if span.get("aria-hidden") == "true"]:
        spoken = shown.getprevious()
        if spoken is None or spoken.tag != "span":
            continue
        if not (spoken.tail or "").strip() and _letters(spoken) == _letters(shown) != "":
            shown.drop_tree()


def _letters(element: HtmlElement) -> str:
    return "".join(_text(element).split())


def _text(element: HtmlElement) -> str:
    return "".join(str(part) for part in element.itertext())


def _asks(button: HtmlElement) -> bool:
    """True for a question whose answer the button unfolds."""
    text = _text(button).strip()
    return (
        len(text) >= _QUESTION
        and text.endswith(("?", "\N{FULLWIDTH QUESTION MARK}"))
        and len(text.split()) > 1
    )


def _is_skip(link: HtmlElement, text: str) -> bool:
    """True for the link to the text or back to its top, for people who use the keyboard."""
    return "skip" in link.get("class", "").lower() or text.lower().startswith(_WAYS)


def _is_sign(element: HtmlElement, heading: HtmlElement) -> bool:
    if element.tag == "span":
        return bool(_EDIT_SIGN.search(element.get("class", "")))
    text = _text(element).strip()
    if not element.get("href", "").startswith("#") and "#" not in element.get("href", ""):
        return False
    if _SIGNS.match(text):
        return bool(text)
    named = _ANCHOR_SIGN.search(f"{element.get('class', '')} {element.get('aria-label', '')}")
    whole = _text(heading).strip()
    return bool(named) and len(text) < len(whole) and text.lower() in _SIGN_WORDS
