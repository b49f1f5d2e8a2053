"""Teasers: pages that state, or say at their end, that the rest is for subscribers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, SelectolaxError

from research_mcp.core.wire import JsonValue
from research_mcp.extract.gates import shape_of, tame
from research_mcp.extract.tokens import words_of

TEASER = 2_500
"""Characters: whoever delivers more has delivered the article."""
_GATED_TEXT = 700
_TAIL = 600
_ANCHOR = 40
_NEXT = 200
_DEEPEST = 12
_MOST_JSON = 1_000_000
_MOST_LOOKED_AT = 20
"""Blocks of one page: real pages gate one or two."""

_SIGNS = re.compile(r"[*_`#>|\[\]()]+")
_LINKED_DATA = re.compile(
    r"<script\b[^>]{0,300}\bld\+json[^>]{0,300}>([^<]*+(?:<(?!/script)[^<]*+)*+)", re.IGNORECASE
)
_LOCKED = re.compile(
    r"""<meta\b[^>]{0,200}\b(?:article:content_tier|content_tier)["'][^>]{0,100}\bcontent\s*=\s*["']?locked""",
    re.IGNORECASE,
)
_ENTER = r"(?:subscribe|sign (?:in|up)|log ?in|register|create (?:an?|your) (?:free )?account)"
_PHRASES = re.compile(
    "|".join(
        (
            rf"{_ENTER}\b[^.\n]{{0,60}}\bto (?:continue|keep) reading",
            rf"{_ENTER}\b[^.\n]{{0,40}}\bto read (?:the (?:full|rest|whole)|this)",
            r"(?:continue|keep) reading (?:(?:this|your) (?:article|story) )?with a\b",
            r"subscribe to (?:read|unlock)(?: (?:this|the)\b[^.\n]{0,20}(?:article|story|post)|\W*$| \|)",
            r"for (?:paid )?subscribers only|subscribers[- ]only|members?[- ]only (?:story|content)",
            (
                r"this (?:post|article|content|story) is (?:for|available to|reserved for|exclusive to)"
                r" (?:paid |paying )?(?:subscribers|members)"
            ),
            r"(?:reached|used) your (?:limit of )?(?:\w+ )?free articles?",
            r"free articles? (?:left|remaining|limit)",
            r"become a (?:paid )?(?:member|subscriber) to (?:read|unlock|continue)",
            r"unlock (?:this|the full) (?:article|story|post)",
            r"jetzt (?:weiterlesen|abonnieren)|weiterlesen mit\b|(?:nur|exklusiv) für abonnent",
            r"um [^.\n]{0,40}weiterzulesen|mit [^.\n]{0,30}abo weiterlesen",
            r"réservée?s? (?:aux|à nos) abonnés|abonnez-vous pour (?:lire|continuer)",
            r"% de cet article à (?:lire|découvrir)",
            r"(?:contenido )?exclusivo para suscriptores",
            r"suscríb(?:ete|ase) para (?:seguir|continuar) leyendo",
            r"abbonati per (?:continuare|leggere)|(?:riservato|solo per) (?:gli |agli )?abbonati",
            r"(?:assine|assinatura) para (?:continuar|ler)|exclusivo para assinantes",
            r"(?:word abonnee|abonneer)[^.\n]{0,30} (?:om|en) (?:verder|lees)|alleen voor abonnees",
            r"tylko dla (?:prenumeratorów|subskrybentów)|wykup (?:dostęp|prenumeratę)",
            r"только (?:для|по) подписчик|чтобы (?:читать дальше|продолжить чтение)|доступен? по подписке",
            r"(?:for|kun for|endast för|bara för) (?:abonnenter|prenumeranter)\b",
            r"この記事は(?:有料|会員)(?:会員)?限定|続きを読むには",
            r"订阅(?:后|後)(?:即可)?(?:继续|繼續)?阅读|구독자 전용 기사",
        )
    ),
    re.IGNORECASE,
)
# A demand is the page's own; those who write about paywalls speak of readers, and quote.
_OF_OTHERS = re.compile(
    r"\b(?:readers?|visitors?|users?|people|customers?|them|someone|anyone|they)\b[^.!?\n]{0,25}$|[\"“'‘`«„][^.!?\n\"”'’`»]{0,40}$",
    re.IGNORECASE,
)
_BEFORE = 60
_KNOWN_HERE = re.compile(r"already a (?:subscriber|member)\b", re.IGNORECASE)
_HINTS = "[class*=paywall],[id*=paywall],[class*=regwall],[class*=meteredContent],[class*=subscriber-only]"
_HINT_NAMES = ("paywall", "regwall", "meteredcontent", "subscriber-only")


def teaser(html: str, text: str, title: str = "") -> bool:
    """True when `text` is only the free start of what the page sells, or the title itself asks for money.

    A page that merely states a paywall is none: many send the statement with the whole article.
    """
    tail = text[-_TAIL:]
    if len(text) < TEASER and _PHRASES.match(title):
        return True
    if len(text) < TEASER and (_demands(tail) or _KNOWN_HERE.search(tail) or _LOCKED.search(html)):
        return True
    if len(text) < TEASER and _demands(_behind(html, text)):
        return True
    if len(text) >= 2 * TEASER:
        return False
    lowered = html.lower()
    hinted = len(text) < TEASER and any(name in lowered for name in _HINT_NAMES)
    stated = "isaccessibleforfree" in lowered
    if not hinted and not stated:
        return False
    shape = shape_of(html)
    if shape.hopeless:
        return False
    tree = LexborHTMLParser(tame(html, shape))
    if hinted and any(_demands(node.text(separator=" ")) for node in tree.css(_HINTS)[:_MOST_LOOKED_AT]):
        return True
    return stated and _gate_is_shut(html, tree)


def _demands(text: str) -> bool:
    """True when a text asks its reader for money or a name."""
    return any(
        not _OF_OTHERS.search(text[max(0, found.start() - _BEFORE) : found.start()])
        for found in _PHRASES.finditer(text)
    )


def _behind(html: str, text: str) -> str:
    """The words that follow the extracted text on the page: a converter may have left them out."""
    words = words_of(html)
    last = " ".join(_SIGNS.split(text.rstrip())[-1].split())[-_ANCHOR:]
    at = words.rfind(last) if len(last) >= _ANCHOR // 2 else -1
    return words[at + len(last) :][:_NEXT] if at >= 0 else ""


def _gate_is_shut(html: str, tree: LexborHTMLParser) -> bool:
    """Whether the block that structured data calls gated is missing or next to empty."""
    free, selectors = True, set[str]()
    for item in _linked_data(html):
        if _says_no(item.get("isAccessibleForFree")):
            free = False
            selector = item.get("cssSelector")
            selectors.update([selector] if isinstance(selector, str) else [])
    if free or not selectors:
        return False
    gated = 0
    for selector in sorted(selectors)[:_MOST_LOOKED_AT]:
        try:
            gated = max(gated, *(len(node.text()) for node in tree.css(selector)), 0)
        except SelectolaxError:
            continue
    return gated < _GATED_TEXT


def _says_no(value: JsonValue) -> bool:
    return value is False or (isinstance(value, str) and value.lower() == "false")


def _linked_data(html: str) -> Iterator[dict[str, JsonValue]]:
    """Every object in the page's JSON-LD."""
    for found in _LINKED_DATA.finditer(html):
        if len(found[1]) <= _MOST_JSON:
            try:
                value: JsonValue = json.loads(found[1])
            except (ValueError, RecursionError):
                continue
            yield from _objects(value, 0)


def _objects(value: JsonValue, depth: int) -> Iterator[dict[str, JsonValue]]:
    if depth > _DEEPEST:
        return
    if isinstance(value, dict):
        yield value
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for item in inside:
        yield from _objects(item, depth + 1)
