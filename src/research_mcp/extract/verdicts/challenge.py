"""Bot walls: pages that stand in for the page. Tables after `is-antibot` and crawl4ai's detector.

Asked in this order: response headers, marks in the markup, the status with weak marks. Text decides
first: a wall says little, so a page with an article on it is none, whatever its scripts mention.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from research_mcp.extract.tokens import markup_of, words_of

WALL_TEXT = 2_000
"""Characters: no wall says more."""
_FEW_WORDS = 600
_FEW_LINKS = 8
_SMALL = 10_000

_DECISIVE: tuple[tuple[str, Callable[[str], bool], str], ...] = (
    ("cf-mitigated", lambda value: value == "challenge", "Cloudflare"),
    ("x-amzn-waf-action", lambda value: value in ("challenge", "captcha"), "AWS WAF"),
    ("x-vercel-mitigated", lambda value: value in ("challenge", "deny"), "Vercel"),
)
# These are on good pages too, now and then: they count where there is next to no text.
_TELLING: tuple[tuple[str, Callable[[str], bool], str], ...] = (
    ("x-datadome", lambda value: value != "protected", "DataDome"),
    ("x-dd-b", bool, "DataDome"),
    ("x-px-authorization", bool, "HUMAN"),
    ("akamai-cache-status", lambda value: value.startswith("error"), "Akamai"),
    ("x-akamai-session-info", bool, "Akamai"),
    ("x-kasada", bool, "Kasada"),
    ("x-kasada-challenge", bool, "Kasada"),
    ("x-kpsdk-ct", bool, "Kasada"),
    ("x-kpsdk-r", bool, "Kasada"),
)
_MARKS = (
    (
        re.compile(r"_cf_chl_opt|__cf_chl_f_tk|challenge-platform/[^\"']{0,200}orchestrate"),
        "Cloudflare",
    ),
    (re.compile(r"class=[\"']?cf-error-code|data-translate=[\"']?block_headline"), "Cloudflare"),
    (re.compile(r"captcha-delivery\.com"), "DataDome"),
    (re.compile(r"window\._pxappid|captcha\.px-cdn\.net|id=[\"']?px-captcha"), "HUMAN"),
    (re.compile(r"errors\.edgesuite\.net"), "Akamai"),
    (re.compile(r"_incapsula_resource"), "Imperva"),
    (re.compile(r"kpsdk\.scriptstart|__kasada"), "Kasada"),
    (re.compile(r"gokuprops|\.awswaf\.com/"), "AWS WAF"),
    (re.compile(r"id=[\"']?anubis_challenge|/\.within\.website/x/cmd/anubis/"), "Anubis"),
    (re.compile(r"csm-captcha-instrumentation"), "Amazon"),
    (re.compile(r"x5secdata"), "AliExpress"),
    (re.compile(r"/\.well-known/sgcaptcha/"), "SiteGround"),
    (re.compile(r"check\.ddos-guard\.net"), "DDoS-Guard"),
    (re.compile(r"sec-if-cpt-container|/_sec/cp_challenge"), "Akamai"),
    (re.compile(r"acw_sc__v2"), "Alibaba Cloud"),
    (re.compile(r"/__qrator/"), "Qrator"),
    (re.compile(r"smartcaptcha\.yandexcloud\.net|/showcaptcha\?|captcha_smart"), "Yandex"),
)
# What a wall writes. Only on a page of few words and few links: others write about walls.
_PHRASES = (
    ("please enable js and disable any ad blocker", "DataDome"),
    ("access to this page has been denied", "HUMAN"),
    ("pardon our interruption", "Imperva"),
    ("incapsula incident id", "Imperva"),
    ("request unsuccessful. incapsula", "Imperva"),
    ("vercel security checkpoint", "Vercel"),
    ("sucuri website firewall", "Sucuri"),
    ("the request could not be satisfied", "CloudFront"),
    ("our systems have detected unusual traffic", "Google"),
    ("blocked by network security", "Reddit"),
    ("whoa there, pardner", "Reddit"),
    ("sina visitor system", "Sina"),
    ("protected by reblaze", "Reblaze"),
    ("the requested url was rejected. please consult", "F5"),
    ("your access to this site has been limited", "Wordfence"),
    ("your access to this service has been limited", "Wordfence"),
)
_TITLES = re.compile(
    r"just a moment\W*|attention required! \| cloudflare|access denied|one moment, please\W*|robot check"
    r"|are you a robot\?|client challenge|bot verification|human verification|security check(?:point)?"
    r"|ddos-guard|making sure you(?:'|&#39;|’)re not a bot!?|checking your browser\W*|verify you are human"
    r"|vercel security checkpoint|проверка (?:вашего )?браузера\W*"
)
_OWN_TITLES = {"attention required! | cloudflare": "Cloudflare", "vercel security checkpoint": "Vercel"}
"""Titles that no page of another's has."""
_WEAK_WORDS = re.compile(
    r"checking your browser before|verify(?:ing)? (?:that )?you are (?:a )?human"
    r"|\bray id: ?[`*]{0,2}[0-9a-f]{2}"
    r"|enable javascript and cookies to continue|complete the security check"
    r"|confirm (?:that )?you are (?:not a robot|human)|press (?:&|and) hold|i(?: a|')m not a robot"
    r"|(?:подтвердите|убедиться), что (?:вы не робот|запросы)|я не робот|мы проверяем ваш браузер"
    r"|je ne suis pas un robot|ich bin kein roboter"
    r"|vérifi\w+ que vous (?:êtes|n'êtes pas)"
    r"|bestätigen sie, dass sie (?:ein mensch|kein roboter)|no soy un robot"
    r"|verific\w+ que (?:eres|no eres|es usted) |non sono un robot|não sou um robô"
    r"|ik ben geen robot|nie jestem robotem"
    r"|请完成(?:安全)?验证|安全验证|人机验证|访问验证|请(?:拖动|按住)滑块|私はロボットではありません"
    r"|ロボットではないことを|로봇이 아닙니다"
)
_WIDGETS = re.compile(
    r"g-recaptcha|google\.com/recaptcha|h-captcha|hcaptcha\.com|cf-turnstile"
    r"|challenges\.cloudflare\.com/turnstile|"
    r"arkoselabs|funcaptcha|geetest\.com|frc-captcha|turing\.captcha|captcha\.eu"
)
# A widget that stands on the page, and words about what it is for: sites load its script everywhere.
_WIDGET_BOX = re.compile(
    r"""\b(?:class|id)\s*=\s*["']?[^"'<>]{0,100}(?:captcha|turnstile|geetest|arkose)""", re.IGNORECASE
)
_ITS_WORDS = re.compile(
    r"captcha|robot|\bbots?\b|(?:you|are|re) (?:a )?human|real person|verif(?:y|ic)|security check"
    r"|unusual (?:traffic|activity)|sicherheitsprüfung|провер\w+ (?:безопасности|браузера)"
    r"|验证|驗證|ロボット|로봇"
)
_REFERENCE = re.compile(r"reference\s*#?\s*\d+\.[0-9a-f]+\.\d+\.[0-9a-f]+")
_FIELD = re.compile(
    r"<textarea|<select|<input\b(?![^<>]*type=[\"']?(?:hidden|submit|button|image|checkbox))", re.IGNORECASE
)
_TITLE = re.compile(r"<title[^>]{0,200}>([^<]{0,300})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a wall may show in: `html` as decoded, `text` as extracted. Header names in lower case."""

    status: int
    headers: Mapping[str, str] = field(repr=False)
    html: str = field(repr=False)
    text: str = field(repr=False)

    @property
    def title(self) -> str:
        """What the <title> says, on one line, in lower case."""
        found = _TITLE.search(self.html[:100_000])
        return " ".join(found[1].split()).lower() if found else ""


def wall(answer: Answer) -> str:
    """Who keeps automated readers out here, "" when nobody does."""
    return _by_header(answer) or _by_markup(answer) or _by_words(answer)


def _by_header(answer: Answer) -> str:
    for name, test, owner in _DECISIVE:
        if test(answer.headers.get(name, "").lower()):
            return owner
    if answer.status == 999:
        return "LinkedIn"
    if len(answer.text) < _FEW_WORDS or answer.status >= 400:
        for name, test, owner in _TELLING:
            if name in answer.headers and test(answer.headers[name].lower()):
                return owner
    failed = answer.headers.get("x-cache", "").lower().startswith("error from cloudfront")
    return "CloudFront" if failed and answer.status == 403 else ""


def _by_markup(answer: Answer) -> str:
    if len(answer.text) >= WALL_TEXT or "<" not in answer.html:
        return ""
    if _fillable(answer.html) and answer.status < 400:
        return ""
    markup = markup_of(answer.html).lower()
    for mark, owner in _MARKS:
        if mark.search(markup):
            return owner
    return ""


def _by_words(answer: Answer) -> str:
    if len(answer.text) >= WALL_TEXT:
        return ""
    if owner := _OWN_TITLES.get(answer.title):
        return owner
    refused = answer.status in (403, 405, 429, 503)
    shown = words_of(answer.html).lower()
    terse = len(shown) < _FEW_WORDS and answer.html.count("<a ") <= _FEW_LINKS
    if terse or refused:
        for phrase, owner in _PHRASES:
            if phrase in shown or phrase in answer.title:
                return owner
    if "access denied" in shown[:200] and _REFERENCE.search(shown):
        return "Akamai"
    if not refused and (len(answer.html) >= _SMALL or not terse or _fillable(answer.html)):
        return ""
    if _TITLES.fullmatch(answer.title) or _WEAK_WORDS.search(shown):
        return "The site"
    if not _WIDGETS.search(answer.html.lower()):
        return ""
    return "The site" if refused or _WIDGET_BOX.search(answer.html) or _ITS_WORDS.search(shown) else ""


def _fillable(html: str) -> bool:
    """A form that asks for words: captchas beside it are its guards."""
    return _FIELD.search(html) is not None
