"""Languages as Google and the resellers of its results code them (`hl`)."""

from __future__ import annotations

from collections.abc import Mapping

from research_mcp.core.models import SearchQuery

_CODES = frozenset(
    """
    ach af ak am ar az be bem bg bh bn br bs ca chr ckb co crs cs cy da de ee el en eo es et eu fa fi fo
    fr fy ga gaa gd gl gn gu ha haw hi hr ht hu hy ia id ig is it iw ja jw ka kg kk km kn ko kri ku ky
    la lg ln lo loz lt lua lv mfe mg mi mk ml mn mo mr ms mt ne nl nn no nso ny nyn oc om or pa pcm pl
    ps pt qu rm rn ro ru rw sd sh si sk sl sn so sq sr st su sv sw ta te tg th ti tk tl tn to tr tt tum
    tw ug uk ur uz vi wo xh yi yo zu
    """.split()  # noqa: SIM905
)
_OWN_CODES: Mapping[str, str] = {
    "fil": "tl",
    "he": "iw",
    "jv": "jw",
    "nb": "no",
    "zh": "zh-cn",
}
_VARIANTS: Mapping[tuple[str, str], str] = {
    ("zh", "TW"): "zh-tw",
    ("zh", "HK"): "zh-tw",
    ("zh", "MO"): "zh-tw",
    ("pt", "BR"): "pt-br",
    ("pt", "PT"): "pt-pt",
}


def google_language(query: SearchQuery) -> str:
    """Google's code for the asked language, "" for one that is not on its list."""
    language = query.language
    own = _VARIANTS.get((language, query.variant)) or _OWN_CODES.get(language)
    return own or (language if language in _CODES else "")
