"""Words of queries and results: folded, lightly stemmed; two-character pieces where nobody puts spaces."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_WORD = re.compile(r"[^\W_]+")
_NO_WORD_TO_SPACE = "".join(chr(code) if chr(code).isalnum() else " " for code in range(128))
_UNSPACED = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+")
"""Thai, kana and Han. Korean puts spaces."""
_CYRILLIC_ENDING = re.compile(
    r"(?<=...)(?:ами|ями|ого|его|ому|ему|ыми|ими|ов|ев|ом|ем|ам|ям|ах|ях|ый|ий|ой|[аеиоуыэюяёйьъіїє]+)$"
)
_SUFFIXES = (("ies", "y"), ("sses", "ss"), ("ss", "ss"), ("ing", ""), ("ed", ""), ("s", ""))
STOP_WORDS = frozenset(
    word
    for line in (
        "a an the of in on at to for from by with and or is are was were be been do does did how what who",
        "whom which when where why that this it its as into than then i you your my we our can could should",
        "would will have has had not no",
        "и в во на с со к по из о об от до за для не что как это или а но же ли",
        "der die das den dem des ein eine und oder ist sind mit von zu im auf wie was",
        "le la les un une des du et ou est sont avec dans pour sur que qui",
        "el los las una y es son con en por para que como",
    )
    for word in line.split()
)


def raw_words(text: str) -> list[str]:
    """Lower-case words as they stand: for comparing copies, where nothing may be folded together."""
    return _split(text.lower())


def _split(text: str) -> list[str]:
    """The runs of letters and digits. In plain ASCII, as most text is, five times faster than by pattern."""
    return text.translate(_NO_WORD_TO_SPACE).split() if text.isascii() else _WORD.findall(text)


def words(text: str) -> set[str]:
    """The folded words of a text: accents off, plural and verb endings off."""
    lower = text.lower()
    if lower.isascii():
        return set(map(_stem, _split(lower)))
    lower = "".join(c for c in unicodedata.normalize("NFKD", lower) if not unicodedata.combining(c))
    lower = unicodedata.normalize("NFC", lower)
    found = set()
    for word in _WORD.findall(lower):
        if word.isascii():
            found.add(_stem(word))
        else:
            found.update(_pieces(word))
    return found


def query_words(text: str) -> set[str]:
    """The words that a result can be expected to hold: no stop words, Han text as its pairs alone."""
    kept = " ".join(word for word in raw_words(text) if word not in STOP_WORDS)
    found = words(kept)
    return {word for word in found if len(word) > 1 or not _UNSPACED.fullmatch(word)} or found


@lru_cache(maxsize=20_000)
def _stem(word: str) -> str:
    """`tides`, `tide` -> `tid`; `ferries` -> `ferry`; `baked`, `baking`, `bakes` -> `bak`."""
    if len(word) > 4 and word[-1] in "sgd":
        for suffix, instead in _SUFFIXES:
            if word.endswith(suffix) and len(word) - len(suffix) >= 3:
                word = word[: -len(suffix)] + instead
                break
    return word[:-1] if len(word) > 3 and word[-1] == "e" else word


def _pieces(word: str) -> set[str]:
    """A run without spaces as single characters and pairs; what stands around it whole."""
    if "\u0400" <= word[0] <= "\u04ff":
        return {_CYRILLIC_ENDING.sub("", word)}
    found = set()
    end = 0
    for run in _UNSPACED.finditer(word):
        found.add(word[end : run.start()])
        text = run.group()
        found.update(text)
        found.update(text[at : at + 2] for at in range(len(text) - 1))
        end = run.end()
    found.add(word[end:])
    found.discard("")
    return found
