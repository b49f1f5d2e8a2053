"""Which addresses belong to a site, and which of them are pages that somebody may want to read."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from research_mcp.core.urls import host_of, within_domain

_DEFAULT_PORTS = (None, 80, 443)
_ASSET = re.compile(
    r"\.(?:css|js|mjs|map|json|wasm|png|jpe?g|gif|svg|webp|avif|ico|bmp|tiff?|woff2?|ttf|otf|eot"
    r"|mp[34]|m4[av]|webm|og[gv]|mov|avi|wav|flac|zip|gz|tgz|bz2|xz|7z|rar|exe|msi|dmg|deb|rpm|apk|iso)$",
    re.IGNORECASE,
)
_DOOR = re.compile(
    r"(?:log-?in|log-?out|sign-?in|sign-?out|sign-?up|register|registration|lost-?password|forgot-?password"
    r"|password-?reset|reset-?password|wp-login\.php|xmlrpc\.php|cart|basket|checkout)",
    re.IGNORECASE,
)
_BEFORE_A_DOOR = re.compile(
    r"[a-z]{2}(?:-[a-z]{2})?|accounts?|users?|auth|members?|customer|wp-admin|shop|store", re.IGNORECASE
)
_MACHINERY = re.compile(
    r"/(?:wp-admin|wp-json|wp-includes|cdn-cgi|_next|__data|\.well-known)(?:/|$)", re.IGNORECASE
)
_ACTION = re.compile(r"(?:^|&)(?:share|replytocom|action=(?:edit|login|logout)|add-to-cart)(?:=|&|$)")


@dataclass(frozen=True, slots=True)
class SameSite:
    """A host with all below it, whatever the scheme; `www.` is no other site. Another port is one."""

    host: str
    port: int | None = None

    @classmethod
    def of(cls, url: str) -> SameSite:
        """The site of a url in normal form: `https://www.example.com/x` lies at `example.com`."""
        host = host_of(url)
        if host.startswith("www.") and host.count(".") >= 2:
            host = host.removeprefix("www.")
        return cls(host, _port(url))

    def covers(self, url: str) -> bool:
        """True for an address of this site."""
        return within_domain(host_of(url), self.host) and _port(url) == self.port


def is_page(url: str) -> bool:
    """False for what nobody reads: parts of pages, doors (login, cart), machinery, actions."""
    parts = urlsplit(url)
    path = unquote(parts.path)
    if _ASSET.search(path) or _MACHINERY.search(path) or _ACTION.search(parts.query):
        return False
    steps = [step for step in path.split("/") if step]
    is_door = bool(steps) and _DOOR.fullmatch(steps[-1]) is not None
    return not (is_door and all(_BEFORE_A_DOOR.fullmatch(step) for step in steps[:-1]))


def _port(url: str) -> int | None:
    """The port that makes it another site; None for the usual ones and for what is no url."""
    try:
        port = urlsplit(url).port
    except ValueError:
        return None
    return None if port in _DEFAULT_PORTS else port
