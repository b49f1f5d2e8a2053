"""Scores of a Markdown text against what a page holds: words, structure, links."""

from __future__ import annotations

import re
from collections import Counter

from tests.quality.pages.content import Sample

_WORD = re.compile(r"\w+")
_LINK = re.compile(r"\[([^\]]*)\]\(([^)\s]*)\)")
_MARKS = re.compile(r"(?m)^\s*(?:#{1,6} |> |[-*] |\d+\. |\|(?: --- \|)+$|```\w*$)|[*`|]|<br>")


def plain(markdown: str) -> str:
    """Markdown without its signs and targets."""
    return _MARKS.sub(" ", _LINK.sub(r"\1", markdown))


def word_f1(gold: str, markdown: str) -> float:
    """Harmonic mean of the shares of words that are right and that are found, as bags of words."""
    wanted, found = Counter(_WORD.findall(gold.lower())), Counter(_WORD.findall(plain(markdown).lower()))
    common = sum((wanted & found).values())
    return 2 * common / (wanted.total() + found.total()) if common else 0.0


def structure(sample: Sample, markdown: str) -> dict[str, tuple[int, int]]:
    """For each kind of structure: how many came out right, of how many."""
    lines = Counter(line.strip() for line in markdown.split("\n"))
    links = set(_LINK.findall(markdown))
    content = sample.content
    plain_heads = Counter(_LINK.sub(r"\1", line) for line in lines.elements() if line.startswith("#"))
    return {
        "headings": _hits([f"{'#' * level} {text}" for level, text in content.headings], plain_heads),
        "items": (
            sum(
                1 for item in content.items if re.search(rf"(?m)^\s*(?:-|\d+\.) {re.escape(item)}$", markdown)
            ),
            len(content.items),
        ),
        "links": (sum(1 for link in content.links if link in links), len(content.links)),
        "rows": _hits([f"| {' | '.join(row)} |" for row in content.rows], lines),
        "code": (sum(1 for code in content.code if f"```python\n{code}\n```" in markdown), len(content.code)),
    }


def _hits(wanted: list[str], found: Counter[str]) -> tuple[int, int]:
    return sum(1 for text in wanted if found[text]), len(wanted)


def wrong_links(sample: Sample, markdown: str) -> list[tuple[str, str]]:
    """Links of the text whose target is not the one that the page gives them, or is not absolute."""
    right = dict(sample.content.links)
    return [
        (text, target)
        for text, target in _LINK.findall(markdown)
        if target and (not target.startswith("https://") or (text in right and right[text] != target))
    ]
