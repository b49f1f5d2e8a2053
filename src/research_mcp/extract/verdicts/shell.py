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
    r"(?:enable|turn on|activate|requires?|need|without) java ?script|activ\w* java ?script"
    r"|java ?script (?:is|to be|must be)[^.]{0,40}(?:enabled|required|disabled|turned off)"
    r"|включите java ?script",
    re.IGNORECASE,
)
_WAITING = re.compile(
    r"(?:loading|please wait|wait|redirecting|initiali[sz]ing|загрузка)?[\s.…]*", re.IGNORECASE
)
_LOGIN_PATH = re.compile(
    r"/(?:accounts?/)?(?:log-?in|sign-?in|signup|sso|auth(?:wall|orize)?|checkpoint)(?:[/?.]|$)"
)
_LOGIN_TITLE = re.compile(
    r"\b(?:log ?in|sign ?in|sign up|anmelden|connexion|iniciar sesión|вход)\b", re.IGNORECASE
)
_LOGIN_FIRST = re.compile(
    r"\b(?:must|need to|have to|please|required to) (?:be (?:logged|signed) in|(?:log|sign) ?in)\b"
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
    if len(seen.text) >= ENOUGH or not seen.scripts:
        return False
    if _EMPTY_ROOT.search(seen.html) or _EMPTY_ELEMENT.search(seen.html):
        return True
    words = words_of(seen.html)
    if len(words) < 2 * ENOUGH and _ASKS_FOR_SCRIPTS.search(words):
        return True
    if _WAITING.fullmatch(words):
        return True
    return len(seen.html) >= _BIG and len(seen.text) < ENOUGH // 4 and len(words) < _POOR * len(seen.html)


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
