"""What part of a page an element is, as its tag, role and class names say."""

from __future__ import annotations

import re
from functools import lru_cache

from lxml.html import HtmlElement


class Zone:
    """Parts of a page that are seldom its subject, as bits; 0 is anything else.

    Plain numbers: every element of a page is asked for them.
    """

    NONE = 0
    NAV = 1
    FOOTER = 2
    SIDE = 4
    HEADER = 8
    NOTICE = 16  # cookies, sign-up, sharing, advertising
    RELATED = 32
    COMMENTS = 64
    FORM = 128
    REVIEWS = 512
    CONTROLS = 1024  # of a thread: buttons, signatures, who is online
    CONSENT = 256  # asks for cookies or an address: never the subject


MAX_NAMES = 400  # characters of class and id that are looked at
FURNITURE = Zone.NAV | Zone.FOOTER | Zone.SIDE | Zone.NOTICE

_TAGS = {
    "nav": Zone.NAV,
    "footer": Zone.FOOTER,
    "aside": Zone.SIDE,
    "header": Zone.HEADER,
    "form": Zone.FORM,
}
_ROLES = {
    "navigation": Zone.NAV,
    "menu": Zone.NAV,
    "menubar": Zone.NAV,
    "contentinfo": Zone.FOOTER,
    "complementary": Zone.SIDE,
    "banner": Zone.HEADER,
    "search": Zone.NOTICE,
    "dialog": Zone.NOTICE,
    "alertdialog": Zone.NOTICE,
}


def _words(alternatives: str) -> re.Pattern[str]:
    """Finds whole words of a lower-case name that a sign precedes: the caller puts one before the first."""
    return re.compile(rf"[_-](?:{alternatives})(?=$|[_-])")


_NAMES = (
    (
        Zone.CONSENT | Zone.NOTICE,
        _words(
            r"cookies?\w{0,8}|\w{0,8}cookies?|\w{0,6}consent\w{0,8}|gdpr\w{0,8}|onetrust\w{0,8}|newsletters?"
        ),
    ),
    (
        Zone.NAV,
        _words(
            r"\w{0,9}nav|nav\w{0,8}|navigation|\w{0,6}menus?|\w{0,5}breadcrumbs?|crumbs?|pagination|pager|paging|toc"
            r"|table-of-contents|skip(?:-?\w+)*|tabs?-nav|filters?|facets?|sort(?:ing|-by)?|toolbar|language-switcher"
        ),
    ),
    (Zone.FOOTER, _words(r"\w{0,6}footer|foot|colophon|copyright|legal|bottom-?bar|site-info")),
    (Zone.SIDE, _words(r"\w{0,8}sidebar\w{0,2}|side-?bar|rail|aside|widgets?|widget-area")),
    (
        Zone.NOTICE,
        _words(
            r"privacy-\w+|subscri\w+|sign-?up|log-?in|sign-?in"
            r"|shar(?:e|ing)\w{0,7}|social\w{0,6}|follow-?us|promos?|promotions?|advert\w*|ads?|adsense|sponsor\w*"
            r"|popups?|modal|overlay|lightbox|paywall|app-?banner|announcement\w*|call-to-action|cta|donat\w+"
        ),
    ),
    (
        Zone.RELATED,
        _words(
            r"related\w{0,8}|recommend\w{0,8}|recommendations|similar|also-\w+|you-may|you-might"
            r"|more-(?:from|on|like|stories|posts|articles|news)"
            r"|popular\w{0,6}|trending|most-\w+|recent(?:ly)?(?:-\w+)?|up-?sells?|cross-?sells?|read-?more|read-?next"
            r"|next-?up|prev-?next|post-navigation|outbrain|taboola|zergnet"
        ),
    ),
    (Zone.COMMENTS, _words(r"comments?\w{0,6}|comment-\w+|disqus\w*|respond|replies|discussion")),
    (
        Zone.CONTROLS,
        _words(
            r"signatures?|post-?(?:buttons?|controls?|actions?|menu)|message-?(?:actions?|footer)|action-?bar"
            r"|reply-?(?:links?|buttons?)|online-?list|who-?is-?online|back-?to-?top|back2top"
        ),
    ),
    (Zone.REVIEWS, _words(r"(?:customer-?|user-?|product-?)?reviews?(?:-\w+)*|testimonials?|ratings?-\w+")),
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def zone_of(element: HtmlElement) -> int:
    """What the element's own tag, role, class and id say."""
    zone = _TAGS.get(element.tag, Zone.NONE) | _ROLES.get(element.get("role", ""), Zone.NONE)
    names = f"{element.get('class', '')} {element.get('id', '')}"
    for name in names[:MAX_NAMES].split():
        zone |= _zone_of_name(name)
    return zone


@lru_cache(maxsize=16_384)
def _zone_of_name(name: str) -> int:
    name = f"-{_CAMEL.sub('-', name).lower()}"
    zone = Zone.NONE
    for part, pattern in _NAMES:
        if pattern.search(name):
            zone |= part
    return zone


class Zones:
    """Zones with those of the ancestors, remembered. `trusted` elements and what is above are neutral."""

    def __init__(self, trusted: set[HtmlElement]) -> None:
        self._known: dict[HtmlElement, int] = dict.fromkeys(trusted, Zone.NONE)

    def of(self, element: HtmlElement) -> int:
        """The zones around and of an element."""
        path: list[HtmlElement] = []
        current: HtmlElement | None = element
        while current is not None and current not in self._known and current.tag != "body":
            path.append(current)
            current = current.getparent()
        zone = self._known.get(current, Zone.NONE) if current is not None else Zone.NONE
        for step in reversed(path):
            zone |= zone_of(step)
            self._known[step] = zone
        return zone
