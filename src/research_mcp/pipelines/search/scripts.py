"""Which script a language is written in: enough to see that a result is in another language."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Mapping

_SCRIPTS: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(("ru", "uk", "be", "bg", "mk", "kk", "ky", "mn", "tg"), frozenset({"CYRILLIC"})),
    "sr": frozenset({"CYRILLIC", "LATIN"}),
    "el": frozenset({"GREEK"}),
    "he": frozenset({"HEBREW"}),
    **dict.fromkeys(("ar", "fa", "ur", "ps"), frozenset({"ARABIC"})),
    **dict.fromkeys(("hi", "mr", "ne"), frozenset({"DEVANAGARI"})),
    "bn": frozenset({"BENGALI"}),
    "ta": frozenset({"TAMIL"}),
    "th": frozenset({"THAI"}),
    "ka": frozenset({"GEORGIAN"}),
    "hy": frozenset({"ARMENIAN"}),
    "zh": frozenset({"CJK"}),
    "ja": frozenset({"CJK", "HIRAGANA", "KATAKANA"}),
    "ko": frozenset({"HANGUL", "CJK"}),
}
_LATIN = frozenset({"LATIN"})
_LOOKED_AT = 200


def in_script_of(language: str, text: str) -> bool:
    """False when `text` is mostly in letters that `language` (ISO 639-1) is not written in."""
    if not language:
        return True
    scripts = Counter(
        unicodedata.name(char, "").partition(" ")[0] for char in text[:_LOOKED_AT] if char.isalpha()
    )
    if not scripts:
        return True
    wanted = _SCRIPTS.get(language, _LATIN)
    return 2 * sum(scripts[script] for script in wanted) >= scripts.total()
