"""Consent walls: pages that hold nothing but the question whether they may track.

Banners lie over pages that are there all the same, so a page is a wall only when every sentence on it
speaks of consent, one of them in the site's own name, and there is something to accept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from research_mcp.extract.verdicts.lines import lines_of

_MOST = 6_000
"""Characters: no wall says more."""
_WORDS = 4
"""Words from which on a line says something; shorter ones are labels."""
_LABELS = 60
"""Characters of other labels in the extracted text: a name, a language."""
_LARGE = 300_000
"""Characters of markup: a page with more is looked at no further."""

_PLACES = re.compile(
    r"(?:consent|guce|myprivacy|privacy-?gate|cmp)\.[^/]+/"
    r"|[^/]+/(?:[^?]*/)?(?:zustimmung|consent|cookie-?(?:wall|consent)|privacy-?gate)(?:[/?.]|$)",
    re.IGNORECASE,
)
_ASKED = re.compile(
    r"cookie|privacy|consent|gdpr|datenschutz|zustimmung|confidentialit|privacidad|privacidade", re.IGNORECASE
)
_OF_CONSENT = re.compile(
    r"cookie|consent|gdpr|privacy|personali[sz]|partner|vendor|tracking|track you|legitimate interest"
    r"|advert|\bads\b"
    r"|your (?:data|choices?|settings?|preferences?|device)"
    r"|(?:accept|reject|refuse|agree|decline|allow) ?(?:all)?\b"
    r"|manage (?:options|preferences|settings)|purposes|withdraw|do not sell|terms of"
    r"|before you (?:continue|go)"
    r"|welcome|we value|imprint|without ads"
    r"|einwillig|zustimm|datenschutz|werbung|personenbezogen|akzeptier|ablehn|einstellung|impressum"
    r"|verarbeit|widerruf"
    r"|willkommen|bevor sie|werbefrei|zweck|consentement|traceur|donn[ée]es|partenaire|confidentialit"
    r"|accepter|refuser"
    r"|param[ée]tr|publicit|finalit|bienvenue|avant de continuer|consentimiento|aceptar|acept|rechaz"
    r"|socios|privacidad"
    r"|datos|publicidad|configura|antes de|consenso|accett|rifiut|informativa|dati personali|pubblicit"
    r"|preferenz"
    r"|consentimento|aceitar|rejeitar|dados|parceiros|toestemming|accepteren|weiger|persoonsgegevens"
    r"|voorkeuren"
    r"|advertenties|zgod|akcept|ciastecz|dane|danych|prywatno|reklam|samtyck|samtykke|godk[äe]n|avvis"
    r"|annons|annonc"
    r"|персональн|куки|согла|принять|принима|конфиденциальн|реклам|souhlas|soukrom|çerez|kabul|onay"
    r"|gizlilik|reklam"
    r"|クッキー|同意|個人情報|プライバシー|隐私|隱私|接受|쿠키|동의|개인정보"
)
_IN_ITS_NAME = re.compile(
    r"\bwe(?: and our| use| value| process| store| care|,)|\bour (?:\d+ |[a-z]+ )?(?:partners|vendors)"
    r"|your (?:consent|privacy)|you (?:consent|agree)|before you continue"
    r"|\bwir\b|unsere (?:\d+ )?partner|bevor sie|mit werbung|ihre (?:einwilligung|zustimmung|daten)"
    r"|\bnous\b|nos partenaires|votre (?:consentement|vie)|avant de continuer"
    r"|nuestros|utilizamos|usamos|su consentimiento|tu privacidad|nosotros|antes de continuar"
    r"|\bnoi\b|nostri|utilizziamo|il tuo consenso|nossos|seu consentimento|\bwij\b|\bwe gebruiken"
    r"|onze partners"
    r"|\bmy\b|nasi|naszych|używamy|twoj|\bvi\b|våra|vores|våre|\bмы\b|наши|ваше согласие|ваших"
    r"|používáme|našich|kullan[ıi]yoruz|当社|弊社|我们|我們|당사|저희"
)
_CORE = re.compile(
    r"cookie|consent|privacy|personal|track|einwillig|zustimm|datenschutz|traceur|donn[ée]es"
    r"|confidentialit|vie privée"
    r"|consentimiento|privacidad|datos|consenso|dati|consentimento|dados|toestemming|persoonsgegevens"
    r"|zgod|danych|dane"
    r"|ciastecz|samtyck|samtykke|персональн|куки|согласи|souhlas|çerez|クッキー|同意|個人情報|隐私|隱私|쿠키|동의|개인정보"
)
_POLICY = re.compile(
    r"policy|policies|notice|statement|richtlinie|erklärung|politique|política|informativa|beleid"
    r"|polityka|политика"
    r"|方針|政策|방침|how|why|what|wie\b|warum|comment|pourquoi|cómo|por qué"
)
_BUTTON = re.compile(
    r"<(?:button|input)\b|role=[\"']?button|class=[\"'][^\"']{0,200}\b(?:btn|button)", re.IGNORECASE
)
_LINK = re.compile(r"!?\[([^\[\]\n]{0,300})\]\([^()\s]{0,2000}\)")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_ACCEPT = re.compile(
    r"\b(?:accept|agree|allow|consent|got it)\b|akzeptier|zustimmen|einverstanden|accepter|j'accepte"
    r"|acept(?:ar|o)"
    r"|accett[ao]|aceit(?:ar|o)|accepteren|akkoord|akceptuj|zgadzam|godk[äe]nn?|acceptera|tillad|godta|samtyk"
    r"|прин(?:ять|имаю)|соглас(?:ен|иться)|přij|souhlas|kabul|同意|接受|許可|동의"
)


def is_consent_place(url: str, final_url: str) -> bool:
    """True when the visitor was sent elsewhere, to where consent is asked for."""
    there, asked = urlsplit(final_url), urlsplit(url)
    moved = (there.netloc, there.path) != (asked.netloc, asked.path)
    return moved and bool(_PLACES.match(f"{there.netloc}{there.path}")) and not _ASKED.search(asked.path)


def is_consent_wall(html: str, text: str, url: str) -> bool:
    """True for a page that only asks for consent. `text`: as extracted."""
    rest = 0
    for line in _markdown_lines(text):
        rest += 0 if _OF_CONSENT.search(line) else len(line)
        if rest > _LABELS:  # most pages end here
            return False
    if len(html) > _LARGE or _ASKED.search(urlsplit(url).path) or not _BUTTON.search(html):
        return False
    lines = list(lines_of(html))
    shown = [line for _, line in lines]
    return sum(map(len, shown)) <= _MOST and _only_asks(shown, [line for heading, line in lines if heading])


def is_consent_text(markdown: str) -> bool:
    """True for another reader's Markdown that only asks for consent."""
    headings = [line for line in markdown.lower().splitlines() if line.startswith("#")]
    return _only_asks(list(_markdown_lines(markdown)), headings)


def _only_asks(lines: list[str], headings: list[str]) -> bool:
    """True when all that these lines, in lower case, say is the question."""
    sentences = [line for line in lines if _is_sentence(line)]
    return (
        bool(sentences)
        and all(_OF_CONSENT.search(line) and not _POLICY.search(line) for line in headings)
        and all(_OF_CONSENT.search(line) for line in sentences)
        and any(_IN_ITS_NAME.search(line) and _CORE.search(line) for line in sentences)
        and any(_ACCEPT.search(line) for line in lines)
    )


def _is_sentence(line: str) -> bool:
    """Shorter lines are labels. Scripts without spaces are counted by their signs."""
    return len(line.split()) >= _WORDS or (len(line) >= 3 * _WORDS and _WIDE.search(line) is not None)


def _markdown_lines(text: str) -> Iterator[str]:
    for line in text.lower().replace("’", "'").splitlines():
        if words := _LINK.sub(r"\1", line).strip("#*->| \t"):
            yield words
