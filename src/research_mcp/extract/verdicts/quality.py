"""The verdict on a page: whether its text is the page, and if not, what it is instead."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from research_mcp.core.errors import Reason
from research_mcp.core.models import Flag
from research_mcp.extract.verdicts.challenge import Answer, wall
from research_mcp.extract.verdicts.consent import is_consent_place, is_consent_wall
from research_mcp.extract.verdicts.missing import is_missing
from research_mcp.extract.verdicts.notices import notice
from research_mcp.extract.verdicts.paywall import teaser
from research_mcp.extract.verdicts.shell import ENOUGH, Seen, is_login, is_shell, may_need_scripts

_STATUSES = {
    401: (Reason.FORBIDDEN, "The site asks for a login (status 401)."),
    402: (Reason.PAYWALLED, "The site asks for money (status 402)."),
    403: (Reason.FORBIDDEN, "The site refuses access (status 403)."),
    404: (Reason.NOT_FOUND, "There is no such page (status 404)."),
    407: (Reason.FORBIDDEN, "The site asks for a login at a proxy (status 407)."),
    408: (Reason.TIMEOUT, "The site gave up waiting (status 408)."),
    410: (Reason.GONE, "The page was removed for good (status 410)."),
    429: (Reason.RATE_LIMITED, "The site limits how often it may be asked (status 429); try again later."),
    451: (Reason.FORBIDDEN, "The page is withheld for legal reasons (status 451)."),
}
_BLOCKING_PLACES = (
    ("www.google.com", "/sorry/"),
    ("www.linkedin.com", "/authwall"),
)


@dataclass(frozen=True, slots=True)
class Evidence:
    """One answer of a site. Header names in lower case; `html` as decoded, `text` as extracted.

    `shown`: characters on the page in all; `scripts`: how many scripts it loads or holds;
    `rescued`: the text was found in data that scripts would have shown.
    """

    url: str
    final_url: str
    status: int
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    html: str = field(default="", repr=False)
    text: str = field(default="", repr=False)
    title: str = ""
    shown: int = 0
    scripts: int = 0
    rescued: bool = False


@dataclass(frozen=True, slots=True)
class Verdict:
    """`reason` None: the text is the page, under the flags. `keep`: the text is worth showing."""

    reason: Reason | None = None
    detail: str = ""
    flags: tuple[Flag, ...] = ()
    notes: tuple[str, ...] = ()
    keep: bool = True


_ASKS_FOR_CONSENT = Verdict(
    Reason.BLOCKED, "The site asks for consent to cookies instead of showing the page.", keep=False
)


def judge(seen: Evidence) -> Verdict:
    """Statuses and walls first, then what is missing from the text. Pure."""
    if refusal := judge_document(seen):
        return refusal
    page = Seen(seen.html, seen.text, seen.title, seen.shown, seen.scripts)
    if is_consent_wall(seen.html, seen.text, seen.url):
        return _ASKS_FOR_CONSENT
    if is_login(page, seen.url, seen.final_url):
        return Verdict(Reason.FORBIDDEN, "The site shows a login instead of the page.", keep=False)
    if is_missing(page, seen.url, seen.final_url):
        return Verdict(Reason.NOT_FOUND, "The page says that it was not found.", keep=False)
    if found := notice(page):
        return Verdict(found.reason, found.detail, keep=False)
    if teaser(seen.html, seen.text, seen.title):
        detail = "Only the free start of the page could be read; the rest is for subscribers."
        return Verdict(Reason.PAYWALLED, detail, (Flag.PAYWALLED,))
    return _sufficiency(seen, page)


def judge_document(seen: Evidence) -> Verdict | None:
    """The verdict on a document that is no page: what its status and headers say, if anything."""
    return _refusal(seen) or status_verdict(seen.status)


def status_verdict(status: int) -> Verdict | None:
    """What an HTTP status alone says, None when the content decides."""
    if status in _STATUSES:
        reason, detail = _STATUSES[status]
        return Verdict(reason, detail, keep=reason is Reason.PAYWALLED)
    if status >= 400:
        return Verdict(Reason.UPSTREAM_ERROR, f"The site failed (status {status}).", keep=False)
    return None


def _refusal(seen: Evidence) -> Verdict | None:
    place, asked = urlsplit(seen.final_url), urlsplit(seen.url)
    sent = (place.netloc, place.path) != (asked.netloc, asked.path)
    if sent and any(place.netloc == host and place.path.startswith(path) for host, path in _BLOCKING_PLACES):
        return _blocked("The site")
    if is_consent_place(seen.url, seen.final_url):
        return _ASKS_FOR_CONSENT
    owner = wall(Answer(seen.status, seen.headers, seen.html, seen.text))
    return _blocked(owner) if owner else None


def _blocked(owner: str) -> Verdict:
    detail = f"{owner} answered with a check for bots instead of the page."
    return Verdict(Reason.BLOCKED, detail, keep=False)


def _sufficiency(seen: Evidence, page: Seen) -> Verdict:
    thin = (Flag.THIN,) if len(seen.text) < ENOUGH else ()
    if not seen.rescued:
        if is_shell(page):
            detail = "The page is an empty shell: its text appears only when a browser runs its scripts."
            return Verdict(Reason.NEEDS_JAVASCRIPT, detail, (*thin, Flag.NEEDS_JAVASCRIPT))
        if may_need_scripts(page):
            note = "Little text for so much code: a browser may show more of this page."
            return Verdict(None, "", (*thin, Flag.NEEDS_JAVASCRIPT), (note,))
    if not seen.text.strip():
        return Verdict(Reason.EMPTY, "The page holds no text.")
    return Verdict(flags=thin)
