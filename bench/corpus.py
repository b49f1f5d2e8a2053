"""Pages with the text that a reader would copy: the project's own, or those of a folder.

A folder holds `ground-truth.json` and `html/` (article extraction benchmark), or `ground-truth/*.json`
and `html/`, perhaps below `dev/` (WCXB), or pairs of `X.html` and `X.txt`.
"""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser, LexborNode

from tests.quality.pages.kinds import samples

_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|(?:(?![\u3040-\u30ff\u3400-\u9fff])\w)+")
_URL = "https://bench.example/section/page.html"


@dataclass(frozen=True, slots=True)
class Page:
    """One page; `gold` is its text without markup."""

    html: str
    url: str
    kind: str
    gold: str


def pages(folder: str = "") -> list[Page]:
    """The pages of a folder, or without one the project's own."""
    if not folder:
        return [Page(sample.html, sample.url, sample.kind, sample.gold) for sample in samples()]
    root = Path(folder)
    if (root / "ground-truth.json").exists():
        stated = json.loads((root / "ground-truth.json").read_text())
        return [
            Page(
                _read(root / "html" / f"{name}.html.gz"),
                page.get("url") or _URL,
                "article",
                page["articleBody"],
            )
            for name, page in sorted(stated.items())
        ]
    golds = sorted(root.glob("ground-truth/*.json")) or sorted(root.glob("*/ground-truth/*.json"))
    if golds:
        return [_wcxb(path) for path in golds]
    return [
        Page(_read(path), _URL, "", path.with_suffix(".txt").read_text())
        for path in sorted(root.glob("*.html"))
    ]


def _wcxb(path: Path) -> Page:
    stated = json.loads(path.read_text())
    kind = (stated.get("_internal") or {}).get("page_type") or ""
    html = _read(path.parent.parent / "html" / f"{path.stem}.html.gz")
    named = kind.get("primary", "") if isinstance(kind, dict) else kind
    return Page(html, stated.get("url") or _URL, named, stated["ground_truth"].get("main_content") or "")


def _read(path: Path) -> str:
    data = path.read_bytes()
    data = gzip.decompress(data) if path.suffix == ".gz" else data
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def words(text: str) -> list[str]:
    """Lower-case words, Chinese and Japanese by character."""
    return _WORD.findall(text.lower())


def word_f1(gold: str, text: str) -> float:
    """Harmonic mean of the shares of words that are right and that are found, as bags of words."""
    wanted, found = Counter(words(gold)), Counter(words(text))
    if not wanted:
        return float(not found)
    common = (wanted & found).total()
    return 2 * common / (wanted.total() + found.total())


Structure = dict[str, list[str]]
"""Kind of structure -> what of it stands in the text of a page, each as its words."""


def structure_of(page: Page) -> Structure:
    """Headings, list items, table rows, lines of code and linked words of the page that its gold text holds."""
    tree = LexborHTMLParser(page.html)
    tree.strip_tags(["script", "style", "noscript", "template", "svg", "nav", "header", "footer", "aside"])
    lines = {" ".join(words(line)) for line in page.gold.split("\n")} - {""}
    whole = f" {' '.join(words(page.gold))} "
    return {
        "headings": _held(tree.css("h1,h2,h3,h4,h5,h6"), lines),
        "items": [text for text in _held(tree.css("li"), lines) if len(text.split()) > 2],
        "rows": [text for text in _held(tree.css("tr:has(td)"), lines) if len(text.split()) > 2],
        "code": [
            " ".join(words(line))
            for node in tree.css("pre")
            for line in node.text().split("\n")
            if len(words(line)) > 1 and f" {' '.join(words(line))} " in whole
        ],
        "links": [text for text in _in_sentences(tree) if f" {text} " in whole],
    }


def _held(nodes: list[LexborNode], lines: set[str]) -> list[str]:
    return [text for node in nodes if (text := " ".join(words(node.text(separator=" ")))) in lines]


def _in_sentences(tree: LexborHTMLParser) -> list[str]:
    found = []
    for link in tree.css("p a[href^=http],p a[href^='/']"):
        text = words(link.text(separator=" "))
        around = words(link.parent.text(separator=" ")) if link.parent is not None else []
        if text and len(around) > 2 * len(text):
            found.append(" ".join(text))
    return found


_LINK = re.compile(r"\[((?:[^\[\]\\]|\\.)*)\]\((https?://[^)\s]+)\)")
_PARTS = {
    "headings": re.compile(r"(?m)^ {0,3}#{1,6} (.*)$"),
    "items": re.compile(r"(?m)^\s*(?:[-*+]|\d+[.)]) (.*)$"),
    "rows": re.compile(r"(?m)^ *\|(.*)\| *$"),
    "links": _LINK,
}
_FENCE = re.compile(r"(?ms)^\s*(`{3,})[^\n]*\n(.*?)^\s*\1")


def kept(wanted: Structure, markdown: str) -> dict[str, float]:
    """The share of each kind of structure that a Markdown text has as such."""
    shares = {}
    for kind, texts in wanted.items():
        if not texts:
            continue
        if kind == "code":
            found = [line for block in _FENCE.findall(markdown) for line in block[1].split("\n")]
        else:
            found = [part[0] if isinstance(part, tuple) else part for part in _PARTS[kind].findall(markdown)]
        have = Counter(" ".join(words(plain(text))) for text in found)
        asked = Counter(texts)
        shares[kind] = (asked & have).total() / asked.total()
    return shares


def plain(markdown: str) -> str:
    """Markdown without link targets and escapes."""
    return re.sub(
        r"\\(?=[!-/:-@\[-`{-~])", "", re.sub(r"!?\[((?:[^\[\]\\]|\\.)*)\]\([^)\s]*\)", r"\1", markdown)
    )
