"""Short notices in the page's place: closed for works, for a region, for the young, queues, domains for sale.

Pages speak of all these things, so a notice counts only when the text is short and says it to the
visitor in a sentence of its own. What is quoted or code is not looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from research_mcp.core.errors import Reason
from research_mcp.extract.verdicts.lines import lines_of
from research_mcp.extract.verdicts.shell import Seen

_MOST = 600
"""Characters of extracted text: whoever says more shows a page."""
_BARE = 80
"""Characters beside a heading that may be the whole notice."""
_FEW_LINKS = 8
_LARGE = 300_000
_SENTENCE = re.compile(r"(?<=[.!?…。！？])\s+|(?<=[。！？])")
_LINK = re.compile(r"!?\[([^\[\]\n]{0,300})\]\([^()\s]{0,2000}\)")
_OPENING = re.compile(
    r"(?:(?:(?:we are )?sorry(?: for (?:the|any) inconvenience)?,? but|sorry|oops|unfortunately|leider"
    r"|désolée?s?|lo sentimos|к сожалению)[,.!:]? )+"
)
_CHOICE = re.compile(
    r"<(?:button|input|select)\b|[>\[]\s{0,20}(?:enter|yes|no|ja|oui|sí|si|да)\b", re.IGNORECASE
)

_SITE = r"(?:(?:we(?: are|'re)|(?:the|this|our) (?:web ?)?(?:site|page|service|store|shop) is|it is) )"
_MAINTENANCE = re.compile(
    rf"{_SITE}?(?:currently |briefly |temporarily |now )?(?:unavailable|down|offline|closed)"
    r" (?:for|due to) (?:\w+ ){0,2}maintenance"
    rf"|{_SITE}(?:currently |now )?(?:performing|undergoing|doing|carrying out|in|under)"
    r" (?:\w+ ){0,3}maintenance"
    r"|(?:site|website|service) (?:is )?(?:under|down for|temporarily down for) (?:\w+ )?maintenance[.!]?$"
    r"|we(?: wi|')ll be back [^.]{0,80}\b(?:performing|maintenance)"
    r"|(?:die|diese|unsere)\b[^.]{0,30}(?:seite|website|shop)\b[^.]{0,30}(?:gewartet|wartung)"
    r"|wegen wartungsarbeiten|wir führen [^.]{0,30}wartungsarbeiten"
    r"|(?:le |notre |ce )?site (?:est )?(?:actuellement |temporairement )?en (?:cours de )?maintenance[.!]?$"
    r"|(?:el |este |nuestro )?sitio (?:web )?(?:está )?(?:actualmente )?en mantenimiento[.!]?$"
    r"|estamos [^.]{0,20}mantenimiento"
    r"|(?:il |questo )?sito (?:è )?(?:attualmente )?in manutenzione[.!]?$"
    r"|(?:o |este )?site (?:está )?em manutenção[.!]?$|(?:de |onze )?(?:web)?site is [^.]{0,20}in onderhoud"
    r"|(?:на сайте|сайт)\b[^.]{0,40}техническ\w+ (?:работ|обслуж)|ведутся технические работы"
    r"|(?:strona|serwis)\b[^.]{0,30}(?:przerw\w+ techniczn|w trakcie konserwacji)"
    r"|(?:网站|系统|本站)[^。]{0,8}维护|(?:ただいま|現在)[^。]{0,16}メンテナンス"
)
_REGION = re.compile(
    r"(?:this|the|our) (?:content|video|page|(?:web ?)?site|service|programme?|title|stream)s? (?:is|are)"
    r" (?:currently |unfortunately |temporarily )?(?:not (?:currently )?available|unavailable|blocked)"
    r" (?:to|in|for|from) (?:your|(?:visitors|users|readers|people)|(?:the |most )?(?:eu\b|european|countr))"
    r"|(?:we recogni[sz]e )?you(?:'re| are) attempting to access this (?:web ?)?site from"
    r"|we are sorry, but [^.]{0,80}not available in your (?:location|region|country|area)"
    r"|[^.]{0,60}\b(?:licensing|rights|legal)\b[^.]{0,60} not available in your (?:location|region|country)"
    r"|(?:dieser inhalt|dieses (?:video|angebot)|diese (?:seite|website))\b[^.]{0,40}"
    r" in (?:ihrem|deinem|ihrer|deiner) (?:land|region)"
    r"|(?:ce|cette|le|la)\b[^.]{0,30}(?:n'est pas|indisponible)[^.]{0,20}dans votre (?:pays|région)"
    r"|(?:este|esta|el|la)\b[^.]{0,30}no está disponible en (?:su|tu) (?:país|región|ubicación)"
    r"|(?:questo|questa|il)\b[^.]{0,30}non è disponibile (?:nel tuo paese|nella tua)"
    r"|(?:este|esta|o)\b[^.]{0,30}não está disponível (?:no seu país|na sua região)"
    r"|(?:этот|это|данн|контент|сайт|видео)[^.]{0,40}недоступ\w+ в ваш(?:ем|ей) (?:стране|регионе)"
    r"|[^。]{0,12}(?:您|你)所在的?(?:国家|地区|地區)[^。]{0,12}(?:不可用|无法|無法|不支持)"
    r"|[^。]{0,20}お住まいの(?:国|地域)[^。]{0,16}(?:利用|視聴|ご覧)[^。]{0,8}(?:できません|いただけません)"
)
_RATE = re.compile(
    r"you(?:'ve| have| are|'re) [^.]{0,40}(?:too many requests|rate[- ]limited)"
    r"|(?:we(?:'ve| have)? (?:received|detected) )too many requests (?:from|in)\b"
    r"|(?:sie haben )zu viele anfragen\b|(?:您的?|你的?)?(?:请求|访问|操作)(?:过于|太)频繁"
)
_RATE_BARE = re.compile(
    r"(?:error )?(?:429\W+)?(?:too many requests|rate limit exceeded|zu viele anfragen|trop de requêtes"
    r"|demasiadas (?:solicitudes|peticiones)|слишком много запросов|muitas (?:solicitações|requisições)"
    r"|troppe richieste|te veel verzoeken|リクエストが多すぎます)"
)
_QUEUE = re.compile(
    r"you(?:'re| are) (?:now |currently )?in (?:line|(?:the|a|our) (?:virtual )?(?:queue|waiting room))\b"
    r"|sie befinden sich (?:jetzt |nun )?in (?:der|einer) warteschlange"
    r"|vous êtes (?:maintenant )?dans (?:la|une) (?:file d'attente|salle d'attente)"
)
_BLOCKER = re.compile(
    r"(?:please )?(?:disable|turn off|switch off|deactivate|pause) (?:your|the) ad[- ]?block(?:er)?\b"
    r"|(?:bitte )?(?:deaktivier|schalt)\w+ (?:sie )?(?:ihren|deinen) (?:ad|werbe)[- ]?blocker"
    r"|(?:veuillez )?désactive[rz] votre (?:bloqueur|adblock)|desactiva (?:tu|su) bloqueador"
    r"|(?:пожалуйста, )?отключите (?:блокировщик|adblock)"
)
_FOR_SALE = re.compile(
    r"(?:this|the) domain(?: name)?(?: [\w.-]+\.[a-z]{2,18})? (?:is|may be) (?:currently )?(?:listed )?"
    r"(?:for sale|parked)"
    r"|this domain(?: name)? (?:has been|was|is) (?:recently )?registered (?:with|at|by)\b"
    r"|(?:[\w-]+\.)+[a-z]{2,18} is (?:for sale|parked)|buy this domain[.!]?$"
    r"|this (?:web ?)?page (?:was generated|is parked|is provided)[^.]{0,30}(?:domain|courtesy|free)"
    r"|(?:diese domain|(?:[\w-]+\.)+[a-z]{2,18}) (?:steht zum verkauf|ist (?:geparkt|zu verkaufen))"
    r"|ce (?:nom de )?domaine est (?:à vendre|parqué)|este dominio está (?:en venta|a la venta|aparcado)"
    r"|questo dominio è (?:in vendita|parcheggiato)|(?:этот )?домен (?:прода[её]тся|припаркован)"
    r"|(?:此|该|本)域名[^。]{0,6}(?:出售|转让|停放)|このドメインは[^。]{0,10}(?:販売|売り)"
)
_YEARS = r"(?:18|19|20|21|eighteen|twenty-one)\b"
_AGE = re.compile(
    rf"you must be (?:\w+ ){{0,2}}?(?:{_YEARS}|of legal)[^.]{{0,60}}\bto"
    r" (?:enter|view|access|visit|continue)"
    rf"|are you (?:(?:over|at least|above) )?(?:the age of )?{_YEARS}|are you (?:of legal|old enough)\b"
    r"|by (?:entering|clicking)[^.]{0,40} you (?:confirm|certify|agree|declare)[^.]{0,30}"
    r" (?:over|at least|of legal)\b"
    r"|(?:sind sie|bist du) (?:schon |mindestens |über |bereits |älter als )*(?:16|18)\b"
    r"|avez-vous (?:plus de |au moins )?(?:18 ans|l'âge légal)|êtes-vous majeur"
    r"|¿?(?:eres mayor de|tienes (?:más de )?18)|(?:hai (?:più di |almeno )?18 anni|sei maggiorenne)"
    r"|você (?:é maior de|tem (?:mais de )?)\s?(?:idade|18)|heb je de leeftijd|ben je (?:18|ouder dan 18)"
    r"|вам (?:уже )?(?:есть|исполнилось) (?:18|21)|czy (?:masz|ukończył\w*) (?:ukończone )?18"
    r"|(?:您|你)(?:是否)?已?(?:年)?满\s?18|(?:あなたは)?(?:18|20)歳以上ですか"
)


@dataclass(frozen=True, slots=True)
class Notice:
    """What stands there instead of the page, as a reason and a sentence."""

    reason: Reason
    detail: str


_OFTEN = Notice(Reason.RATE_LIMITED, "The site says that it was asked too often; try again later.")
_YOUNG = Notice(Reason.FORBIDDEN, "The site asks for the visitor's age instead of showing the page.")
_KINDS = (
    (_MAINTENANCE, Notice(Reason.UPSTREAM_ERROR, "The site is closed for maintenance; try again later.")),
    (_RATE, _OFTEN),
    (_QUEUE, Notice(Reason.UPSTREAM_ERROR, "The site is busy and lets visitors queue; try again later.")),
    (_REGION, Notice(Reason.FORBIDDEN, "The site does not show this page to visitors from this region.")),
    (_AGE, _YOUNG),
    (_BLOCKER, Notice(Reason.BLOCKED, "The site takes the reader for an ad blocker and shows no page.")),
    (_FOR_SALE, Notice(Reason.NOT_FOUND, "The domain is parked or for sale: there is no page.")),
)


def notice(seen: Seen) -> Notice | None:
    """The notice that a page consists of, if it does."""
    if len(seen.text) >= _MOST or len(seen.html) > _LARGE or seen.html.count("<a ") > _FEW_LINKS:
        return None
    if seen.text:
        return _said([seen.title.lower(), *_lines(seen.text)], seen.html)
    return _said((line for _, line in lines_of(seen.html)), seen.html)


def notice_in(markdown: str) -> Notice | None:
    """The same of another reader's Markdown."""
    if len(markdown) >= _MOST or markdown.count("](") > _FEW_LINKS:
        return None
    return _said(_lines(markdown), markdown)


def _lines(markdown: str) -> Iterator[str]:
    """Lines in lower case without their marks; those of code and quotations are left out."""
    for number, part in enumerate(markdown.replace("’", "'").lower().split("```")):
        if number % 2 == 0:
            for line in part.splitlines():
                if not line.startswith((">", "    ")):
                    yield _LINK.sub(r"\1", line).strip("#*- |\t")


def _said(lines: Iterable[str], whole: str) -> Notice | None:
    sentences = [_OPENING.sub("", sentence) for line in lines for sentence in _SENTENCE.split(line)]
    rest = sum(len(sentence) for sentence in sentences if not _RATE_BARE.match(sentence))
    if rest < _BARE and any(_RATE_BARE.fullmatch(sentence.rstrip(".! ")) for sentence in sentences):
        return _OFTEN
    for kind, found in _KINDS:
        if any(kind.match(sentence) for sentence in sentences):
            return found if found is not _YOUNG or _CHOICE.search(whole) else None
    return None
