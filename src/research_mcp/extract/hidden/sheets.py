"""The rules of a page's own style sheets that hide something for good."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from research_mcp.extract.hidden.styles import Hiding, declarations, hiding, properties_of

DESKTOP_WIDTH = 1280
"""Pixels of the screen for which media queries are answered."""

_COMMENT = re.compile(r"/\*(?:[^*]|\*(?!/))*+(?:\*/)?")
_PIECE = re.compile(r"([^{}]*+)(?:\{([^{}]*+)\}|([{}]|\Z))")
_MEDIA_WIDTH = re.compile(r"\((min|max)-width:(\d{1,9})(px|em|rem)\)")
_MAY_HIDE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*[hc]|opacity\s*:\s*\.?0|opacity\(|font(?:-size)?\s*:\s*\.?[0-2]"
    r"|indent|-\d{3}|\d{4}|clip|scale|overflow|transparent|a\(|#(?:\w{4}|\w{8})\b|\\"
)
_SELECTOR = re.compile(r"[\w*-]*+(?:[.#][\w-]++)*+(?:[ >]++[\w*-]*+(?:[.#][\w-]++)*+)*+")
_PSEUDO = re.compile(r"::?[\w-]+(?:\([^()]*\))?|\[[^\[\]]*\]")
_COMBINATOR = re.compile(r"[\s>+~]+")
_NAMES = re.compile(r"[.#]?[\w-]+")
_MOST_COMPARED = 200


class Rule(NamedTuple):
    """One block of a style sheet: its selectors as written, its declarations in lower case."""

    selectors: str
    body: str

    def each(self) -> Iterator[str]:
        """The selectors one by one, spaces normalised."""
        for selector in self.selectors.split(","):
            yield " ".join(selector.split())


class Sheet:
    """All rules of a page's <style> elements that hold on a desktop screen."""

    def __init__(self, texts: Iterable[str]) -> None:
        found: dict[Rule, None] = {}
        for text in texts:
            found.update(dict.fromkeys(_blocks(_COMMENT.sub(" ", text) if "/*" in text else text)))
        self.rules = list(found)
        self._declared: dict[str, dict[str, str]] = {}
        self._hides: dict[str, Hiding | None] = {}

    def declared(self, rule: Rule) -> dict[str, str]:
        """The declarations of a rule, parsed once."""
        if rule.body not in self._declared:
            self._declared[rule.body] = declarations(rule.body)
        return self._declared[rule.body]

    def hiding(self, used: frozenset[str]) -> Iterator[tuple[str, Hiding]]:
        """Selectors of tags, classes and ids that hide, and that no rule shows in any state.

        `used` are the page's own classes and ids in lower case; selectors of others are left out.
        """
        found = [
            (selector, _subject(selector), rule, way)
            for rule in self.rules
            if _may_hide(rule.body)
            if (selectors := [selector for selector in rule.each() if _is_plain(selector, used)])
            if (way := self._way(rule))
            for selector in selectors
        ]
        showing = self._rules_about(
            {name for _, names, _, _ in found for name in names}, {way for *_, way in found}
        )
        for selector, names, rule, way in found:
            if names and not self._shown_again(rule, names, showing):
                yield selector, way

    def _way(self, rule: Rule) -> Hiding | None:
        if rule.body not in self._hides:
            self._hides[rule.body] = hiding(self.declared(rule))
        return self._hides[rule.body]

    def _rules_about(
        self, names: set[str], ways: set[Hiding]
    ) -> dict[str, list[tuple[frozenset[str], Rule]]]:
        """The rules whose subject has one of the names, and that may undo one of the ways of hiding."""
        about: dict[str, list[tuple[frozenset[str], Rule]]] = {name: [] for name in names}
        undoes = re.compile("|".join(sorted(properties_of(ways)))).search
        for rule in self.rules if names else ():
            if undoes(rule.body) and not names.isdisjoint(_NAMES.findall(rule.selectors)):
                for selector in rule.each():
                    subject = _subject(selector)
                    if "::" not in selector:
                        for name in subject & names:
                            about[name].append((subject, rule))
        return about

    def _shown_again(
        self, rule: Rule, names: frozenset[str], about: dict[str, list[tuple[frozenset[str], Rule]]]
    ) -> bool:
        rarest = min((about[name] for name in names), key=len)
        return any(
            names <= subject
            and other.body != rule.body
            and hiding({**self.declared(rule), **self.declared(other)}) is None
            for subject, other in rarest[:_MOST_COMPARED]
        )


def _may_hide(body: str) -> bool:
    return _MAY_HIDE.search(body) is not None or ("color" in body and "background" in body)


def _is_plain(selector: str, used: frozenset[str]) -> bool:
    """True for tags, classes and ids without more, when the page has them all."""
    return _SELECTOR.fullmatch(selector) is not None and all(
        name[1:].lower() in used for name in _NAMES.findall(selector) if name[0] in ".#"
    )


def _subject(selector: str) -> frozenset[str]:
    """Tag, classes and ids that the selected element itself must have."""
    last = _COMBINATOR.split(_PSEUDO.sub("", selector).strip())[-1]
    return frozenset(name for name in _NAMES.findall(last) if name != "*")


def _blocks(sheet: str) -> Iterator[Rule]:
    """The rules whose media query holds. A rule in a rule is its own."""
    pieces: list[tuple[str, str, str]] = _PIECE.findall(sheet)
    open_blocks: list[tuple[str, int, bool]] = []  # head, number of the next piece, does not hold
    off = 0  # how many of the open blocks are at-rules that do not hold
    for number, (before, body, brace) in enumerate(pieces, 1):
        if body:
            head = before.rpartition(";")[2].strip()
            if not off and head[:1] != "@":
                yield Rule(head, body.lower())
        elif brace == "{":
            head = before.rpartition(";")[2].strip()
            skipped = head[:1] == "@" and not _holds(head)
            open_blocks.append((head, number, skipped))
            off += skipped
        elif brace and open_blocks:
            head, start, skipped = open_blocks.pop()
            if not off and head[:1] != "@":
                yield Rule(head, _inside(pieces[start:number]))
            off -= skipped
    if open_blocks and not off and open_blocks[-1][0][:1] != "@":
        yield Rule(open_blocks[-1][0], _inside(pieces[open_blocks[-1][1] :]))


def _inside(pieces: list[tuple[str, str, str]]) -> str:
    """The declarations of a rule that holds other rules."""
    return "".join(f"{before}{{{body}}}" if body else before for before, body, _ in pieces).lower()


@lru_cache(maxsize=1024)
def _holds(rule: str) -> bool:
    """Whether an at-rule's block counts on a desktop screen."""
    rule = rule.lower()
    if rule.startswith(("@layer", "@supports")):
        return True
    if not rule.startswith("@media"):
        return False
    condition = "".join(rule.removeprefix("@media").split())
    for word in ("onlyscreen", "screen", "all"):
        condition = condition.removeprefix(word)
    for edge, number, unit in _MEDIA_WIDTH.findall(condition):
        pixels = int(number) * (1 if unit == "px" else 16)
        if (edge == "min" and pixels > DESKTOP_WIDTH) or (edge == "max" and pixels < DESKTOP_WIDTH):
            return False
    return not _MEDIA_WIDTH.sub("", condition).replace("and", "")
