"""Pages without their content: empty shells of applications, and logins."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from research_mcp.extract.tokens import words_of

ENOUGH = 400
"""Characters from which on a page is taken for complete."""
_LABELS_ONLY = 3_000
_PROSE = 80
_POOR = 0.05
_BIG = 10_000

_EMPTY_ROOT = re.compile(
    r"""<(?:div|main|section|app-root|[a-z]+-app)\b[^>]{0,300}\bid\s*=\s*["']?"""
    r"""(?:root|app|__next|__nuxt|___gatsby|react-root|main-app|app-root|application|svelte|q-app|mount|ember\w*)["'\s>]"""
    r"""[^<]{0,300}(?:<!--[^<]{0,200}-->)?\s{0,200}<(?:/|script)""",
    re.IGNORECASE,
)
_EMPTY_ELEMENT = re.compile(
    r"<(?:app-root|[a-z]+-app|my-app|flt-[a-z-]+)\b[^>]{0,300}>\s{0,200}</", re.IGNORECASE
)
_ASKS_FOR_SCRIPTS = re.compile(
    r"(?:enable|turn on|requires?|need|without) java ?script"
    r"|(?:activ|aktivier|habilit|ativ|attiv|abilit|włącz|включ)\w*(?: \w{1,5}){0,2} java ?script"
    r"|java ?script ?(?:を有効|를 (?:활성화|사용)|отключ|выключ|ist deaktiviert|désactivé)"
    r"|(?:启用|开启|啟用|打开) ?java ?script"
    r"|java ?script (?:is|to be|must be)[^.]{0,40}(?:enabled|required|disabled|turned off)"
    r"|java ?script is not available",
    re.IGNORECASE,
)
_LESSON = re.compile(r"how (?:to|do)\b|wie (?:man|sie|du)\b|comment\b|cómo\b|come\b|как\b", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s+|\n")
_MAIN = re.compile(r"<main\b", re.IGNORECASE)
_EMPTY_MAIN = re.compile(r"<main\b[^>]{0,300}>(?:\s++|<(?!/main)[^>]{0,300}+>){0,60}+</main>", re.IGNORECASE)
_WAITING = re.compile(
    r"(?:loading|please wait|wait|redirecting|initiali[sz]ing|загрузка)?[\s.…]*", re.IGNORECASE
)
_LOGIN_PATH = re.compile(
    r"/(?:accounts?/)?(?:log[-_]?in|sign[-_]?in|signup|sso|auth(?:wall|orize)?|checkpoint)(?:[/?.]|$)"
)
_LOGIN_TITLE = re.compile(
    r"\b(?:log ?in|sign ?in|sign up|anmelden|connexion|iniciar sesión|вход)\b", re.IGNORECASE
)
_LOGIN_FIRST = re.compile(
    r"\b(?:must|need to|have to|please|required to|requires you to)"
    r" (?:be (?:registered and )?(?:logged|signed) in|(?:log|sign) ?in)\b"
    r"|(?:log|sign) ?in to (?:view|see|read|access|continue|proceed)"
    r"|melden sie sich an, um|bitte (?:melden sie sich an|einloggen)"
    r"|(?:müssen|musst) [^.\n]{0,40}(?:angemeldet|eingeloggt)"
    r"|connecte[rz](?:-vous)? pour|(?:devez|doit) être connecté|(?:identifiez|connectez)-vous"
    r"|inici[ae]r? sesión para|debes? (?:iniciar sesión|estar registrad)"
    r"|(?:devi|bisogna) (?:accedere|effettuare l'accesso)"
    r"|accedi per|faça (?:o )?login para|precisa (?:estar logad|fazer login)|log in om"
    r"|je moet (?:ingelogd|inloggen)"
    r"|musisz (?:być zalogowany|się zalogować)|zaloguj się, aby"
    r"|du måste (?:vara inloggad|logga in)|du skal (?:være )?log"
    r"|войдите, чтобы|необходимо войти|(?:нужно|необходимо|требуется) авториз"
    r"|только (?:для )?зарегистрированны"
    r"|请先?登录|(?:您|你)?需要(?:先)?登录|請先登入|ログイン(?:してください|が必要)"
    r"|로그인이 필요|로그인 후|giriş yapmalısınız",
    re.IGNORECASE,
)
_PASSWORD = re.compile(r"""<input\b[^>]{0,500}\btype\s*=\s*["']?password\b""", re.IGNORECASE)
_LINK = re.compile(r"\[[^\[\]\n]{0,300}\]\([^()\s]{0,2000}\)")


@dataclass(frozen=True, slots=True)
class Seen:
    """What a page shows: `html` as decoded, `text` as extracted, `shown` characters in all."""

    html: str = field(repr=False)
    text: str = field(repr=False)
    title: str = ""
    shown: int = 0
    scripts: int = 0


def is_shell(seen: Seen) -> bool:
    """True when the page waits for scripts to bring its content."""
    if not seen.scripts:
        return False
    main = _MAIN.search(seen.html)
    if (
        main
        and _EMPTY_MAIN.match(seen.html, main.start())
        and len(_LINK.sub("", seen.text[:_LABELS_ONLY])) < ENOUGH // 4
    ):
        return True
    if len(seen.text) >= ENOUGH:
        return False
    if _EMPTY_ROOT.search(seen.html) or _EMPTY_ELEMENT.search(seen.html):
        return True
    words = words_of(seen.html)
    if len(words) < 2 * ENOUGH and _ASKS_FOR_SCRIPTS.search(words) and _only_asks(seen):
        return True
    if _WAITING.fullmatch(words):
        return True
    return len(seen.html) >= _BIG and len(seen.text) < ENOUGH // 4 and len(words) < _POOR * len(seen.html)


def _only_asks(seen: Seen) -> bool:
    """True when hardly a sentence of the text speaks of anything else, and it is no lesson on it."""
    if _LESSON.match(seen.title):
        return False
    sentences = _SENTENCE.split(_LINK.sub("", seen.text))
    return sum(len(text) for text in sentences if not _ASKS_FOR_SCRIPTS.search(text)) < ENOUGH // 4


def may_need_scripts(seen: Seen) -> bool:
    """True for a page that shows little beside its size, and no prose: labels of a form, say."""
    lines = _LINK.sub("", seen.text[:_LABELS_ONLY]).splitlines()
    prose = sum(len(line) for line in lines if len(line) >= _PROSE)
    return (
        bool(seen.scripts)
        and prose < ENOUGH
        and len(seen.html) >= _BIG
        and len(seen.text) < _LABELS_ONLY
        and max(seen.shown, len(seen.text)) < _POOR * len(seen.html)
    )


def is_login(seen: Seen, url: str, final_url: str) -> bool:
    """True when the visitor was sent to a login instead of the page, or finds one in its place."""
    there, asked = urlsplit(final_url), urlsplit(url)
    if len(seen.text) >= 2 * ENOUGH or _LOGIN_PATH.search(asked.path.lower()):
        return False
    if there.path == asked.path and there.netloc == asked.netloc:
        return _is_login_form(seen)
    sent = _LOGIN_PATH.search(there.path.lower())
    return bool(sent) and ("password" in seen.html.lower() or bool(_LOGIN_TITLE.search(seen.title)))


def _is_login_form(seen: Seen) -> bool:
    """A demand to log in first, with a field for a password and hardly a word beside it."""
    return bool(
        len(seen.text) < ENOUGH // 2 and _LOGIN_FIRST.search(seen.text) and _PASSWORD.search(seen.html)
    )
